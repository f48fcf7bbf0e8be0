"""Types of coordinates: which are taken as they are, which are converted, and into what; lists; arrays that are refused."""

import numpy as np
import oracle
import pytest
from test_every_function import BOX, CALLS, answers, same

import farpoint

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.fixture
def whole(rng):
    """Coordinates that every type has."""
    return rng.integers(0, 12, (40, 3))


@pytest.mark.parametrize("name", [name for name in CALLS if name != "gather"])
def test_numbers_are_converted_to_a_type_that_has_them(name, whole):
    call = CALLS[name][0]
    narrow, wide = answers(call(whole.astype(np.float32))), answers(call(whole.astype(np.float64)))
    for dtype in INTEGERS:
        same(answers(call(whole.astype(dtype))), wide, dtype)
    same(answers(call(whole.astype(np.float16))), narrow, "float16")
    for numbers in (whole.tolist(), whole.astype(float).tolist(), [tuple(row) for row in whole.tolist()], tuple(whole.tolist())):
        same(answers(call(numbers)), wide, "lists")


@pytest.mark.parametrize("name", [name for name in CALLS if name != "gather"])
def test_types_that_are_not_coordinates(name, whole):
    call = CALLS[name][0]
    for dtype in ("bool", "complex64", "longdouble", "object", "M8[s]", "S8"):
        with pytest.raises(ValueError, match="they must be float"):
            call(whole.astype(dtype))
    for wrong in ([[1, 2, 3], [1, 2]], [[1, 2, "x"]], [[1, 2, None]], [[1j, 0, 0]], [[True, False, True]]):
        with pytest.raises(ValueError, match="no array|they must be float"):
            call(wrong)
    with pytest.raises(ValueError, match="masked array, and masks are not known"):
        call(np.ma.masked_array(whole.astype(np.float32), whole > 9))
    with pytest.raises(ValueError, match="masked array, and masks are not known"):
        call(list(np.ma.masked_array(whole.astype(np.float32), whole > 9)))


def test_masked_arrays_are_refused_wherever_they_are(whole):
    points = whole.astype(np.float32)
    masked, indices = np.ma.masked_array(points), np.ma.masked_array(np.zeros(3, np.int64), [1, 0, 0])
    for what, call in (("queries", lambda: farpoint.knn(points, 1, masked)), ("features", lambda: farpoint.gather(masked, [0])),
                       ("indices", lambda: farpoint.gather(points, indices)),
                       ("lengths", lambda: farpoint.knn(points, 1, lengths=np.ma.masked_array([40]))),
                       ("features", lambda: farpoint.interpolate(points, masked, points)),
                       ("queries", lambda: farpoint.PointIndex(points).knn(1, masked)),
                       ("keys", lambda: farpoint.HashMap(9).find(indices))):
        with pytest.raises(ValueError, match=f"{what} are a masked array"):
            call()


def test_large_integers_are_exact():
    # 2^24 + 1 is no float, and millimeters of a map are larger.
    points = np.array([[2**24, 0, 0], [2**24 + 1, 0, 0], [5_400_000_123, 0, 0]])
    for dtype in ("int64", "uint64"):
        found = farpoint.knn(points.astype(dtype), 3)
        expected = oracle.knn(points.astype(float), points.astype(float), 3)
        np.testing.assert_array_equal(found.indices, expected[0])
        np.testing.assert_array_equal(found.distances, expected[1])
    assert farpoint.three_nn(points[1:2], points)[1].tolist() == [[1, 0, 2]]
    assert farpoint.ball_query(0.5, 1, points, points).tolist() == [[0], [1], [2]]
    assert farpoint.furthest_point_sample(points[:2], 2).tolist() == [0, 1]


def test_distances_in_float64_are_not_rounded(rng):
    points, queries = rng.standard_normal((50, 3)) + 5e6, rng.standard_normal((9, 3)) + 5e6
    dist, idx = farpoint.three_nn(queries, points)
    expected = np.sort(np.linalg.norm(queries[:, None] - points, axis=-1), axis=1)[:, :3]
    np.testing.assert_allclose(dist, expected, rtol=1e-12)
    assert dist.dtype == np.float64 and idx.dtype == np.int32
    near = np.linalg.norm(queries[:, None] - points, axis=-1) < 1.5
    for row, inside in zip(farpoint.ball_query(1.5, 50, points, queries), near):
        assert set(row.tolist()) == (set(np.flatnonzero(inside)) or {0})
    assert not farpoint.ball_query(1e-200, 3, points, points).any()  # its square is 0
    apart = ((points[:, None] - points) ** 2).sum(-1)
    mean = np.sort(apart, axis=1)[:, 1:4].mean(1)
    np.testing.assert_allclose(farpoint.distCUDA2(points), mean, rtol=1e-6)


