import math

import numpy as np
import oracle
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint
from farpoint import _voxelize
from farpoint._arrays import space_of

BOX = (-2, -2, -1, 2, 2, 3)


def expect(points, kept, lists, result, max_points=None):
    np.testing.assert_array_equal(result["coords"], np.array(kept, np.int32).reshape(-1, 3))
    np.testing.assert_array_equal(result["num_points"], [len(one) for one in lists])
    assert result["voxel_count"][0] == len(kept)
    assert result["mean"].dtype == points.dtype
    for row, one in enumerate(lists):
        np.testing.assert_array_equal(result["mean"][row], mean_of(points[one]))
        if max_points:
            np.testing.assert_array_equal(result["voxels"][row, :len(one)], points[one])
            assert not result["voxels"][row, len(one):].any() and result["voxels"].dtype == points.dtype


def mean_of(rows):
    """In the type of the rows, one after another."""
    total = np.zeros(rows.shape[1:], rows.dtype)
    for row in rows:
        total += row
    return total / rows.dtype.type(len(rows))


@given(clouds(columns=4, most=60), st.sampled_from(["first_occurrence", "grid"]), st.sampled_from([0.5, (1, 0.5, 2)]))
def test_dynamic_is_its_definition(points, order, size):
    points[~np.isfinite(points[:, 3]), 3] = 0
    result = farpoint.voxelize(points, size, BOX, order=order)
    kept, lists, row_of = oracle.voxelize(points, np.broadcast_to(size, 3), BOX, order=order)
    expect(points, kept, lists, result)
    np.testing.assert_array_equal(result["point_voxel"], row_of)


@given(clouds(columns=3, most=60), st.integers(1, 4), st.integers(1, 12))
def test_hard_is_its_definition(points, max_points, max_voxels):
    result = farpoint.voxelize(points, 1.0, BOX, max_points=max_points, max_voxels=max_voxels)
    kept, lists, row_of = oracle.voxelize(points, [1] * 3, BOX, max_points, max_voxels)
    expect(points, kept, lists, result, max_points)
    np.testing.assert_array_equal(result["point_voxel"], row_of)


@given(clouds(columns=5, most=60), st.sampled_from([None, 1, 3]))
def test_all_outputs_are_their_definitions(points, max_points):
    points[:, 3:][~np.isfinite(points[:, 3:])] = 0
    limits = {} if max_points is None else {"max_points": max_points, "max_voxels": 9}
    names = ["list_points", "centroid", "max", "mean", "first"]
    result = farpoint.voxelize(points, 1.0, BOX, outputs=names, **limits)
    assert list(result) == ["centroid", "max", "mean", "first", "list_offsets", "list_points", "voxel_count", "voxel_offsets"]
    _, every, _ = oracle.voxelize(points, [1] * 3, BOX)
    every = every[:limits.get("max_voxels")]
    kept = [one[:max_points] for one in every]
    assert all(result[name].dtype == points.dtype and len(result[name]) == len(kept) for name in ("max", "first", "centroid"))
    for row, one in enumerate(kept):
        np.testing.assert_array_equal(result["max"][row], points[one].max(0))
        np.testing.assert_array_equal(result["first"][row], points[one[0]])
        np.testing.assert_array_equal(result["centroid"][row], mean_of(points[one, :3]))
        np.testing.assert_array_equal(result["mean"][row], mean_of(points[one]))
    ends = result["list_offsets"]
    assert ends.dtype == np.int64 and len(ends) == len(every) + 1 and len(result["list_points"]) == ends[-1]
    for row, one in enumerate(every):
        np.testing.assert_array_equal(result["list_points"][ends[row]:ends[row + 1]], one)


def test_lists_of_batches_count_through_all_clouds(rng):
    points = rng.uniform(-2, 2, (3, 40, 3))
    result = farpoint.voxelize(points, 1.0, BOX, outputs=("list_offsets", "point_voxel"), capacity=25)
    ends, members, row_of = result["list_offsets"], result["list_points"], result["point_voxel"].reshape(-1)
    assert len(ends) == 26 and ends[0] == 0 and ends[-1] == len(members) == (row_of >= 0).sum()
    for row in range(25):
        np.testing.assert_array_equal(members[ends[row]:ends[row + 1]], np.flatnonzero(row_of == row))


