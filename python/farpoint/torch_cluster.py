"""The functions of torch_cluster that search and sample point clouds, with their arguments and answers.

    from farpoint.torch_cluster import fps, knn_graph, radius    # was: from torch_cluster import ...

Points of one to three dimensions are searched by farpoint's own kernels; with more dimensions or cosine distances, all pairs are
compared by functions of torch. Batch vectors are int32 or int64 and ascend. Coordinates may be of any real type: float16 and bfloat16
are searched as float32, integers as float64. Results are indices, int64, and equal on every run and device. Points with a NaN or
infinite coordinate have no neighbors, and are no neighbors of other points.
"""

from __future__ import annotations

import math
from typing import List, Optional, Sequence, Tuple, Union

import torch
import torch.nn.functional
from torch import Tensor

import farpoint as _fp

from . import _brute_force

__all__ = ["fps", "grid_cluster", "knn", "knn_graph", "nearest", "radius", "radius_graph"]

#: More neighbors than this are found as lists of their own lengths, not as rows.
_LONG_ROW = 64
_MOST_NEIGHBORS = 1024


def _coordinates(name: str, what: str, tensor: Tensor) -> Tensor:
    """(N, D) in a type that is searched, without gradients, and with at least three columns."""
    if not isinstance(tensor, Tensor) or tensor.dim() not in (1, 2):
        raise ValueError(f"{name}: {what} must be a tensor (N, D) or (N,)")
    if tensor.dim() == 1:
        tensor = tensor.unsqueeze(1)
    tensor = _brute_force.searched(name, what, tensor)
    missing = 3 - tensor.shape[1]
    # Further coordinates of 0 leave all distances as they are.
    return torch.nn.functional.pad(tensor.detach(), (0, missing)) if missing > 0 else tensor.detach()


def _two_clouds(name: str, x: Tensor, y: Tensor, names: Tuple[str, str]) -> Tuple[Tensor, Tensor]:
    of_x, of_y = _coordinates(name, names[0], x), _coordinates(name, names[1], y)
    if x.shape[1:] != y.shape[1:]:
        raise ValueError(f"{name}: x and y have the shapes {tuple(x.shape)} and {tuple(y.shape)}; their columns must be as many")
    x, y = of_x, of_y
    if x.device != y.device:
        raise ValueError(f"{name}: x and y are on {x.device} and {y.device}")
    dtype = torch.promote_types(x.dtype, y.dtype)
    return x.to(dtype), y.to(dtype)


def _batch_vector(name: str, what: str, points: Tensor, batch: Optional[Tensor]) -> Optional[Tensor]:
    if batch is None:
        return None
    if not isinstance(batch, Tensor) or batch.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{name}: {what} must be a tensor of int32 or int64")
    if tuple(batch.shape) != (points.shape[0],):
        raise ValueError(f"{name}: {what} has the shape {tuple(batch.shape)}; it must be ({points.shape[0]},)")
    if batch.device != points.device:
        raise ValueError(f"{name}: {what} is on {batch.device} and its points on {points.device}")
    return batch.long().contiguous()


def _number_of_clouds(name: str, batches: Sequence[Tuple[str, Optional[Tensor]]], batch_size: Optional[int]) -> int:
    """One more than the last cloud of the batch vectors, which are checked; the device is waited for once."""
    known = [(what, batch) for what, batch in batches if batch is not None and batch.numel() > 0]
    least = 1
    if known:
        facts = torch.stack([torch.stack([batch[0], batch[-1], (batch[1:] < batch[:-1]).any().long()]) for _, batch in known])
        for (what, _), (first, last, descends) in zip(known, facts.tolist()):
            if descends:
                raise ValueError(f"{name}: {what} is not sorted; clouds must lie one after another")
            if first < 0:
                raise ValueError(f"{name}: {what} has a negative number")
            least = max(least, last + 1)
    if batch_size is None:
        return least
    if batch_size < least:
        raise ValueError(f"{name}: batch_size is {batch_size}, and there are clouds up to number {least - 1}")
    return int(batch_size)


def _offsets(batch: Tensor, clouds: int) -> Tensor:
    return torch.searchsorted(batch, torch.arange(clouds + 1, device=batch.device))


