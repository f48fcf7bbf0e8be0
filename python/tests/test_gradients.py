"""Gradients of farpoint.torch: of distances, of higher order and within torch.func; errors of calls that would lose a gradient."""

import warnings

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: its gradients are not tested")
fpt = pytest.importorskip("farpoint.torch")
from learned import DEVICES, check_twice  # noqa: E402

INF = float("inf")


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(7)
    return request.param


def finite(distances):
    """Replaces the distances of missing neighbors by 0: they are infinite, and so would be a sum."""
    return torch.where(distances < INF, distances, torch.zeros_like(distances))


def cloud(*shape, device="cpu", dtype=torch.float64):
    return torch.randn(*shape, 3, dtype=dtype, device=device).requires_grad_()


def test_distances_of_knn(device):
    points, queries = cloud(2, 9, device=device), cloud(2, 5, device=device)
    check_twice(lambda p, q: fpt.knn(p, 4, q)[1], points, queries)
    check_twice(lambda p, q: finite(fpt.knn(p, 4, q, max_radius=1.2)[1]), points, queries)
    check_twice(lambda p: fpt.knn(p, 3, None, INF, True)[1], points)
    check_twice(lambda q: fpt.knn(points.detach(), 3, q)[1], queries)
    check_twice(lambda p: fpt.knn(p, 3, queries.detach()[0])[1], points[0].detach().requires_grad_())
    indices = fpt.knn(points, 4, queries)[0]
    assert not indices.requires_grad


def test_distances_are_pulled_towards_their_points(device):
    points, queries = cloud(2, 40, device=device), cloud(2, 7, device=device)
    indices, distances = fpt.knn(points, 3, queries)
    (distances.detach().cos() * distances).sum().backward()
    picked = torch.stack([row[which] for row, which in zip(points.detach(), indices)])
    each = 2 * (picked - queries.detach().unsqueeze(2)) * distances.detach().cos().unsqueeze(-1)
    torch.testing.assert_close(queries.grad, -each.sum(2))
    expected = torch.zeros_like(points)
    for into, which, rows in zip(expected, indices, each):
        into.index_add_(0, which.flatten(), rows.flatten(0, 1))
    torch.testing.assert_close(points.grad, expected)


def test_distances_of_three_nn(device):
    unknown, known = cloud(2, 30, device=device, dtype=torch.float32), cloud(2, 8, device=device, dtype=torch.float32)
    distances, indices = fpt.three_nn(unknown, known)
    weight = torch.randn_like(distances)
    found = torch.autograd.grad(distances, (unknown, known), weight, create_graph=True)
    picked = torch.stack([row[which.long()] for row, which in zip(known, indices)])
    norms = (picked - unknown.unsqueeze(2)).norm(dim=-1)
    expected = torch.autograd.grad(norms, (unknown, known), weight, create_graph=True)
    second = torch.autograd.grad(sum(one.square().sum() for one in found), (unknown, known))
    second_expected = torch.autograd.grad(sum(one.square().sum() for one in expected), (unknown, known))
    for one, other in zip((*found, *second), (*expected, *second_expected)):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_where_a_distance_is_zero_or_infinite(device):
    points = torch.tensor([[0.0, 0, 0], [1, 0, 0]], device=device, requires_grad=True)
    queries = torch.tensor([[0.0, 0, 0], [float("nan"), 0, 0]], device=device, requires_grad=True)
    for step, call in ((1, lambda: fpt.three_nn(queries, points)[0]), (2, lambda: fpt.knn(points, 3, queries)[1])):
        distances = call()
        assert distances[0].tolist() == [0, 1, INF] and (distances[1] == INF).all()
        of_points, of_queries = torch.autograd.grad(distances, (points, queries), torch.ones_like(distances))
        assert of_points.tolist() == [[0, 0, 0], [step, 0, 0]] and of_queries.tolist() == [[-step, 0, 0], [0, 0, 0]]


