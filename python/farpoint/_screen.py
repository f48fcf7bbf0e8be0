"""screen_knn and its cameras."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from . import _core
from ._arrays import Allocator, Array
from ._call import Call, follows_stream

_UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class PinholeCamera:
    """The ideal camera: x right, y down, z ahead in its own frame.

    A point's pixel is floor(focal * (c / depth) + center), c = rotation @ point + translation and depth = c[2].
    """

    width: int
    height: int
    focal: Tuple[float, float]
    center: Tuple[float, float]
    rotation: Sequence[Sequence[float]] = _UNTURNED
    translation: Sequence[float] = (0.0, 0.0, 0.0)
    near: float = 0.0
    far: float = math.inf

    def _numbers(self) -> tuple:
        turned = [float(value) for row in self.rotation for value in row]
        return 0, [*map(float, self.focal), *map(float, self.center), *turned, *map(float, self.translation)]


@dataclass(frozen=True)
class SphericalCamera:
    """The range image of a spinning LiDAR at the origin, with elevations from `top` down to `bottom` (rad)."""

    width: int
    height: int
    top: float
    bottom: float
    near: float = 0.0
    far: float = math.inf

    def _numbers(self) -> tuple:
        return 1, [float(self.top), float(self.bottom)]


@dataclass(frozen=True)
class OrganizedCamera:
    """Point i is seen in pixel (i % width, i // width). Its depth is its distance from the origin, or z."""

    width: int
    height: int
    depth: str = "range"
    near: float = 0.0
    far: float = math.inf

    def _numbers(self) -> tuple:
        if self.depth not in ("range", "z"):
            raise ValueError(f"screen_knn: there is no depth {self.depth!r}")
        return 2, [float(self.depth == "z")]


class ScreenNeighbors(NamedTuple):
    """Result of screen_knn. `indices`, `distances` and `pixels` have a row for each visible point, or for each point."""

    indices: Any
    distances: Any
    pixels: Any
    visible: Any
    visible_count: Any


@follows_stream
def screen_knn(points: Array, k: int, camera: Any, *, rounds: int = 0, candidates: int = 0, max_radius: float = math.inf,
               exclude_self: bool = False, rows: str = "visible", layers: int = 1, index_dtype: Any = "int64",
               threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> ScreenNeighbors:
    """The k nearest neighbors of each visible point among the visible points: the front-most points of the pixels.

    Parameters
    ----------
    points : (N, 3), numbers
    k : int
    camera : PinholeCamera, SphericalCamera or OrganizedCamera
        1 to 8,192 px a side.
    rounds : int
        0 for the exact search, or 1 to 64 for the approximate one of FastKNN, whose radii shrink with more than
        `candidates` (0: 8 k).
    rows : "visible" or "input"
        A row for each visible point, or for each point; then those of points that are not visible are empty.
    layers : int
        1 to 16: the points of a pixel that are visible, front-most ones.

    Returns
    -------
    ScreenNeighbors
        indices : (R, k)
            Into the cloud, ascending by (squared distance, index); -1 past the last.
        distances : (R, k)
            Squared meters; +inf past the last.
        pixels : (R,)
            y * width + x of each row's point; -1 for one that is not visible.
        visible : (V,)
            Indices of the visible points, ascending.
        visible_count : (1,)

        In host memory V, and with rows="visible" R, is the number of visible points. On a GPU it is the most that there can
        be, as nothing waits for the number; rows behind it are not written.
    """
    call = Call("screen_knn", points, threads, stream, workspace)
    points = call.points(points)
    if len(points.shape) != 2:
        call.fail(f"points have the shape {tuple(points.shape)}; they must be (N, 3)")
    if not hasattr(camera, "_numbers"):
        call.fail("camera is no PinholeCamera, SphericalCamera or OrganizedCamera")
    if rows not in ("visible", "input"):
        call.fail(f"there are no rows {rows!r}")
    k, layers = call.neighbors(k), call.integer(layers, "layers")
    try:
        kind, numbers = camera._numbers()
        width, height = operator.index(camera.width), operator.index(camera.height)
        near, far = float(camera.near), float(camera.far)
    except TypeError:
        call.fail(f"{camera} has other values than numbers")
    if max(width, height) > 8192:
        call.fail(f"the camera is {width} x {height} px; it must have 1 to 8,192 a side")
    n = points.shape[0]
    most = min(n, max(0, layers) * max(0, width) * max(0, height))
    count = n if rows == "input" else most
    space, index_type, scalar = call.space, call.index_type(index_dtype), call.space.dtype(points)
    indices, distances = space.empty((count, k), index_type), space.empty((count, k), scalar)
    pixels, visible = space.empty((count,), index_type), space.empty((most,), index_type)
    visible_count = space.empty((1,), index_type)
    _core.screen_knn(call.place, points, kind, width, height, near, far, numbers, k, call.integer(rounds, "rounds"),
                     call.integer(candidates, "candidates"), call.number(max_radius, "max_radius"), bool(exclude_self),
                     rows == "input", layers, indices, distances, None, pixels, visible, visible_count)
    if space.on_host:
        seen = int(visible_count[0])
        visible = visible[:seen]
        if rows == "visible":
            indices, distances, pixels = indices[:seen], distances[:seen], pixels[:seen]
    return ScreenNeighbors(indices, distances, pixels, visible, visible_count)
