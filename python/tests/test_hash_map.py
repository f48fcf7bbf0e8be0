import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import farpoint

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
