"""PointIndex: built once, searched often. And the searches of every object that has an index."""

from __future__ import annotations

import functools
import math
import sys
import warnings
from typing import Any, Callable, List, Optional, Set, TypeVar

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, follows_stream
from ._search import Neighbors, list_rows

#: Neighbors in rows of equal length that are in memory at a time; of more, points are searched without the index.
_MOST_PADDED = 1 << 22

Function = TypeVar("Function", bound=Callable[..., Any])


def _is_array(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (hasattr(value, "__dlpack_device__") and getattr(value, "shape", None) != ())


def _queries_may_come_first(function: Function) -> Function:
    """Also takes the order of arguments before 0.1.0, queries before the number, with a warning."""

    @functools.wraps(function)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        if not arguments or not self._takes_queries_first or not _is_array(arguments[0]):
            return function(self, *arguments, **options)
        name = function.__name__
        warnings.warn(f"PointIndex.{name}() takes the queries second, as farpoint.{name}() takes them behind the points; queries first "
                      "will be an error in farpoint 0.2", DeprecationWarning, stacklevel=2)
        queries, *others = arguments
        if not others:
            return function(self, queries=queries, **options)
        return function(self, others[0], queries, *others[1:], **options)

    return call  # type: ignore[return-value]


def kept_memory(call: Call, points: Any, workspace: Optional[Allocator], owners: List[Any]) -> Optional[Allocator]:
    """An allocator that notes what it returns, so that it can be kept for other streams; None where nothing can be."""
    if call.space.on_host or not hasattr(points, "record_stream"):
        return workspace

    def allocate(size: int) -> Any:
        memory = call.space.empty((size,), "uint8") if workspace is None else workspace(size)
        owners.append(memory)
        return memory

    return allocate


class Searches:
    """Searches among the points of an index, for the classes that have one.

    They set `_index`, `_points` and `_offsets`, `_threads`, `_scalar`, and:
    """

    _takes_queries_first = False
    _index: Any
    _points: Any
    _offsets: Any
    _scalar: str
    _threads: int
    _is_ragged: bool  #: queries have offsets
    _front: tuple  #: the leading axes of queries, or the number of clouds
    _rows: tuple  #: the leading axes of features
    _device: int
    _stream: int  #: on which the index was built
    _recorded: Set[int]  #: other streams on which it was searched
    _memory: List[Any]  #: to be registered with torch for each of them

    def _call(self, name: str, queries: Optional[Array], offsets: Optional[Array], lengths: Optional[Array], stream: Optional[int],
              workspace: Optional[Allocator]) -> tuple:
        """A call, its queries (the points, if `queries` is None) and their offsets."""
        call = Call(name, self._points if queries is None else queries, self._threads, stream, workspace)
        if queries is None:
            if offsets is not None or lengths is not None:
                call.fail("query_offsets and query_lengths need queries")
            return call, self._points, self._offsets
        array = call.points(queries, "queries", like=self._scalar)
        cuts = call.offsets(array, offsets, lengths, "query_")
        if call.space.dtype(array) != self._scalar:
            call.fail(f"queries are {call.space.dtype(array)} and points {self._scalar}")
        front = (cuts.shape[0] - 1,) if cuts is not None else tuple(array.shape[:-2])
        if self._is_ragged != (cuts is not None) or front != self._front:
            call.fail("queries are not as many clouds as the points, or not laid out as they were")
        return call, array, cuts

    def _output(self, call: Call, cuts: Optional[Any], shape: tuple, dtype: str, value: float) -> Any:
        # Rows of queries that offsets leave out are not written.
        return call.space.empty(shape, dtype) if cuts is None else call.space.full(shape, value, dtype)

    def _searched(self, call: Call) -> None:
        """Keeps the memory of the index for a search on another stream than that on which it was built."""
        stream = call.place.stream
        if self._device < 0 or stream == self._stream or stream in self._recorded:
            return
        for memory in self._memory:
            if hasattr(memory, "record_stream"):
                memory.record_stream(sys.modules["torch"].cuda.ExternalStream(stream, device=self._device))
        self._recorded.add(stream)

    @_queries_may_come_first
    @follows_stream
    def knn(self, k: int, queries: Optional[Array] = None, *, max_radius: float = math.inf, exclude_self: bool = False,
            query_offsets: Optional[Array] = None, query_lengths: Optional[Array] = None, index_dtype: Any = "int64",
            stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Neighbors:
        """The k nearest points of each query: see `farpoint.knn`."""
        call, array, cuts = self._call("knn", queries, query_offsets, query_lengths, stream, workspace)
        k = call.neighbors(k)
        shape = (*array.shape[:-1], k)
        indices = self._output(call, cuts, shape, call.index_type(index_dtype), -1)
        distances = self._output(call, cuts, shape, self._scalar, math.inf)
        self._index.knn(call.place, array, cuts, k, call.number(max_radius, "max_radius"), bool(exclude_self), indices, distances)
        self._searched(call)
        return Neighbors(indices, distances)

    @_queries_may_come_first
    @follows_stream
    def radius(self, radius: float, queries: Optional[Array] = None, max_neighbors: Optional[int] = None, *,
               order: Optional[str] = None, exclude_self: bool = False, exclusive: bool = False, capacity: Optional[int] = None,
               query_offsets: Optional[Array] = None, query_lengths: Optional[Array] = None, index_dtype: Any = "int64",
               stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
        """Points within a radius of each query: all, or the first `max_neighbors` in the order, at most 1,024.

        Parameters
        ----------
        order : "index" or "nearest"
            Left out, "nearest" with `max_neighbors`, and "index" without.
        capacity : int, optional
            Without `max_neighbors`: see `farpoint.radius`.

        Returns
        -------
        RadiusRows(offsets, indices, distances) : (R + 1,), (E,), (E,)
            As `farpoint.radius` returns them.
        or with `max_neighbors`: Neighbors(indices, distances), each (M, max_neighbors) or (B, M, max_neighbors)
            -1 and +inf past the last.
        """
        call, array, cuts = self._call("radius", queries, query_offsets, query_lengths, stream, workspace)
        if order is None:
            order = "index" if max_neighbors is None else "nearest"
        if order not in ("index", "nearest"):
            call.fail(f"there is no order {order!r}")
        rules = (call.number(radius, "radius"), order == "nearest", bool(exclude_self), bool(exclusive))
        index_type = call.index_type(index_dtype)
        if max_neighbors is None:
            found = list_rows(call, math.prod(array.shape[:-1]), self._scalar, index_type, capacity,
                              lambda *outputs: self._lists(call, array, cuts, rules, *outputs))
            self._searched(call)
            return found
        if capacity is not None:
            call.fail("capacity is of lists of all neighbors, without max_neighbors")
        shape = (*array.shape[:-1], call.neighbors(max_neighbors, "max_neighbors"))
        indices = self._output(call, cuts, shape, index_type, -1)
        distances = self._output(call, cuts, shape, self._scalar, math.inf)
        self._index.radius(call.place, array, cuts, *rules, shape[-1], indices, distances, None)
        self._searched(call)
        return Neighbors(indices, distances)

    def _lists(self, call: Call, array: Any, cuts: Any, rules: tuple, offsets: Any, indices: Any, distances: Any) -> None:
        """Lists of all neighbors. In host memory they are counted by the index, and found by it in rows as long as the longest, if
        these fit; otherwise they are searched among the points."""
        if not call.space.on_host:
            self._index.radius_rows(call.place, self._points, self._offsets, array, cuts, *rules, offsets, indices, distances)
            return
        space, rows = call.space, math.prod(array.shape[:-1])
        counts = space.zeros((rows,), "int64")
        self._index.radius(call.place, array, cuts, *rules, 0, None, None, counts)
        ends = space.offsets_of(counts)
        total, most = int(ends[-1]), int(counts.max()) if rows else 0
        if call.space.dtype(offsets) == "int32" and total >= 2**31:
            call.fail(f"there are {total:,} neighbors, which int32 does not count; pass index_dtype as int64")
        offsets[...] = space.astype(ends, space.dtype(offsets))
        if indices is None or most == 0:
            return
        if most > 1024 or rows * most > _MOST_PADDED or indices.shape[0] < total:
            _core.radius_rows(call.place, self._points, self._offsets, array, cuts, *rules, offsets, indices, distances)
            return
        found = space.full((rows, most), -1, space.dtype(indices))
        apart = space.empty((rows, most), self._scalar)
        self._index.radius(call.place, array, cuts, *rules, most, found, apart, None)
        there = found >= 0
        indices[:total], distances[:total] = found[there], apart[there]

    @follows_stream
    def interpolate(self, features: Array, queries: Array, *, query_offsets: Optional[Array] = None,
                    query_lengths: Optional[Array] = None, stream: Optional[int] = None,
                    workspace: Optional[Allocator] = None) -> Any:
        """Features at the queries, of the three nearest points: see `farpoint.interpolate`."""
        call, array, cuts = self._call("interpolate", queries, query_offsets, query_lengths, stream, workspace)
        features = call.space.packed(call.floats(features, "features", ("float32",)))
        if tuple(features.shape[:-1]) != self._rows or len(features.shape) < 2:
            call.fail(f"features have the shape {tuple(features.shape)}; they must have a row for each point")
        out = self._output(call, cuts, (*array.shape[:-1], features.shape[-1]), "float32", 0)
        self._index.interpolate(call.place, features, array, cuts, features.shape[-1], out)
        self._searched(call)
        return out


class PointIndex(Searches):
    """An index of clouds, built once and searched often.

    It has a copy of the points. `len` is their number. A pickle holds the points, and the index is built again when it is read.
    Searches may run in several threads at once. On a GPU, the index is built on the current stream, and searched on it or on
    streams that wait for it. An index of tensors may be let go while they search.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
        With `offsets` or `lengths`, (N, 3) of clouds one after another.
    threads : int
        Host threads for building and for each search; 0 for all cores.
    """

    _takes_queries_first = True

    @follows_stream
    def __init__(self, points: Array, *, offsets: Optional[Array] = None, lengths: Optional[Array] = None, threads: int = 0,
                 stream: Optional[int] = None, workspace: Optional[Allocator] = None):
        call = Call("PointIndex", points, threads, stream, workspace)
        array = call.points(points)
        cuts = call.offsets(array, offsets, lengths)
        array, cuts = call.space.copy(array), None if cuts is None else call.space.copy(cuts)
        self._memory = [array] if cuts is None else [array, cuts]
        allocate = kept_memory(call, array, workspace, self._memory)
        place = call.place if allocate is workspace else Call("PointIndex", array, threads, stream, allocate).place
        self._index = _core.PointIndex(place, array, cuts)
        self._like = self._points = array
        self._offsets = cuts
        self._is_ragged = cuts is not None
        self._threads = threads
        self._front = (cuts.shape[0] - 1,) if cuts is not None else tuple(array.shape[:-2])
        self._scalar = call.space.dtype(array)
        self._rows = tuple(array.shape[:-1])
        self._device, self._stream = call.place.device, call.place.stream
        self._recorded = set()

    def __len__(self) -> int:
        return math.prod(self._rows)

    def __repr__(self) -> str:
        clouds = f"{self._front[0]:,} clouds, " if self._front else ""
        where = "" if self._device < 0 else f", cuda:{self._device}"
        return f"PointIndex({clouds}{len(self):,} points, {self._scalar}{where})"

    def __reduce__(self) -> tuple:
        return _built, (type(self), self._points, self._offsets, self._threads)


def _built(kind: type, points: Array, offsets: Optional[Array], threads: int) -> PointIndex:
    """An index out of a pickle."""
    return kind(points, offsets=offsets, threads=threads)
