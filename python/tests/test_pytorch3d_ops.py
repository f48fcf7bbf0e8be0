"""farpoint.pytorch3d_ops against pytorch3d's definitions, restated as loops over all pairs."""

import inspect

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: the functions of pytorch3d are not tested")
p3d = pytest.importorskip("farpoint.pytorch3d_ops")

DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]
LENGTHS1, LENGTHS2 = [7, 0, 3, 5], [9, 6, 0, 2]


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(4)
    return request.param


def lattice(clouds, count, dimensions, dtype, rng, device="cpu"):
    """Whole numbers: distances are exact in every type, and many are equal. Padding of NaN shows where it is read."""
    return torch.from_numpy(rng.integers(-3, 4, (clouds, count, dimensions))).to(dtype).to(device)


def lengths(numbers, device, dtype=torch.int64):
    return torch.tensor(numbers, dtype=dtype, device=device)


def neighbors(p1, p2, lengths1, lengths2, k, norm=2, radius=None):
    """Distances and indices (B, N, k) as numpy arrays; -1 and 0 where there is none. Nearest first, or by index within a radius."""
    p1, p2 = p1.detach().cpu().double().numpy(), p2.detach().cpu().double().numpy()
    dists, idx = np.zeros((*p1.shape[:2], k)), np.full((*p1.shape[:2], k), -1)
    for b in range(len(p1)):
        for i in range(lengths1[b]):
            near = []
            for j in range(lengths2[b]):
                difference = p1[b, i] - p2[b, j]
                d = np.abs(difference).sum() if norm == 1 else (difference**2).sum()
                if np.isfinite(d) and (radius is None or d < radius * radius):
                    near.append((d, j))
            for place, (d, j) in enumerate((near if radius is not None else sorted(near))[:k]):
                dists[b, i, place], idx[b, i, place] = d, j
    return dists, idx


def compare(found, expected):
    np.testing.assert_array_equal(found.detach().cpu().double().numpy(), expected)


def test_signatures_are_those_of_pytorch3d():
    expected = {
        "knn_points": "p1 p2 lengths1 lengths2 norm K version return_nn return_sorted",
        "knn_gather": "x idx lengths",
        "ball_query": "p1 p2 lengths1 lengths2 K radius return_nn skip_points_outside_cube",
        "sample_farthest_points": "points lengths K random_start_point",
    }
    for name, parameters in expected.items():
        assert list(inspect.signature(getattr(p3d, name)).parameters) == parameters.split(), name
    defaults = {name: p.default for name, p in inspect.signature(p3d.ball_query).parameters.items()}
    assert defaults["K"] == 500 and defaults["radius"] == 0.2 and defaults["return_nn"] is True


