"""Arguments as callers have them: numbers of any type, offsets, types; and sentences about those that are none."""

import numpy as np
import oracle
import pytest

import farpoint

BOX = (0, 0, 0, 1, 1, 1)
CAMERA = farpoint.PinholeCamera(16, 16, (8, 8), (8, 8), translation=(0, 0, 12))
POINTS = np.random.default_rng(4).random((30, 3), np.float32)


def hard(points, **options):
    return farpoint.voxelize(points, 0.5, BOX, **{"max_points": 3, "max_voxels": 20, **options})


def hard_of_all(**options):
    return hard(POINTS, **options)


# Name: (call of a whole number, one that is right)
WHOLE = {
    "fps samples": (lambda n: farpoint.fps(POINTS, n), 4),
    "fps first": (lambda n: farpoint.fps(POINTS, 3, first=n), 4),
    "fps seed": (lambda n: farpoint.fps(POINTS, 3, seed=n), 4),
    "furthest_point_sample npoint": (lambda n: farpoint.furthest_point_sample(POINTS, n), 4),
    "knn k": (lambda n: farpoint.knn(POINTS, n).indices, 4),
    "radius capacity": (lambda n: farpoint.radius(POINTS, 0.1, capacity=n).indices, 20),
    "normals k": (lambda n: farpoint.normals(POINTS, n), 4),
    "mean_knn_distance k": (lambda n: farpoint.mean_knn_distance(POINTS, n), 4),
    "ball_query nsample": (lambda n: farpoint.ball_query(0.3, n, POINTS, POINTS), 4),
    "voxelize max_points": (lambda n: hard(POINTS, max_points=n)["voxels"], 4),
    "voxelize max_voxels": (lambda n: hard(POINTS, max_voxels=n)["voxels"], 4),
    "voxelize capacity": (lambda n: hard(POINTS, capacity=n)["voxels"], 4),
    "voxelize seed": (lambda n: hard(POINTS, seed=n)["voxels"], 4),
    "screen_knn k": (lambda n: farpoint.screen_knn(POINTS, n, CAMERA).indices, 4),
    "screen_knn rounds": (lambda n: farpoint.screen_knn(POINTS, 2, CAMERA, rounds=n).indices, 4),
    "screen_knn candidates": (lambda n: farpoint.screen_knn(POINTS, 2, CAMERA, rounds=2, candidates=n).indices, 4),
    "screen_knn layers": (lambda n: farpoint.screen_knn(POINTS, 2, CAMERA, layers=n).indices, 4),
    "index k": (lambda n: farpoint.PointIndex(POINTS).knn(n, POINTS).indices, 4),
    "index max_neighbors": (lambda n: farpoint.PointIndex(POINTS).radius(0.3, POINTS, n).indices, 4),
    "map keys": (lambda n: np.array(farpoint.HashMap(n).capacity), 40),
    "map missing": (lambda n: farpoint.HashMap(4).find([1], n), 40),
}
REAL = {
    "fps stop_below": lambda r: farpoint.fps(POINTS, 9, stop_below=r),
    "knn max_radius": lambda r: farpoint.knn(POINTS, 3, max_radius=r).indices,
    "radius": lambda r: farpoint.radius(POINTS, r).indices,
    "normals max_radius": lambda r: farpoint.normals(POINTS, 4, max_radius=r),
    "ball_query": lambda r: farpoint.ball_query(r, 4, POINTS, POINTS),
    "voxelize voxel_size": lambda r: farpoint.voxelize(POINTS, r, BOX)["coords"],
    "screen_knn max_radius": lambda r: farpoint.screen_knn(POINTS, 2, CAMERA, max_radius=r).indices,
    "index knn max_radius": lambda r: farpoint.PointIndex(POINTS).knn(2, POINTS, max_radius=r).indices,
    "index radius": lambda r: farpoint.PointIndex(POINTS).radius(r, POINTS, 3).indices,
    "map load": lambda r: np.array(farpoint.HashMap(100, load=r).capacity),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    call, right = WHOLE[name]
    expected = call(right)
    for number in (np.int32(right), np.uint8(right), np.int64(right), np.array(right)):
        np.testing.assert_array_equal(call(number), expected)
    for wrong in (1.5, "4", [1, 2, 3], 2**70, -(2**70), float("nan"), object()):
        with pytest.raises(ValueError, match=name.split()[-1]):
            call(wrong)


@pytest.mark.parametrize("name", REAL)
def test_numbers(name):
    call = REAL[name]
    expected = call(0.5)
    for number in (np.float32(0.5), np.float64(0.5), np.float16(0.5), np.array(0.5)):
        np.testing.assert_array_equal(call(number), expected)
    for wrong in ("far", None, [], object(), 1j):
        with pytest.raises(ValueError):
            call(wrong)


def test_threads_and_streams():
    for call in (lambda **o: farpoint.fps(POINTS, 4, **o), lambda **o: farpoint.PointIndex(POINTS, **o), hard_of_all,
                 lambda **o: farpoint.ball_query(0.3, 2, POINTS, POINTS, **o)):
        call(threads=np.int64(2), stream=0)  # a stream does nothing in host memory
        for wrong in (1.5, "all", None, -5, 2**40, [1]):
            with pytest.raises(ValueError, match="threads"):
                call(threads=wrong)
        for wrong in (1.5, "other", [1]):
            with pytest.raises(ValueError, match="stream is"):
                call(stream=wrong)


def test_keys_and_values_that_are_not_of_the_maps_type():
    table = farpoint.HashMap(10, key_dtype="uint32", value_dtype="int32")
    table.insert([1, 2**32 - 2], [-7, 2**31 - 1])
    assert table.find([2**32 - 2, 1, 5]).tolist() == [2**31 - 1, -7, -1]
    for keys, values in (([2**32], [1]), ([-5], [1]), ([1], [2**31]), ([1.5], [1]), (["a"], [1]), ([2**70], [1]), ([None], [1])):
        with pytest.raises(ValueError, match="keys are|values are"):
            table.insert(keys, values)
    assert len(table.extract().keys) == 2
    for missing in (2**32, -(2**31) - 1):
        with pytest.raises(ValueError, match="missing is"):
            table.find([1], missing)


def test_sizes_of_voxels_are_one_number_or_three():
    expected = farpoint.voxelize(POINTS, 0.5, BOX)["coords"]
    for size in (np.float32(0.5), [0.5] * 3, np.full(3, 0.5), np.full(3, 0.5, np.float32), (np.float32(0.5), 0.5, 0.5)):
        np.testing.assert_array_equal(farpoint.voxelize(POINTS, size, np.array(BOX, np.float32))["coords"], expected)
    for size in ((0.5, 0.5), np.full(4, 0.5), ("a", 1, 1), np.full((3, 3), 0.5), 0, -1, float("nan")):
        with pytest.raises(ValueError):
            farpoint.voxelize(POINTS, size, BOX)
    for wrong in ({"outputs": 3}, {"outputs": "coords"}, {"columns": []}, {"order": []}):
        with pytest.raises(ValueError, match="output|columns|order"):
            hard(POINTS, **wrong)
    with pytest.raises(ValueError, match="rules"):
        farpoint.furthest_point_sample(POINTS, 2, rules=[])
    for box in ((0, 0, 0, 1, 1), (0, 0, 0, "a", 1, 1), 4):
        with pytest.raises(ValueError, match="point_range"):
            farpoint.voxelize(POINTS, 0.5, box)


def test_types_are_names_or_types():
    for dtype in ("int32", np.int32, np.dtype("int32")):
        assert farpoint.fps(POINTS, 2, index_dtype=dtype).dtype == np.int32
        assert farpoint.HashMap(4, key_dtype=dtype).find(np.zeros(1, np.int32)).dtype == np.int64
    for dtype in ("float16", np.float16):
        assert farpoint.voxelize(POINTS, 0.5, BOX, dtype=dtype)["mean"].dtype == np.float16
    for wrong in ("int8", "bogus", np.float32, object(), None, 3):
        with pytest.raises(ValueError, match="index_dtype"):
            farpoint.knn(POINTS, 2, index_dtype=wrong)


@pytest.mark.parametrize("kind", ["offsets", "lengths"])
def test_cuts_are_whole_numbers(kind):
    right = {"offsets": [0, 10, 30], "lengths": [10, 20]}[kind]
    expected = farpoint.knn(POINTS, 2, **{kind: right}).indices
    for dtype in (np.int32, np.int64, np.uint8, np.uint64):
        np.testing.assert_array_equal(farpoint.knn(POINTS, 2, **{kind: np.array(right, dtype)}).indices, expected)
    np.testing.assert_array_equal(farpoint.knn(POINTS, 2, **{kind: np.repeat(right, 2)[::2]}).indices, expected)
    np.testing.assert_array_equal(farpoint.knn(POINTS, 2, **{kind: tuple(right)}).indices, expected)
    for wrong in ([0.5, 10.0, 29.5], np.array(right, float), np.array(right) > 0, "all", 30, [right], [2**63, 1]):
        with pytest.raises(ValueError, match=kind):
            farpoint.knn(POINTS, 2, **{kind: wrong})


def test_features_of_gather_are_numbers():
    for dtype in ("int8", "uint16", "float16", "complex64", "bool", "float64", "uint64"):
        features = np.arange(12).reshape(4, 3).astype(dtype)
        np.testing.assert_array_equal(farpoint.gather(features, [2, -1, 0])[::2], features[[2, 0]])
    for wrong in (np.array([[object()]]), np.zeros((2, 1), "M8[ns]"), np.zeros((2, 1), "V4"), np.zeros((2, 1), "U1"),
                  np.zeros((2, 1), complex), np.zeros((2, 1), np.longdouble), np.zeros((2, 1), [("x", "f4")])):
        with pytest.raises(ValueError, match="features are"):
            farpoint.gather(wrong, [0])


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_edges_that_do_not_fit_are_missing(rng, index_dtype):
    points = rng.integers(-3, 3, (3, 9, 3)).astype(np.float64)
    for array, cut in ((points, {}), (points[0], {}), (points.reshape(-1, 3), {"offsets": [2, 9, 9, 20]})):
        whole = farpoint.radius(array, 2.0, **cut)
        edges = farpoint.radius(array, 2.0, edge_index=True, **cut)
        for capacity in (0, 1, 20, len(whole.indices), len(whole.indices) + 7):
            part = farpoint.radius(array, 2.0, edge_index=True, capacity=capacity, index_dtype=index_dtype, **cut)
            assert part.shape == (2, capacity) and part.dtype == index_dtype
            fits = whole.offsets[whole.offsets <= capacity][-1]
            np.testing.assert_array_equal(part[:, :fits], edges[:, :fits])
            assert (part[:, fits:] == -1).all()
    with pytest.raises(ValueError, match="capacity is negative"):
        farpoint.radius(POINTS, 1.0, capacity=-1)


def test_ragged_clouds_of_functions_of_other_names(rng):
    known = rng.integers(-4, 4, (14, 3)).astype(np.float32)
    unknown = rng.integers(-4, 4, (9, 3)).astype(np.float32)
    cuts, query_cuts = [(1, 7), (7, 7), (7, 12)], [(0, 3), (3, 4), (4, 8)]
    whole = {"offsets": [1, 7, 7, 12], "query_offsets": [0, 3, 4, 8]}
    picks = farpoint.furthest_point_sample(known, 4, offsets=whole["offsets"])
    balls = farpoint.ball_query(3.0, 3, known, unknown, **whole)
    dist, idx = farpoint.three_nn(unknown, known, **whole)
    rows = {"offsets": whole["offsets"], "index_offsets": whole["query_offsets"]}
    features = rng.standard_normal((14, 5)).astype(np.float32)
    grouped = farpoint.group(features, balls, **rows)
    weight = rng.random((9, 3), np.float32)
    between = farpoint.three_interpolate(features, idx, weight, **rows)
    assert picks.shape == (3, 4) and balls.shape == (9, 3) and grouped.shape == (9, 5, 3) and between.shape == (9, 5)
    for cloud, ((begin, end), (first, last)) in enumerate(zip(cuts, query_cuts)):
        points, queries, own = known[begin:end], unknown[first:last], features[begin:end]
        np.testing.assert_array_equal(picks[cloud], farpoint.furthest_point_sample(points, 4))
        np.testing.assert_array_equal(balls[first:last], farpoint.ball_query(3.0, 3, points, queries))
        for found, expected in zip((dist, idx), farpoint.three_nn(queries, points)):
            np.testing.assert_array_equal(found[first:last], expected)
        np.testing.assert_array_equal(grouped[first:last], oracle.gather(own, balls[first:last]).swapaxes(1, 2))
        np.testing.assert_array_equal(between[first:last], farpoint.three_interpolate(own.T.copy(), idx[first:last], weight[first:last]).T)
    with pytest.raises(ValueError, match="rules are of"):
        farpoint.furthest_point_sample(known, 4, rules="openpcdet", lengths=[14])
    with pytest.raises(ValueError, match=r"\(M, K\)"):
        farpoint.group(features, balls[:, 0], **rows)


def test_a_workspace_is_of_a_device():
    for call in (lambda **o: farpoint.fps(POINTS, 4, **o), lambda **o: farpoint.PointIndex(POINTS, **o), lambda **o: farpoint.knn(POINTS, 3, **o),
                 lambda **o: farpoint.PointIndex(POINTS).knn(3, **o), lambda **o: farpoint.HashMap(9, **o), hard_of_all):
        with pytest.raises(ValueError, match="workspace is memory of a device"):
            call(workspace=lambda size: 1 / 0)
