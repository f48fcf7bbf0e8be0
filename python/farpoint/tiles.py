"""Clouds that do not fit into memory: knn, radius and fps of tiles that are read when they are needed, on the host.

    tiles = farpoint.tiles.Tiles([lambda path=path: laspy.read(path).xyz for path in paths])
    picks = tiles.fps(10_000)
    indices, distances = tiles.knn(8, tile=3)

The points of all tiles, tile after tile, are the cloud; indices count through all tiles, and results are equal to the bit to a call on
the whole cloud. docs/functions/tiles.md of the repository says which tiles a call reads, and how much memory it takes.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import MASKED, is_masked
from ._search import Neighbors

__all__ = ["Tiles"]

#: An array of (N, 3) or more columns, such as a numpy.memmap, or a function without arguments that returns one.
Tile = Union[Any, Callable[[], Any]]


def _unmasked(what: str, values: Any) -> np.ndarray:
    if is_masked(values):
        raise ValueError(f"Tiles: {what} is {MASKED}")
    return np.asarray(values)


def _rows_of(tile: Tile, number: int) -> np.ndarray:
    """The points of a tile, as its source has them."""
    points = _unmasked(f"tile {number}", tile() if callable(tile) else tile)
    if points.ndim != 2 or points.shape[1] < 3:
        raise ValueError(f"Tiles: tile {number} has the shape {points.shape}; it must be (N, 3) or have more columns")
    return points[:, :3]


class Tiles:
    """A cloud in tiles, and where the points of each are. Each tile with points is read once to measure its bounding box.

    Parameters
    ----------
    tiles : sequence of arrays, or of functions without arguments that return one
        (N, 3); more columns are left out. A function returns the same points whenever it is called, by one thread at a time. Its
        exceptions end the call that needed the tile, and are raised by it.
    sizes : sequence of int, optional
        Number of points of each tile; without it each function is called once to count.
    dtype : "float32" or "float64", optional
        Type that all points are converted to; left out, float32 if the first tile is float32 or float16, and float64 otherwise.

    Raises
    ------
    ValueError
        A tile has another shape, or another number of points than before.
    """

    def __init__(self, tiles: Sequence[Tile], *, sizes: Optional[Sequence[int]] = None, dtype: Any = None):
        self._tiles: List[Tile] = list(tiles)
        dtypes: List[Any] = []
        if sizes is None:
            self._sizes: List[int] = []
            for number, tile in enumerate(self._tiles):
                rows = _rows_of(tile, number)
                self._sizes.append(len(rows))
                dtypes.append(rows.dtype)
        else:
            self._sizes = [operator.index(size) for size in sizes]
            if len(self._sizes) != len(self._tiles):
                raise ValueError(f"Tiles: {len(self._sizes)} sizes of {len(self._tiles)} tiles")
        if dtype is None:
            if self._tiles and not dtypes:
                dtypes.append(_rows_of(self._tiles[0], 0).dtype)
            dtype = "float32" if not dtypes or dtypes[0] in (np.float32, np.float16) else "float64"
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"Tiles: dtype is {self.dtype}; it must be float32 or float64")
        #: (tiles,): index of the first point of each tile
        self.first_indices = np.cumsum([0, *self._sizes], dtype=np.int64)[:-1]
        of_type = _core.TilesFloat32 if self.dtype == np.float32 else _core.TilesFloat64
        self._core = of_type(self._fill, self._sizes)

    def _fill(self, number: int, view: memoryview) -> None:
        with view:
            points = _rows_of(self._tiles[number], number)
            if len(points) != self._sizes[number]:
                raise ValueError(f"Tiles: tile {number} has {len(points)} points, and had {self._sizes[number]}")
            to = np.frombuffer(view, self.dtype).reshape(-1, 3)
            np.copyto(to, points, casting="same_kind")
            del to  # the memory is the call's

    def __len__(self) -> int:
        return len(self._tiles)

    @property
    def sizes(self) -> List[int]:
        """Number of points of each tile."""
        return list(self._sizes)

    @property
    def points(self) -> int:
        """Number of points of all tiles."""
        return sum(self._sizes)

    @property
    def reads(self) -> int:
        """Number of times that a tile was read so far, to measure and by calls."""
        return self._core.reads

    def read(self, tile: int) -> np.ndarray:
        """The points of a tile, (N, 3)."""
        return np.ascontiguousarray(_rows_of(self._tiles[tile], tile), self.dtype)

    def take(self, indices: Any) -> np.ndarray:
        """The points at indices of the whole cloud; reads each tile with such a point once.

        Parameters
        ----------
        indices : (K,) integers

        Returns
        -------
        points : (K, 3), the tiles' dtype

        Raises
        ------
        ValueError
            An index is negative, or not below the number of points.
        """
        wanted = np.asarray(indices)
        if wanted.ndim != 1 or (wanted.dtype.kind not in "iu" and wanted.size > 0):
            raise ValueError("Tiles.take: indices are no one-dimensional array of integers")
        if ((wanted < 0) | (wanted >= self.points)).any():
            raise ValueError("Tiles.take: an index is none of the cloud")
        wanted = wanted.astype(np.int64)
        found = np.empty((len(wanted), 3), self.dtype)
        home = np.searchsorted(self.first_indices, wanted, "right") - 1
        for tile in np.unique(home):
            here = home == tile
            found[here] = self.read(int(tile))[wanted[here] - self.first_indices[tile]]
        return found

    def _queries(self, name: str, queries: Optional[Any], tile: Optional[int], exclude_self: bool) -> Any:
        """Queries of a search, and the index of the first in the cloud."""
        if (queries is None) == (tile is None):
            raise ValueError(f"Tiles.{name}: needs either queries or a tile")
        if tile is not None:
            number = range(len(self))[operator.index(tile)]
            return self.read(number), int(self.first_indices[number])
        if exclude_self:
            raise ValueError(f"Tiles.{name}: exclude_self is for the points of a tile")
        points = _unmasked("the array of queries", queries)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"Tiles.{name}: queries have the shape {points.shape}; it must be (M, 3)")
        return np.ascontiguousarray(points, self.dtype), 0

    def knn(self, k: int, queries: Optional[Any] = None, *, tile: Optional[int] = None, max_radius: float = math.inf,
            exclude_self: bool = False, threads: int = 0) -> Neighbors:
        """The k nearest points of each query, or of each point of a tile: as `farpoint.knn` of the whole cloud.

        A tile is read at most twice, and only if some row may have a point of it.

        Parameters
        ----------
        k : int
            1 to 1,024.
        queries : (M, 3), optional
            Either these, or `tile`.
        tile : int, optional
            The queries are the points of this tile.
        max_radius : float
            Meters: no neighbor is farther away.
        exclude_self : bool
            Points of `tile` are not their own neighbors.
        threads : int
            0 for one per core.

        Returns
        -------
        indices : (M, k), int64
            Into the whole cloud, by distance, then by index; -1 past the last neighbor.
        distances : (M, k), the tiles' dtype
            Squared (m^2); +inf past the last neighbor.

        Raises
        ------
        ValueError
            An argument is refused.
        """
        asked, first = self._queries("knn", queries, tile, exclude_self)
        k = operator.index(k)
        shape = (len(asked), max(k, 0))
        found = Neighbors(np.empty(shape, np.int64), np.empty(shape, self.dtype))
        self._core.knn(threads, asked, first, k, max_radius, exclude_self, *found)
        return found

    def radius(self, radius: float, queries: Optional[Any] = None, *, tile: Optional[int] = None, max_neighbors: int,
               order: str = "nearest", exclude_self: bool = False, exclusive: bool = False, threads: int = 0) -> Neighbors:
        """Some points within a radius of each query, or of each point of a tile: as `PointIndex.radius` of the whole cloud.

        A tile is read at most once, and only if it is within the radius of a query.

        Parameters
        ----------
        radius : float
            Meters, inclusive unless `exclusive`.
        queries : (M, 3), optional
            Either these, or `tile`.
        tile : int, optional
            The queries are the points of this tile.
        max_neighbors : int
            0 to 1,024.
        order : "nearest" or "index"
            Order of a row's neighbors, and which are kept: the first of it.
        exclude_self : bool
            Points of `tile` are not their own neighbors.
        exclusive : bool
            Points at exactly the radius are no neighbors.
        threads : int
            0 for one per core.

        Returns
        -------
        indices : (M, max_neighbors), int64
            Into the whole cloud; -1 past the last neighbor.
        distances : (M, max_neighbors), the tiles' dtype
            Squared (m^2); +inf past the last neighbor.

        Raises
        ------
        ValueError
            An argument is refused.
        """
        return self._radius("radius", radius, queries, tile, operator.index(max_neighbors), order, exclude_self, exclusive, threads)[0]

    def count(self, radius: float, queries: Optional[Any] = None, *, tile: Optional[int] = None, exclude_self: bool = False,
              exclusive: bool = False, threads: int = 0) -> np.ndarray:
        """Numbers of points within a radius of each query, or of each point of a tile, (M,), int64. Arguments as for radius()."""
        return self._radius("count", radius, queries, tile, 0, "index", exclude_self, exclusive, threads)[1]

    def _radius(self, name: str, radius: float, queries: Optional[Any], tile: Optional[int], most: int, order: str,
                exclude_self: bool, exclusive: bool, threads: int) -> Any:
        if order not in ("nearest", "index"):
            raise ValueError(f"Tiles.{name}: order is {order!r}; it must be 'nearest' or 'index'")
        asked, first = self._queries(name, queries, tile, exclude_self)
        shape = (len(asked), max(most, 0))
        found = Neighbors(np.empty(shape, np.int64), np.empty(shape, self.dtype))
        counts = np.empty(len(asked), np.int64)
        self._core.radius(threads, asked, first, radius, order == "nearest", exclude_self, exclusive, most, *found, counts)
        return found, counts

    def fps(self, samples: int, *, first: int = 0, seed: Optional[int] = None, stop_below: float = 0.0,
            return_distances: bool = False, nearest: Optional[Any] = None, threads: int = 0) -> Any:
        """Farthest point sampling: as `farpoint.fps` of the whole cloud.

        Works in rounds, some 30 for thousands of samples; a tile is read at most once a round.

        Parameters
        ----------
        samples : int
            If the cloud has fewer finite points, the rest is -1.
        first : int
            Index of the first sample in the whole cloud.
        seed : int, optional
            Draw the first sample instead.
        stop_below : float
            Meters: end before a sample that is nearer than this to those before it.
        return_distances : bool
            Return the squared distance of each sample to those before it, too; +inf for the first, -1 past the last.
        nearest : array of the tiles' dtype, optional
            Scratch with a value for each point: a numpy.memmap if even that does not fit into memory.
        threads : int
            0 for one per core.

        Returns
        -------
        indices : (samples,), int64
            Into the whole cloud, in the order of selection.
        distances : (samples,), the tiles' dtype

        Raises
        ------
        ValueError
            An argument is refused.
        """
        samples = operator.index(samples)
        if samples < 0:
            raise ValueError("Tiles.fps: samples is negative")
        if nearest is None:
            nearest = np.empty(self.points, self.dtype)
        indices, distances = np.empty(samples, np.int64), np.empty(samples, self.dtype)
        self._core.fps(threads, samples, operator.index(first), stop_below, seed, nearest, indices, distances)
        return (indices, distances) if return_distances else indices
