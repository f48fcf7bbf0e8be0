"""Functions of PointNet++, OpenPCDet, mmcv and simple-knn: equal names, arguments and results.

Squared distances are rounded like in the published kernels as nvcc compiles them, so that indices are equal where distances
nearly tie. The published kernels use float32; coordinates of float64 and integers are searched in float64.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

import numpy as np

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, cloud_shape, follows_stream
from ._sampling import gather
from ._search import _Search, _mean_knn_distance, checked

_FLOAT = ("float32",)
_LARGEST = 3.4028234663852886e38
#: Threads of a block of the published kernels, by whose reduction points at equal distances are chosen; and whether points
#: near the origin are left out.
_RULES = {None: (0, False), "openpcdet": (1024, False), "pointnet2_ops": (512, True)}


def _call(name: str, first: Array, **options: Any) -> Call:
    return Call(name, first, y_first=True, **options)


@follows_stream
def furthest_point_sample(xyz: Array, npoint: int, *, rules: Optional[str] = None, offsets: Optional[Array] = None,
                          lengths: Optional[Array] = None, index_dtype: Any = "int32", threads: int = 0,
                          stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """Farthest point sampling of each cloud, beginning with point 0, like PointNet++'s function of this name.

    Parameters
    ----------
    xyz : (B, N, 3) or (N, 3), numbers
    npoint : int
        Number of samples. When all points coincide with earlier samples, the first sample is repeated.
    rules : None, "openpcdet" or "pointnet2_ops"
        Tie rule for points at equal distances. None: the lowest index. "openpcdet" (also mmcv's) and "pointnet2_ops": the
        choice of their kernels' reductions. "pointnet2_ops" leaves out points within 0.032 m of the origin, as its kernel does.
    offsets, lengths : (B + 1,) or (B,) integers, optional
        Ragged clouds: points (N, 3), one cloud after another. Only without `rules`.

    Returns
    -------
    (B, npoint) or (npoint,), int32
    """
    call = _call("furthest_point_sample", xyz, threads=threads, stream=stream, workspace=workspace, only_indices=True)
    space = call.space
    points = call.points(xyz, "xyz")
    cuts = call.offsets(points, offsets, lengths)
    if rules not in tuple(_RULES):
        call.fail(f"there are no rules {rules!r}")
    npoint = call.integer(npoint, "npoint")
    if npoint < 0:
        call.fail("npoint is negative")
    if cuts is not None and rules is not None:
        call.fail("rules are of one cloud or a batch of equal ones")
    block, skip = _RULES[rules]
    n = points.shape[-2]
    places = None
    if n > 0 and (block > 0 or skip):
        places = _places_of(space, n, block)
        points = _ordered(space, points, places, skip)
    index_type, shape = call.index_type(index_dtype), (*cloud_shape(points, cuts), npoint)
    indices, distances = space.empty(shape, index_type), space.empty(shape, space.dtype(points))
    _core.fps(call.place, points, cuts, npoint, 0, 0.0, None, None, None, None, indices, distances, None)
    if npoint == 0 or n == 0:
        return 0 * indices
    if cuts is not None:
        return space.where(distances > 0, indices, space.at_least(indices[..., :1], 0))
    # Where all are at distance 0 a reduction finds the first that is left. Sampling begins with it, but for a point 0
    # that is left out of what follows.
    left = (points[..., 0] == points[..., 0]) & (indices[..., :1] >= 0)
    if skip:
        left = left & _away(space, points)
    first = space.astype(left, "uint8").argmax(-1)[..., None]
    indices = space.where(distances > 0, indices, space.astype(first, index_type))
    return indices if places is None else space.astype(places[indices], index_type)


_places: Dict[tuple, Any] = {}


def _places_of(space: Any, n: int, block: int) -> Any:
    """_tie_order() as a cached array: the next call copies nothing to the device."""
    key = (n, block, space.library.__name__, str(getattr(space, "device", "")))
    places = _places.get(key)  # another thread may clear the cache at any time
    if places is None:
        if len(_places) >= 64:
            _places.clear()
        places = _places[key] = space.array(_tie_order(n, block), "int64")
    return places


def _tie_order(n: int, max_threads: int) -> Any:
    """Point indices in the order in which a block's reduction prefers them on ties: ascending by the reversed bits of the
    thread number, then by index; -1 where a thread has no point."""
    bits = 0
    while 2 << bits <= n and 2 << bits <= max_threads:
        bits += 1
    threads = 1 << bits
    rounds = -(-n // threads)
    order = []
    for row in range(threads):
        thread = int(format(row, f"0{bits}b")[::-1], 2) if bits else 0
        order += [index if index < n else -1 for index in range(thread, rounds * threads, threads)]
    return order


def _ordered(space: Any, points: Any, places: Any, skip: bool) -> Any:
    """Points in the order of `places`; NaN where it is -1 and, with `skip`, for points near the origin."""
    ordered = points[..., space.where(places >= 0, places, 0 * places), :]
    gone = places < 0
    if skip:
        # The first sample may lie anywhere.
        gone = gone | (~_away(space, ordered) & (places != 0))
    return space.packed(space.where(gone[..., None], space.full((), math.nan, space.dtype(points)), ordered))


def _away(space: Any, points: Any) -> Any:
    """True for points away from the origin, by a squared norm that is rounded as the kernel's."""
    norm: Any = 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # points that are not finite
        for axis in (1, 0, 2):
            value = space.astype(points[..., axis], "float64")
            norm = space.astype(space.astype(value * value + norm, "float32"), "float64")
        return norm > 1e-3


@follows_stream
def ball_query(radius: float, nsample: int, xyz: Array, new_xyz: Array, *, offsets: Optional[Array] = None,
               lengths: Optional[Array] = None, query_offsets: Optional[Array] = None,
               query_lengths: Optional[Array] = None, index_dtype: Any = "int32", threads: int = 0,
               stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """The first points of each cloud, by index, nearer than a radius to each query; rows are filled up with their first.

    Parameters
    ----------
    radius : float
        Meters; a point at exactly this distance is no neighbor.
    nsample : int
        0 to 1,024.
    xyz : (B, N, 3) or (N, 3), numbers
    new_xyz : (B, M, 3) or (M, 3), numbers
        The queries.
    offsets, lengths, query_offsets, query_lengths : integers, optional
        Ragged clouds: points (N, 3) and queries (M, 3), one cloud after another.

    Returns
    -------
    (B, M, nsample) or (M, nsample), int32
        Indices into the query's cloud. Zeros for a query without neighbors.
    """
    if offsets is lengths is query_offsets is query_lengths is stream is workspace is None:
        quick = _core.quick_ball_query(radius, nsample, xyz, new_xyz, index_dtype, threads)
        if quick is not None:
            return quick
    call = _call("ball_query", xyz, threads=threads, stream=stream, workspace=workspace, only_indices=True)
    space = call.space
    search = _Search(call, *checked(call, xyz, new_xyz, ("xyz", "new_xyz")), offsets, lengths, query_offsets, query_lengths)
    nsample, index_type = call.neighbors(nsample, "nsample", 0), call.index_type(index_dtype)
    radius = abs(call.number(radius, "radius"))
    # True if the squared radius is 0 in the type of the points.
    vanishes = not radius * radius > 0 if search.scalar == "float64" else not float(np.float32(radius)) ** 2 > 2.0**-150
    if nsample == 0 or vanishes:
        return space.zeros((*search.shape, nsample), index_type)
    indices = search.output((nsample,), index_type, -1)
    _core.radius(*search.arguments(), radius, False, False, True, nsample, True, indices, None, None)
    return indices


@follows_stream
def three_nn(unknown: Array, known: Array, *, offsets: Optional[Array] = None, lengths: Optional[Array] = None,
             query_offsets: Optional[Array] = None, query_lengths: Optional[Array] = None, index_dtype: Any = "int32",
             threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """The three nearest known points of each unknown one, nearest first, and of equals the one of lowest index.

    Parameters
    ----------
    unknown : (B, N, 3) or (N, 3), numbers
    known : (B, M, 3) or (M, 3), numbers
    offsets, lengths, query_offsets, query_lengths : integers, optional
        Ragged clouds: known points (M, 3) and unknown points (N, 3), one cloud after another.

    Returns
    -------
    dist : (B, N, 3) or (N, 3), float32 or, of coordinates that are searched in it, float64
        Meters; +inf if a cloud has fewer than three known points.
    idx : the same shape, int32
        0 where `dist` is +inf.
    """
    if offsets is lengths is query_offsets is query_lengths is stream is workspace is None:
        quick = _core.quick_three_nn(unknown, known, index_dtype, threads)
        if quick is not None:
            return quick
    call = _call("three_nn", unknown, threads=threads, stream=stream, workspace=workspace)
    search = _Search(call, *checked(call, known, unknown, ("known", "unknown")), offsets, lengths, query_offsets, query_lengths)
    indices = search.output((3,), call.index_type(index_dtype), -1)
    distances = search.output((3,), search.scalar, math.inf)
    _core.three_nn(*search.arguments(), indices, distances)
    return distances, indices


@follows_stream
def three_interpolate(features: Array, idx: Array, weight: Array, *, offsets: Optional[Array] = None,
                      lengths: Optional[Array] = None, index_offsets: Optional[Array] = None,
                      index_lengths: Optional[Array] = None, threads: int = 0, stream: Optional[int] = None) -> Any:
    """Weighted sums of the features of three points for each unknown one.

    Parameters
    ----------
    features : (B, C, M) or (C, M), float32, or float16 and bfloat16, which become float32
    idx, weight : (B, N, 3) or (N, 3), integers, and numbers as features
        As three_nn gives them, and 1 / dist over its sum. Indices out of range stand for zeros.
    offsets, lengths, index_offsets, index_lengths : integers, optional
        Ragged clouds: features (M, C), and idx and weight (N, 3), one cloud after another.

    Returns
    -------
    (B, C, N) or (C, N), or of ragged clouds (N, C), float32
        w0 * f0 + w1 * f1 + w2 * f2, each operation rounded once.
    """
    call = Call("three_interpolate", features, threads, stream)
    weight = call.floats(weight, "weight", _FLOAT)
    features = call.floats(features, "features", _FLOAT)
    if tuple(weight.shape) != tuple(call.array(idx, "idx").shape) or weight.shape[-1:] != (3,):
        call.fail("idx and weight are not both (B, N, 3)")
    if offsets is not None or lengths is not None:
        rows = gather(features, idx, offsets=offsets, lengths=lengths, index_offsets=index_offsets, index_lengths=index_lengths,
                      threads=threads, stream=stream)
        products = rows * weight[..., None]
        return products[:, 0] + products[:, 1] + products[:, 2]
    values = gather(features, idx, channels_first=True, threads=threads, stream=stream)
    products = values * weight[..., None, :, :]
    return products[..., 0] + products[..., 1] + products[..., 2]


@follows_stream
def distCUDA2(points: Array, *, threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """Mean squared distance of each point to its three nearest others, as simple-knn's function of that name.

    Parameters
    ----------
    points : (P, 3), numbers

    Returns
    -------
    (P,), float32 or, of coordinates that are searched in it, float64
        Squared meters. A neighbor that is missing, of fewer than four points, counts as the largest float.
    """
    call = _call("distCUDA2", points, threads=threads, stream=stream, workspace=workspace)
    space = call.space
    points = call.points(points)
    if len(points.shape) != 2:
        call.fail(f"points have the shape {tuple(points.shape)}; they must be (P, 3)")
    if points.shape[0] >= 4:
        return _mean_knn_distance(call, points, 3, None, None)
    search = _Search(call, points, None)
    indices, distances = search.output((3,), "int64", -1), search.output((3,), search.scalar, math.inf)
    _core.knn(*search.arguments(), 3, math.inf, True, indices, distances)
    largest = space.full((), _LARGEST, search.scalar)
    distances = space.where(indices >= 0, distances, largest)
    with np.errstate(over="ignore"):  # two missing neighbors
        return (distances[:, 0] + distances[:, 1] + distances[:, 2]) / space.full((), 3, search.scalar)
