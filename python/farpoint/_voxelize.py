"""voxelize."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, cloud_shape, current_stream, result_in

_USUAL_OUTPUTS = ("coords", "num_points", "voxels", "mean", "point_voxel")
_LISTS = ("list_offsets", "list_points")
_VALUES = ("voxels", "mean", "max", "first", "centroid")
_OUTPUTS = (*_USUAL_OUTPUTS, "max", "first", "centroid", *_LISTS)
_ORDERS = ("first_occurrence", "grid")
#: Key of the bounds that a call has found.
BOUNDS = "point_range"
#: Whether they begin with the cloud, and whether z is first.
_COLUMNS = {"xyz": (False, False), "zyx": (False, True), "batch_xyz": (True, False), "batch_zyx": (True, True)}


def _three(call: Call, values: Any, what: str) -> tuple:
    if isinstance(values, (int, float)) or (not isinstance(values, (tuple, list)) and np.ndim(values) == 0):
        return (call.number(values, what),) * 3
    return call.numbers(values, 3, what)


def named_outputs(outputs: Optional[Sequence[str]], hard: bool) -> tuple:
    """Names of the outputs of a call. If a list output is among them, both list outputs come last."""
    if outputs is None:
        return tuple(name for name in _USUAL_OUTPUTS if hard or name != "voxels")
    try:
        names = tuple(outputs)
    except TypeError:
        raise ValueError(f"voxelize: outputs are {outputs!r}; they must be names of outputs") from None
    return (*(name for name in names if name not in _LISTS), *_LISTS) if any(name in _LISTS for name in names) else names


def _named(call: Call, outputs: Optional[Sequence[str]], hard: bool) -> tuple:
    names = named_outputs(outputs, hard)
    for name in names:
        if name not in _OUTPUTS:
            call.fail(f"there is no output {name!r}; there are {', '.join(_OUTPUTS)}")
    if "voxels" in names and not hard:
        call.fail("voxels are an output of hard voxelization: pass max_points and max_voxels")
    return names


def _ends_on_host(points: Any) -> np.ndarray:
    """Smallest and largest coordinates of the finite points, (2, 3); zeros without any."""
    xyz = np.asarray(points)[..., :3].reshape(-1, 3)
    ends = np.stack([xyz.min(0), xyz.max(0)]) if len(xyz) else np.zeros((2, 3))
    if not np.isfinite(ends).all():
        xyz = xyz[np.isfinite(xyz).all(1)]
        ends = np.stack([xyz.min(0), xyz.max(0)]) if len(xyz) else np.zeros((2, 3))
    return ends


def _ends_on_device(space: Any, points: Any) -> np.ndarray:
    """_ends_on_host() of points on a device, by functions that torch, CuPy and JAX have; waits for the six numbers."""
    library, dtype = space.library, space.dtype(points)
    if math.prod(points.shape[:-1]) == 0:
        return np.zeros((2, 3))
    xyz = points[..., :3].reshape(-1, 3)
    finite = library.isfinite(xyz).all(-1)[:, None]
    low = library.amin(space.where(finite, xyz, space.full((), math.inf, dtype)), 0)
    high = library.amax(space.where(finite, xyz, space.full((), -math.inf, dtype)), 0)
    ends = np.array(library.stack([low, high]).tolist(), np.float64)
    return ends if np.isfinite(ends).all() else np.zeros((2, 3))


def _bounds_of(call: Call, points: Any, sizes: Sequence[float]) -> tuple:
    """Bounds of points, at multiples of the voxel size, so that grids of different clouds align. The upper bound is one voxel
    larger than needed: rounding must not put a point outside."""
    if not all(0 < size < math.inf for size in sizes):
        return (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)  # the library reports the error
    with np.errstate(all="ignore"):
        ends = _ends_on_host(points) if call.space.on_host else _ends_on_device(call.space, points)
        size, (low, high) = np.array(sizes), ends.astype(np.float64)
        first, last = np.floor(low / size), np.floor(high / size) + 2
        first = first - (first * size > low)
    if not (last - first < 2**31 - 1).all():
        call.fail(f"voxel_size is {tuple(sizes)}: the points are more than 2^31 voxels apart")
    return (*(first * size).tolist(), *(last * size).tolist())


def _value_type(call: Call, dtype: Any, scalar: str) -> str:
    """The type of outputs made of features, of points of another."""
    if dtype is None:
        return scalar
    name = call.type_name(dtype, ("float16", "float32", "float64"), "dtype")
    if name == "float64" != scalar:
        call.fail("dtype is float64, and points are float32, in which they are added; pass points as float64")
    return name


def _only_voxels(result: Dict[str, Any]) -> Dict[str, Any]:
    """The rows of voxels, in host memory."""
    count = result["voxel_count"].item()
    for name in ("coords", "num_points", "voxels", "mean", "max", "first", "centroid"):
        if name in result:
            result[name] = result[name][:count]
    if "list_offsets" in result:
        result["list_offsets"] = result["list_offsets"][:count + 1]
        result["list_points"] = result["list_points"][:result["list_offsets"][count].item()]
    return result


def _end_lists(space: Any, result: Dict[str, Any]) -> None:
    """Lets the lists of rows behind the last voxel be empty, without waiting for its number."""
    ends, count = result["list_offsets"], result["voxel_count"]
    result["list_offsets"] = space.where(space.count(ends.shape[0], "int64") > count, ends[count], ends)


# Not by follows_stream: calls of loops have no stream, and are spared the step.
def voxelize(points: Array, voxel_size: Any, point_range: Optional[Sequence[float]] = None, *, max_points: Optional[int] = None,
             max_voxels: Optional[int] = None, outputs: Optional[Sequence[str]] = None, capacity: Optional[int] = None,
             order: str = "first_occurrence", columns: str = "xyz", seed: Optional[int] = None, dtype: Any = None,
             offsets: Optional[Array] = None, lengths: Optional[Array] = None, threads: int = 0,
             stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Dict[str, Any]:
    """Voxels of a grid and the points in them; hard with `max_points` and `max_voxels`, dynamic without.

    Parameters
    ----------
    points : (N, F) or (B, N, F), numbers, 3 <= F <= 64
        x, y, z, and further features. Any strides.
    voxel_size : float or three
        Meters.
    point_range : x, y, z from and x, y, z to, optional
        Meters; points beyond are in no voxel. Left out, the bounds of the finite points, at multiples of the size: a call on a
        device waits for them.
    max_points, max_voxels : int, optional
        Hard voxelization: of a voxel, and of a cloud.
    outputs : names of outputs, optional
        Left out, "coords", "num_points", "voxels" (hard only), "mean" and "point_voxel". There are "max", "first",
        "centroid", and "list_offsets" with "list_points", too.
    capacity : int, optional
        Rows of the outputs; further voxels are dropped. Left out, enough for all.
    order : "first_occurrence" or "grid"
        By the first point of each voxel, or ascending by z, y, x.
    columns : "xyz", "zyx", "batch_xyz" or "batch_zyx"
        Columns of `coords`.
    seed : int, optional
        Keep a random subset of a voxel's points rather than the first ones.
    dtype : "float16", "float32" or, for float64 points, "float64", optional
        Type of `voxels`, `mean`, `max` and `first`; left out, the type of the points. Means of float64 points are computed in
        float64, whatever `dtype` is.

    Returns
    -------
    dict
        coords : (V, 3) or (V, 4), int32
        num_points : (V,), int32
            Points kept in each voxel.
        voxels : (V, max_points, F)
            The points kept, then zeros.
        mean, max, first : (V, F)
            Mean and largest value over the points kept, and values of the first kept point.
        centroid : (V, 3), of the points' type
            Mean of the coordinates of the points kept.
        point_voxel : (N,) or (B, N), int64
            Row of each point's voxel; -1 if it is in none.
        list_offsets : (V + 1,), int64
            The points of voxel v are `list_points[list_offsets[v]:list_offsets[v + 1]]`, all of them, in input order.
        list_points : (P,), int64
            Rows of (N, F), or of (B * N, F), of the points in voxels.
        voxel_count : (1,), int64
        voxel_offsets : (B + 1,), int64
            First row of each cloud.
        point_range : (6,), float64
            The bounds, if point_range was left out.

        In host memory V is the number of voxels, and P the number of points in voxels. On a GPU V is the capacity and P the
        number of all points, because the call does not wait for the counts: rows behind `voxel_count` are zeros, their lists
        are empty, and entries of `list_points` behind the last list are -1.
    """
    if (point_range is not None and capacity is seed is offsets is lengths is stream is workspace is None and type(columns) is str
            and columns in _COLUMNS and order in _ORDERS):
        batch, zyx = _COLUMNS[columns]
        quick = _core.quick_voxelize(points, voxel_size, point_range, max_points, max_voxels, outputs, order == "grid",
                                     batch, zyx, dtype, threads)
        if quick is not None:
            return _only_voxels(quick) if points.is_cpu else quick
    with current_stream("voxelize", stream, (points, offsets, lengths)) as scope:
        call = Call("voxelize", points, threads, stream, workspace)
        space = call.space
        if (max_points is None) != (max_voxels is None):
            call.fail("pass both max_points and max_voxels, or neither")
        hard = max_points is not None
        if max_points is not None and max_voxels is not None:
            max_points, max_voxels = call.integer(max_points, "max_points"), call.integer(max_voxels, "max_voxels")
            if max_points < 1 or max_voxels < 1:
                call.fail("max_points and max_voxels must be positive")
        given = None if point_range is None else call.numbers(point_range, 6, "point_range")
        if order not in _ORDERS:
            call.fail(f"there is no order {order!r}")
        if columns not in tuple(_COLUMNS):
            call.fail(f"there are no columns {columns!r}")
        batch, zyx = _COLUMNS[columns]
        wanted = _named(call, outputs, hard)
        call.only_indices = not set(wanted) & set(_VALUES)
        points = call.points(points, more_columns=True)
        cuts = call.offsets(points, offsets, lengths)
        scalar = space.dtype(points)
        dtype = _value_type(call, dtype, scalar)

        shape = cloud_shape(points, cuts)
        clouds = shape[0] if shape else 1
        if capacity is not None:
            capacity = call.integer(capacity, "capacity")
            if capacity < 0:
                call.fail("capacity is negative")
        shapes = _core.voxelize_shapes(tuple(points.shape), clouds, max_points, max_voxels, capacity, batch, scalar, dtype)
        result = {name: space.empty(*shapes[name]) for name in (*wanted, "voxel_count", "voxel_offsets")}
        if "point_voxel" in result and cuts is not None:
            # Points that offsets leave out are in no voxel, and not written.
            result["point_voxel"] = space.full(shapes["point_voxel"][0], -1, shapes["point_voxel"][1])
        if "list_points" in result and not space.on_host:
            result["list_points"] = space.full(shapes["list_points"][0], -1, shapes["list_points"][1])
        (rows, _), _ = shapes["coords"]
        sizes = _three(call, voxel_size, "voxel_size")
        bounds = _bounds_of(call, points, sizes) if given is None else given
        _core.voxelize(call.place, points, cuts, bounds[:3], bounds[3:], sizes, max_voxels, max_points, order == "grid",
                       call.seed(seed), rows, batch, zyx, result)
        if space.on_host:
            _only_voxels(result)
        elif "list_offsets" in result:
            _end_lists(space, result)
        if "mean" in result and scalar != dtype:
            result["mean"] = space.astype(result["mean"], dtype)
        if given is None:
            result[BOUNDS] = space.array(list(bounds), "float64")
        return result_in(scope, result)
