"""Calls on clouds whose parts are on several ranks of torch.distributed, with the bits of one call for the whole cloud.

    torch.distributed.init_process_group("gloo")
    picks = farpoint.distributed.fps(my_points, 1024)

The cloud is the concatenation of all ranks' parts in rank order: part r begins where part r - 1 ends, and indices count through all
parts. Parts may have any size, also 0. A point stays on its rank unless other ranks need it (docs/scale.md lists what each call
exchanges).

Points are in host memory on all ranks: arrays of numpy, tensors of the CPU, lists. Or they are float32 tensors of CUDA on all ranks, each
of which has a GPU of its own: then results are on that GPU, work is enqueued on torch's current stream, and data of points goes from GPU
to GPU by NCCL. A call on GPUs returns when all ranks have their results.

All ranks of the group make the same calls in the same order, with the same arguments but for the points and queries. Calls of several
threads on one group are made one after another. `group` is a process group of torch.distributed of any backend; left out, the default
one. The first call on a group connects its ranks by gloo, and the first one on GPUs by NCCL, too; these connections are separate from the
group's own messages.

If one rank's arguments are invalid, all ranks raise a ValueError. If a rank fails in another way (no memory, an interrupt, a kill), the
calls of the others raise a RuntimeError: at once if its connection closes (on GPUs: within a second if it raises an exception),
otherwise after `timeout`, the longest time that an exchange waits for other ranks, in seconds or as a timedelta; 0 or less is forever.
After that all calls on the group fail at once: make a new group.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime
import math
import threading
import time
import weakref
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

try:
    import torch
    import torch.distributed as dist
except ImportError as error:
    raise ImportError("farpoint.distributed needs torch, with torch.distributed, which is not installed") from error
if not dist.is_available():
    raise ImportError("farpoint.distributed needs torch.distributed, which this torch was built without")

from . import _ranks
from ._arrays import Array
from ._search import Neighbors

__all__ = ["fps", "knn", "radius", "voxelize"]

Timeout = Union[float, datetime.timedelta]

_FOREVER = datetime.timedelta(days=3650)
_TIMEOUT = 600.0
_TAG = 0


def _store_of(group: Any) -> Any:
    """The store that the ranks of a group met by. torch before 2.1 has no function for it."""
    c10d = dist.distributed_c10d
    if hasattr(c10d, "_get_process_group_store"):
        return c10d._get_process_group_store(group)
    return c10d._pg_map[group][1]


class _Connection:
    """Ranks of a process group, connected by a group of gloo of their own: what goes wrong there leaves the other one as it was."""

    def __init__(self, ranks: int, rank: int):
        self.ranks = ranks
        self.rank = rank
        self.has_failed = False
        self.gpus: Any = None  #: the rank's _core.GpuRanks, from the first call on GPUs on
        self.lock = threading.Lock()  #: of a call
        self._gloo: Any = None
        self._store: Any = None

    def connect(self, group: Any, timeout: datetime.timedelta) -> None:
        """Waits for all ranks."""
        if self._gloo is not None or self.has_failed or self.ranks == 1:
            return
        if not dist.is_gloo_available():
            raise RuntimeError("farpoint.distributed needs gloo, which this torch was built without")
        store = dist.PrefixStore("farpoint", _store_of(group))
        # A store outlives a group where a program makes the group again: addresses of the first one are still in it.
        generation = (store.add("ranks", 1) - 1) // self.ranks
        self._store = dist.PrefixStore(str(generation), store)
        self._gloo = dist.ProcessGroupGloo(self._store, self.rank, self.ranks, timeout)

    def exchange(self, send: Sequence[memoryview], receive: Sequence[memoryview], timeout: datetime.timedelta) -> None:
        if self.has_failed:
            raise RuntimeError("a rank has failed in this call, or in one before on the same group; make a new group")
        end = time.monotonic() + timeout.total_seconds()
        works: List[Any] = []
        try:
            for rank, view in enumerate(receive):
                if len(view) > 0:
                    works.append(self._gloo.recv([torch.frombuffer(view, dtype=torch.uint8)], rank, _TAG))
            for rank, view in enumerate(send):
                if len(view) > 0:
                    works.append(self._gloo.send([torch.frombuffer(view, dtype=torch.uint8)], rank, _TAG))
            for each in range(len(works)):
                works[each].wait(datetime.timedelta(seconds=max(end - time.monotonic(), 0.001)))
        finally:
            # A work that is deleted cancels its message, so that gloo does not write to memory of a call that has ended. The traceback
            # of an exception would keep this frame, and the frame the works.
            works.clear()

    def abort(self) -> None:
        """Closes the connections of this rank: ranks that wait for it fail and close theirs in turn."""
        self.has_failed = True
        self._gloo = None
        if self.gpus is None:
            return
        # A rank that waits for this one on its GPU does not learn of the failure from NCCL.
        with contextlib.suppress(Exception):
            if self._store is not None:
                self._store.add("failures", 1)
        self.end()

    def others_failed(self) -> bool:
        try:
            return self._store is not None and self._store.add("failures", 0) > 0
        except Exception:  # the store has ended with the process that had it
            return True

    def end(self) -> None:
        """Closes the connections between GPUs."""
        gpus, self.gpus = self.gpus, None
        if gpus is not None:
            gpus.abort()


class _Transport:
    """A connection for one call: see _ranks."""

    def __init__(self, connection: _Connection, timeout: datetime.timedelta, refusal: Optional[ValueError]):
        self.ranks = connection.ranks
        self.rank = connection.rank
        self.refusal = refusal
        self.milliseconds = max(1, timeout // datetime.timedelta(milliseconds=1))
        self._connection = connection
        self._timeout = timeout

    @property
    def gpus(self) -> Any:
        return self._connection.gpus

    @gpus.setter
    def gpus(self, connected: Any) -> None:
        self._connection.gpus = connected

    def others_failed(self) -> bool:
        return self._connection.others_failed()

    def exchange(self, send: Sequence[memoryview], receive: Sequence[memoryview]) -> None:
        self._connection.exchange(send, receive, self._timeout)

    def abort(self) -> None:
        self._connection.abort()


_connections: weakref.WeakKeyDictionary[Any, _Connection] = weakref.WeakKeyDictionary()
_connections_lock = threading.Lock()


@atexit.register
def _end_connections() -> None:
    """Ends NCCL's communicators before the interpreter and CUDA end."""
    for connection in list(_connections.values()):
        connection.end()


