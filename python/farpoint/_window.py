"""PointWindow: points of a sliding window, with an index that each change builds again."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, follows_stream
from ._index import Searches, kept_memory

_MOST_POINTS = 1 << 30


class WindowChange(NamedTuple):
    """Result of PointWindow.append and .keep. The window then has kept + appended - dropped points.

    Each count is a number in host memory, and an array of one number on a GPU, where the call does not wait for it.
    """

    sources: Any  #: (capacity,) int64: where each point was: its row, or the capacity + its row in `points`; -1 past the last
    kept: Any  #: points of the window in the box
    erased: Any  #: points of the window outside of the box
    appended: Any  #: new points in the box
    outside: Any  #: finite new points outside of the box
    non_finite: Any  #: new points with a NaN or infinite coordinate
    dropped: Any  #: oldest points beyond the capacity; they are counted as kept or appended, too


class PointWindow(Searches):
    """Points of a sliding window, oldest first, and their index.

    `append` and `keep` change the window and build the index again; `knn`, `radius` and `interpolate` search it, as in a
    `PointIndex`, and return rows of `points`. If points exceed the capacity, the oldest ones are dropped. Points that are not
    finite are not appended.

    `append`, `keep` and `clear` may not run at the same time as another call on the window; searches may. On a GPU, memory is
    allocated once, and calls only enqueue: they may be captured in a graph (with torch and CuPy), whose replays slide the
    window on. All calls go to one stream, or to streams that wait for each other. A copy and a pickle of a window hold its
    points, and the index is built again.

    Parameters
    ----------
    capacity : int
        Maximum number of points, 0 to 2^30.
    like : array, optional
        The window is on this array's device and of its library; left out, in host memory and of numpy.
    dtype : "float32" or "float64", optional
        Type of the coordinates; left out, `like`'s if it is one of the two, otherwise float32.
    threads : int
        Host threads; 0 for all cores.
    """

    @follows_stream
    def __init__(self, capacity: int, *, like: Optional[Array] = None, dtype: Any = None, threads: int = 0,
                 stream: Optional[int] = None, workspace: Optional[Allocator] = None):
        self._like = np.zeros(0, np.float32) if like is None else like
        call = Call("PointWindow", self._like, threads, stream, workspace)
        space = call.space
        if dtype is None:
            found = space.dtype(space.array(self._like))
            dtype = found if found in ("float32", "float64") else "float32"
        self._scalar = call.type_name(dtype, ("float32", "float64"), "dtype")
        self._capacity = call.integer(capacity, "capacity")
        if not 0 <= self._capacity <= _MOST_POINTS:
            call.fail(f"capacity is {self._capacity}; it must be 0 to 2^30")
        self._threads = threads
        self._is_ragged, self._front = False, ()
        self._device, self._stream, self._recorded = call.place.device, call.place.stream, set()
        rows = 0 if space.on_host else self._capacity
        self._rows = (rows,)
        self._like = self._points = space.full((rows, 3), math.nan, self._scalar)
        self._offsets = None if space.on_host else space.zeros((2,), "int64")
        self._memory = [self._points, self._offsets]
        allocate = kept_memory(call, self._points, workspace, self._memory)
        place = call.place if allocate is workspace else Call("PointWindow", self._points, threads, stream, allocate).place
        self._index = _core.PointIndex(place, self._points, self._offsets)

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def points(self) -> Any:
        """The points, oldest first: (N, 3) in host memory; (capacity, 3) on a GPU, with NaN past the last. Not to be written to."""
        return self._points

    @property
    def offsets(self) -> Any:
        """(2,), int64: 0 and the number of points. With them, functions take `points` on a GPU without waiting for the number."""
        if self._offsets is not None:
            return self._offsets
        call = Call("PointWindow", self._points)
        return call.space.astype(call.space.array([0, self._points.shape[0]]), "int64")

    def __len__(self) -> int:
        """The number of points. On a GPU, waits for it."""
        return int(self._points.shape[0] if self._offsets is None else self._offsets[1])

    def __repr__(self) -> str:
        size = f"{len(self):,} of " if self._offsets is None else ""  # on a GPU it would wait
        where = "" if self._device < 0 else f", cuda:{self._device}"
        return f"PointWindow({size}{self._capacity:,} points, {self._scalar}{where})"

    def __reduce__(self) -> tuple:
        return _window_of, (type(self), self._capacity, self._points, self._threads)

    @follows_stream
    def append(self, points: Array, box: Optional[Sequence[float]] = None, *, origin: Optional[Any] = None,
               stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> WindowChange:
        """Erases the points outside a box, and appends the points of a scan inside it.

        Parameters
        ----------
        points : (N, 3), numbers
            Coordinates of the window's type, or of one that is converted to it. Rows that do not count may be NaN.
        box : six floats, optional
            Meters: low <= position < high on each axis; x, y and z of the low end come first. Left out, everything is inside.
        origin : three floats, or an array (3,) on the window's device; optional
            Meters: the box is relative to this point, for example the place of a sensor. An array on a device is read when the
            call runs. If a coordinate is not finite, the box excludes nothing.
        """
        call = Call("append", self._like, self._threads, stream, workspace)
        array = call.points(points, "points", like=self._scalar)
        if call.space.dtype(array) != self._scalar:
            call.fail(f"points are {call.space.dtype(array)}, and those of the window {self._scalar}")
        if len(array.shape) != 2:
            call.fail("points are a batch; a window takes one cloud, (N, 3)")
        if array.shape[0] > _MOST_POINTS:
            call.fail("there are more than 2^30 points")
        return self._slide(call, array, box, origin)

    @follows_stream
    def keep(self, box: Sequence[float], *, origin: Optional[Any] = None, stream: Optional[int] = None,
             workspace: Optional[Allocator] = None) -> WindowChange:
        """Erases the points outside a box: see `append`."""
        call = Call("keep", self._like, self._threads, stream, workspace)
        if box is None:
            call.fail("box is None; it must be six numbers")
        return self._slide(call, call.space.empty((0, 3), self._scalar), box, origin)

    @follows_stream
    def clear(self, *, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> None:
        """Erases all points."""
        call = Call("clear", self._like, self._threads, stream, workspace)
        self._slide(call, call.space.empty((0, 3), self._scalar), (0,) * 6, None)

    def _slide(self, call: Call, scan: Any, box: Optional[Sequence[float]], origin: Optional[Any]) -> WindowChange:
        space, old, capacity = call.space, self._points, self._capacity
        rows = space.concatenated([old, scan])
        number = old.shape[0]  # on a GPU the capacity: rows past the size are NaN
        finite = space.library.isfinite(rows).all(1)
        stays = finite
        inside = self._inside(call, rows, box, origin)
        if inside is not None:
            stays = finite & inside
        size = number if self._offsets is None else self._offsets[1]
        kept, appended, usable = stays[:number].sum(), stays[number:].sum(), finite[number:].sum()
        total = kept + appended
        dropped = space.at_least(total - capacity, 0)
        counts = (kept, size - kept, appended, usable - appended, scan.shape[0] - usable, dropped)
        if self._offsets is None:
            sources = self._slide_on_host(call, rows, stays, number)
            return WindowChange(sources, *map(int, counts))
        # Rows of points that are not in the window go to one more row, which is cut off.
        rank = space.cumulative(stays)
        row = space.where(stays & (rank > dropped), rank - 1 - dropped, capacity)
        found = space.scattered(rows, row, capacity + 1, math.nan)
        sources = space.scattered(space.count(rows.shape[0], "int64"), row, capacity + 1, -1)
        self._points = space.assigned(self._points, found[:capacity])
        self._offsets = space.assigned(self._offsets, space.library.stack([0 * total, total - dropped]))
        self._like = self._points
        self._index.rebuild(call.place, self._points, self._offsets)
        self._searched(call)
        return WindowChange(sources[:capacity], *counts)

    def _slide_on_host(self, call: Call, rows: Any, stays: Any, number: int) -> Any:
        space, capacity = call.space, self._capacity
        stay = space.array(np.flatnonzero(np.asarray(stays))[max(0, int(stays.sum()) - capacity):], "int64")
        points = space.packed(rows[stay])
        self._index = _core.PointIndex(call.place, points, None)  # the window is unchanged if Ctrl-C ends it
        self._like = self._points = points
        self._rows = (points.shape[0],)
        sources = space.full((capacity,), -1, "int64")
        sources[:stay.shape[0]] = stay + space.astype(stay >= number, "int64") * (capacity - number)
        return sources

    def _inside(self, call: Call, rows: Any, box: Optional[Sequence[float]], origin: Optional[Any]) -> Optional[Any]:
        """Whether each point is in the box; None where all are."""
        if box is None:
            if origin is not None:
                call.fail("origin is of a box")
            return None
        space = call.space
        ends = self._rounded(call.numbers(box, 6, "box"))
        if any(map(math.isnan, ends)):
            call.fail("a bound of the box is NaN")
        is_anywhere = None
        if origin is None:
            columns = [rows[:, axis] for axis in range(3)]
        elif not space.on_host and space.accepts(origin):
            place = space.astype(call.floats(origin, "origin", like=self._scalar), self._scalar)
            if tuple(place.shape) != (3,):
                call.fail(f"origin has the shape {tuple(place.shape)}; it must be (3,)")
            is_anywhere = ~space.library.isfinite(place).all(0)
            rows = space.astype(rows, "float64") - space.astype(place, "float64")
            columns = [rows[:, axis] for axis in range(3)]
        else:
            numbers = self._rounded(call.numbers(origin, 3, "origin"))
            if not all(map(math.isfinite, numbers)):
                return None
            columns = [space.astype(rows[:, axis], "float64") - numbers[axis] for axis in range(3)]
        within = [(column >= low) & (column < high) for column, low, high in zip(columns, ends[:3], ends[3:])]
        inside = within[0] & within[1] & within[2]
        return inside if is_anywhere is None else inside | is_anywhere

    def _rounded(self, numbers: Sequence[float]) -> list:
        """Numbers as the window's type has them."""
        with np.errstate(over="ignore"):
            return [float(value) for value in np.array(numbers, np.float64).astype(self._scalar)]


def _window_of(kind: type, capacity: int, points: Array, threads: int) -> PointWindow:
    """A window out of a pickle."""
    window = kind(capacity, like=points, threads=threads)
    window.append(points)
    return window
