"""knn, radius and what stands on them."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Sequence

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, follows_stream


class Neighbors(NamedTuple):
    """Result of knn."""

    indices: Any
    distances: Any  #: squared (m^2)


class RadiusRows(NamedTuple):
    """Result of radius: the neighbors of query r are `indices[offsets[r]:offsets[r + 1]]`."""

    offsets: Any
    indices: Any
    distances: Any  #: squared (m^2)


class _Search:
    """Points and queries of a search, which Call.points() has checked, and their offsets."""

    def __init__(self, call: Call, points: Any, queries: Optional[Any], offsets: Optional[Array] = None,
                 lengths: Optional[Array] = None, query_offsets: Optional[Array] = None, query_lengths: Optional[Array] = None):
        self.call = call
        self.points = points
        self.offsets = call.offsets(points, offsets, lengths)
        self.queries: Any = queries
        self.query_offsets: Any = None
        asked: Any = points
        if queries is not None:
            asked = queries
            self.query_offsets = call.offsets(asked, query_offsets, query_lengths, "query_")
            self._compare()
        elif query_offsets is not None or query_lengths is not None:
            call.fail("query_offsets and query_lengths need queries")
        self.scalar = call.space.dtype(self.points)
        #: leading axes of outputs: one row for each query
        self.shape = tuple(asked.shape[:-1])

    def _compare(self) -> None:
        call, points, queries = self.call, self.points, self.queries
        if points.dtype != queries.dtype:
            if not call.converts:
                call.fail(f"queries are {call.space.dtype(queries)} and points {call.space.dtype(points)}")
            # Both were converted, or one was, to float64: the other one's values are values of that, too.
            points = self.points = call.space.astype(points, "float64")
            queries = self.queries = call.space.astype(queries, "float64")
        if (self.offsets is None) != (self.query_offsets is None) or len(points.shape) != len(queries.shape):
            call.fail("points and queries are both single clouds, both batches, or both ragged")
        if self.offsets is not None:
            same = self.offsets.shape[0] == self.query_offsets.shape[0]
        else:
            same = len(points.shape) == 2 or points.shape[0] == queries.shape[0]
        if not same:
            call.fail("points and queries have different numbers of clouds")

    def arguments(self) -> tuple:
        return (self.call.place, self.points, self.offsets, self.queries, self.query_offsets)

    def output(self, shape: Sequence[int], dtype: str, value: float) -> Any:
        """A row for each query. Rows of queries that the offsets leave out are not written: they hold `value`."""
        space = self.call.space
        if self.offsets is None:
            return space.empty((*self.shape, *shape), dtype)
        return space.full((*self.shape, *shape), value, dtype)


def checked(call: Call, points: Array, queries: Optional[Array], names: Sequence[str] = ("points", "queries")) -> tuple[Any, Any]:
    """Points and queries for a _Search."""
    array = call.points(points, names[0])
    return array, None if queries is None else call.points(queries, names[1], like=call.space.dtype(array))


@follows_stream
def knn(points: Array, k: int, queries: Optional[Array] = None, *, max_radius: float = math.inf, exclude_self: bool = False,
        offsets: Optional[Array] = None, lengths: Optional[Array] = None, query_offsets: Optional[Array] = None,
        query_lengths: Optional[Array] = None, index_dtype: Any = "int64", threads: int = 0,
        stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Neighbors:
    """The k nearest points of each query, exactly, nearest first.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
        With `offsets` or `lengths`, (N, 3) of clouds one after another. Any strides.
    k : int
        1 to 1,024.
    queries : (M, 3) or (B, M, 3), of the points' type, optional
        The number of clouds is that of `points`. Left out, the points are the queries, which is faster.
    max_radius : float
        Meters: no neighbor is farther away.
    exclude_self : bool
        Point i is not a neighbor of query i.

    Returns
    -------
    Neighbors(indices, distances) : each (M, k) or (B, M, k)
        Indices into the query's cloud, ascending by (squared distance, index); -1 past the last. Squared distances;
        +inf past the last.
    """
    if offsets is lengths is query_offsets is query_lengths is stream is workspace is None:
        quick = _core.quick_knn(points, k, queries, max_radius, bool(exclude_self), index_dtype, threads)
        if quick is not None:
            return Neighbors(*quick)
    call = Call("knn", points, threads, stream, workspace)
    search = _Search(call, *checked(call, points, queries), offsets, lengths, query_offsets, query_lengths)
    k = call.neighbors(k)
    indices = search.output((k,), call.index_type(index_dtype), -1)
    distances = search.output((k,), search.scalar, math.inf)
    _core.knn(*search.arguments(), k, call.number(max_radius, "max_radius"), bool(exclude_self), indices, distances)
    return Neighbors(indices, distances)


@follows_stream
def radius(points: Array, radius: float, queries: Optional[Array] = None, *, order: str = "index", exclude_self: bool = False,
           exclusive: bool = False, edge_index: bool = False, capacity: Optional[int] = None, offsets: Optional[Array] = None,
           lengths: Optional[Array] = None, query_offsets: Optional[Array] = None, query_lengths: Optional[Array] = None,
           index_dtype: Any = "int64", threads: int = 0, stream: Optional[int] = None,
           workspace: Optional[Allocator] = None) -> Any:
    """All points within a radius of each query, one list after another (CSR).

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
    radius : float
        Meters; a point at exactly this distance is a neighbor, unless `exclusive`.
    queries : (M, 3) or (B, M, 3), of the points' type, optional
        Left out, the points.
    order : "index" or "nearest"
        Order of a query's neighbors.
    exclude_self : bool
        Point i is not a neighbor of query i.
    edge_index : bool
        Return edges rather than lists.
    capacity : int, optional
        Room for neighbors. A list that does not fit as a whole is -1; `offsets` are complete all the same, and what is
        behind the last list is not written. Left out, there is room for all: on a GPU the call then waits for their number.

    Returns
    -------
    RadiusRows(offsets, indices, distances) : (R + 1,), (E,), (E,)
        R is the number of queries of all clouds. Indices into the query's cloud; squared distances.
    or with `edge_index`: (2, E)
        Query and point of each pair, counted through all clouds, as torch_cluster.radius has them. Columns of a `capacity`
        that hold no pair are -1.
    """
    if (offsets is lengths is query_offsets is query_lengths is stream is workspace is None and order == "index"
            and not (exclude_self or exclusive or edge_index)):
        quick = _core.quick_radius(points, queries, radius, capacity, index_dtype, threads)
        if quick is not None:
            return RadiusRows(*quick)
    call = Call("radius", points, threads, stream, workspace, only_indices=edge_index)
    search = _Search(call, *checked(call, points, queries), offsets, lengths, query_offsets, query_lengths)
    if order not in ("index", "nearest"):
        call.fail(f"there is no order {order!r}")
    index_type = call.index_type(index_dtype)
    rules = (call.number(radius, "radius"), order == "nearest", bool(exclude_self), bool(exclusive))
    # Rows of queries that offsets leave out are empty.
    found = list_rows(call, math.prod(search.shape), search.scalar, index_type, capacity,
                      lambda *outputs: _core.radius_rows(*search.arguments(), *rules, *outputs))
    return _edges(search, found.offsets, found.indices, capacity is not None) if edge_index else found


def list_rows(call: Call, rows: int, scalar: str, index_type: str, capacity: Optional[int], search: Callable[..., None]) -> RadiusRows:
    """Lists of all neighbors, by calls search(offsets, indices, distances). Without a capacity, the first call only counts."""
    space = call.space
    offsets = space.empty((rows + 1,), index_type)
    if capacity is None:
        search(offsets, None, None)
        room = int(offsets[-1])
    else:
        room = call.integer(capacity, "capacity")
        if room < 0:
            call.fail("capacity is negative")
    indices, distances = space.empty((room,), index_type), space.empty((room,), scalar)
    search(offsets, indices, distances)
    return RadiusRows(offsets, indices, distances)


def _edges(search: _Search, row_offsets: Any, indices: Any, has_gaps: bool) -> Any:
    """(query, point) of each neighbor, counted through all clouds; -1 in gaps."""
    space = search.call.space
    dtype = space.dtype(indices)
    query = space.segments(row_offsets, space.count(indices.shape[0], dtype))
    # Entries of lists that do not fit, and entries behind the last list.
    none = (indices < 0) | (query >= row_offsets.shape[0] - 1) if has_gaps else None
    if search.offsets is not None:
        query_offsets = search.offsets if search.query_offsets is None else search.query_offsets
        # A point in no cloud has no neighbors.
        indices = indices + space.astype(search.offsets[space.segments(query_offsets, query)], dtype)
    elif len(search.points.shape) == 3 and search.shape[1] > 0:
        indices = indices + query // search.shape[1] * search.points.shape[1]
    edges = space.library.stack([space.astype(query, dtype), space.astype(indices, dtype)])
    return edges if none is None else space.where(none, space.full((), -1, dtype), edges)


@follows_stream
def normals(points: Array, k: int = 16, *, max_radius: float = math.inf, viewpoint: Sequence[float] = (0.0, 0.0, 0.0),
            return_curvature: bool = False, return_covariances: bool = False, offsets: Optional[Array] = None,
            lengths: Optional[Array] = None, threads: int = 0, stream: Optional[int] = None,
            workspace: Optional[Allocator] = None) -> Any:
    """Normals of the planes through the k nearest points of each point, itself among them.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
    k : int
        3 to 1,024.
    max_radius : float
        Meters: no neighbor is farther away.
    viewpoint : three floats
        Meters; normals face it.
    return_curvature : bool
        Return the smallest eigenvalue over the sum of all, too: 0 to 1/3.
    return_covariances : bool
        Return the covariance matrices of the neighbors, too, as their upper triangles.

    Returns
    -------
    normals : (N, 3) or (B, N, 3)
        Unit vectors; (0, 0, 0) where fewer than three neighbors or a point that is not finite leave it undefined.
    curvatures : (N,) or (B, N)
    covariances : (N, 6) or (B, N, 6)
        xx, xy, xz, yy, yz and zz (m^2), divided by the number of neighbors; zeros for a point without neighbors.
    """
    call = Call("normals", points, threads, stream, workspace)
    points = call.points(points)
    cuts = call.offsets(points, offsets, lengths)
    shape, scalar = tuple(points.shape[:-1]), call.space.dtype(points)
    k, viewpoint = call.integer(k, "k"), call.numbers(viewpoint, 3, "viewpoint")
    new = call.space.empty if cuts is None else call.space.zeros  # points that offsets leave out are not written
    found = new((*shape, 3), scalar)
    curvatures = new(shape, scalar) if return_curvature else None
    covariances = new((*shape, 6), scalar) if return_covariances else None
    _core.normals(call.place, points, cuts, k, call.number(max_radius, "max_radius"), *viewpoint, found, curvatures,
                  covariances)
    more = tuple(each for each in (curvatures, covariances) if each is not None)
    return (found, *more) if more else found


@follows_stream
def mean_knn_distance(points: Array, k: int = 3, *, offsets: Optional[Array] = None, lengths: Optional[Array] = None,
                      threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """Mean squared distance (m^2) of each point to its k nearest others: a measure of outliers.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
    k : int
        1 to 1,024. If a cloud has fewer than k other points, the mean of all of its distances.

    Returns
    -------
    (N,) or (B, N)
        +inf for a point without others, and for one that is not finite.
    """
    call = Call("mean_knn_distance", points, threads, stream, workspace)
    return _mean_knn_distance(call, points, k, offsets, lengths)


def _mean_knn_distance(call: Call, points: Array, k: int, offsets: Optional[Array], lengths: Optional[Array]) -> Any:
    points = call.points(points)
    cuts = call.offsets(points, offsets, lengths)
    shape, scalar = tuple(points.shape[:-1]), call.space.dtype(points)
    means = call.space.empty(shape, scalar) if cuts is None else call.space.full(shape, math.inf, scalar)
    _core.mean_knn_distance(call.place, points, cuts, call.integer(k, "k"), means)
    return means


@follows_stream
def interpolate(points: Array, features: Array, queries: Array, *, offsets: Optional[Array] = None,
                lengths: Optional[Array] = None, query_offsets: Optional[Array] = None,
                query_lengths: Optional[Array] = None, threads: int = 0, stream: Optional[int] = None,
                workspace: Optional[Allocator] = None) -> Any:
    """Features at the queries: of the three nearest points, weighted by the inverse squared distance.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
    features : (N, C) or (B, N, C), float32, or float16 and bfloat16, which become float32
    queries : (M, 3) or (B, M, 3), of the points' type

    Returns
    -------
    (M, C) or (B, M, C), float32
        A query at the place of a point gets that point's features; one without neighbors zeros.
    """
    call = Call("interpolate", points, threads, stream, workspace)
    search = _Search(call, *checked(call, points, queries), offsets, lengths, query_offsets, query_lengths)
    features = call.space.packed(call.floats(features, "features", ("float32",)))
    if tuple(features.shape[:-1]) != tuple(search.points.shape[:-1]) or len(features.shape) < 2:
        call.fail(f"features have the shape {tuple(features.shape)}; they must have a row for each point")
    channels = features.shape[-1]
    out = search.output((channels,), "float32", 0)
    _core.interpolate(call.place, search.points, search.offsets, features, search.queries, search.query_offsets, channels, out)
    return out