class _Pair:
    """Points x and queries y, and the offsets of their clouds: none where there is a single cloud."""

    def __init__(self, name: str, x: Tensor, y: Tensor, batch_x: Optional[Tensor], batch_y: Optional[Tensor],
                 batch_size: Optional[int], names: Tuple[str, str] = ("x", "y")):
        self.of_itself = x is y and batch_x is batch_y
        self.x, self.y = _two_clouds(name, x, y, names)
        of_x, of_y = (f"batch_{what}" for what in names)
        batch_x, batch_y = _batch_vector(name, of_x, self.x, batch_x), _batch_vector(name, of_y, self.y, batch_y)
        self.clouds = _number_of_clouds(name, [(of_x, batch_x), (of_y, batch_y)], batch_size)
        self.ptr_x: Optional[Tensor] = None
        self.ptr_y: Optional[Tensor] = None
        if self.clouds > 1:
            if batch_x is None or batch_y is None:
                raise ValueError(f"{name}: there are {self.clouds} clouds; both batch_x and batch_y must be given")
            self.ptr_x, self.ptr_y = _offsets(batch_x, self.clouds), _offsets(batch_y, self.clouds)
            self.start = self.ptr_x[batch_y]  #: row of x at which each query's cloud begins
        self.empty = self.x.shape[0] == 0 or self.y.shape[0] == 0

    def no_pairs(self) -> Tensor:
        return torch.zeros((2, 0), dtype=torch.int64, device=self.x.device)

    def in_tree(self, k: int) -> bool:
        return self.x.shape[1] == 3 and k <= _MOST_NEIGHBORS

    def cuts(self) -> dict:
        if self.ptr_x is None:
            return {}
        return {"offsets": self.ptr_x} if self.of_itself else {"offsets": self.ptr_x, "query_offsets": self.ptr_y}

    def queries(self) -> Optional[Tensor]:
        return None if self.of_itself else self.y

    def rows(self, k: int, exclude_self: bool, max_radius: float = math.inf) -> Tuple[Tensor, Tensor]:
        """Indices (M, k) of x, -1 for a missing one, and squared distances."""
        indices, distances = _fp.knn(self.x, k, self.queries(), max_radius=max_radius, exclude_self=exclude_self, **self.cuts())
        if self.ptr_x is not None:
            indices = torch.where(indices >= 0, indices + self.start.unsqueeze(1), indices)
        return indices, distances

    def exhaustive(self, k: Optional[int], bound: float = math.inf, cosine: bool = False, exclude_self: bool = False) -> Tensor:
        row, column, _ = _brute_force.neighbors_of_clouds(self.x, self.y, self.ptr_x, self.ptr_y, k, bound,
                                                          "cosine" if cosine else "l2", exclude_self)
        return torch.stack([row, column])


def _edges(indices: Tensor, kept: Tensor) -> Tensor:
    """(2, E): row and entry of each index of (M, k) that is kept."""
    row, place = kept.nonzero().unbind(1)
    return torch.stack([row, indices[row, place]])


def _directed(name: str, edges: Tensor, flow: str) -> Tensor:
    if flow not in ("source_to_target", "target_to_source"):
        raise ValueError(f"{name}: there is no flow {flow!r}")
    return edges.flip(0) if flow == "source_to_target" else edges


def _knn(name: str, pair: _Pair, k: int, cosine: bool, exclude_self: bool) -> Tensor:
    if k < 1:
        raise ValueError(f"{name}: k is {k}; it must be positive")
    if pair.empty:
        return pair.no_pairs()
    if cosine or not pair.in_tree(k):
        return pair.exhaustive(k, cosine=cosine, exclude_self=exclude_self)
    indices, _ = pair.rows(k, exclude_self)
    return _edges(indices, indices >= 0)


def knn(x: Tensor, y: Tensor, k: int, batch_x: Optional[Tensor] = None, batch_y: Optional[Tensor] = None, cosine: bool = False,
        num_workers: int = 1, batch_size: Optional[int] = None) -> Tensor:
    """The k nearest points of x of each element of y.

    Parameters
    ----------
    x, y : (N, D) and (M, D)
    k : int
    batch_x, batch_y : (N,) and (M,), int32 or int64, optional
        The cloud of each row, ascending.
    cosine : bool
        Compare by 1 - x y / (|x| |y|).
    num_workers : int
        Not used: all cores work on the host.
    batch_size : int, optional
        Clouds; left out, those of the batch vectors.

    Returns
    -------
    (2, E), int64
        Rows of y, and of x; ascending by (query, distance, point).
    """
    return _knn("knn", _Pair("knn", x, y, batch_x, batch_y, batch_size), k, cosine, False)