@pytest.mark.parametrize("dimensions", [1, 2, 3, 8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64])
def test_nearest_neighbors_of_padded_clouds(device, dimensions, dtype, rng):
    p1, p2 = lattice(4, 7, dimensions, dtype, rng, device), lattice(4, 9, dimensions, dtype, rng, device)
    for norm in (1, 2):
        for k in (1, 4, 11):
            dists, idx = neighbors(p1, p2, LENGTHS1, LENGTHS2, k, norm)
            for index_type in (torch.int32, torch.int64):
                found = p3d.knn_points(p1, p2, lengths(LENGTHS1, device, index_type), lengths(LENGTHS2, device, index_type),
                                       norm=norm, K=k, return_nn=True)
                compare(found.dists, dists)
                compare(found.idx, np.maximum(idx, 0))
                assert found.idx.dtype == torch.int64
                assert found.dists.dtype == (torch.float64 if dtype in (torch.float64, torch.int64) else torch.float32)
                expected = np.zeros((4, 7, k, dimensions))
                for b, n, place in np.ndindex(4, 7, k):
                    if place < LENGTHS2[b]:
                        expected[b, n, place] = p2[b, max(idx[b, n, place], 0)].cpu().double().numpy()
                compare(found.knn, expected)
            dists, idx = neighbors(p1, p2, [7] * 4, [9] * 4, k, norm)
            found = p3d.knn_points(p1, p2, norm=norm, K=k)
            compare(found.dists, dists)
            compare(found.idx, np.maximum(idx, 0))
            assert found.knn is None
            one = p3d.knn_points(p1, p2, lengths1=lengths(LENGTHS1, device), norm=norm, K=k)
            compare(one.dists, neighbors(p1, p2, LENGTHS1, [9] * 4, k, norm)[0])


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_balls_of_padded_clouds(device, dimensions, dtype, rng):
    p1, p2 = lattice(4, 7, dimensions, dtype, rng, device), lattice(4, 9, dimensions, dtype, rng, device)
    rounded = np.float64 if dtype == torch.float64 else np.float32  # 1e-30 squared is 0 as a float
    for k, radius in ((1, 2.0), (3, 2.0), (10, 2.0), (1500, 3.0), (4, 0.0), (4, 1e-30), (4, 0.5), (4, np.inf)):
        dists, idx = neighbors(p1, p2, LENGTHS1, LENGTHS2, k, radius=rounded(radius))
        found = p3d.ball_query(p1, p2, lengths(LENGTHS1, device), lengths(LENGTHS2, device), k, radius)
        compare(found.dists, dists)
        compare(found.idx, idx)
        expected = np.zeros((4, 7, k, dimensions))
        for b, n, place in zip(*np.nonzero(idx >= 0)):
            expected[b, n, place] = p2[b, idx[b, n, place]].cpu().double().numpy()
        compare(found.knn, expected)
        found = p3d.ball_query(p1, p2, K=k, radius=radius, return_nn=False, skip_points_outside_cube=True)
        compare(found.idx, neighbors(p1, p2, [7] * 4, [9] * 4, k, radius=rounded(radius))[1])
        assert found.knn is None


def test_padding_is_never_read(device, rng):
    p1, p2 = lattice(4, 7, 3, torch.float32, rng, device), lattice(4, 9, 3, torch.float32, rng, device)
    of1, of2 = lengths(LENGTHS1, device), lengths(LENGTHS2, device)
    for b in range(4):
        p1[b, LENGTHS1[b]:], p2[b, LENGTHS2[b]:] = 0.0, 0.0
    calls = [lambda: p3d.knn_points(p1, p2, of1, of2, K=3)[:2], lambda: p3d.ball_query(p1, p2, of1, of2, 3, 2.0)[:2],
             lambda: p3d.knn_points(p1, p2, of1, of2, norm=1, K=3)[:2], lambda: p3d.sample_farthest_points(p2, of2, 4)]
    before = [call() for call in calls]
    for value in (float("nan"), float("inf"), 1e30):
        for b in range(4):
            p1[b, LENGTHS1[b]:], p2[b, LENGTHS2[b]:] = value, value
        for call, expected in zip(calls, before):
            for one, other in zip(call(), expected):
                assert torch.equal(one, other)
    # And it has no gradient, whatever is in it.
    p1.requires_grad_(), p2.requires_grad_()
    p3d.knn_points(p1, p2, of1, of2, K=3).dists.sum().backward()
    for b in range(4):
        assert not p1.grad[b, LENGTHS1[b]:].any() and not p2.grad[b, LENGTHS2[b]:].any()
    assert torch.isfinite(p1.grad).all() and p1.grad.any() and p2.grad.any()


def test_points_that_are_not_finite(device, rng):
    p1, p2 = lattice(2, 6, 3, torch.float32, rng, device), lattice(2, 6, 3, torch.float32, rng, device)
    p1[0, 2, 1], p2[0, 0, 0], p2[1, 3, 2] = float("nan"), float("inf"), float("nan")
    with np.errstate(invalid="ignore"):
        dists, idx = neighbors(p1, p2, [6, 6], [6, 6], 6)
        found = p3d.knn_points(p1, p2, K=6)
        compare(found.dists, dists)
        compare(found.idx, np.maximum(idx, 0))
        compare(p3d.ball_query(p1, p2, K=6, radius=3.0).idx, neighbors(p1, p2, [6, 6], [6, 6], 6, radius=3.0)[1])
    picks = p3d.sample_farthest_points(p2, K=6)[1]
    assert sorted(picks[0].tolist()) == [-1, 1, 2, 3, 4, 5] and sorted(picks[1].tolist()) == [-1, 0, 1, 2, 4, 5]


