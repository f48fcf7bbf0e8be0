"""Nearest neighbors and farthest points in any number of dimensions, by distances to all points, in functions of torch.

The tree of `farpoint.knn` is of three dimensions. Features of a network have more: the drop-in modules compare them here.
"""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

import torch
from torch import Tensor

_INFINITY = float("inf")
#: Distances that are in memory at a time.
_CHUNK = 1 << 22
#: Dimensions from which a matrix product finds the pairs whose distances are computed.
_BY_PRODUCT = 6


def searched(name: str, what: str, points: Tensor) -> Tensor:
    """Points, their coordinates in the last dimension, in a type that is searched."""
    if points.is_complex() or points.shape[-1] == 0:
        raise ValueError(f"{name}: {what} must be real numbers of one or more dimensions")
    if points.dtype not in (torch.float32, torch.float64):
        points = points.to(torch.float32 if points.is_floating_point() else torch.float64)
    return points


def _sum(columns: Iterable[Tuple[Tensor, Tensor]], total: Tensor, metric: str) -> Tensor:
    """Squared or absolute differences, added up one dimension after another; +inf where the sum is no number."""
    for one, other in columns:
        difference = one - other
        total += difference.abs() if metric == "l1" else difference.square()
    return torch.where(total < _INFINITY, total, _INFINITY)


def _distances(points: Tensor, queries: Tensor, metric: str) -> Tensor:
    """Distances [queries, points]: "l2" squared, "l1", or "cosine" in double; +inf where one is no number."""
    if metric == "cosine":
        points, queries = points.double(), queries.double()
        lengths = queries.square().sum(1).sqrt().unsqueeze(1) * points.square().sum(1).sqrt()
        total = 1 - queries @ points.T / lengths
        return torch.where(total < _INFINITY, total, _INFINITY)
    columns = zip(queries.T.unsqueeze(2), points.T)
    return _sum(columns, points.new_zeros((queries.shape[0], points.shape[0])), metric)


def _by_product(points: Tensor, queries: Tensor, k: Optional[int], bound: float) -> Tensor:
    """Pairs [queries, points] that may be among the k nearest and nearer than a squared distance, by one matrix product.

    The product is in double. The bound allows for its rounding error, and for the error of distances in the points' type.
    """
    points, queries, dtype = points.double(), queries.double(), points.dtype
    norms, query_norms = points.square().sum(1), queries.square().sum(1).unsqueeze(1)
    near = norms + query_norms - 2 * (queries @ points.T)
    finite = torch.isfinite(norms) & torch.isfinite(query_norms)
    near = torch.where(finite, near, _INFINITY)
    dimensions = points.shape[1] + 4
    largest = torch.where(torch.isfinite(norms), norms, 0).amax()
    # Squares below the smallest normal number are rounded to multiples of a smaller one, or to 0.
    error = 4 * dimensions * torch.finfo(torch.float64).eps * (largest + query_norms) + dimensions * torch.finfo(dtype).tiny
    growth = 1 + 4 * dimensions * torch.finfo(dtype).eps
    most = torch.full_like(query_norms, bound)
    if k is not None and k < points.shape[0]:
        most = torch.minimum(most, near.topk(k, 1, largest=False)[0][:, -1:].clamp(min=0) + error)
    return finite & (near <= most * growth + error)


def ranks(rows: Tensor, count: int) -> Tensor:
    """Rank of each entry within its row; rows ascend and are below `count`."""
    begin = torch.searchsorted(rows, torch.arange(count, device=rows.device))
    return torch.arange(rows.shape[0], device=rows.device) - begin[rows]