def knn_graph(x: Tensor, k: int, batch: Optional[Tensor] = None, loop: bool = False, flow: str = "source_to_target",
              cosine: bool = False, num_workers: int = 1, batch_size: Optional[int] = None) -> Tensor:
    """Edges to the k nearest other points of each point; with `loop`, itself among the k.

    Returns
    -------
    (2, E), int64
        Neighbor and point; with flow="target_to_source", point and neighbor.
    """
    pair = _Pair("knn_graph", x, x, batch, batch, batch_size)
    return _directed("knn_graph", _knn("knn_graph", pair, k, cosine, not loop), flow)


def _radius(name: str, pair: _Pair, r: float, most: int, ignore_same_index: bool) -> Tensor:
    if not r >= 0:
        raise ValueError(f"{name}: r is {r}; it must not be negative")
    if most < 0:
        raise ValueError(f"{name}: max_num_neighbors is negative")
    if pair.empty or most == 0:
        return pair.no_pairs()
    # Squared in double and then rounded to the points' type: the bound of torch_cluster's kernels.
    bound = float(torch.tensor(r * r, dtype=torch.float64).to(pair.x.dtype))
    exclude_self = ignore_same_index and pair.of_itself
    max_found = most if exclude_self or not ignore_same_index else most + 1
    # A little farther, so that the bound alone decides.
    reach = r * (1 + 1e-6)
    if not pair.in_tree(1):
        edges = pair.exhaustive(None if max_found >= pair.x.shape[0] else max_found, bound, exclude_self=exclude_self)
    elif max_found <= _LONG_ROW:
        indices, distances = pair.rows(max_found, exclude_self, reach)
        edges = _edges(indices, (indices >= 0) & (distances < bound))
    else:
        ends, columns, distances = _fp.radius(pair.x, reach, pair.queries(), order="nearest", exclude_self=exclude_self,
                                              **pair.cuts())
        rows = torch.arange(pair.y.shape[0], device=ends.device).repeat_interleave(ends.diff(), output_size=columns.shape[0])
        near = distances < bound
        rows, columns = rows[near], columns[near]
        edges = torch.stack([rows, columns if pair.ptr_x is None else columns + pair.start[rows]])
    if ignore_same_index and not exclude_self:
        edges = edges[:, edges[0] != edges[1]]
    return edges[:, _brute_force.ranks(edges[0], pair.y.shape[0]) < most]


def radius(x: Tensor, y: Tensor, r: float, batch_x: Optional[Tensor] = None, batch_y: Optional[Tensor] = None,
           max_num_neighbors: int = 32, num_workers: int = 1, batch_size: Optional[int] = None,
           ignore_same_index: bool = False) -> Tensor:
    """The nearest `max_num_neighbors` points of x that are nearer than r to each element of y.

    Parameters
    ----------
    x, y : (N, D) and (M, D)
    r : float
        A point at exactly this distance is no neighbor.
    batch_x, batch_y, num_workers, batch_size
        As in knn().
    max_num_neighbors : int
        torch_cluster returns any of the neighbors where there are more; these are the nearest.
    ignore_same_index : bool
        Row i of x is no neighbor of row i of y.

    Returns
    -------
    (2, E), int64
        Rows of y, and of x; ascending by (query, distance, point).
    """
    return _radius("radius", _Pair("radius", x, y, batch_x, batch_y, batch_size), r, max_num_neighbors, ignore_same_index)


def radius_graph(x: Tensor, r: float, batch: Optional[Tensor] = None, loop: bool = False, max_num_neighbors: int = 32,
                 flow: str = "source_to_target", num_workers: int = 1, batch_size: Optional[int] = None) -> Tensor:
    """Edges to the nearest `max_num_neighbors` points that are nearer than r; with `loop`, to the point itself, too.

    Returns
    -------
    (2, E), int64
        Neighbor and point; with flow="target_to_source", point and neighbor.
    """
    pair = _Pair("radius_graph", x, x, batch, batch, batch_size)
    return _directed("radius_graph", _radius("radius_graph", pair, r, max_num_neighbors, not loop), flow)


