"""HashMap: insertion and lookup of whole arrays."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, follows_stream


class Pairs(NamedTuple):
    """Result of HashMap.extract. In host memory there is a row for each key; on a GPU a row for each slot of the map, of which
    the first `count[0]` are written."""

    keys: Any
    values: Any
    count: Any


_SIZES: Dict[str, int] = {"int32": 32, "uint32": 32, "int64": 64, "uint64": 64}


class HashMap:
    """A hash map from integers to integers, for whole arrays.

    Threads may insert into one map at the same time, and look up at the same time, but not both. A key cannot be inserted if
    the map is full, or if all bits of the key are set (-1). On the host such keys raise a ValueError after all others have
    been inserted; on a GPU, where calls do not wait, they are skipped.

    Parameters
    ----------
    keys : int
        Minimum capacity: number of keys that are guaranteed to fit.
    like : array, optional
        The map is allocated on this array's device, on the current stream; left out, in host memory.
    key_dtype, value_dtype : "int32", "uint32", "int64" or "uint64"
        Values are compared without their sign.
    load : float
        Load factor of the map with `keys` keys; 0.8 and below is fast.
    """

    @follows_stream
    def __init__(self, keys: int, *, like: Optional[Array] = None, key_dtype: Any = "int64", value_dtype: Any = "int64",
                 load: float = 0.5, threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None):
        self._like = [] if like is None else like
        call = Call("HashMap", self._like, threads, stream, workspace)
        known = tuple(_SIZES)
        self._keys = key_dtype = call.type_name(key_dtype, known, "key_dtype")
        self._values = value_dtype = call.type_name(value_dtype, known, "value_dtype")
        kind = getattr(_core, f"HashMap{_SIZES[key_dtype]}To{_SIZES[value_dtype]}")
        self._map = kind(call.place, call.integer(keys, "keys"), call.number(load, "load"))
        self._threads = threads

    @property
    def capacity(self) -> int:
        """Keys that fit."""
        return self._map.capacity()

    def _call(self, keys: Array, stream: Optional[int], workspace: Optional[Allocator]) -> tuple:
        first = keys if hasattr(keys, "__dlpack_device__") else self._like
        call = Call("HashMap", first, self._threads, stream, workspace)
        return call, self._flat(call, keys, self._keys, "keys")

    @staticmethod
    def _slots(operation: Any, call: Call, keys: Any) -> Any:
        slots = call.space.empty(tuple(keys.shape), "int64")
        operation(call.place, keys, slots)
        return slots

    def _flat(self, call: Call, values: Array, dtype: str, what: str) -> Any:
        if not hasattr(values, "__dlpack_device__"):
            # Numbers of Python, of which none is cut off.
            given = np.asarray(values)
            if given.dtype.kind in "iuO" and given.size > 0 and given.dtype != dtype:
                try:
                    values = np.array(given.tolist(), dtype)
                except (OverflowError, TypeError, ValueError):
                    call.fail(f"{what} are no integers, or not such as {dtype} holds")
        array = call.array(values, what)
        name = call.space.dtype(array)
        if name != dtype:
            if 0 not in tuple(array.shape) and (hasattr(values, "__dlpack_device__") or not name.startswith(("int", "uint"))):
                call.fail(f"{what} are {name}; those of the map are {dtype}")
            array = call.space.astype(array, dtype)
        return call.space.packed(array)

    @follows_stream
    def insert(self, keys: Array, values: Array, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> None:
        """Inserts keys with values. A key that exists keeps its value. If a new key occurs more than once, which value it gets
        is unspecified."""
        self._insert(keys, values, False, stream, workspace)

    @follows_stream
    def insert_or_min(self, keys: Array, values: Array, *, stream: Optional[int] = None,
                      workspace: Optional[Allocator] = None) -> None:
        """Inserts keys with values. A key keeps the smallest of its new values and the value that it has."""
        self._insert(keys, values, True, stream, workspace)

    def _insert(self, keys: Array, values: Array, minimum: bool, stream: Optional[int], workspace: Optional[Allocator]) -> None:
        call, keys = self._call(keys, stream, workspace)
        values = self._flat(call, values, self._values, "values")
        if tuple(values.shape) != tuple(keys.shape):
            call.fail(f"there are values of shape {tuple(values.shape)} for keys of shape {tuple(keys.shape)}")
        self._map.insert(call.place, keys, values, minimum)

    @follows_stream
    def insert_keys(self, keys: Array, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> None:
        """Inserts keys without values: a set."""
        call, keys = self._call(keys, stream, workspace)
        self._map.insert_keys(call.place, keys)

    @follows_stream
    def find(self, keys: Array, missing: int = -1, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
        """The value of each key, `missing` for one that is not there; of the keys' shape."""
        call, keys = self._call(keys, stream, workspace)
        values, bits = call.space.empty(tuple(keys.shape), self._values), _SIZES[self._values]
        missing = call.integer(missing, "missing", 2**bits)
        if missing < -2**(bits - 1):
            call.fail(f"missing is {missing}, which {bits} bits do not hold")
        self._map.find(call.place, keys, missing & (2**64 - 1), values)
        return values

    @follows_stream
    def find_slots(self, keys: Array, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
        """The slot of each key, int64; -1 for one that is not there."""
        return self._slots(self._map.find_slots, *self._call(keys, stream, workspace))

    @follows_stream
    def find_or_insert(self, keys: Array, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
        """The slot of each key, which is inserted if it is missing; -1 if the map is full."""
        return self._slots(self._map.find_or_insert, *self._call(keys, stream, workspace))

    @follows_stream
    def extract(self, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Pairs:
        """All keys and values, by ascending key (without its sign)."""
        call = Call("HashMap", self._like, self._threads, stream, workspace)
        space = call.space
        keys, values = space.empty((self.capacity,), self._keys), space.empty((self.capacity,), self._values)
        count = space.empty((1,), "int64")
        self._map.extract(call.place, keys, values, count)
        if space.on_host:
            keys, values = keys[:int(count[0])], values[:int(count[0])]
        return Pairs(keys, values, count)
