"""voxelize."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, cloud_shape, current_stream

_OUTPUTS = ("coords", "num_points", "voxels", "mean", "point_voxel")
_DYNAMIC_OUTPUTS = ("coords", "num_points", "mean", "point_voxel")
_ORDERS = ("first_occurrence", "grid")
#: Whether they begin with the cloud, and whether z is first.
_COLUMNS = {"xyz": (False, False), "zyx": (False, True), "batch_xyz": (True, False), "batch_zyx": (True, True)}


def _three(call: Call, values: Any, what: str) -> tuple:
    if isinstance(values, (int, float)) or (not isinstance(values, (tuple, list)) and np.ndim(values) == 0):
        return (call.number(values, what),) * 3
    return call.numbers(values, 3, what)


def _named(call: Call, outputs: Sequence[str], hard: bool) -> tuple:
    try:
        names = tuple(outputs)
    except TypeError:
        call.fail(f"outputs are {outputs!r}; they must be names of outputs")
    for name in names:
        if name not in _OUTPUTS:
            call.fail(f"there is no output {name!r}; there are {', '.join(_OUTPUTS)}")
    if "voxels" in names and not hard:
        call.fail("voxels are an output of hard voxelization: pass max_points and max_voxels")
    return names


def _only_voxels(result: Dict[str, Any]) -> Dict[str, Any]:
    """The rows of voxels, in host memory."""
    count = result["voxel_count"].item()
    for name in ("coords", "num_points", "voxels", "mean"):
        if name in result:
            result[name] = result[name][:count]
    return result


# Not by follows_stream: calls of loops have no stream, and are spared the step.
def voxelize(points: Array, voxel_size: Any, point_range: Sequence[float], *, max_points: Optional[int] = None,
             max_voxels: Optional[int] = None, outputs: Optional[Sequence[str]] = None, capacity: Optional[int] = None,
             order: str = "first_occurrence", columns: str = "xyz", seed: Optional[int] = None, dtype: Any = "float32",
             offsets: Optional[Array] = None, lengths: Optional[Array] = None, threads: int = 0,
             stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Dict[str, Any]:
    """Voxels of a grid and the points in them; hard with `max_points` and `max_voxels`, dynamic without.

    Parameters
    ----------
    points : (N, F) or (B, N, F), float32 or float64, 3 <= F <= 64
        x, y, z, and further features. Any strides.
    voxel_size : float or three
        Metres.
    point_range : x, y, z from and x, y, z to
        Metres; points beyond are in no voxel.
    max_points, max_voxels : int, optional
        Hard voxelization: of a voxel, and of a cloud.
    outputs : names of outputs, optional
        Of "coords", "num_points", "voxels" (hard only), "mean" and "point_voxel"; left out, all of them.
    capacity : int, optional
        Rows of the outputs; further voxels are dropped. Left out, enough for all.
    order : "first_occurrence" or "grid"
        By the first point of each voxel, or ascending by z, y, x.
    columns : "xyz", "zyx", "batch_xyz" or "batch_zyx"
        Of `coords`.
    seed : int, optional
        Keep a random subset of a voxel's points rather than the first ones.
    dtype : "float32" or "float16"
        Of `voxels` and `mean`.

    Returns
    -------
    dict
        coords : (V, 3) or (V, 4), int32
        num_points : (V,), int32
            Points kept in each voxel.
        voxels : (V, max_points, F)
            The points kept, then zeros.
        mean : (V, F)
            Over the points kept.
        point_voxel : (N,) or (B, N), int64
            Row of each point's voxel; -1 if it is in none.
        voxel_count : (1,), int64
        voxel_offsets : (B + 1,), int64
            First row of each cloud.

        In host memory V is the number of voxels. On a GPU it is the capacity, as nothing waits for the number: rows
        behind `voxel_count` are zeros.
    """
    if (capacity is seed is offsets is lengths is stream is workspace is None and type(columns) is str
            and columns in _COLUMNS and order in _ORDERS and dtype in ("float32", "float16")):
        batch, zyx = _COLUMNS[columns]
        quick = _core.quick_voxelize(points, voxel_size, point_range, max_points, max_voxels, outputs, order == "grid",
                                     batch, zyx, dtype == "float16", threads)
        if quick is not None:
            return _only_voxels(quick) if points.is_cpu else quick
    with current_stream("voxelize", stream, (points, offsets, lengths)):
        call = Call("voxelize", points, threads, stream, workspace)
        space = call.space
        points = call.points(points, more_columns=True)
        cuts = call.offsets(points, offsets, lengths)
        if (max_points is None) != (max_voxels is None):
            call.fail("pass both max_points and max_voxels, or neither")
        hard = max_points is not None
        if max_points is not None and max_voxels is not None:
            max_points, max_voxels = call.integer(max_points, "max_points"), call.integer(max_voxels, "max_voxels")
            if max_points < 1 or max_voxels < 1:
                call.fail("max_points and max_voxels must be positive")
        bounds = call.numbers(point_range, 6, "point_range")
        if order not in _ORDERS:
            call.fail(f"there is no order {order!r}")
        if columns not in tuple(_COLUMNS):
            call.fail(f"there are no columns {columns!r}")
        batch, zyx = _COLUMNS[columns]
        wanted = (_OUTPUTS if hard else _DYNAMIC_OUTPUTS) if outputs is None else _named(call, outputs, hard)
        dtype = call.type_name(dtype, ("float32", "float16"), "dtype")

        shape = cloud_shape(points, cuts)
        clouds = shape[0] if shape else 1
        if capacity is not None:
            capacity = call.integer(capacity, "capacity")
            if capacity < 0:
                call.fail("capacity is negative")
        shapes = _core.voxelize_shapes(tuple(points.shape), clouds, max_points, max_voxels, capacity, batch, dtype == "float16")
        result = {name: space.empty(*shapes[name]) for name in (*wanted, "voxel_count", "voxel_offsets")}
        if "point_voxel" in result and cuts is not None:
            # Points that offsets leave out are in no voxel, and not written.
            result["point_voxel"][...] = -1
        (rows, _), _ = shapes["coords"]
        _core.voxelize(call.place, points, cuts, bounds[:3], bounds[3:], _three(call, voxel_size, "voxel_size"),
                       max_voxels, max_points, order == "grid", call.seed(seed), rows, batch, zyx, result)
        return _only_voxels(result) if space.on_host else result
