"""PointIndex: what a search finds, in every order of arguments, and out of a pickle."""

import copy
import pickle
import subprocess
import sys
import threading
import types
import warnings

import numpy as np
import oracle
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint
from farpoint import _index


def same(found, expected):
    assert type(found) is type(expected)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@given(clouds(dtype=np.float32), clouds(dtype=np.float32), st.integers(1, 5))
def test_an_index_finds_what_a_search_finds(points, queries, k):
    index = farpoint.PointIndex(points)
    expected = oracle.knn(points, queries, k)
    for found, one in zip(index.knn(k, queries), expected):
        np.testing.assert_array_equal(found, one)
    near = index.radius(1.5, queries, k)
    expected = oracle.knn(points, queries, k, radius=1.5)
    for found, one in zip(near, expected):
        np.testing.assert_array_equal(found, one)
    features = np.arange(2 * len(points), dtype=np.float32).reshape(-1, 2)
    np.testing.assert_array_equal(index.interpolate(features, queries), farpoint.interpolate(points, features, queries))


@given(clouds(), st.sampled_from([0.0, 0.5, 1.5, 100.0]), st.sampled_from(["index", "nearest"]), st.booleans(), st.booleans(),
       st.sampled_from(["int32", "int64"]))
def test_lists_of_an_index_are_those_of_a_search(points, radius, order, exclude_self, exclusive, index_dtype):
    if exclusive and radius == 0:
        return
    index = farpoint.PointIndex(points)
    rules = {"order": order, "exclude_self": exclude_self, "exclusive": exclusive, "index_dtype": index_dtype}
    expected = farpoint.radius(points, radius, **rules)
    same(index.radius(radius, **rules), expected)
    same(index.radius(radius, points, **rules), expected)
    total = len(expected.indices)
    for capacity in {0, total // 2, total, total + 5}:
        some = index.radius(radius, capacity=capacity, **rules)
        other = farpoint.radius(points, radius, capacity=capacity, **rules)
        written = min(int(expected.offsets[-1]), capacity)
        same([array[:written] for array in some[1:]], [array[:written] for array in other[1:]])
        np.testing.assert_array_equal(some.offsets, expected.offsets)


def test_lists_that_do_not_fit_rows_of_equal_length(monkeypatch):
    points = np.random.default_rng(3).random((1500, 3), np.float32)
    index, expected = farpoint.PointIndex(points), farpoint.radius(points, 2.0)
    assert expected.offsets[1] == 1500  # more than a search returns in rows
    same(index.radius(2.0), expected)
    expected = farpoint.radius(points, 0.1)
    same(index.radius(0.1), expected)
    monkeypatch.setattr(_index, "_MOST_PADDED", 10)
    same(index.radius(0.1), expected)


def test_lists_of_batches_and_ragged_clouds(rng):
    points, queries = rng.standard_normal((3, 20, 3)), rng.standard_normal((3, 7, 3))
    index = farpoint.PointIndex(points)
    same(index.radius(1.0, queries), farpoint.radius(points, 1.0, queries))
    same(index.radius(1.0), farpoint.radius(points, 1.0))
    flat, cut = points.reshape(-1, 3), {"offsets": [3, 3, 30, 51]}
    asked = {"query_offsets": [1, 9, 9, 20]}
    index = farpoint.PointIndex(flat, **cut)
    same(index.radius(1.0, queries.reshape(-1, 3), **asked), farpoint.radius(flat, 1.0, queries.reshape(-1, 3), **cut, **asked))
    same(index.radius(1.0), farpoint.radius(flat, 1.0, **cut))
    same(index.knn(4), farpoint.knn(flat, 4, **cut))
    same(index.radius(1.0, None, 4), farpoint.knn(flat, 4, max_radius=1.0, **cut))


def test_an_index_of_batches_and_ragged_clouds(rng):
    points, queries = rng.standard_normal((3, 20, 3)), rng.standard_normal((3, 7, 3))
    expected = farpoint.knn(points, 4, queries)
    found = farpoint.PointIndex(points).knn(4, queries)
    np.testing.assert_array_equal(found.indices, expected.indices)
    ragged = farpoint.PointIndex(points.reshape(-1, 3), lengths=[20] * 3)
    found = ragged.knn(4, queries.reshape(-1, 3), query_offsets=[0, 7, 14, 21])
    np.testing.assert_array_equal(found.indices, expected.indices.reshape(-1, 4))


def test_an_index_of_nothing():
    index = farpoint.PointIndex(np.zeros((0, 3), np.float32))
    assert len(index) == 0 and index.knn(3).indices.shape == (0, 3)
    assert index.radius(1.0).offsets.tolist() == [0] and index.radius(1.0, np.zeros((2, 3), np.float32)).offsets.tolist() == [0, 0, 0]
    assert index.knn(1, np.zeros((1, 3), np.float32)).indices.tolist() == [[-1]]


def test_queries_that_come_first_are_taken_with_a_warning(rng):
    points, queries = rng.random((30, 3)), rng.random((5, 3))
    index = farpoint.PointIndex(points)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        knn, near = index.knn(4, queries), index.radius(0.4, queries, 6)
        same(index.knn(k=4, queries=queries), knn)
        same(index.radius(radius=0.4, queries=queries, max_neighbors=6), near)
        same(index.knn(np.array(4), queries), knn)
    for call, expected in [(lambda: index.knn(queries, 4), knn), (lambda: index.knn(queries, k=4), knn),
                           (lambda: index.knn(queries.tolist(), np.int32(4)), knn), (lambda: index.radius(queries, 0.4, 6), near),
                           (lambda: index.radius(queries, 0.4, max_neighbors=6), near),
                           (lambda: index.radius(queries, radius=0.4, max_neighbors=6), near)]:
        with pytest.warns(DeprecationWarning, match="takes the queries second") as caught:
            same(call(), expected)
        assert caught[0].filename == __file__


def test_an_index_does_not_need_its_points(rng):
    points, queries = rng.random((30, 3)), rng.random((5, 3))
    offsets = np.array([0, 10, 30])
    expected = farpoint.knn(points, 3, offsets=offsets), farpoint.radius(points, 0.3, offsets=offsets)
    index = farpoint.PointIndex(points, offsets=offsets)
    points[:], offsets[:] = np.nan, 7
    same(index.knn(3), expected[0])
    same(index.radius(0.3), expected[1])
    with pytest.raises(ValueError, match="need queries"):
        index.knn(3, query_offsets=[0, 1, 2])
    assert queries.shape == (5, 3)


def test_a_copy_and_a_pickle_of_an_index(rng):
    batch = rng.random((2, 15, 3)).astype(np.float32)
    for index in (farpoint.PointIndex(batch), farpoint.PointIndex(batch[0, ::2], threads=1),
                  farpoint.PointIndex(batch.reshape(-1, 3).astype(float), lengths=[4, 0, 20])):
        for other in (pickle.loads(pickle.dumps(index)), copy.copy(index), copy.deepcopy(index)):
            assert repr(other) == repr(index) and len(other) == len(index)
            same(other.knn(3), index.knn(3))
            same(other.radius(0.4), index.radius(0.4))


def test_a_pickle_is_read_by_another_process(rng, tmp_path):
    points = rng.random((40, 3))
    (tmp_path / "index").write_bytes(pickle.dumps(farpoint.PointIndex(points)))
    code = f"import pickle; print(pickle.load(open({str(tmp_path / 'index')!r}, 'rb')).knn(2).indices.sum())"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={"PYTHONPATH": str(farpoint.__path__[0]).rpartition("/")[0]})
    assert int(out.stdout) == farpoint.knn(points, 2).indices.sum()


