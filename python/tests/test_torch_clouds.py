"""farpoint.torch: clouds of different lengths, halves, lists of neighbors and indices, with gradients; and calls that need no operator."""

import pickle

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: its gradients and operators are not tested")
fpt = pytest.importorskip("farpoint.torch")
from learned import DEVICES, check_twice  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

INF = float("inf")
BOX = (-3, -3, -3, 3, 3, 3)


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(11)
    return request.param


def finite(distances):
    return torch.where(distances < INF, distances, torch.zeros_like(distances))


def flat(found):
    if isinstance(found, dict):
        return list(found.values())
    return list(found) if isinstance(found, tuple) else [found]


class Traced(TorchDispatchMode):
    """Notes the operators of farpoint, and calls them."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        self.names.append(str(function))
        return function(*arguments, **(options or {}))


def calls(points, features, queries, cuts, asked):
    """Each function of farpoint.torch; of regular clouds, or with offsets of the points and the queries."""
    ragged = bool(cuts)
    index = {f"index_{name.rpartition('_')[2]}": value for name, value in asked.items()}
    channels = features if ragged else features.transpose(-1, -2).contiguous()
    yield "fps", lambda: fpt.fps(points, 4, **cuts)
    yield "ball_query", lambda: fpt.ball_query(1.0, 3, points, queries, **cuts, **asked)
    yield "knn", lambda: fpt.knn(points, 3, queries, **cuts, **asked)
    yield "knn of points", lambda: fpt.knn(points, 3, None, 1.0, True, **cuts)
    yield "three_nn", lambda: fpt.three_nn(queries, points, **cuts, **asked)
    yield "radius", lambda: fpt.radius(points, 1.0, queries, **cuts, **asked)
    yield "edges", lambda: fpt.radius(points, 1.0, order="nearest", edge_index=True, **cuts)
    yield "normals", lambda: fpt.normals(points, 4, return_curvature=True, return_covariances=True, **cuts)
    yield "interpolate", lambda: fpt.interpolate(points, features, queries, **cuts, **asked)
    which = fpt.knn(points, 3, queries, **cuts, **asked)[0]
    yield "gather", lambda: fpt.gather(features, which, **cuts, **index)
    yield "group", lambda: fpt.group(channels, which, **cuts, **index)
    weight = torch.linspace(0, 1, which.numel(), device=which.device, dtype=features.dtype).reshape(which.shape)
    yield "three_interpolate", lambda: fpt.three_interpolate(channels, which, weight, **cuts, **index)
    yield "voxelize", lambda: fpt.voxelize(points, 0.5, BOX, max_points=3, max_voxels=50, **cuts)


def of_clouds(device, dtype=torch.float32):
    points, queries = torch.randn(3, 12, 3, device=device, dtype=dtype), torch.randn(3, 5, 3, device=device, dtype=dtype)
    return points, torch.randn(3, 12, 4, device=device, dtype=dtype), queries


def test_calls_that_need_no_operator_have_the_answers_of_operators(device):
    points, features, queries = of_clouds(device)
    ragged = [each.reshape(-1, each.shape[-1]) for each in (points, features, queries)]
    cuts = {"offsets": torch.tensor([2, 12, 12, 30], device=device)}
    asked = {"query_offsets": torch.tensor([0, 4, 7, 15], device=device)}
    for arguments in ((points, features, queries, {}, {}), (points[0], features[0], queries[0], {}, {}), (*ragged, cuts, asked)):
        for name, call in calls(*arguments):
            expected = flat(call())
            with Traced() as traced:
                found = flat(call())
            assert any(operator.startswith("farpoint.") for operator in traced.names), name
            for one, other in zip(found, expected):
                assert torch.equal(one, other) and one.dtype == other.dtype and one.stride() == other.stride(), name


def test_calls_without_gradients_are_made_directly(device, monkeypatch):
    from farpoint import _distances, _rows

    points = torch.randn(20, 3, device=device)
    learned = points.clone().requires_grad_()
    called = []
    for module, name in ((_distances, "_knn"), (_rows, "_gather")):
        operator = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, operator=operator, name=name: called.append(name) or operator(*a))
    indices, _ = fpt.knn(points, 3)
    fpt.gather(points, indices)
    with torch.no_grad():
        fpt.knn(learned, 3)
    fpt.knn(torch.nn.Parameter(points, requires_grad=False), 3)
    assert called == []
    fpt.gather(learned, fpt.knn(learned, 3)[0])
    assert called == ["_knn", "_gather"]


def test_clouds_one_after_another_are_the_clouds(device):
    lengths, sizes = [5, 0, 9], [3, 2, 4]
    points, features = torch.randn(14, 3, device=device).double(), torch.randn(14, 4, device=device).double()
    queries = torch.randn(9, 3, device=device).double()
    inputs = [each.requires_grad_() for each in (points, features, queries)]

    def whole():
        index, distances = fpt.knn(points, 4, queries, lengths=lengths, query_lengths=sizes)
        dist, idx = fpt.three_nn(queries, points, lengths=lengths, query_offsets=[0, 3, 5, 9])
        cut = {"lengths": torch.tensor(lengths, device=device), "index_lengths": sizes}
        return [finite(distances), finite(dist), fpt.gather(features, index, **cut), fpt.group(features, index, **cut),
                fpt.three_interpolate(features, idx, torch.ones_like(dist), **cut),
                fpt.interpolate(points, features, queries, lengths=lengths, query_lengths=sizes),
                fpt.radius(points, 1.5, queries, lengths=lengths, query_lengths=sizes).distances]

    def each():
        rows = []
        for p, f, q in zip(points.split(lengths), features.split(lengths), queries.split(sizes)):
            index, distances = fpt.knn(p, 4, q)
            dist, idx = fpt.three_nn(q, p)
            rows.append([finite(distances), finite(dist), fpt.gather(f, index), fpt.group(f.T.contiguous(), index).transpose(0, 1),
                         fpt.three_interpolate(f.T.contiguous(), idx, torch.ones_like(dist)).T, fpt.interpolate(p, f, q),
                         fpt.radius(p, 1.5, q).distances])
        return [torch.cat(every) for every in zip(*rows)]

    for one, other in zip(whole(), each()):
        torch.testing.assert_close(one, other)
        weight = torch.randn_like(one)
        gradients = [torch.autograd.grad(value, inputs, weight, allow_unused=True, materialize_grads=True) for value in (one, other)]
        for mine, theirs in zip(*gradients):
            torch.testing.assert_close(mine, theirs)
    picks = fpt.fps(points, 3, lengths=lengths)
    assert torch.equal(picks[2], fpt.fps(points[5:], 3)) and (picks[1] == -1).all()
    assert torch.equal(fpt.fps(points, 3, torch.tensor([2, 0, 1], device=device), lengths=lengths)[0], fpt.fps(points[:5], 3, 2))


def test_wrong_offsets_with_gradients():
    points, indices = torch.randn(9, 3, requires_grad=True), torch.zeros(3, 2, dtype=torch.int64)
    for cut in ({"offsets": [0, 10]}, {"offsets": [5, 0]}, {"offsets": [-1, 9]}, {"offsets": [0.0, 9.0]}, {"offsets": []},
                {"offsets": [0, 9], "lengths": [9]}, {"lengths": [10]}, {"lengths": [-1, 9]}):
        with pytest.raises(ValueError, match="offsets|lengths"):
            fpt.knn(points, 2, **cut)
        with pytest.raises(ValueError, match="offsets|lengths|numbers of clouds"):
            fpt.gather(points, indices, index_lengths=[3], **cut)
    with pytest.raises(ValueError, match="different numbers of clouds"):
        fpt.gather(points, indices, lengths=[9], index_lengths=[1, 2])
    with pytest.raises(ValueError, match="need offsets or lengths"):
        fpt.gather(points, indices, index_lengths=[3])
    with pytest.raises(ValueError, match="not channels first"):
        fpt.gather(points, indices, True, lengths=[9])


def test_lists_of_neighbors(device):
    points, queries = (torch.randn(2, n, 3, device=device).double().requires_grad_() for n in (7, 5))
    check_twice(lambda p, q: fpt.radius(p, 1.4, q).distances, points, queries)
    check_twice(lambda p: fpt.radius(p, 1.4, exclude_self=True, order="nearest").distances, points)
    check_twice(lambda p, q: finite(fpt.radius(p, 2.5, q, capacity=9).distances), points[0].detach().requires_grad_(),
                queries[0].detach().requires_grad_())
    flat_points, cut = points.detach().reshape(-1, 3).requires_grad_(), {"offsets": torch.tensor([1, 6, 6, 14], device=device)}
    check_twice(lambda p: fpt.radius(p, 1.4, **cut).distances, flat_points)
    found = fpt.radius(points, 1.4, queries)
    expected = farpoint.radius(points.detach(), 1.4, queries.detach())
    assert all(torch.equal(one, other) for one, other in zip(found, expected)) and found.distances.requires_grad
    room = fpt.radius(points, 1.4, queries, capacity=len(expected.indices) + 6)
    assert torch.equal(room.offsets, expected.offsets)
    assert torch.equal(fpt.radius(points, 1.4, edge_index=True), farpoint.radius(points.detach(), 1.4, edge_index=True))
    nothing = fpt.radius(points, 1e-9, queries)
    assert nothing.distances.shape == (0,)
    assert not torch.autograd.grad(nothing.distances.sum(), points)[0].any()
    along = torch.randn_like(points)
    tangent = torch.func.jvp(lambda p: fpt.radius(p, 1.4, queries.detach()).distances, (points.detach(),), (along,))[1]
    slopes = torch.autograd.grad(found.distances.sum(), points)[0]
    torch.testing.assert_close(tangent.sum(), (slopes * along).sum())


def test_normals_have_no_gradient():
    with pytest.raises(ValueError, match="normals: the gradient of points would be lost"):
        fpt.normals(torch.rand(9, 3, requires_grad=True), 4)


def test_an_index_has_gradients(device):
    points, queries = (torch.randn(2, n, 3, device=device).double().requires_grad_() for n in (8, 5))
    features = torch.randn(2, 8, 3, device=device).double().requires_grad_()
    check_twice(lambda p, q: fpt.PointIndex(p).knn(3, q)[1], points, queries)
    check_twice(lambda p: fpt.PointIndex(p).knn(3, exclude_self=True)[1], points)
    check_twice(lambda p, q: fpt.PointIndex(p).radius(1.4, q).distances, points, queries)
    check_twice(lambda p, q: finite(fpt.PointIndex(p).radius(1.4, q, 4).distances), points, queries)
    check_twice(lambda p, f, q: fpt.PointIndex(p).interpolate(f, q), points, features, queries)
    index = fpt.PointIndex(points)
    for one, other in ((index.knn(3, queries), fpt.knn(points, 3, queries)), (index.radius(1.4, queries), fpt.radius(points, 1.4, queries)),
                       ((index.interpolate(features, queries),), (fpt.interpolate(points, features, queries),))):
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(one, other))
    ragged, cut, asked = points.detach().reshape(-1, 3).requires_grad_(), {"lengths": [3, 0, 13]}, {"query_offsets": [0, 4, 6, 10]}
    rows = queries.detach().reshape(-1, 3).requires_grad_()
    check_twice(lambda p, q: finite(fpt.PointIndex(p, **cut).knn(4, q, **asked)[1]), ragged, rows)
    check_twice(lambda p, q: fpt.PointIndex(p, **cut).radius(1.4, q, **asked).distances, ragged, rows)
    assert repr(index).startswith("farpoint.torch.PointIndex(2 clouds, 16 points, float64") and len(index) == 16
    other = pickle.loads(pickle.dumps(index))
    assert torch.equal(other.knn(3, queries)[0], index.knn(3, queries)[0])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_halves_are_searched_as_floats(device, dtype):
    points, features, queries = of_clouds(device)
    points, queries = points.to(getattr(torch, dtype)), queries.to(getattr(torch, dtype))
    for (name, found), (_, expected) in zip(calls(points, features, queries, {}, {}), calls(points.float(), features, queries.float(), {}, {})):
        for one, other in zip(flat(found()), flat(expected())):
            assert torch.equal(one, other), name
    learned, asked = points.clone().requires_grad_(), queries.clone().requires_grad_()
    distances = fpt.knn(learned, 3, asked)[1]
    assert distances.dtype == torch.float32
    distances.sum().backward()
    wide = points.float().requires_grad_()
    fpt.knn(wide, 3, queries.float())[1].sum().backward()
    torch.testing.assert_close(learned.grad, wide.grad.to(learned.dtype))


def test_a_layer_under_autocast(device):
    torch.manual_seed(2)
    offsets = torch.nn.Linear(3, 3).to(device)
    points, features = torch.randn(2, 60, 3, device=device), torch.randn(2, 60, 8, device=device)
    with torch.autocast(device, torch.bfloat16):
        moved = offsets(points)
        assert moved.dtype == torch.bfloat16
        picks = fpt.fps(moved, 16)
        new = fpt.gather(moved, picks)
        groups, distances = fpt.knn(moved, 4, new)
        lists = fpt.radius(moved, 1.0, new)
        dist, _ = fpt.three_nn(points, new)
        ball = fpt.ball_query(0.9, 4, moved, new)
        between = fpt.interpolate(new, fpt.gather(features, picks), points)
    assert distances.dtype == dist.dtype == lists.distances.dtype == torch.float32 and ball.shape == (2, 16, 4)
    assert torch.equal(groups, fpt.knn(moved.float(), 4, new.float())[0])
    (distances.mean() + dist.mean() + lists.distances.mean() + between.float().square().mean()).backward()
    assert torch.isfinite(offsets.weight.grad).all() and offsets.weight.grad.any()


def test_new_operators_are_as_torch_wants_them(device):
    points, features, queries = of_clouds(device)
    ragged, rows = points.reshape(-1, 3), torch.randint(-1, 12, (15, 2), device=device)
    cuts, asked = torch.tensor([0, 12, 20, 36], device=device), torch.tensor([0, 5, 9, 15], device=device)
    found = farpoint.radius(points, 1.0, queries, capacity=50)
    pairs = (points.clone().requires_grad_(), queries.clone().requires_grad_(), found.offsets, found.indices, finite(found.distances), None, None)
    voxel, point = torch.tensor([0, 1, -1, 1], device=device), torch.tensor([3, 2, -1, 0], device=device)
    counts, means = torch.tensor([1, 2], dtype=torch.int32, device=device), torch.randn(2, 3, device=device)
    operators = torch.ops.farpoint
    known = torch.randint(0, 12, (3, 5, 2), device=device)
    tests = ("test_schema", "test_autograd_registration", "test_faketensor")
    for operator, arguments in [
            (operators.global_rows, (rows, cuts, asked, 36)), (operators.radius, (points, 1.0, queries, "index", False, False, 40, None, None)),
            (operators.radius_edges, (ragged, 1.0, None, "nearest", True, False, 90, cuts, None)), (operators.list_distances, pairs),
            (operators.list_distances_backward, (found.distances, found.offsets, found.indices, points, queries, None, None, True)),
            (operators.known_distances, (points.clone().requires_grad_(), queries, known, torch.rand(3, 5, 2, device=device))),
            (operators.normals, (points, 4, 1.0, [0.0, 0.0, 0.0], None)), (operators.fps, (points, 3, 0, None, torch.tensor([1, 2, 0], device=device))),
            (operators.voxel_means, (ragged.clone().requires_grad_(), means, voxel, point, counts)),
            (operators.voxel_means_backward, (means, voxel, point, counts, 36)),
            (operators.voxelize, (points, [0.5] * 3, list(map(float, BOX)), 3, 20, "coords mean voxels point_voxel", None, "grid", "xyz", None,
                                  "float32", None)),
            (operators.knn, (ragged.clone().requires_grad_(), 3, queries.reshape(-1, 3), 9.0, False, cuts, asked)),
            (operators.three_nn, (queries.reshape(-1, 3), ragged, cuts, asked))]:
        torch.library.opcheck(operator.default, arguments, test_utils=tests)


def test_clouds_of_different_lengths_are_compiled(device):
    def model(points, features, offsets):
        picks = fpt.fps(points, 4, offsets=offsets)
        centers = fpt.gather(points, picks, offsets=offsets).flatten(0, 1)
        asked = torch.arange(offsets.shape[0], device=points.device) * 4
        groups, distances = fpt.knn(points, 3, centers, offsets=offsets, query_offsets=asked)
        lists = fpt.radius(points, 1.0, centers, capacity=60, offsets=offsets, query_offsets=asked)
        between = fpt.interpolate(centers, centers, points, offsets=asked, query_offsets=offsets)
        pooled = fpt.gather(features, groups, offsets=offsets, index_offsets=asked).amax(1)
        return pooled.sum() + finite(distances).sum() + finite(lists.distances).sum() + between.square().sum()

    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    points, features = torch.randn(30, 3, device=device).requires_grad_(), torch.randn(30, 5, device=device).requires_grad_()
    offsets = torch.tensor([0, 11, 30], device=device)
    expected = torch.autograd.grad(model(points, features, offsets), (points, features))
    for one, other in zip(torch.autograd.grad(compiled(points, features, offsets), (points, features)), expected):
        torch.testing.assert_close(one, other)


def test_a_search_of_learned_points_converges(device):
    # Chamfer's distance of ragged clouds, by knn and by lists.
    torch.manual_seed(4)
    target, cut = torch.rand(60, 3, device=device), {"lengths": [25, 35]}
    points = torch.rand(60, 3, device=device).requires_grad_()
    optimizer = torch.optim.Adam([points], lr=0.02)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        there = fpt.knn(points, 1, target, **cut, query_lengths=[25, 35])[1].mean()
        back = fpt.PointIndex(target, **cut).knn(1, points, query_lengths=[25, 35])[1].mean()
        loss = there + back + 0.01 * fpt.radius(points, 0.2, target, **cut, query_lengths=[25, 35]).distances.sum() / 60
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0] and np.isfinite(losses).all()