def nearest(x: Tensor, y: Tensor, batch_x: Optional[Tensor] = None, batch_y: Optional[Tensor] = None) -> Tensor:
    """The row of y that is nearest to each element of x, in its cloud.

    Returns
    -------
    (N,), int64
        Ties go to the lowest row; -1 for an element of x that is not finite.
    """
    if batch_x is not None and batch_y is None:
        batch_y = torch.zeros(y.shape[0], dtype=torch.int64, device=y.device)
    if batch_y is not None and batch_x is None:
        batch_x = torch.zeros(x.shape[0], dtype=torch.int64, device=x.device)
    pair = _Pair("nearest", y, x, batch_y, batch_x, None, ("y", "x"))
    rows = pair.y.shape[0]
    if pair.ptr_x is not None and pair.ptr_y is not None:
        alone = (pair.ptr_y.diff() > 0) & (pair.ptr_x.diff() == 0)
        if bool(alone.any()):
            raise ValueError("nearest: batch_x has a cloud that batch_y has not")
    elif rows > 0 and pair.x.shape[0] == 0:
        raise ValueError("nearest: y is empty")
    if not pair.empty and pair.in_tree(1):
        return pair.rows(1, False)[0][:, 0]
    found = torch.full((rows,), -1, dtype=torch.int64, device=pair.y.device)
    if not pair.empty:
        row, column = pair.exhaustive(1)
        found[row] = column
    return found


def grid_cluster(pos: Tensor, size: Tensor, start: Optional[Tensor] = None, end: Optional[Tensor] = None) -> Tensor:
    """The cell of each point in a regular grid, counted along the first axis first.

    Parameters
    ----------
    pos : (N, D)
    size : (D,)
        Size of a cell.
    start, end : (D,), optional
        Bounds of the grid; left out, the bounds of the points.

    Returns
    -------
    (N,), int64
        Cell numbers equal torch_cluster's, also for points outside of the grid, whose numbers may be negative or coincide with
        other cells'; -1 for a point that is not finite.
    """
    if not isinstance(pos, Tensor) or pos.dim() == 0 or pos.is_complex():
        raise ValueError("grid_cluster: pos must be a tensor (N, D) of real numbers")
    count = pos.shape[0]
    pos = pos.detach().reshape(count, math.prod(pos.shape[1:]))
    if not pos.is_floating_point():
        pos = pos.double()
    finite = torch.isfinite(pos).all(1)

    def numbers(values: Union[Tensor, Sequence[float], None], what: str) -> Optional[Tensor]:
        if values is None:
            return None
        tensor = torch.as_tensor(values, device=pos.device).detach().to(pos.dtype).reshape(-1)
        if tensor.shape[0] != pos.shape[1]:
            raise ValueError(f"grid_cluster: {what} has {tensor.shape[0]} numbers and pos {pos.shape[1]} dimensions")
        return tensor

    cell, low, high = numbers(size, "size"), numbers(start, "start"), numbers(end, "end")
    assert cell is not None
    if count == 0:
        return torch.zeros(0, dtype=torch.int64, device=pos.device)
    inside = finite.unsqueeze(1)
    low = torch.where(inside, pos, math.inf).amin(0) if low is None else low
    high = torch.where(inside, pos, -math.inf).amax(0) if high is None else high
    cells = ((high - low) / cell).long() + 1
    stride = torch.cat([torch.ones_like(cells[:1]), cells[:-1]]).cumprod(0)
    number = (torch.where(inside, (pos - low) / cell, 0).long() * stride).sum(1)
    return torch.where(finite, number, -1)


def _for_clouds(what: str, numbers: Tensor, sizes: Tensor) -> Tensor:
    """A number, or one for each cloud."""
    if numbers.dim() > 0 and tuple(numbers.shape) not in ((1,), tuple(sizes.shape)):
        raise ValueError(f"fps: {what} has the shape {tuple(numbers.shape)}, and there are {sizes.shape[0]} clouds")
    return numbers.detach().to(sizes.device)


def _counts(sizes: Tensor, ratio: Union[Tensor, float, None], num_points: Union[Tensor, int, None], dtype: torch.dtype) -> Tensor:
    """Samples of clouds of these sizes."""
    if num_points is not None:
        if ratio is not None:
            raise ValueError("fps: pass either ratio or num_points")
        if not isinstance(num_points, Tensor) and num_points < 0:
            raise ValueError("fps: num_points is negative")
        counts = _for_clouds("num_points", torch.as_tensor(num_points), sizes).long()
    else:
        if not isinstance(ratio, Tensor):
            number = 0.5 if ratio is None else float(ratio)
            if not 0 < number <= 1:
                raise ValueError(f"fps: ratio is {number}; it must be above 0 and at most 1")
            # Rounded to the points' type, as torch_cluster has it.
            ratio = torch.tensor(number, dtype=dtype if dtype.is_floating_point else torch.float32)
        counts = (sizes.float() * _for_clouds("ratio", ratio, sizes)).ceil().long()
    return counts.clamp(min=0).minimum(sizes)