def test_points_and_queries_of_different_types(whole):
    points, queries = whole, whole[:7] + 1
    expected = farpoint.knn(points.astype(float), 4, queries.astype(float))
    for of_points, of_queries in [("int32", "float32"), ("float32", "int64"), ("float64", "int8"), ("int8", "uint64"),
                                  ("float16", "float64"), ("float64", "float16"), ("float16", "int32")]:
        found = farpoint.knn(points.astype(of_points), 4, queries.astype(of_queries))
        same(found, expected, f"{of_points}, {of_queries}")
    # Lists have the type of the points.
    narrow = farpoint.knn(points.astype(np.float32), 4, queries.astype(np.float32))
    for numbers in (queries.tolist(), queries.astype(float).tolist()):
        same(farpoint.knn(points.astype(np.float32), 4, numbers), narrow)
        same(farpoint.PointIndex(points.astype(np.float32)).knn(4, numbers), narrow)
    same(farpoint.knn(points.astype(np.float32), 4, queries.astype(np.float16)), narrow)
    same(farpoint.knn(points.tolist(), 4, queries.astype(np.float32)), expected)
    # Nothing is rounded unasked, and nothing widened that has a type of the library's.
    for first, second in (("float32", "float64"), ("float64", "float32")):
        with pytest.raises(ValueError, match=f"queries are {second} and points {first}"):
            farpoint.knn(points.astype(first), 4, queries.astype(second))
    index = farpoint.PointIndex(points.astype(np.float32))
    for dtype in ("float64", "int32"):
        with pytest.raises(ValueError, match="queries are float64 and points float32"):
            index.knn(4, queries.astype(dtype))
    same(farpoint.PointIndex(points.astype(float)).knn(4, queries.astype(np.float16)), expected)


def test_features_that_are_floats(whole):
    points, queries = whole.astype(np.float32), whole[:5] + 0.5
    features = (whole / 4).astype(np.float32)
    expected = farpoint.interpolate(points, features, queries.astype(np.float32))
    same([farpoint.interpolate(points, features.astype(np.float16), queries.astype(np.float16))], [expected])
    same([farpoint.interpolate(points, features.tolist(), queries.tolist())], [expected])
    idx, weight = np.zeros((5, 3), int), np.ones((5, 3), np.float32)
    channels = np.ascontiguousarray(features.T)
    same([farpoint.three_interpolate(channels.astype(np.float16), idx, weight.astype(np.float16))],
         [farpoint.three_interpolate(channels, idx, weight)])
    for dtype in ("float64", "int32", "bool"):  # which a float has not all of
        with pytest.raises(ValueError, match=f"features are {dtype}; they must be float32"):
            farpoint.interpolate(points, features.astype(dtype), queries.astype(np.float32))


def test_samples_of_halves_are_taken_as_they_are(rng):
    points = rng.standard_normal((100, 3)).astype(np.float16)
    found = farpoint.fps(points, 20, return_distances=True)
    same(found, farpoint.fps(points.astype(np.float32), 20, return_distances=True))


def test_voxels_of_integers_and_halves(whole):
    wide = farpoint.voxelize(whole.astype(float), 2.0, BOX, max_points=2, max_voxels=90)
    assert farpoint.voxelize(whole, 2.0, BOX)["mean"].dtype == np.float64
    rounded = farpoint.voxelize(whole, 2.0, BOX, max_points=2, max_voxels=90, dtype="float16")["voxels"]
    np.testing.assert_array_equal(rounded, wide["voxels"].astype(np.float16))
    assert farpoint.voxelize(whole.astype(np.float16), 2.0, BOX)["mean"].dtype == np.float32


class TestTensors:
    """Tensors, and those of types that numpy has not."""

    @pytest.fixture(autouse=True)
    def of_torch(self):
        self.torch = pytest.importorskip("torch", reason="torch is not installed: types of its tensors are not tested")

    @pytest.mark.parametrize("name", [name for name in CALLS if name != "gather"])
    def test_all_types(self, name, whole):
        call, torch = CALLS[name][0], self.torch
        points = torch.from_numpy(whole)
        narrow, wide = answers(call(points.float())), answers(call(points.double()))
        for dtypes, expected in (((torch.bfloat16, torch.float16), narrow),
                                 ([getattr(torch, each) for each in INTEGERS if hasattr(torch, each)], wide)):
            for dtype in dtypes:
                for one, other in zip(answers(call(points.to(dtype))), expected):
                    assert one.dtype == other.dtype and torch.equal(one, other), dtype
        for dtype in (torch.bool, torch.complex64):
            with pytest.raises(ValueError, match="they must be float"):
                call(points.to(dtype))

    def test_lists_beside_tensors(self, whole):
        points, features = self.torch.from_numpy(whole).double() / 3, self.torch.from_numpy(whole).float()
        found = farpoint.knn(points, 3, (points[:4] + 0.1).tolist())
        expected = farpoint.knn(points, 3, points[:4] + 0.1)
        assert all(self.torch.equal(one, other) for one, other in zip(found, expected))
        assert self.torch.equal(farpoint.gather(features, [3, 1]), features[[3, 1]])
        with pytest.raises(ValueError, match="queries are no array"):
            farpoint.knn(points, 3, [[1, 2, 3], [1]])
