"""Calls on tensors that the library takes as they are, which the module makes in one step: the answers of the others, and tensors
that have nothing to do with one another."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: calls on its tensors are not tested")
core = farpoint._core
DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]
BOX = (-2.0, -2.0, -2.0, 2, 2, 2)


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(11)
    core.connect_torch(torch)
    return request.param


def clouds(device):
    """Points as callers have them, by name."""
    points = torch.randn(3, 40, 3, device=device)
    yield "batch", points
    yield "one", points[1]
    yield "double", points.double()
    yield "every other", points[0, ::2]
    yield "of wide rows", torch.randn(2, 30, 7, device=device)[:, :, 2:5]
    yield "transposed", torch.randn(3, 25, device=device).T
    yield "of one point", points[:, :1]
    yield "no clouds", points[:0]
    yield "no points", points[:, :0]
    yield "with a gradient", points.clone().requires_grad_()
    yield "a parameter", torch.nn.Parameter(points[2])


def calls(points, k=4):
    """Functions that have a short way, and others, of tensors or arrays."""
    yield "fps", (farpoint.fps(points, 7),)
    yield "fps, int32", (farpoint.fps(points, 2, index_dtype="int32"),)
    yield "fps, none", (farpoint.fps(points, 0),)
    yield "knn", farpoint.knn(points, k)
    yield "knn of queries", farpoint.knn(points, k, points[..., 1::2, :], max_radius=1.5, exclude_self=True)
    yield "three_nn", farpoint.three_nn(points[..., 1::2, :], points)
    yield "three_nn of two, int64", farpoint.three_nn(points, points[..., :2, :], index_dtype="int64")
    yield "radius", [rows if number == 0 else rows[:10] for number, rows in enumerate(farpoint.radius(points, 0.4, capacity=4000))][:1]
    yield "voxels", tuple(farpoint.voxelize(points, 0.5, BOX, max_points=3, max_voxels=11).values())
    yield "dynamic", tuple(farpoint.voxelize(points, (0.5, 1, 0.25), list(BOX), columns="batch_zyx", order="grid").values())
    yield "some voxels", tuple(farpoint.voxelize(points, 0.5, BOX, max_points=3, max_voxels=11, outputs=["voxels", "coords"]).values())
    yield "counts", tuple(farpoint.voxelize(points, 0.5, BOX, outputs=()).values())
    yield "values of voxels", tuple(farpoint.voxelize(points, 0.5, BOX, outputs=["max", "centroid", "first"]).values())


def host(array):
    return array.detach().cpu().numpy() if isinstance(array, torch.Tensor) else np.asarray(array)


@torch.no_grad()  # tensors that need a gradient are refused otherwise
def test_answers_are_those_of_arrays(device):
    for name, points in clouds(device):
        for (what, found), (_, expected) in zip(calls(points), calls(host(points))):
            assert len(found) == len(expected)
            for one, other in zip(found, expected):
                assert isinstance(one, torch.Tensor) and one.device == points.device and not one.requires_grad
                if what in ("voxels", "dynamic", "some voxels", "values of voxels") and device != "cpu" and other.shape[:1] != one.shape[:1]:
                    assert not one[len(other):].any(), f"{what} of {name}: rows past the voxels"
                    one = one[:len(other)]
                np.testing.assert_array_equal(host(one), other, err_msg=f"{what} of {name}")
                assert host(one).dtype == other.dtype


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int64", "bool", "complex64"])
def test_rows_of_any_type(device, dtype):
    features = (torch.randn(2, 9, 5, device=device) * 3).to(getattr(torch, dtype))
    indices = torch.randint(-1, 10, (2, 4, 3), device=device)
    inside = ((indices >= 0) & (indices < 9)).unsqueeze(-1)
    picked = torch.stack([cloud[row.clamp(0, 8)] for cloud, row in zip(features, indices)])
    expected = torch.where(inside, picked, torch.zeros_like(picked))
    for which in (indices, indices.int()):
        assert torch.equal(farpoint.gather(features, which), expected)
        assert torch.equal(farpoint.gather(features.transpose(1, 2).contiguous(), which, channels_first=True), expected.movedim(-1, 1))
        assert torch.equal(farpoint.gather(features.transpose(1, 2), which, channels_first=True), expected.movedim(-1, 1))
        assert torch.equal(farpoint.group(features.transpose(1, 2), which), expected.movedim(-1, 1))
    assert torch.equal(farpoint.gather(features[0], indices[0, 0]), expected[0, 0])
    assert torch.equal(farpoint.gather(features[0], indices[0, 0, 0]), expected[0, 0, 0])
    assert torch.equal(farpoint.gather(features.flip(1).flip(1), indices[:, :, :0]), expected[:, :, :0])


def test_ball_queries(device):
    points, queries = torch.randn(2, 50, 3, device=device), torch.randn(2, 8, 3, device=device) * 2
    for radius, index_dtype in itertools.product((0.7, 1e-30, -0.7, float("inf")), ("int32", "int64")):
        found = farpoint.ball_query(radius, 6, points, queries, index_dtype=index_dtype)
        np.testing.assert_array_equal(host(found), farpoint.ball_query(radius, 6, host(points), host(queries), index_dtype=index_dtype))


def test_they_are_taken(device):
    points, indices = torch.randn(2, 12, 3, device=device), torch.zeros(2, 3, dtype=torch.int64, device=device)
    assert core.quick_fps(points, 3, 0, "int64", 0) is not None
    assert core.quick_fps(points[:, :, :], 3, 0, "int32", 2) is not None
    assert core.quick_knn(points, 3, points[:, :5].contiguous(), 1.0, False, "int64", 0) is not None
    assert core.quick_radius(points, None, 0.5, 20, "int64", 0) is not None
    assert core.quick_gather(points, indices, False, 0) is not None
    assert core.quick_ball_query(0.5, 3, points, points, "int32", 0) is not None
    assert core.quick_three_nn(points, points[:, :5].contiguous(), "int32", 0) is not None
    assert core.quick_three_nn(points.double(), points.double(), "int64", 2) is not None
    for dtype in (None, "float32", "float16"):
        assert core.quick_voxelize(points, 0.5, BOX, 2, 5, None, False, False, False, dtype, 0) is not None
    for dtype in (None, "float64"):
        assert core.quick_voxelize(points.double(), 0.5, BOX, 2, 5, None, False, False, False, dtype, 0) is not None
    for names in (("coords", "voxels"), ["max", "first", "centroid"]):
        assert core.quick_voxelize(points, 0.5, BOX, 2, 5, names, False, False, False, None, 0) is not None


def test_what_is_out_of_the_ordinary_is_left_alone(device):
    points = torch.randn(2, 12, 3, device=device)
    others = [points.half(), points.long(), points.to("meta"), points.to_sparse(), points[None], points[..., :2], points[:, :5],
              torch.complex(points, points).conj().imag, host(points), [[0.0, 0.0, 0.0]], None, 3]
    for other in others:
        assert core.quick_fps(other, 2, 0, "int64", 0) is None
        assert core.quick_knn(points, 2, other, 1.0, False, "int64", 0) is None or other is None
        assert core.quick_three_nn(points, other, "int32", 0) is None
        assert core.quick_three_nn(other, points, "int32", 0) is None
        assert core.quick_voxelize(other, 0.5, BOX, None, None, None, False, False, False, None, 0) is None
    for wrong in (-1, 2.0, None, "2", 2**70, True):
        assert core.quick_fps(points, wrong, 0, "int64", 0) is None
        assert core.quick_knn(points, wrong, None, 1.0, False, "int64", 0) is None
        assert core.quick_voxelize(points, 0.5, BOX, wrong, 0, None, False, False, False, None, 0) is None
    for wrong in ("coords", ["voxels"], ["voxel_count"], ["coords", 3], {"coords": 1}, 3, ["list_offsets", "list_points"]):
        assert core.quick_voxelize(points, 0.5, BOX, None, None, wrong, False, False, False, None, 0) is None
    for wrong in ("float64", "bfloat16", torch.float32, 32):
        assert core.quick_voxelize(points, 0.5, BOX, None, None, None, False, False, False, wrong, 0) is None
    assert core.quick_voxelize(points.double(), 0.5, BOX, None, None, None, False, False, False, "float32", 0) is None
    learned = points.clone().requires_grad_()
    assert core.quick_knn(learned, 2, None, 1.0, False, "int64", 0) is None
    assert core.quick_three_nn(points, learned, "int32", 0) is None
    assert core.quick_gather(learned, torch.zeros(2, 3, dtype=torch.int64, device=device), False, 0) is None
    with torch.no_grad():
        assert core.quick_knn(learned, 2, None, 1.0, False, "int64", 0) is not None
    for wrong in ("uint8", torch.int64, None, 64):
        assert core.quick_fps(points, 2, 0, wrong, 0) is None
    for wrong in (-1, None, 2**40, 1.0):
        assert core.quick_fps(points, 2, 0, "int64", wrong) is None


def test_outputs_come_in_the_order_asked_for(device):
    points = torch.rand(1, 60, 3, device=device)
    for names in (("num_points", "coords"), ["point_voxel", "mean", "voxels", "mean"], ()):
        found = farpoint.voxelize(points, 0.5, BOX, max_points=4, max_voxels=9, outputs=names)
        assert list(found) == [*dict.fromkeys(names), "voxel_count", "voxel_offsets"]
        whole = farpoint.voxelize(points, 0.5, BOX, max_points=4, max_voxels=9)
        assert all(torch.equal(tensor, whole[name]) for name, tensor in found.items())


def test_outputs_have_memory_of_their_own(device):
    points = torch.rand(1, 60, 3, device=device)
    found = farpoint.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), max_points=4, max_voxels=9)
    found.update(zip(("offsets", "indices", "distances"), farpoint.radius(points, 0.3, capacity=50)))
    storages = [tensor.untyped_storage() for tensor in found.values()]
    assert len({storage.data_ptr() for storage in storages}) == len(found)
    for (name, tensor), storage in zip(found.items(), storages):
        rows = 9 if name in ("coords", "num_points", "voxels", "mean") else tensor.shape[0]
        assert tensor.is_contiguous() and tensor.storage_offset() == 0
        assert storage.nbytes() == rows * tensor[0].numel() * tensor.element_size(), name
    for name in ("indices", "distances"):
        found[name].zero_()  # past the last list they are not written
    before = {name: tensor.clone() for name, tensor in found.items()}
    for name, tensor in found.items():
        tensor.add_(1)
        assert all(torch.equal(found[other], before[other]) == (other != name) for other in found)
        tensor.copy_(before[name])


def test_calls_keep_nothing(device):
    points, indices = torch.rand(1, 30, 3, device=device), torch.zeros(1, 4, dtype=torch.int64, device=device)
    before = sys.getrefcount(points), sys.getrefcount(indices)
    for _ in range(30):
        farpoint.fps(points, 3)
        farpoint.knn(points, 3, points)
        farpoint.gather(points, indices)
        farpoint.voxelize(points, 0.5, BOX)
        with pytest.raises(ValueError):
            farpoint.fps(points, 3, first=99)
    assert (sys.getrefcount(points), sys.getrefcount(indices)) == before


def test_a_subclass_of_tensors(device):
    class Named(torch.Tensor):
        pass

    points = torch.randn(20, 3, device=device)
    named = points.as_subclass(Named)
    assert torch.equal(torch.as_tensor(farpoint.fps(named, 5)), farpoint.fps(points, 5))
    assert torch.equal(torch.as_tensor(farpoint.gather(named, farpoint.fps(named, 5))), farpoint.gather(points, farpoint.fps(points, 5)))


def test_modes_of_torch(device):
    points = torch.randn(20, 3, device=device)
    expected = farpoint.knn(points, 3)
    with torch.inference_mode():
        found = farpoint.knn(points, 3)
    assert torch.equal(found.indices, expected.indices)
    with torch.no_grad(), torch.device("meta"):
        assert torch.equal(farpoint.knn(points, 3).indices, expected.indices)


def test_a_torch_without_what_is_quick():
    # An older torch has neither its functions for fast calls nor DLPack's C exchange API.
    code = f"""if 1:
        import sys, pytest, torch
        for owner, name in ((torch.Tensor, "__dlpack_c_exchange_api__"), (torch._C._dynamo.guards, "_empty_strided_cpu"),
                            (torch._C._dynamo.guards, "_empty_strided_cuda")):
            if hasattr(owner, name):
                delattr(owner, name)
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", {__file__!r}, "-k", "not without_what_is_quick"]))"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=os.path.dirname(__file__),
                           env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(farpoint.__file__))})
    assert found.returncode == 0, found.stdout + found.stderr
    assert " passed" in found.stdout