def _seconds_of(timeout: Timeout) -> datetime.timedelta:
    try:
        if isinstance(timeout, datetime.timedelta):
            waits = timeout
        else:
            waits = datetime.timedelta(seconds=timeout)
            if timeout > 0:  # less than a microsecond is not 0, which is forever
                waits = max(waits, datetime.timedelta.resolution)
    except OverflowError:
        return _FOREVER
    except (TypeError, ValueError):
        raise ValueError(f"timeout is {timeout!r}; it must be seconds or a timedelta") from None
    return min(waits, _FOREVER) if waits > datetime.timedelta() else _FOREVER


@contextlib.contextmanager
def _transport_of(group: Any, timeout: Timeout) -> Iterator[_Transport]:
    """The transport of a call, which has the group's connection to itself."""
    refusal = None
    try:
        waits = _seconds_of(timeout)
    except ValueError as error:
        # All ranks raise once they have compared their arguments; until then this one waits as long as by default.
        waits, refusal = _seconds_of(_TIMEOUT), error
    if not dist.is_initialized():
        raise ValueError("torch.distributed has no process group; call torch.distributed.init_process_group()")
    group = dist.group.WORLD if group is None else group
    rank = dist.get_rank(group)
    if rank < 0:
        raise ValueError("this rank is not in the group")
    with _connections_lock:
        connection = _connections.get(group)
        if connection is None:
            connection = _connections[group] = _Connection(dist.get_world_size(group), rank)
    with connection.lock:
        try:
            connection.connect(group, waits)
        except Exception as error:
            connection.abort()
            raise RuntimeError("communication failure: ranks could not be connected") from error
        yield _Transport(connection, waits, refusal)