@pytest.mark.parametrize("count", [1, 10, 100, 1000, 10000])
@pytest.mark.parametrize("columns", [3, 6])
def test_means_of_float64_points_are_added_in_float64(rng, count, columns):
    # UTM coordinates, of which float32 has every half meter: sums of 1,000 in float32 were 50 m off.
    points = np.concatenate([rng.random((count, 3)) + [500000, 5400000, 100], rng.random((count, columns - 3)) + 1e9], axis=1)
    box = (500000, 5400000, 100, 500001, 5400001, 101)
    result = farpoint.voxelize(points, 1.0, box, outputs=("mean", "centroid", "max", "voxels"), max_points=count, max_voxels=3)
    exact = np.array([math.fsum(column) for column in points.T]) / count
    assert result["mean"].dtype == result["centroid"].dtype == np.float64
    np.testing.assert_allclose(result["mean"][0], exact, rtol=1e-13)
    np.testing.assert_array_equal(result["centroid"][0], result["mean"][0, :3])
    np.testing.assert_array_equal(result["voxels"][0], points)
    np.testing.assert_array_equal(result["max"][0], points.max(0))
    for dtype in ("float32", np.float32, "float16"):
        shift = points.min(0) if dtype == "float16" else 0
        narrow = farpoint.voxelize(points - shift, 1e7, (0, 0, 0, 1e7, 1e7, 1e7), dtype=dtype, outputs=("mean", "centroid", "first"))
        assert narrow["mean"].dtype == narrow["first"].dtype == np.dtype(dtype) and narrow["centroid"].dtype == np.float64
        np.testing.assert_array_equal(narrow["mean"][0], mean_of(points - shift).astype(dtype))
        np.testing.assert_array_equal(narrow["first"][0], (points - shift)[0].astype(np.float32).astype(dtype))


def test_batches_and_columns(rng):
    points = rng.uniform(-2, 2, (3, 20, 5)).astype(np.float32)
    result = farpoint.voxelize(points, 1.0, BOX, columns="batch_zyx", max_points=3, max_voxels=6)
    single = [farpoint.voxelize(cloud, 1.0, BOX, max_points=3, max_voxels=6) for cloud in points]
    np.testing.assert_array_equal(result["coords"][:, 1:], np.concatenate([one["coords"] for one in single])[:, ::-1])
    np.testing.assert_array_equal(result["coords"][:, 0], np.repeat(range(3), [len(one["coords"]) for one in single]))
    np.testing.assert_array_equal(result["voxels"], np.concatenate([one["voxels"] for one in single]))
    np.testing.assert_array_equal(result["voxel_offsets"], np.cumsum([0] + [len(one["coords"]) for one in single]))
    assert result["point_voxel"].shape == (3, 20)
    ragged = farpoint.voxelize(points.reshape(-1, 5), 1.0, BOX, columns="batch_zyx", max_points=3, max_voxels=6, lengths=[20] * 3)
    for name in result:
        np.testing.assert_array_equal(ragged[name].reshape(result[name].shape), result[name])


def test_outputs_by_name(rng):
    points = rng.uniform(-2, 2, (50, 3)).astype(np.float32)
    assert set(farpoint.voxelize(points, 1.0, BOX, outputs=["coords"])) == {"coords", "voxel_count", "voxel_offsets"}
    few = farpoint.voxelize(points, 1.0, BOX, capacity=4)
    assert len(few["coords"]) == 4
    half = farpoint.voxelize(points, 1.0, BOX, dtype="float16")["mean"]
    assert half.dtype == np.float16
    wide = np.zeros((50, 5), np.float32)
    wide[:, 1:4] = points
    np.testing.assert_array_equal(farpoint.voxelize(wide[:, 1:4], 1.0, BOX)["coords"], farpoint.voxelize(points, 1.0, BOX)["coords"])


def test_a_random_subset_is_one(rng):
    points = np.zeros((100, 3), np.float32)
    points[:, 0] = rng.permutation(100) / 128
    kept = farpoint.voxelize(points, 1.0, BOX, max_points=5, max_voxels=1, seed=3)["voxels"]
    assert set(kept[0, :, 0]) <= set(points[:, 0]) and len(set(kept[0, :, 0])) == 5
    assert (kept[0, :, 0] != points[:5, 0]).any()


