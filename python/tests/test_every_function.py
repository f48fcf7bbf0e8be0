"""What holds for every function that takes clouds: other layouts, batches, ragged clouds, nothing at all, and wrong arguments."""

import numpy as np
import oracle
import pytest
from clouds import odd_views

import farpoint

BOX = (-9, -9, -9, 9, 9, 9)
CAMERA = farpoint.PinholeCamera(16, 16, (8, 8), (8, 8), translation=(0, 0, 12))
FEATURES = np.random.default_rng(0).random((40, 4), np.float32)


def answers(result):
    if isinstance(result, dict):
        return [result[name] for name in sorted(result)]
    return list(result) if isinstance(result, tuple) else [result]


# Name: (call of a cloud and keywords, takes batches, takes ragged clouds)
CALLS = {
    "fps": (lambda p, **o: farpoint.fps(p, 6, return_distances=True, **o), True, True),
    "gather": (lambda p, **o: farpoint.gather(p, np.arange(5).reshape((1,) * (np.ndim(p) - 2) + (5,)).repeat(
        np.shape(p)[0] if np.ndim(p) == 3 else 1, 0).reshape((-1, 5) if np.ndim(p) == 3 else (5,)), **o), True, False),
    "knn": (lambda p, **o: farpoint.knn(p, 4, **o), True, True),
    "radius": (lambda p, **o: farpoint.radius(p, 2.0, **o), True, True),
    "edges": (lambda p, **o: farpoint.radius(p, 2.0, edge_index=True, **o), True, True),
    "normals": (lambda p, **o: farpoint.normals(p, 5, return_curvature=True, return_covariances=True, **o), True, True),
    "mean_knn_distance": (lambda p, **o: farpoint.mean_knn_distance(p, **o), True, True),
    "voxelize": (lambda p, **o: farpoint.voxelize(p, 1.0, BOX, max_points=3, max_voxels=50, **o), True, True),
    "PointIndex": (lambda p, **o: farpoint.PointIndex(p, **o).knn(3, p, **{f"query_{k}": v for k, v in o.items()}), True, True),
    "screen_knn": (lambda p, **o: farpoint.screen_knn(p, 3, CAMERA, **o), False, False),
    "furthest_point_sample": (lambda p, **o: farpoint.furthest_point_sample(p, 6, rules="pointnet2_ops", **o), True, False),
    "ball_query": (lambda p, **o: farpoint.ball_query(2.0, 4, p, p, **o), True, False),
    "three_nn": (lambda p, **o: farpoint.three_nn(p, p, **o), True, False),
    "distCUDA2": (lambda p, **o: farpoint.distCUDA2(p, **o), False, False),
}


def same(found, expected, name=""):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype and one.shape == other.shape, name
        np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.fixture
def cloud(rng):
    points = rng.integers(-9, 9, (40, 3)).astype(np.float32)
    points[::7] += 0.25
    return points


@pytest.mark.parametrize("name", CALLS)
def test_layouts(name, cloud):
    call = CALLS[name][0]
    for points in (cloud, cloud.astype(np.float64)):
        expected = answers(call(points))
        for layout, view in odd_views(points).items():
            same(answers(call(view)), expected, layout)


@pytest.mark.parametrize("name", [name for name, (_, batches, *_) in CALLS.items() if batches])
def test_batches(name, cloud):
    call = CALLS[name][0]
    batch = np.stack([cloud, cloud[::-1] + 1, cloud * 2])
    expected = answers(call(batch))
    same(answers(call(np.asfortranarray(batch))), expected)
    same(answers(call(np.repeat(batch, 2, axis=0)[::2])), expected)
    if name in ("radius", "edges", "voxelize"):
        return  # of all clouds together: their own tests
    for b, one in enumerate(batch):
        same([array[b] for array in expected], answers(call(one)))
    for same_cloud in (batch[:1], np.broadcast_to(cloud, (2, 40, 3))):
        same([array[0] for array in answers(call(same_cloud))], answers(call(cloud)))


@pytest.mark.parametrize("name", [name for name, (_, _, ragged) in CALLS.items() if ragged])
def test_ragged_clouds_are_batches(name, cloud):
    call = CALLS[name][0]
    batch = np.stack([cloud, cloud[::-1] + 1])
    whole = answers(call(batch))
    for cut in ({"lengths": [40, 40]}, {"offsets": np.array([0, 40, 80], np.int32)}, {"offsets": [0, 40, 80]}):
        for one, other in zip(answers(call(batch.reshape(-1, 3), **cut)), whole):
            np.testing.assert_array_equal(one.reshape(other.shape), other)


@pytest.mark.parametrize("name", CALLS)
def test_nothing(name):
    call, batches, ragged = CALLS[name]
    if name == "gather":
        assert not call(np.zeros((0, 3), np.float32)).any()
        return
    for shape in [(0, 3), *([(0, 5, 3), (2, 0, 3)] if batches else [])]:
        for array in answers(call(np.zeros(shape, np.float32))):
            assert array.size == 0 or array.shape[0] <= 3 or (array <= 0).all()
    if ragged:
        call(np.zeros((0, 3), np.float32), lengths=[0, 0])
        call(np.zeros((5, 3), np.float32), lengths=[])


@pytest.mark.parametrize("name", CALLS)
def test_clouds_that_are_all_in_vain(name):
    call = CALLS[name][0]
    call(np.full((12, 3), np.nan, np.float32))
    call(np.full((12, 3), np.inf, np.float32))
    call(np.zeros((12, 3), np.float32))
    call(np.full((12, 3), 3e38, np.float32))


@pytest.mark.parametrize("name", [name for name in CALLS if name != "gather"])
def test_wrong_arguments(name, cloud):
    call, batches, ragged = CALLS[name]
    for wrong in (cloud[:, :2], cloud[0], cloud > 0, cloud.astype(complex), cloud[None, None], "points", None):
        with pytest.raises(ValueError):
            call(wrong)
    if not batches:
        with pytest.raises(ValueError):
            call(cloud[None])
    if ragged:
        for cut in ({"offsets": [0, 41]}, {"offsets": [-1, 40]}, {"offsets": [0, 30, 20]}, {"lengths": [41]}, {"lengths": [-1, 41]},
                    {"offsets": [[0, 40]]}, {"offsets": []}, {"offsets": [0, 40], "lengths": [40]}):
            with pytest.raises(ValueError):
                call(cloud, **cut)


def test_any_floats(rng):
    # Not on a grid: distances are rounded as farpoint says.
    points, queries = rng.standard_normal((300, 3)).astype(np.float32) * 50, rng.standard_normal((20, 3)).astype(np.float32) * 50
    same(answers(farpoint.knn(points, 7, queries)), oracle.knn(points, queries, 7))
    same(answers(farpoint.fps(points, 40, return_distances=True)), oracle.fps(points, 40))
    utm = points.astype(np.float64) + (500_000, 5_400_000, 300)
    assert (farpoint.knn(utm, 7).indices == oracle.knn(utm, utm, 7)[0]).all()