def test_interpolation_in_coordinates(device):
    points, queries = cloud(2, 9, device=device), cloud(2, 5, device=device)
    features = torch.randn(2, 9, 4, dtype=torch.float64, device=device, requires_grad=True)
    check_twice(fpt.interpolate, points, features, queries)
    # Special cases: a query that equals a point, a cloud of two points, and queries that equal these points.
    with torch.no_grad():
        queries[0, 0] = points[0, 3]
    assert torch.autograd.gradcheck(lambda p, f, q: fpt.interpolate(p, f, q), (points, features, queries))
    few, ends = points[0, :2].detach().requires_grad_(), features[0, :2].detach().requires_grad_()
    check_twice(fpt.interpolate, few, ends, queries[0].detach().requires_grad_())
    assert (fpt.interpolate(few, ends, few.detach().clone().requires_grad_()) == ends).all()


def test_weights_and_means_twice(device):
    features = torch.randn(2, 4, 9, dtype=torch.float64, device=device, requires_grad=True)
    idx = torch.randint(0, 9, (2, 5, 3), device=device)
    weight = torch.rand(2, 5, 3, dtype=torch.float64, device=device, requires_grad=True)
    check_twice(lambda f, w: fpt.three_interpolate(f, idx, w), features, weight)
    check_twice(lambda f, w: fpt.three_interpolate(f, idx[0], w), features[0].detach().requires_grad_(),
                weight[0].detach().requires_grad_())
    rows = torch.tensor([0, 2, -1, 2, 0, 1, 9, 3, 3], device=device)
    check_twice(lambda f: fpt.voxel_mean(f, rows, 5), features[0].detach().T.contiguous().requires_grad_())


def test_a_network_whose_points_are_learned(device):
    points = torch.rand(2, 200, 3, device=device, requires_grad=True)
    features = torch.rand(2, 6, 200, device=device, requires_grad=True)
    picks = fpt.fps(points, 40)
    new = fpt.gather(points, picks)
    ball = fpt.ball_query(0.3, 8, points, new)
    grouped = fpt.group(points.transpose(1, 2), ball) - new.transpose(1, 2).unsqueeze(-1)
    pooled = torch.cat([grouped, fpt.group(features, ball)], 1).amax(-1)
    distances, idx = fpt.three_nn(points, new)
    weight = 1 / (distances + 1e-8)
    back = fpt.three_interpolate(pooled, idx, weight / weight.sum(-1, keepdim=True))
    # The last two terms are a Chamfer loss.
    loss = back.square().sum() + fpt.knn(points, 1, new.detach() + 0.01)[1].mean() + fpt.knn(new, 1, points)[1].mean()
    loss.backward()
    for tensor in (points, features):
        assert torch.isfinite(tensor.grad).all() and tensor.grad.any()


def transforms_of(device):
    """Yields the name of a case, a function of one tensor, and the tensor."""
    indices = torch.tensor([[3, 1], [0, -1]], device=device)
    points, queries = (cloud(2, n, device=device).detach() for n in (9, 5))
    features = torch.randn(2, 9, 4, dtype=torch.float64, device=device)
    idx, weight = torch.randint(0, 9, (2, 5, 3), device=device), torch.rand(2, 5, 3, dtype=torch.float64, device=device)
    rows = torch.tensor([0, 2, -1, 2, 0, 1, 9, 3, 3], device=device)
    yield "gather", lambda f: fpt.gather(f, indices), features
    yield "group", lambda f: fpt.group(f, indices.unsqueeze(-1)), features.transpose(1, 2)
    yield "knn", lambda p: fpt.knn(p, 3)[1], points
    yield "knn of queries", lambda q: finite(fpt.knn(points, 3, q, 1.2)[1]), queries
    yield "three_nn", lambda q: fpt.three_nn(q.float(), points.float())[0], queries
    yield "interpolate", lambda q: fpt.interpolate(points, features, q), queries
    yield "interpolate in points", lambda p: fpt.interpolate(p, features, queries), points
    yield "three_interpolate", lambda w: fpt.three_interpolate(features.transpose(1, 2), idx, w), weight
    yield "voxel_mean", lambda f: fpt.voxel_mean(f[0], rows, 5), features
    yield "of samples", lambda p: fpt.gather(p, fpt.fps(p, 3)), points
    yield "of a ball", lambda p: fpt.gather(p, fpt.ball_query(0.9, 4, p.float(), p.float())), points