def fps(points: Array, samples: int, *, first: int = 0, seed: Optional[int] = None, chosen: Optional[Array] = None,
        stop_below: float = 0.0, return_distances: bool = False, index_dtype: Any = "int64", threads: int = 0,
        group: Any = None, timeout: Timeout = _TIMEOUT) -> Any:
    """Farthest point sampling of a distributed cloud: every rank gets all samples, equal to `farpoint.fps` on the whole cloud.

    Ties go to the lowest index in the whole cloud.

    Parameters
    ----------
    points : (N, 3), numbers
        Points of this rank; N may be 0, and may differ between ranks. The type is equal on all ranks, float32 on GPUs.
    samples : int
        Number of samples of the whole cloud. If it has fewer finite points, the rest is -1.
    first : int
        Index of the first sample in the whole cloud.
    seed : int, optional
        Draw the first sample instead, from the points of all ranks.
    chosen : (K,) integers, optional
        Points of the whole cloud that count as picked already, the same on all ranks; -1 is skipped.
    stop_below : float
        Meters: end before a sample that is nearer than this to those before it.
    return_distances : bool
        Return the squared distance of each sample to those before it, too; +inf for a first one, -1 past the last.
    index_dtype : "int64" or "int32"
        Type of the indices.
    threads : int
        Threads of this rank; 0 for one per core.
    group : ProcessGroup, optional
        The ranks; left out, all.
    timeout : float or timedelta
        Seconds that an exchange waits for other ranks before all fail; 0 or less: forever.

    Returns
    -------
    indices : (samples,), `index_dtype`
        Into the whole cloud, in the order of selection; the same on every rank.
    distances : (samples,), float32 or float64

    Raises
    ------
    ValueError
        On all ranks: an argument of one is refused, or they differ.
    RuntimeError
        On all ranks: one has failed, or did not come in time. Make a new group.
    """
    with _transport_of(group, timeout) as transport:
        return _ranks.fps(transport, points, samples, first=first, seed=seed, chosen=chosen, stop_below=stop_below,
                          return_distances=return_distances, index_dtype=index_dtype, threads=threads)


def knn(points: Array, k: int, queries: Optional[Array] = None, *, max_radius: float = math.inf, exclude_self: bool = False,
        index_dtype: Any = "int64", threads: int = 0, group: Any = None, timeout: Timeout = _TIMEOUT) -> Neighbors:
    """The k nearest points of each of the rank's queries in a cloud that no rank has all of: the rows of `farpoint.knn`.

    Queries near the points of other ranks travel there. So parts that are compact in space, such as tiles, are fast; of parts that
    overlap, such as points dealt out at random, nearly all queries go to all ranks.

    Parameters
    ----------
    points : (N, 3), numbers
        Points of this rank; N may be 0, and may differ between ranks. The type is equal on all ranks, float32 on GPUs.
    k : int
        1 to 1,024.
    queries : (M, 3), of the points' type, optional
        Queries of this rank, any number; left out, its points.
    max_radius : float
        Meters: no neighbor is farther away.
    exclude_self : bool
        Point i of this rank is not a neighbor of its query i.
    index_dtype, threads, group, timeout
        As for `fps`.

    Returns
    -------
    Neighbors(indices, distances) : each (M, k)
        Rows of this rank's queries. Indices into the whole cloud, ascending by (squared distance, index); -1 past the last.
        Squared distances; +inf past the last.

    Raises
    ------
    ValueError, RuntimeError
        As for `fps`.
    """
    with _transport_of(group, timeout) as transport:
        return _ranks.knn(transport, points, k, queries, max_radius=max_radius, exclude_self=exclude_self, index_dtype=index_dtype,
                          threads=threads)