def neighbors(points: Tensor, queries: Tensor, k: Optional[int], bound: float = _INFINITY, metric: str = "l2",
              exclude_self: bool = False, by_index: bool = False) -> Tuple[Tensor, Tensor, Tensor]:
    """Query, point and distance of the k nearest neighbors of each query, or of all if `k` is None, in one cloud.

    Pairs ascend by (query, distance, point). Distances are below `bound`. With `exclude_self` point i is no neighbor of
    query i. With `by_index` the k neighbors of lowest index are found, and pairs ascend by (query, point).
    """
    found: List[Tuple[Tensor, Tensor, Tensor]] = []
    step = max(1, _CHUNK // max(1, points.shape[0]))
    for start in range(0, queries.shape[0], step):
        asked = queries[start:start + step]
        count = asked.shape[0]
        if metric == "l2" and points.shape[1] >= _BY_PRODUCT and points.shape[0] > 0:
            # One more than k: a point itself may be left out.
            row, column = _by_product(points, asked, None if k is None or by_index else k + exclude_self, bound).nonzero().unbind(1)
            coordinates = ((one[row], other[column]) for one, other in zip(asked.T, points.T))
            distance = _sum(coordinates, points.new_zeros(row.shape[0]), metric)
            near = (distance < bound) & ((row + start != column) | (not exclude_self))
            row, column, distance = row[near], column[near], distance[near]
        else:
            distances = _distances(points, asked, metric)
            if exclude_self:
                mine = torch.arange(start, start + count, device=points.device)
                distances[mine - start, mine] = _INFINITY
            near = distances < bound
            if k is not None and k < points.shape[0] and not by_index:
                # All that are as near as the k-th: topk() chooses among equals as it likes.
                near &= distances <= distances.topk(k, 1, largest=False)[0][:, -1:]
            row, column = near.nonzero().unbind(1)
            distance = distances[row, column]
        if not by_index:
            order = distance.argsort(stable=True)
            order = order[row[order].argsort(stable=True)]
            row, column, distance = row[order], column[order], distance[order]
        if k is not None:
            first = ranks(row, count) < k
            row, column, distance = row[first], column[first], distance[first]
        found.append((row + start, column, distance))
    if not found:
        none = torch.zeros(0, dtype=torch.int64, device=points.device)
        return none, none, points.new_zeros(0)
    rows, columns, values = zip(*found)
    return torch.cat(rows), torch.cat(columns), torch.cat(values)


def neighbors_of_clouds(points: Tensor, queries: Tensor, ptr: Optional[Tensor], query_ptr: Optional[Tensor], k: Optional[int],
                        bound: float = _INFINITY, metric: str = "l2",
                        exclude_self: bool = False) -> Tuple[Tensor, Tensor, Tensor]:
    """neighbors() in each of the clouds that lie one after another between offsets; counted through all clouds."""
    if ptr is None or query_ptr is None:
        return neighbors(points, queries, k, bound, metric, exclude_self)
    found = []
    starts, query_starts = ptr.tolist(), query_ptr.tolist()
    for start, end, query_start, query_end in zip(starts, starts[1:], query_starts, query_starts[1:]):
        row, column, distance = neighbors(points[start:end], queries[query_start:query_end], k, bound, metric, exclude_self)
        found.append((row + query_start, column + start, distance))
    rows, columns, values = zip(*found)
    return torch.cat(rows), torch.cat(columns), torch.cat(values)


def farthest_points(points: Tensor, samples: int, first: int) -> Tensor:
    """Farthest point sampling of one cloud: see `farpoint.fps`. Rows that find no point are -1."""
    picks = torch.full((samples,), -1, dtype=torch.int64, device=points.device)
    if points.shape[0] == 0:
        return picks
    # Distances of points that may not be picked are -1.
    free = torch.isfinite(points).all(1)
    nearest = torch.where(free, _INFINITY, -1.0).to(points.dtype)
    pick = torch.where(free[first], first, nearest.argmax())
    for sample in range(samples):
        picks[sample] = torch.where(nearest[pick] >= 0, pick, -1)
        nearest = torch.minimum(nearest, _distances(points[pick].unsqueeze(0), points, "l2")[:, 0])
        nearest[pick] = -1
        pick = nearest.argmax()
    return picks