def fps(src: Tensor, batch: Optional[Tensor] = None, ratio: Union[Tensor, float, None] = None, random_start: bool = True,
        batch_size: Optional[int] = None, ptr: Union[Tensor, List[int], None] = None, *,
        num_points: Union[Tensor, int, None] = None) -> Tensor:
    """Farthest point sampling of each cloud.

    Parameters
    ----------
    src : (N, D)
    batch : (N,), int32 or int64, optional
        The cloud of each row, ascending.
    ratio : float or tensor, optional
        Samples over points, 0.5 if left out, rounded up; of all clouds, or one for each.
    random_start : bool
        Draw the first sample of each cloud from torch's generator; else it is the cloud's first row.
    batch_size : int, optional
        Clouds; left out, those of `batch`.
    ptr : (B + 1,) integers, optional
        Offsets of the clouds, in place of `batch`.
    num_points : int or tensor, optional
        Samples of each cloud in place of a ratio; of a smaller cloud all points.

    Returns
    -------
    (S,), int64
        Rows of src, cloud by cloud, in the order of selection. No row twice, unless a cloud has fewer finite points than
        samples: then its first sample fills up.
    """
    if isinstance(src, Tensor) and src.dim() > 2:
        src = src.flatten(1)
    points = _coordinates("fps", "src", src)
    device, rows = points.device, points.shape[0]
    if ptr is None and batch is not None:
        vector = _batch_vector("fps", "batch", points, batch)
        assert vector is not None
        clouds = _number_of_clouds("fps", [("batch", vector)], batch_size)
        offsets = _offsets(vector, clouds)
    elif ptr is not None:
        offsets = torch.as_tensor(ptr, device=device).long()
        if offsets.dim() != 1 or offsets.shape[0] == 0:
            raise ValueError(f"fps: ptr has the shape {tuple(offsets.shape)}; it must be (clouds + 1,)")
    else:
        return _fps_of_one(points, ratio, num_points, random_start, src.dtype)
    sizes = offsets.diff()
    counts = _counts(sizes, ratio, num_points, src.dtype)
    if sizes.shape[0] == 0:
        return torch.zeros(0, dtype=torch.int64, device=device)
    most, total, least, first, last = torch.stack([counts.max(), counts.sum(), sizes.min(), offsets[0], offsets[-1]]).tolist()
    if least < 0 or first < 0 or last > rows:
        raise ValueError("fps: ptr does not ascend, or leaves the points")
    firsts = torch.zeros_like(sizes)
    if random_start:
        firsts = (torch.rand(sizes.shape, device=device, dtype=torch.float64) * sizes).long()
    if points.shape[1] == 3:
        picks = _fp.fps(points, most, first=firsts, sample_counts=counts, offsets=offsets)
    else:
        begin = offsets.tolist()
        picks = torch.stack([_brute_force.farthest_points(points[one:other], most, start)
                             for one, other, start in zip(begin, begin[1:], firsts.tolist())])
    cloud = torch.arange(sizes.shape[0], device=device).repeat_interleave(counts, output_size=total)
    place = torch.arange(total, device=device) - (counts.cumsum(0) - counts)[cloud]
    return _filled(picks)[cloud, place] + offsets[cloud]


def _filled(picks: Tensor) -> Tensor:
    """The first sample, or row 0 of a cloud without finite points, in place of missing ones."""
    return torch.where(picks >= 0, picks, picks[..., :1].clamp(min=0))


def _fps_of_one(points: Tensor, ratio: Union[Tensor, float, None], num_points: Union[Tensor, int, None], random_start: bool,
                dtype: torch.dtype) -> Tensor:
    """A single cloud: the device is not waited for."""
    rows = points.shape[0]
    samples = int(_counts(torch.tensor([rows]), ratio, num_points, dtype))
    if rows == 0:
        return torch.zeros(0, dtype=torch.int64, device=points.device)
    first = int(torch.randint(rows, ())) if random_start else 0
    if points.shape[1] == 3:
        return _filled(_fp.fps(points, samples, first=first))
    return _filled(_brute_force.farthest_points(points, samples, first))