def test_what_an_index_is_called():
    points = np.zeros((2, 1500, 3), np.float32)
    assert repr(farpoint.PointIndex(points[0])) == "PointIndex(1,500 points, float32)"
    assert repr(farpoint.PointIndex(points.astype(float))) == "PointIndex(2 clouds, 3,000 points, float64)"
    assert repr(farpoint.PointIndex(points[0], lengths=[1, 2, 3])) == "PointIndex(3 clouds, 1,500 points, float32)"
    assert len(farpoint.PointIndex(points)) == 3000


def test_memory_is_kept_for_each_stream_once(monkeypatch):
    # As on a device: a tensor that notes streams, and one of another library, which does not.
    kept = []
    streams = types.SimpleNamespace(ExternalStream=lambda stream, device: (stream, device))
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=streams))
    owner = types.SimpleNamespace(record_stream=kept.append)
    index = types.SimpleNamespace(_device=1, _stream=7, _recorded=set(), _memory=[owner, object()])
    for stream in (7, 8, 8, 9, 7, 8):
        call = types.SimpleNamespace(place=types.SimpleNamespace(stream=stream))
        farpoint.PointIndex._searched(index, call)
    assert kept == [(8, 1), (9, 1)]


def test_memory_that_an_allocator_returns_is_noted():
    owners, points = [], types.SimpleNamespace(record_stream=None)
    call = types.SimpleNamespace(space=types.SimpleNamespace(on_host=False, empty=lambda shape, dtype: (shape, dtype)))
    assert _index.kept_memory(call, points, None, owners)(32) == ((32,), "uint8")
    assert _index.kept_memory(call, points, lambda size: size + 1, owners)(64) == 65
    assert owners == [((32,), "uint8"), 65]
    own = owners.append  # of a library that keeps no memory for streams, and on the host
    assert _index.kept_memory(call, object(), own, owners) is own and _index.kept_memory(call, object(), None, owners) is None
    call.space.on_host = True
    assert _index.kept_memory(call, points, None, owners) is None


def test_threads_search_one_index(rng):
    points, queries = rng.standard_normal((2000, 3)), rng.standard_normal((500, 3))
    index, expected = farpoint.PointIndex(points, threads=1), farpoint.knn(points, 3, queries).indices
    right = []
    threads = [threading.Thread(target=lambda: right.append((index.knn(3, queries).indices == expected).all())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 4


def test_an_index_says_what_is_wrong():
    index = farpoint.PointIndex(np.zeros((4, 3), np.float32))
    with pytest.raises(ValueError, match="queries are float64 and points float32"):
        index.knn(1, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="as many clouds"):
        index.knn(1, np.zeros((1, 4, 3), np.float32))
    with pytest.raises(ValueError, match="a row for each point"):
        index.interpolate(np.zeros((3, 1), np.float32), np.zeros((1, 3), np.float32))
    with pytest.raises(ValueError, match="max_neighbors"):
        index.radius(1.0, np.zeros((1, 3), np.float32), 0)
    with pytest.raises(ValueError, match="capacity is of lists"):
        index.radius(1.0, None, 4, capacity=9)
    with pytest.raises(ValueError, match="no order 'far'"):
        index.radius(1.0, order="far")
    with pytest.raises(ValueError, match="capacity is negative"):
        index.radius(1.0, capacity=-1)
    for call in (lambda: index.radius(-1.0), lambda: index.radius(float("nan")), lambda: index.radius(None)):
        with pytest.raises(ValueError, match="radius"):
            call()