def test_a_point_at_the_radius_is_outside(device):
    p2 = torch.tensor([[[0.0, 0, 0], [3, 4, 0], [1, 0, 0]]], device=device)
    for points in (p2, torch.nn.functional.pad(p2, (0, 2))):
        assert p3d.ball_query(points[:, :1], points, K=3, radius=1.0).idx.tolist() == [[[0, -1, -1]]]
        assert p3d.ball_query(points[:, :1], points, K=3, radius=5.0).idx.tolist() == [[[0, 2, -1]]]
        above = float(np.nextafter(np.float32(1), np.float32(2)))
        assert p3d.ball_query(points[:, :1], points, K=3, radius=above).idx.tolist() == [[[0, 2, -1]]]


def test_gathered_features(device, rng):
    x = torch.from_numpy(rng.standard_normal((3, 5, 4))).to(device).requires_grad_()
    idx = torch.from_numpy(rng.integers(0, 5, (3, 6, 3))).to(device)
    for cut in (None, [5, 2, 0]):
        rows = None if cut is None else lengths(cut, device)
        found = p3d.knn_gather(x, idx, rows)
        expected = torch.stack([cloud[which] for cloud, which in zip(x.detach(), idx)])
        for b, count in enumerate(cut or [5, 5, 5]):
            expected[b, :, count:] = 0
        assert torch.equal(found, expected)
        assert torch.autograd.gradcheck(p3d.knn_gather, (x, idx, rows), nondet_tol=1e-9)
    assert torch.equal(p3d.knn_gather(x, idx.int()), p3d.knn_gather(x, idx))
    wide = p3d.knn_gather(x[:, :2], idx.clamp(max=1))
    assert not wide[:, :, 2:].any() and wide[:, :, :2].any()


@pytest.mark.parametrize("dimensions", [2, 3, 5])
def test_gradients_of_distances(device, dimensions):
    p1 = torch.randn(2, 4, dimensions, dtype=torch.float64, device=device, requires_grad=True)
    p2 = torch.randn(2, 5, dimensions, dtype=torch.float64, device=device, requires_grad=True)
    of1, of2 = lengths([4, 3], device), lengths([2, 5], device)
    tolerance = 1e-9 if p1.is_cuda else 0.0
    for call in (lambda a, b: p3d.knn_points(a, b, of1, of2, K=3).dists, lambda a, b: p3d.knn_points(a, b, K=2).dists,
                 lambda a, b: p3d.ball_query(a, b, of1, of2, K=4, radius=1.5).dists,
                 lambda a, b: p3d.knn_points(a, b, of1, of2, norm=1, K=3).dists,
                 lambda a, b: p3d.knn_points(a, b, of1, of2, K=3, return_nn=True).knn,
                 lambda a, b: p3d.ball_query(a, b, of1, of2, K=4, radius=1.5).knn,
                 lambda a, b: p3d.sample_farthest_points(b, of2, 4)[0]):
        assert torch.autograd.gradcheck(call, (p1, p2), nondet_tol=tolerance)
        assert torch.autograd.gradgradcheck(call, (p1, p2), nondet_tol=tolerance, fast_mode=True)
    assert torch.autograd.gradcheck(lambda b: p3d.knn_points(p1.detach(), b, K=2).dists, p2, nondet_tol=tolerance)
    # As pytorch3d has them: 2 (p1 - p2) times the gradient of the distance.
    found = p3d.knn_points(p1, p2, of1, of2, K=3)
    weight = torch.randn_like(found.dists)
    of_p1, of_p2 = torch.autograd.grad(found.dists, (p1, p2), weight)
    expected1, expected2 = torch.zeros_like(p1), torch.zeros_like(p2)
    for b, (rows, columns) in enumerate(((4, 2), (3, 5))):
        for n in range(rows):
            for k in range(min(3, columns)):
                i = int(found.idx[b, n, k])
                pull = 2 * weight[b, n, k] * (p1[b, n] - p2[b, i]).detach()
                expected1[b, n] += pull
                expected2[b, i] -= pull
    torch.testing.assert_close(of_p1, expected1)
    torch.testing.assert_close(of_p2, expected2)
    # The gradient has the type of the points.
    half = p1.detach().half().requires_grad_()
    p3d.knn_points(half, half, K=2).dists.sum().backward()
    assert half.grad.dtype == torch.float16