@pytest.mark.parametrize("arguments, sentence", [
    ({"max_points": 3}, "both max_points and max_voxels"),
    ({"max_points": 0, "max_voxels": 1}, "positive"),
    ({"outputs": ["voxels"]}, "hard voxelization"),
    ({"outputs": ["color"]}, "no output 'color'"),
    ({"order": "z"}, "no order 'z'"),
    ({"columns": "xy"}, "no columns 'xy'"),
    ({"dtype": "int8"}, "dtype is int8"),
    ({"dtype": "float64"}, "dtype is float64, and points are float32"),
    ({"voxel_size": (1, 2)}, "voxel_size has 2 numbers"),
    ({"point_range": (1, 2)}, "point_range has 2 numbers"),
    ({"voxel_size": 0.0}, "voxelize"),
    ({"points": np.zeros((4, 2), np.float32)}, "shape"),
    ({"points": np.zeros((4, 65), np.float32)}, "64"),
])
def test_voxelize_says_what_is_wrong(arguments, sentence):
    call = {"points": np.zeros((4, 3), np.float32), "voxel_size": 1.0, "point_range": BOX, **arguments}
    with pytest.raises(ValueError, match=sentence):
        farpoint.voxelize(**call)


def test_voxelize_of_nothing():
    result = farpoint.voxelize(np.zeros((0, 4), np.float32), 1.0, BOX)
    assert result["coords"].shape == (0, 3) and result["mean"].shape == (0, 4) and result["voxel_count"][0] == 0


@given(clouds(), st.sampled_from([0.25, 0.7, 3.0]))
def test_bounds_that_are_left_out_hold_all_points(points, size):
    found = farpoint.voxelize(points, size)
    finite = np.isfinite(points).all(1)
    assert ((found["point_voxel"] >= 0) == finite).all()
    bounds = found["point_range"]
    assert bounds.shape == (6,) and bounds.dtype == np.float64
    np.testing.assert_allclose(bounds / size, np.round(bounds / size), atol=1e-9)
    again = farpoint.voxelize(points, size, bounds)
    for name, array in again.items():
        np.testing.assert_array_equal(array, found[name], err_msg=name)
    assert "point_range" not in again
    if finite.any():
        assert (bounds[:3] <= points[finite].min(0)).all() and (bounds[3:] > points[finite].max(0)).all()
        assert (bounds[:3] + size > points[finite].min(0) - 1e-6).all()


@given(clouds())
def test_bounds_on_a_device_are_those_of_the_host(points):
    torch = pytest.importorskip("torch", reason="torch is not installed: its part of the bounds is not tested")
    for cloud in (points, points[None], points[:, ::-1]):
        tensor = torch.from_numpy(np.ascontiguousarray(cloud))
        for one in (tensor, tensor.double()):
            found = _voxelize._ends_on_device(space_of(one), one)  # by functions that tensors of all devices have
            np.testing.assert_array_equal(found, _voxelize._ends_on_host(cloud))


def test_bounds_of_batches_of_maps_and_of_nothing(rng):
    points = rng.random((2, 50, 5)) + (500_000, 5_400_000, 100, 0, 0)
    found = farpoint.voxelize(points, (0.1, 0.2, 0.5), max_points=3, max_voxels=200)
    assert (found["point_voxel"] >= 0).all()
    shifted = farpoint.voxelize(points[:, :, :3] + (0.1 * 70, 0, 0), (0.1, 0.2, 0.5))
    assert shifted["point_range"][0] > found["point_range"][0]
    for nothing in (np.zeros((0, 3), np.float32), np.full((4, 3), np.nan), np.zeros((2, 0, 3))):
        empty = farpoint.voxelize(nothing, 0.5)
        assert len(empty["coords"]) == 0 and np.isfinite(empty["point_range"]).all()
    with pytest.raises(ValueError, match="more than 2\\^31 voxels apart"):
        farpoint.voxelize(points, 1e-12)
    for size in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="voxel"):
            farpoint.voxelize(points, size)
