"""farpoint.torch, and tensors as arguments: on the CPU, and on a GPU where there is one."""

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: its gradients and operators are not tested")
fpt = pytest.importorskip("farpoint.torch")

DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(5)
    return request.param


def test_tensors_have_the_answers_of_arrays(device):
    points = torch.randn(2, 60, 3, device=device)
    array = points.cpu().numpy()
    calls = {
        "fps": lambda p: farpoint.fps(p, 9),
        "knn": lambda p: farpoint.knn(p, 4),
        "radius": lambda p: farpoint.radius(p, 0.8),
        "edges": lambda p: farpoint.radius(p, 0.8, edge_index=True),
        "normals": lambda p: farpoint.normals(p, 5),
        "means": lambda p: farpoint.mean_knn_distance(p),
        "furthest": lambda p: farpoint.furthest_point_sample(p, 9, rules="pointnet2_ops"),
        "ball": lambda p: farpoint.ball_query(0.7, 5, p, p),
        "three": lambda p: farpoint.three_nn(p, p),
        "transposed": lambda p: farpoint.fps(p[:, ::2], 9),
    }
    for name, call in calls.items():
        found, expected = call(points), call(array)
        for one, other in zip(found, expected) if isinstance(found, tuple) else [(found, expected)]:
            assert isinstance(one, torch.Tensor) and one.device == points.device
            np.testing.assert_array_equal(one.cpu().numpy(), other, err_msg=name)


def test_voxels_of_tensors(device):
    points = torch.rand(500, 4, device=device)
    found = farpoint.voxelize(points, 0.25, (0, 0, 0, 1, 1, 1), max_points=5, max_voxels=40)
    expected = farpoint.voxelize(points.cpu().numpy(), 0.25, (0, 0, 0, 1, 1, 1), max_points=5, max_voxels=40)
    count = int(found["voxel_count"])
    for name in ("coords", "num_points", "voxels", "mean"):
        np.testing.assert_array_equal(found[name][:count].cpu().numpy(), expected[name], err_msg=name)


def test_tensors_of_two_kinds_do_not_mix(device):
    points = torch.zeros(4, 3, device=device)
    with pytest.raises(ValueError, match="another memory or of another library"):
        farpoint.knn(points, 1, points.to("meta"))
    with pytest.raises(ValueError, match="on meta"):
        farpoint.knn(points.to("meta"), 1)
    indices = np.array([1, 2])
    if device == "cpu":
        assert torch.equal(farpoint.gather(points, indices), points[1:3])
    else:
        with pytest.raises(ValueError, match="another memory or of another library"):  # nothing is copied unasked
            farpoint.gather(points, indices)


def test_tensors_whose_memory_is_not_their_values(device):
    points = torch.randn(30, 3, device=device)
    turned = torch.complex(points, points).conj().imag
    assert turned.is_neg() and torch.equal(farpoint.normals(turned, 5), farpoint.normals(-points, 5))
    numbers = torch.complex(points, points).conj()
    assert torch.equal(farpoint.gather(numbers, torch.tensor([4, 2], device=device)), numbers[[4, 2]])
    with pytest.raises(ValueError, match="sparse"):
        farpoint.knn(points.to_sparse(), 2)


def test_an_index_and_a_map_of_tensors(device):
    points = torch.randn(50, 3, device=device)
    found = farpoint.PointIndex(points).knn(3, points)
    assert torch.equal(found.indices, farpoint.knn(points, 3).indices)
    table = farpoint.HashMap(100, like=points)
    keys = torch.arange(40, device=device)
    table.insert(keys, keys * 2)
    assert torch.equal(table.find(keys), keys * 2)


def test_gradients(device):
    features = torch.randn(2, 7, 3, dtype=torch.float64, device=device, requires_grad=True)
    indices = torch.randint(-1, 8, (2, 4, 2), device=device)
    assert torch.autograd.gradcheck(lambda f: fpt.gather(f, indices), features)
    assert torch.autograd.gradgradcheck(lambda f: fpt.gather(f, indices), features)
    assert torch.autograd.gradcheck(lambda f: fpt.gather(f, indices[0, 0]), features[0].detach().requires_grad_())
    channels = features.detach().transpose(1, 2).contiguous().requires_grad_()
    assert torch.autograd.gradcheck(lambda f: fpt.group(f, indices), channels)
    points, queries = torch.randn(2, 7, 3, device=device).double(), torch.randn(2, 5, 3, device=device).double()
    queries[0, 0] = points[0, 2]
    assert torch.autograd.gradcheck(lambda f: fpt.interpolate(points, f, queries), features)
    idx, weight = indices[:, :, [0, 1, 1]], torch.rand(2, 4, 3, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda f, w: fpt.three_interpolate(f, idx, w), (channels, weight))
    rows = torch.tensor([0, 2, -1, 2, 0, 1, 9], device=device)
    assert torch.autograd.gradcheck(lambda f: fpt.voxel_mean(f, rows, 4), features[0].detach().requires_grad_())