def farthest(cloud, samples, first):
    cloud = cloud.cpu().double().numpy()
    picks, nearest = [first], ((cloud - cloud[first])**2).sum(1)
    while len(picks) < min(samples, len(cloud)):
        nearest[picks] = -1
        picks.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, ((cloud - cloud[picks[-1]])**2).sum(1))
    return picks[:samples]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64])
def test_farthest_points(device, dimensions, dtype, rng):
    points = lattice(4, 9, dimensions, dtype, rng, device)
    for cut in (None, [9, 1, 0, 6]):
        sizes = cut or [9] * 4
        for k in (4, 1, 12, [3, 0, 2, 5], torch.tensor([9, 9, 9, 1]), torch.tensor([0, 0, 0, 0])):
            each = [k] * 4 if isinstance(k, int) else list(k)
            most = int(max(each))
            expected = torch.full((4, most), -1)
            for b, (size, samples) in enumerate(zip(sizes, each)):
                if size > 0 and samples > 0:
                    picks = farthest(points[b, :size], int(samples), 0)
                    expected[b, :len(picks)] = torch.tensor(picks)
            selected, found = p3d.sample_farthest_points(points, None if cut is None else lengths(cut, device), k)
            assert torch.equal(found.cpu(), expected) and found.dtype == torch.int64
            assert selected.dtype == points.dtype and selected.shape == (4, most, dimensions)
            for b, place in np.ndindex(4, most):
                row = points[b, found[b, place]] if found[b, place] >= 0 else torch.zeros_like(points[0, 0])
                assert torch.equal(selected[b, place], row)


def test_the_first_sample_is_drawn_from_the_generator_of_torch(device):
    points, firsts = torch.rand(2, 30, 3, device=device), set()
    for seed in range(15):
        torch.manual_seed(seed)
        picks = p3d.sample_farthest_points(points, lengths([30, 4], device), 4, True)[1]
        torch.manual_seed(seed)
        assert torch.equal(picks, p3d.sample_farthest_points(points, lengths([30, 4], device), 4, True)[1])
        for b, size in enumerate((30, 4)):
            assert picks[b].tolist() == farthest(points[b, :size], 4, int(picks[b, 0]))
        firsts.add(tuple(picks[:, 0].tolist()))
    assert len(firsts) > 6 and max(second for _, second in firsts) < 4
    assert p3d.sample_farthest_points(points, K=5, random_start_point=True)[1].shape == (2, 5)


def test_layouts_and_two_types(device, rng):
    p1, p2 = lattice(2, 7, 3, torch.float32, rng, device), lattice(2, 9, 3, torch.float32, rng, device)
    wide = torch.zeros(4, 18, 5, device=device)
    wide[::2, ::2, 1:4] = p2
    turned = p1.transpose(1, 2).contiguous().transpose(1, 2)
    views = turned, wide[::2, ::2, 1:4]
    assert not any(view.is_contiguous() for view in views)
    for call in (lambda a, b: p3d.knn_points(a, b, K=3, return_nn=True), lambda a, b: p3d.ball_query(a, b, K=3, radius=2.0),
                 lambda a, b: p3d.sample_farthest_points(b, K=4)):
        for one, other in zip(call(*views), call(p1, p2)):
            assert torch.equal(one, other)
    mixed = p3d.knn_points(p1.half(), p2.double(), K=3)
    assert mixed.dists.dtype == torch.float64 and torch.equal(mixed.idx, p3d.knn_points(p1, p2, K=3).idx)


