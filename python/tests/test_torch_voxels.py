"""farpoint.torch.voxelize: its values are farpoint's, and its gradients those of the points that voxels keep."""

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: gradients of voxels are not tested")
fpt = pytest.importorskip("farpoint.torch")
from learned import DEVICES, check_twice  # noqa: E402


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(11)
    return request.param


@pytest.mark.parametrize("mode", [{}, {"max_points": 2, "max_voxels": 40}, {"max_points": 9, "max_voxels": 3}, {"capacity": 4}])
def test_voxels_have_gradients(device, mode):
    points = (torch.rand(2, 15, 4, device=device) * 2).double()
    points[0, 3] = float("nan")
    points[1, 2] = 50
    box, hard = (0, 0, 0, 2, 2, 2), "max_points" in mode
    names = ("mean", "first", "centroid", *(["voxels"] if hard else []))
    expected = farpoint.voxelize(points, 0.5, box, outputs=(*names, "coords"), **mode)
    learned = points.clone().requires_grad_()
    found = fpt.voxelize(learned, 0.5, box, outputs=(*names, "coords"), **mode)
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert torch.equal(found[name], array), name
    count = int(found["voxel_count"])
    usable = torch.nan_to_num(points, nan=7.0)
    inside = (usable >= 0) & (usable < 2)
    whole = torch.where(inside[..., :3].all(-1, keepdim=True), points, torch.full_like(points, 9.1)).requires_grad_()
    for name in names:
        # A small step leaves no voxel: none of these points is within 1e-5 of an edge.
        assert ((whole[..., :3] / 0.5).frac().sub(0.5).abs() < 0.4999).all()
        check_twice(lambda p, name=name: fpt.voxelize(p, 0.5, box, outputs=(name,), **mode)[name][:count], whole)


def test_voxels_of_ragged_clouds_and_halves(device):
    points = torch.rand(30, 5, device=device)
    cut = {"offsets": torch.tensor([3, 10, 10, 28], device=device)}
    learned = points.clone().requires_grad_()
    found = fpt.voxelize(learned, 0.5, (0, 0, 0, 1, 1, 1), max_points=4, max_voxels=9, columns="batch_zyx", dtype="float16", **cut)
    expected = farpoint.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), max_points=4, max_voxels=9, columns="batch_zyx", dtype="float16", **cut)
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert torch.equal(found[name], array) and found[name].dtype == array.dtype, name
    found["mean"].float().sum().backward()
    outside = torch.ones(30, dtype=torch.bool, device=device)
    outside[3:28] = False
    assert not learned.grad[outside].any() and learned.grad[~outside].any()
    small = fpt.voxelize(points.bfloat16().requires_grad_(), 0.5, (0, 0, 0, 1, 1, 1))
    assert torch.equal(small["coords"], farpoint.voxelize(points.bfloat16(), 0.5, (0, 0, 0, 1, 1, 1))["coords"])


def test_voxels_say_what_has_no_gradient():
    points = torch.rand(9, 3, requires_grad=True)
    with pytest.raises(ValueError, match="max has no gradient"):
        fpt.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), outputs=("max",))
    with pytest.raises(ValueError, match="a seed chooses points"):
        fpt.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), max_points=2, max_voxels=4, seed=1)
    assert fpt.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), outputs=("coords",), max_points=2, max_voxels=4, seed=1)["coords"].shape[1] == 3
    with pytest.raises(ValueError, match="no output 'sum'"):
        fpt.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), outputs=("sum",))


def test_sizes_of_voxels_are_arrays_with_gradients_as_without(device):
    points = torch.rand(30, 3, device=device)
    expected = fpt.voxelize(points, (0.3, 0.4, 0.5))["mean"]
    for size in (np.array([0.3, 0.4, 0.5]), torch.tensor([0.3, 0.4, 0.5], dtype=torch.float64)):
        assert torch.equal(fpt.voxelize(points.clone().requires_grad_(), size)["mean"], expected)
    for cloud in (points, points.clone().requires_grad_()):
        with pytest.raises(ValueError, match="point_range has 0 numbers"):
            fpt.voxelize(cloud, 0.5, [])


def test_voxels_are_compiled(device):
    def model(points):
        return fpt.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), max_points=3, max_voxels=8, outputs=("mean", "voxels", "coords"))

    points = torch.rand(40, 4, device=device).requires_grad_()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        found = torch.compile(model, backend="aot_eager", fullgraph=True)(points)
    expected = model(points)
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    gradients = [torch.autograd.grad(each["mean"].sum() + each["voxels"].square().sum(), points)[0] for each in (found, expected)]
    torch.testing.assert_close(*gradients)
