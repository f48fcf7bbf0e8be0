import threading

import numpy as np
import oracle
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint


@given(clouds(dtype=np.float32), clouds(dtype=np.float32), st.integers(1, 5))
def test_an_index_finds_what_a_search_finds(points, queries, k):
    index = farpoint.PointIndex(points)
    expected = oracle.knn(points, queries, k)
    for found, one in zip(index.knn(queries, k), expected):
        np.testing.assert_array_equal(found, one)
    near = index.radius(queries, 1.5, k)
    expected = oracle.knn(points, queries, k, radius=1.5)
    for found, one in zip(near, expected):
        np.testing.assert_array_equal(found, one)
    features = np.arange(2 * len(points), dtype=np.float32).reshape(-1, 2)
    np.testing.assert_array_equal(index.interpolate(features, queries), farpoint.interpolate(points, features, queries))


def test_an_index_of_batches_and_ragged_clouds(rng):
    points, queries = rng.standard_normal((3, 20, 3)), rng.standard_normal((3, 7, 3))
    expected = farpoint.knn(points, 4, queries)
    found = farpoint.PointIndex(points).knn(queries, 4)
    np.testing.assert_array_equal(found.indices, expected.indices)
    ragged = farpoint.PointIndex(points.reshape(-1, 3), lengths=[20] * 3)
    found = ragged.knn(queries.reshape(-1, 3), 4, query_offsets=[0, 7, 14, 21])
    np.testing.assert_array_equal(found.indices, expected.indices.reshape(-1, 4))


def test_threads_search_one_index(rng):
    points, queries = rng.standard_normal((2000, 3)), rng.standard_normal((500, 3))
    index, expected = farpoint.PointIndex(points, threads=1), farpoint.knn(points, 3, queries).indices
    right = []
    threads = [threading.Thread(target=lambda: right.append((index.knn(queries, 3).indices == expected).all())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 4


def test_an_index_says_what_is_wrong():
    index = farpoint.PointIndex(np.zeros((4, 3), np.float32))
    with pytest.raises(ValueError, match="queries are float64 and points float32"):
        index.knn(np.zeros((1, 3)), 1)
    with pytest.raises(ValueError, match="as many clouds"):
        index.knn(np.zeros((1, 4, 3), np.float32), 1)
    with pytest.raises(ValueError, match="a row for each point"):
        index.interpolate(np.zeros((3, 1), np.float32), np.zeros((1, 3), np.float32))
    with pytest.raises(ValueError, match="max_neighbors"):
        index.radius(np.zeros((1, 3), np.float32), 1.0, 0)


TYPES = st.sampled_from(["int32", "uint32", "int64", "uint64"])


@given(TYPES, TYPES, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 2**31 - 1)), max_size=60), st.lists(st.integers(0, 60), max_size=40))
def test_a_map_is_a_dict(key_dtype, value_dtype, entries, queries):
    table = farpoint.HashMap(60, key_dtype=key_dtype, value_dtype=value_dtype)
    smallest = {}
    for key, value in entries:
        smallest[key] = min(value, smallest.get(key, value))
    keys = np.array([key for key, _ in entries], key_dtype)
    table.insert_or_min(keys, np.array([value for _, value in entries], value_dtype))
    queries = np.array(queries, key_dtype)
    np.testing.assert_array_equal(table.find(queries, missing=7), np.array([smallest.get(int(q), 7) for q in queries], value_dtype))
    pairs = table.extract()
    assert pairs.keys.tolist() == sorted(smallest) and pairs.values.tolist() == [smallest[key] for key in sorted(smallest)]
    assert pairs.keys.dtype == key_dtype and pairs.values.dtype == value_dtype and pairs.count[0] == len(smallest)
    slots = table.find_slots(queries)
    assert [slot >= 0 for slot in slots] == [int(q) in smallest for q in queries]


def test_a_set_and_slots():
    table = farpoint.HashMap(10, key_dtype="uint32", value_dtype="uint32")
    table.insert_keys(np.array([[3, 4], [3, 5]], np.uint32))
    slots = table.find_or_insert(np.array([[3, 9]], np.uint32))
    assert slots.shape == (1, 2) and (slots == table.find_slots(np.array([[3, 9]], np.uint32))).all()
    assert table.extract().keys.tolist() == [3, 4, 5, 9]
    assert table.capacity >= 10


def test_a_map_keeps_the_first_value():
    table = farpoint.HashMap(4)
    table.insert([1, 2], [10, 20])
    table.insert([1, 3], [11, 30])
    assert table.find([1, 2, 3, 4]).tolist() == [10, 20, 30, -1]


def test_a_map_says_what_is_wrong():
    table = farpoint.HashMap(1, key_dtype="int32")
    with pytest.raises(ValueError, match="bits are all set"):
        table.insert([-1], [0])
    with pytest.raises(ValueError, match="full"):
        table.insert_keys(np.arange(1000, dtype=np.int32))
    with pytest.raises(ValueError, match="keys are int64; those of the map are int32"):
        table.find(np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="values of shape"):
        table.insert([1], [1, 2])
    for arguments in ({"keys": -1}, {"keys": 1, "load": 0.0}, {"keys": 1, "key_dtype": "float32"}):
        with pytest.raises(ValueError):
            farpoint.HashMap(**arguments)