def radius(points: Array, radius: float, queries: Optional[Array] = None, *, max_neighbors: int, order: str = "nearest",
           exclude_self: bool = False, exclusive: bool = False, index_dtype: Any = "int64", threads: int = 0, group: Any = None,
           timeout: Timeout = _TIMEOUT) -> Neighbors:
    """Up to `max_neighbors` points of a distributed cloud within a radius of each query of this rank: the rows of
    `farpoint.PointIndex.radius` with `max_neighbors`.

    Parameters
    ----------
    points : (N, 3), numbers
        Points of this rank; N may be 0, and may differ between ranks. The type is equal on all ranks, float32 on GPUs.
    radius : float
        Meters; a point at exactly this distance is a neighbor, unless `exclusive`.
    queries : (M, 3), of the points' type, optional
        Queries of this rank, any number; left out, its points.
    max_neighbors : int
        1 to 1,024.
    order : "nearest" or "index"
        Order of a row; if there are more neighbors than `max_neighbors`, the first are kept.
    exclude_self : bool
        Point i of this rank is not a neighbor of its query i.
    index_dtype, threads, group, timeout
        As for `fps`.

    Returns
    -------
    Neighbors(indices, distances) : each (M, max_neighbors)
        Rows of this rank's queries. Indices into the whole cloud, -1 past the last; squared distances, +inf past the last.

    Raises
    ------
    ValueError, RuntimeError
        As for `fps`.
    """
    with _transport_of(group, timeout) as transport:
        return _ranks.radius(transport, points, radius, queries, max_neighbors=max_neighbors, order=order, exclude_self=exclude_self,
                             exclusive=exclusive, index_dtype=index_dtype, threads=threads)


def voxelize(points: Array, voxel_size: Any, point_range: Sequence[float], *, max_points: Optional[int] = None,
             max_voxels: Optional[int] = None, outputs: Optional[Sequence[str]] = None, columns: str = "xyz", dtype: Any = None,
             gather: bool = False, threads: int = 0, group: Any = None, timeout: Timeout = _TIMEOUT) -> Dict[str, Any]:
    """Voxels of a distributed cloud: each rank gets the rows of the voxels that it owns, or, with `gather`, of all voxels.

    The hash of a voxel determines the rank that owns it, to which its points travel. The rows of all ranks together are the rows of
    `farpoint.voxelize` by first occurrence; `numbers` has their positions.

    Parameters
    ----------
    points : (N, F), numbers, 3 <= F <= 64
        Points of this rank: x, y, z, and further features. N may be 0, and may differ between ranks. The type and F are equal on
        all ranks.
    voxel_size : float or three
        Meters.
    point_range : x, y, z from and x, y, z to
        Meters; points beyond are in no voxel.
    max_points, max_voxels : int, optional
        Hard voxelization: the limits of a voxel, and of the whole cloud.
    outputs : names of outputs, optional
        Left out, "coords", "num_points", "voxels" (hard only) and "mean". There are "max", "first" and "centroid", too.
    columns : "xyz" or "zyx"
        Columns of `coords`.
    dtype : "float16" or "float32", optional
        Type of `voxels`, `mean`, `max` and `first`. Features travel as float32: with float64 points `mean` is not available,
        and the others need `dtype="float32"`.
    gather : bool
        Every rank gets all rows, in the order of their numbers.
    threads, group, timeout
        As for `fps`.

    Returns
    -------
    dict
        As of `farpoint.voxelize`, of this rank's V voxels, or with `gather` of all: coords (V, 3), num_points (V,),
        voxels (V, max_points, F), mean, max and first (V, F), centroid (V, 3), voxel_count (1,).

        numbers : (V,), int64
            The row that each voxel has in the whole cloud, ascending. Not with `gather`.

    Raises
    ------
    ValueError, RuntimeError
        As for `fps`.
    """
    with _transport_of(group, timeout) as transport:
        return _ranks.voxelize(transport, points, voxel_size, point_range, max_points=max_points, max_voxels=max_voxels,
                               outputs=outputs, columns=columns, dtype=dtype, gather=gather, threads=threads)