def test_transforms_of_torch(device):
    for name, function, at in transforms_of(device):
        given = at.clone().requires_grad_()
        value = function(given)
        towards = torch.randn_like(value)
        (expected,) = torch.autograd.grad(value, given, towards)
        found = torch.func.grad(lambda x, f=function, t=towards: (f(x) * t).sum())(at)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, msg=lambda text, name=name: f"grad of {name}: {text}")
        along = torch.randn_like(at)
        primal, tangent = torch.func.jvp(function, (at,), (along,))
        torch.testing.assert_close(primal, value.detach(), rtol=1e-5, atol=1e-5,
                                   msg=lambda text, name=name: f"primal of {name}: {text}")
        assert tangent.abs().sum() > 0
        # Forward and reverse mode give the same number.
        torch.testing.assert_close((tangent * towards).sum(), (expected * along).sum().to(tangent.dtype), rtol=1e-4, atol=1e-4,
                                   msg=lambda text, name=name: f"jvp of {name}: {text}")
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.unpack_dual(function(torch.autograd.forward_ad.make_dual(at, along)))
            torch.testing.assert_close(dual.tangent, tangent)


def test_transforms_that_are_compiled(device):
    features, towards = torch.randn(6, 4, device=device), torch.randn(6, 4, device=device)
    indices = torch.tensor([[3, 1], [0, -1]], device=device)

    def tangent(function):
        return torch.compile(lambda x, v: torch.func.jvp(function, (x,), (v,))[1], backend="aot_eager", fullgraph=True)

    assert torch.equal(tangent(lambda f: fpt.gather(f, indices))(features, towards), fpt.gather(towards, indices))
    points, along = torch.randn(8, 3, device=device), torch.randn(8, 3, device=device)
    expected = torch.func.jvp(lambda p: fpt.knn(p, 3)[1], (points,), (along,))[1]
    torch.testing.assert_close(tangent(lambda p: fpt.knn(p, 3)[1])(points, along), expected)
    gradient = torch.compile(torch.func.grad(lambda p: fpt.knn(p, 3)[1].sum()), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(gradient(points), torch.func.grad(lambda p: fpt.knn(p, 3)[1].sum())(points))


def test_a_map_over_clouds(device):
    points, features = torch.randn(3, 20, 3, device=device), torch.randn(3, 20, 4, device=device)
    queries, indices = torch.randn(3, 6, 3, device=device), torch.randint(0, 20, (3, 5), device=device)
    functions = [(fpt.gather, (features, indices)), (lambda p: fpt.knn(p, 4)[0], (points,)), (lambda p, q: fpt.knn(p, 4, q)[1], (points, queries)),
                 (lambda p: fpt.fps(p, 5), (points,)), (lambda p, q: fpt.ball_query(0.8, 4, p, q), (points, queries)),
                 (lambda p, q: fpt.three_nn(q, p)[1], (points, queries)), (lambda p: fpt.normals(p, 5), (points,)),
                 (fpt.interpolate, (points, features, queries))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns if a function lacks a batching rule
        for function, arguments in functions:
            expected = function(*arguments)
            torch.testing.assert_close(torch.vmap(function)(*arguments), expected)
            # Maps over axis 1 of batches, and maps over the last argument alone.
            pairs = [torch.stack([each, each.flip(0)], 1) for each in arguments]
            of_pairs = torch.vmap(function, in_dims=1, out_dims=1)(*pairs)
            torch.testing.assert_close(of_pairs[:, 0], expected)
            torch.testing.assert_close(of_pairs[:, 1], function(*[each.flip(0) for each in arguments]))
            if len(arguments) > 1:
                fixed = [each[0] for each in arguments[:-1]]
                found = torch.vmap(lambda last, f=function, fixed=fixed: f(*fixed, last))(arguments[-1])
                torch.testing.assert_close(found[0], expected[0])
    cuts = torch.tensor([0, 8, 20], device=device)
    found = torch.vmap(lambda p: fpt.knn(p, 3, offsets=cuts)[0])(points)
    assert torch.equal(found[1], fpt.knn(points[1], 3, offsets=cuts)[0])


def calls_that_lose(tensor):
    """Yields the name of a function and a call of it whose result would have a gradient for the tensor."""
    indices = torch.zeros(4, 3, dtype=torch.int64, device=tensor.device)
    plain = tensor.detach()
    box = (-9, -9, -9, 9, 9, 9)
    yield "gather", lambda: farpoint.gather(tensor, indices)
    yield "gather", lambda: farpoint.gather(tensor, indices, lengths=[4, len(tensor) - 4], index_lengths=[2, 2])
    yield "group", lambda: farpoint.group(tensor, indices)
    yield "three_interpolate", lambda: farpoint.three_interpolate(tensor, indices, torch.ones_like(indices, dtype=torch.float32))
    yield "three_interpolate", lambda: farpoint.three_interpolate(plain, indices, tensor[:4])
    yield "interpolate", lambda: farpoint.interpolate(plain, tensor, plain)
    yield "interpolate", lambda: farpoint.interpolate(tensor, plain, plain)
    yield "interpolate", lambda: farpoint.interpolate(plain, plain, tensor)
    yield "knn", lambda: farpoint.knn(tensor, 2)
    yield "knn", lambda: farpoint.knn(plain, 2, tensor)
    yield "three_nn", lambda: farpoint.three_nn(plain, tensor)
    yield "radius", lambda: farpoint.radius(tensor, 0.5)
    yield "fps", lambda: farpoint.fps(tensor, 2, return_distances=True)
    yield "normals", lambda: farpoint.normals(tensor)
    yield "mean_knn_distance", lambda: farpoint.mean_knn_distance(tensor)
    yield "distCUDA2", lambda: farpoint.distCUDA2(tensor)
    yield "voxelize", lambda: farpoint.voxelize(tensor, 1.0, box)
    yield "voxelize", lambda: farpoint.voxelize(tensor, 1.0, box, outputs=["centroid"])
    yield "PointIndex", lambda: farpoint.PointIndex(tensor)
    yield "interpolate", lambda: farpoint.PointIndex(plain).interpolate(tensor, plain)


def test_a_gradient_is_not_lost_without_a_word(device):
    tensor = torch.randn(30, 3, device=device, requires_grad=True)
    for name, call in calls_that_lose(tensor):
        instead = rf"call farpoint\.torch\.{name}, which keeps it, or " if hasattr(fpt, name) and name not in ("fps", "normals") else ""
        with pytest.raises(ValueError, match=rf"^{name}: the gradient of (\w+) would be lost; {instead}pass \1\.detach\(\)$"):
            call()
        with torch.no_grad():
            call()


def test_a_derivative_is_not_lost_forwards_either(device):
    features, towards = torch.randn(6, 4, device=device), torch.randn(6, 4, device=device)
    indices = torch.tensor([3, 1], device=device)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(features, towards)
        with pytest.raises(ValueError, match="gather: the gradient of features would be lost; call farpoint.torch.gather"):
            farpoint.gather(dual, indices)
        assert torch.equal(farpoint.gather(features, indices), features[[3, 1]])
        assert torch.equal(farpoint.fps(dual[:, :3], 2), farpoint.fps(features[:, :3], 2))
    with pytest.raises(ValueError, match="gather: the gradient of features would be lost"):
        torch.func.jvp(lambda f: farpoint.gather(f, indices), (features,), (towards,))


def test_calls_that_return_indices_take_such_tensors(device):
    tensor = torch.randn(30, 3, device=device, requires_grad=True)
    plain = tensor.detach()
    assert torch.equal(farpoint.fps(tensor, 5), farpoint.fps(plain, 5))
    assert torch.equal(farpoint.ball_query(0.5, 4, tensor, tensor), farpoint.ball_query(0.5, 4, plain, plain))
    assert torch.equal(farpoint.furthest_point_sample(tensor, 5), farpoint.furthest_point_sample(plain, 5))
    assert torch.equal(farpoint.radius(tensor, 0.5, edge_index=True), farpoint.radius(plain, 0.5, edge_index=True))
    found = farpoint.voxelize(tensor, 1.0, (-9, -9, -9, 9, 9, 9), outputs=["coords", "point_voxel"])
    assert torch.equal(found["point_voxel"], farpoint.voxelize(plain, 1.0, (-9, -9, -9, 9, 9, 9))["point_voxel"])
    assert np.isfinite(found["coords"].cpu().numpy()).all()