def test_values(device):
    points, queries = torch.randn(2, 30, 3, device=device), torch.randn(2, 9, 3, device=device)
    features = torch.randn(2, 30, 5, device=device)
    torch.testing.assert_close(fpt.interpolate(points, features, queries), farpoint.interpolate(points, features, queries))
    few = points[:, :2].contiguous()
    torch.testing.assert_close(fpt.interpolate(few, features[:, :2].contiguous(), queries),
                               farpoint.interpolate(few, features[:, :2].contiguous(), queries))
    dist, idx = fpt.three_nn(queries, points)
    weight = (1 / (dist + 1e-8)) / (1 / (dist + 1e-8)).sum(-1, keepdim=True)
    channels = features.transpose(1, 2).contiguous()
    torch.testing.assert_close(fpt.three_interpolate(channels, idx, weight), farpoint.three_interpolate(channels, idx, weight))
    cloud = torch.rand(200, 4, device=device)
    voxels = farpoint.voxelize(cloud, 0.5, (0, 0, 0, 1, 1, 1), outputs=["mean", "point_voxel"])
    count = int(voxels["voxel_count"])
    torch.testing.assert_close(fpt.voxel_mean(cloud, voxels["point_voxel"], count), voxels["mean"][:count])


@pytest.mark.parametrize("scale", [1e-21, 1e-12, 1.0, 1e12, 1e19, 1e25])
def test_interpolation_at_all_scales(device, scale):
    # Squared distances that overflow or underflow, or whose inverse does.
    points = (torch.randn(40, 3, dtype=torch.float64) * scale).float().to(device)
    queries = torch.cat([points[:3], points[3:20] * 0.9, torch.full((1, 3), float("nan"), device=device)])
    features = torch.randn(40, 4, device=device)
    found, expected = fpt.interpolate(points, features, queries), farpoint.interpolate(points, features, queries)
    assert torch.isfinite(expected).all()
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("learned", (False, True))
def test_features_and_weights_that_do_not_fit(device, learned):
    points, queries = torch.rand(9, 3, device=device).requires_grad_(learned), torch.rand(4, 3, device=device)
    for call in (lambda f: fpt.interpolate(points, f, queries), lambda f: fpt.PointIndex(points).interpolate(f, queries)):
        for features in (torch.rand(5, 2), torch.rand(5, 2).double(), torch.rand(9), torch.rand(1, 9, 2)):
            with pytest.raises(ValueError, match="a row for each point"):
                call(features.to(device))
        with pytest.raises(ValueError, match="they must be floating point numbers"):
            call(torch.arange(18, device=device).reshape(9, 2))
    channels, idx = torch.rand(2, 5, 7, device=device).requires_grad_(learned), torch.zeros(2, 4, 3, dtype=torch.int64, device=device)
    for which, weight in ((idx, idx[:, :1].float()), (idx[..., :2], idx[..., :2].float())):
        with pytest.raises(ValueError, match="idx and weight are not both"):
            fpt.three_interpolate(channels, which, weight)


def test_operators_are_as_torch_wants_them(device):
    points, features = torch.randn(2, 12, 3, device=device), torch.randn(2, 12, 4, device=device, requires_grad=True)
    indices = torch.randint(0, 12, (2, 5), device=device)
    found, queries = torch.randint(-1, 12, (2, 5, 3), device=device), torch.randn(2, 5, 3, device=device)
    distances, weight = torch.rand(2, 5, 3, device=device), torch.rand(2, 5, 3, device=device, requires_grad=True)
    channels, rows = torch.randn(2, 4, 12, device=device), torch.randint(-1, 9, (12,), device=device)
    tests = ("test_schema", "test_autograd_registration", "test_faketensor")
    for of_first in (True, False):
        torch.library.opcheck(torch.ops.farpoint.distances_backward.default,
                              (torch.randn(2, 5, 3, device=device), distances, points, queries, found, of_first, of_first), test_utils=tests)
        torch.library.opcheck(torch.ops.farpoint.weighted_sum_backward.default,
                              (torch.randn(2, 4, 5, device=device), channels, found, weight.detach(), True, of_first), test_utils=tests)
    for operator, arguments in [(torch.ops.farpoint.weighted_sum, (features, found, weight, False)),
                                (torch.ops.farpoint.weighted_sum, (channels, found, weight, True)),
                                (torch.ops.farpoint.inverse_weights, (distances, found)),
                                (torch.ops.farpoint.inverse_weights_backward, (queries, distances, found)),
                                (torch.ops.farpoint.voxel_mean, (features[0], rows, 8)),
                                (torch.ops.farpoint.voxel_mean_backward, (torch.randn(8, 4, device=device), rows, 8)),
                                (torch.ops.farpoint.knn, (points.clone().requires_grad_(), 3, queries.requires_grad_(), 9.0, False)),
                                (torch.ops.farpoint.fps, (points, 4, 0, None)), (torch.ops.farpoint.knn, (points, 3, None, 1.0, True)),
                                (torch.ops.farpoint.gather, (features, indices, False)), (torch.ops.farpoint.three_nn, (points, points)),
                                (torch.ops.farpoint.ball_query, (0.5, 3, points, points)),
                                (torch.ops.farpoint.gather_backward, (torch.randn(2, 5, 4, device=device), indices, 12, True, False))]:
        torch.library.opcheck(operator.default, arguments, test_utils=tests)


def test_a_model_is_traced(device):
    def model(points, features):
        picks = fpt.fps(points, 6)
        groups = fpt.knn(points, 3, fpt.gather(points, picks))[0]
        return fpt.gather(features, groups).amax(2).sum()

    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    points, features = torch.randn(2, 20, 3, device=device), torch.randn(2, 20, 4, device=device, requires_grad=True)
    expected = torch.autograd.grad(model(points, features), features)[0]
    torch.testing.assert_close(torch.autograd.grad(compiled(points, features), features)[0], expected)