def test_nothing(device):
    for shape1, shape2 in (((0, 4, 3), (0, 5, 3)), ((2, 0, 3), (2, 5, 3)), ((2, 4, 3), (2, 0, 3)), ((2, 4, 5), (2, 0, 5)),
                           ((0, 4, 5), (0, 2, 5)), ((2, 0, 5), (2, 2, 5))):
        p1, p2 = torch.rand(shape1, device=device), torch.rand(shape2, device=device)
        found = p3d.knn_points(p1, p2, K=2, return_nn=shape2[1] > 0)
        assert found.dists.shape == found.idx.shape == (*shape1[:2], 2)
        ball = p3d.ball_query(p1, p2, K=2, radius=9.0)
        assert ball.knn.shape == (*shape1[:2], 2, shape1[2])
        if shape2[1] == 0:
            assert not found.dists.any() and not found.idx.any() and (ball.idx == -1).all() and not ball.knn.any()
        selected, picks = p3d.sample_farthest_points(p2, K=3)
        assert picks.shape == (shape2[0], 3) and selected.shape == (*picks.shape, shape2[2])
    one = torch.rand(1, 1, 3, device=device)
    assert p3d.knn_points(one, one, K=2).idx.tolist() == [[[0, 0]]]
    assert p3d.sample_farthest_points(one, K=2)[1].tolist() == [[0, -1]]


def test_wrong_arguments(device):
    p1, p2 = torch.rand(2, 4, 3, device=device), torch.rand(2, 5, 3, device=device)
    three = torch.tensor([1, 2, 3], device=device)
    for sentence, call in {
        "same batch dimension": lambda: p3d.knn_points(p1, p2[:1]),
        "same point dimension": lambda: p3d.ball_query(p1, p2[..., :2]),
        "norm must be 1 or 2": lambda: p3d.knn_points(p1, p2, norm=3),
        "K is 0": lambda: p3d.knn_points(p1, p2, K=0),
        "K is -1": lambda: p3d.ball_query(p1, p2, K=-1),
        "radius is -2": lambda: p3d.ball_query(p1, p2, radius=-2),
        "radius is nan": lambda: p3d.ball_query(p1, p2, radius=float("nan")),
        r"lengths1 has the shape \(3,\)": lambda: p3d.knn_points(p1, p2, three),
        "lengths2 must be integers": lambda: p3d.knn_points(p1, p2, lengths2=torch.ones(2, device=device)),
        r"must be a tensor \(B, N, D\)": lambda: p3d.knn_points(p1[0], p2),
        "x and idx must have the same": lambda: p3d.knn_gather(p1, torch.zeros(3, 2, 2, dtype=torch.int64, device=device)),
        r"x must be a tensor \(B, M, U\)": lambda: p3d.knn_gather(p1[0], torch.zeros(1, 2, 2, dtype=torch.int64, device=device)),
        "K and points must have the same": lambda: p3d.sample_farthest_points(p1, K=[1, 2, 3]),
        "K is negative": lambda: p3d.sample_farthest_points(p1, K=-1),
        "real numbers": lambda: p3d.sample_farthest_points(p1.to(torch.complex64)),
    }.items():
        with pytest.raises(ValueError, match=sentence):
            call()
    for wrong in ([5, 1], [-1, 2]):  # on a GPU nothing waits for the numbers
        with pytest.raises(ValueError, match="negative or larger than 4"):
            p3d.knn_points(p1.cpu(), p2.cpu(), torch.tensor(wrong))


def test_a_chamfer_loss_converges(device):
    target = torch.rand(2, 60, 3, device=device)
    of_target = lengths([60, 40], device)
    points = (torch.rand(2, 50, 3, device=device) * 0.1).requires_grad_()
    optimizer = torch.optim.Adam([points], 0.05)
    losses = []
    for _ in range(80):
        there = p3d.knn_points(points, target, lengths2=of_target).dists.mean()
        back = p3d.knn_points(target, points, lengths1=of_target).dists.sum() / of_target.sum()
        loss = there + back
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
