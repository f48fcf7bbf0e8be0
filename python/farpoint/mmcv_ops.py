"""Point cloud operators of mmcv.ops, with their arguments and answers, on CPUs as on GPUs.

    from farpoint.mmcv_ops import QueryAndGroup, Voxelization    # was: from mmcv.ops import ...

Squared distances are rounded like in mmcv's kernels as nvcc compiles them. float16 and bfloat16 coordinates are searched as float32.
Tensors need not be contiguous. Gradients flow as in mmcv: to features, and by grouping to coordinates, but not through distances of
three_nn() and weights of three_interpolate(); functions of these names in `farpoint.torch` have these gradients.
"""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from torch import Tensor, nn

import farpoint as _fp

from . import _brute_force, _core
from ._call import Call
from ._rows import HALVES, gather
from ._search import _Search
from .torch import three_interpolate as _three_interpolate
from .torch import voxel_mean

__all__ = [
    "DynamicScatter", "QueryAndGroup", "Voxelization", "ball_query", "dynamic_scatter", "furthest_point_sample", "gather_points",
    "grouping_operation", "knn", "three_interpolate", "three_nn", "voxelization",
]

_MOST_NEIGHBORS = 1024


def _coordinates(name: str, *clouds: Tensor) -> List[Tensor]:
    """Clouds of one type that is searched, without gradients."""
    for cloud in clouds:
        if not isinstance(cloud, Tensor) or not cloud.is_floating_point():
            raise ValueError(f"{name}: coordinates must be tensors of floating point numbers")
    double = any(cloud.dtype == torch.float64 for cloud in clouds)
    return [cloud.detach().to(torch.float64 if double else torch.float32) for cloud in clouds]


def _batch(name: str, what: str, tensor: Tensor, dimensions: int, layout: str) -> None:
    if not isinstance(tensor, Tensor) or tensor.dim() != dimensions:
        raise ValueError(f"{name}: {what} must be a tensor {layout}")


def furthest_point_sample(points_xyz: Tensor, num_points: int) -> Tensor:
    """Farthest points of each cloud, from point 0 on, chosen among equals as by mmcv's kernel.

    Parameters
    ----------
    points_xyz : (B, N, 3)
        float64 is rounded to float32.
    num_points : int
        Where no point is away from the samples before it, the first one is repeated.

    Returns
    -------
    (B, num_points), int32
    """
    _batch("furthest_point_sample", "points_xyz", points_xyz, 3, "(B, N, 3)")
    (points,) = _coordinates("furthest_point_sample", points_xyz)
    return _fp.furthest_point_sample(points.float(), num_points, rules="openpcdet")


def _lists(search: _Search, reach: float, exclusive: bool, least: float, samples: int) -> Tensor:
    """Up to `samples` neighbors of each query, by index, at a squared distance of 0 or of at least `least`; padded with -1."""
    space, rows = search.call.space, math.prod(search.shape)
    ends = space.empty((rows + 1,), "int64")
    rules = (reach, False, False, exclusive)
    _core.radius_rows(*search.arguments(), *rules, ends, None, None)
    count = int(ends[-1])
    columns, distances = space.empty((count,), "int64"), space.empty((count,), search.scalar)
    _core.radius_rows(*search.arguments(), *rules, ends, columns, distances)
    row = torch.arange(rows, device=ends.device).repeat_interleave(ends.diff(), output_size=count)
    near = (distances == 0) | (distances >= least)
    row, columns = row[near], columns[near]
    place = _brute_force.ranks(row, rows)
    first = place < samples
    found = torch.full((rows, samples), -1, dtype=torch.int32, device=ends.device)
    found[row[first], place[first]] = columns[first].int()
    return found.reshape(*search.shape, samples)


def ball_query(min_radius: float, max_radius: float, sample_num: int, xyz: Tensor, center_xyz: Tensor,
               xyz_batch_cnt: Optional[Tensor] = None, center_xyz_batch_cnt: Optional[Tensor] = None) -> Tensor:
    """The first points of each cloud, by index, in the shell between two radii around each center, or at the center itself.

    Parameters
    ----------
    min_radius, max_radius : float
        A point at exactly min_radius is a neighbor, one at exactly max_radius is not.
    sample_num : int
        Rows with fewer neighbors are filled up with their first.
    xyz, center_xyz : (B, N, 3) and (B, M, 3)
    xyz_batch_cnt, center_xyz_batch_cnt : (B,) integers, optional
        Points and centers of each cloud of (N, 3) and (M, 3) one after another. min_radius is then not used.

    Returns
    -------
    (B, M, sample_num) or (M, sample_num), int32
        Into the center's cloud. Zeros for a center without neighbors; of clouds one after another -1, then zeros.
    """
    stacked = xyz_batch_cnt is not None and center_xyz_batch_cnt is not None
    layout = "(N, 3)" if stacked else "(B, N, 3)"
    _batch("ball_query", "xyz", xyz, 2 if stacked else 3, layout)
    _batch("ball_query", "center_xyz", center_xyz, xyz.dim(), layout)
    if not 0 <= min_radius < max_radius:
        raise ValueError(f"ball_query: the radii are {min_radius} and {max_radius}; the first must be smaller, and not negative")
    if sample_num < 1:
        raise ValueError(f"ball_query: sample_num is {sample_num}; it must be positive")
    points, centers = _coordinates("ball_query", xyz, center_xyz)
    call = Call("ball_query", points, y_first=True, only_indices=True)
    search = _Search(call, call.points(points, "xyz"), call.points(centers, "center_xyz"), lengths=xyz_batch_cnt if stacked else None,
                     query_lengths=center_xyz_batch_cnt if stacked else None)
    number = np.float64 if points.dtype == torch.float64 else np.float32
    with np.errstate(over="ignore"):
        least, bound = float(number(min_radius)**2), float(number(max_radius)**2)
    # Where the square is rounded to 0, only points at the center are neighbors.
    reach, exclusive = (float(max_radius), True) if bound > 0 else (0.0, False)
    if (least > 0 and not stacked) or sample_num > _MOST_NEIGHBORS:
        found = _lists(search, reach, exclusive, 0 if stacked else least, sample_num)
    else:
        found = search.output((sample_num,), "int32", -1)
        _core.radius(*search.arguments(), reach, False, False, exclusive, sample_num, False, found, None, None)
    first = found[..., :1]
    filled = torch.where(found >= 0, found, first.clamp(min=0))
    return torch.cat([first, filled[..., 1:]], -1) if stacked else filled


def gather_points(features: Tensor, indices: Tensor) -> Tensor:
    """Columns of features (B, C, N) by indices (B, M): (B, C, M), differentiable in the features."""
    _batch("gather_points", "features", features, 3, "(B, C, N)")
    _batch("gather_points", "indices", indices, 2, "(B, M)")
    return gather(features, indices, True)


def grouping_operation(features: Tensor, indices: Tensor, features_batch_cnt: Optional[Tensor] = None,
                       indices_batch_cnt: Optional[Tensor] = None) -> Tensor:
    """Features of the neighbors that ball_query() or knn() found, differentiable in the features.

    Parameters
    ----------
    features : (B, C, N), or with counts (N, C)
    indices : (B, M, K), or with counts (M, K)
        Indices into the features of each cloud. Indices out of range give zeros.
    features_batch_cnt, indices_batch_cnt : (B,) integers, optional
        Rows of each cloud of features and indices one after another.

    Returns
    -------
    (B, C, M, K), or with counts (M, C, K)
    """
    if features_batch_cnt is None or indices_batch_cnt is None:
        _batch("grouping_operation", "features", features, 3, "(B, C, N)")
        _batch("grouping_operation", "indices", indices, 3, "(B, M, K)")
        return gather(features, indices, True)
    _batch("grouping_operation", "features", features, 2, "(N, C)")
    _batch("grouping_operation", "indices", indices, 2, "(M, K)")
    sizes, rows = features_batch_cnt.long(), torch.arange(indices.shape[0], device=indices.device)
    # Rows past the last cloud belong to an empty cloud.
    cloud = torch.searchsorted(indices_batch_cnt.long().cumsum(0), rows, right=True)
    size, start = (torch.cat([numbers, numbers.new_zeros(1)])[cloud].unsqueeze(1) for numbers in (sizes, sizes.cumsum(0) - sizes))
    inside = (indices >= 0) & (indices < size)
    return gather(features, torch.where(inside, indices + start, -1)).transpose(1, 2).contiguous()


def _nearest(name: str, k: int, points: Tensor, queries: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
    """Indices, int32, and squared distances of the k nearest; -1 and +inf for a missing one."""
    call = Call(name, points, y_first=True)
    search = _Search(call, call.points(points), None if queries is None else call.points(queries))
    indices, distances = search.output((k,), "int32", -1), search.output((k,), search.scalar, math.inf)
    _core.knn(*search.arguments(), k, math.inf, False, indices, distances)
    return indices, distances


def three_nn(target: Tensor, source: Tensor) -> Tuple[Tensor, Tensor]:
    """The three nearest points of the source of each point of the target.

    Parameters
    ----------
    target, source : (B, N, 3) and (B, M, 3)

    Returns
    -------
    dist : (B, N, 3)
        Not squared, of the target's type and without gradients; +inf if the source has fewer than three points.
    idx : (B, N, 3), int32
        0 where `dist` is +inf.
    """
    _batch("three_nn", "target", target, 3, "(B, N, 3)")
    _batch("three_nn", "source", source, 3, "(B, M, 3)")
    of_target, of_source = _coordinates("three_nn", target, source)
    distances, indices = _fp.three_nn(of_target, of_source)
    return distances.to(target.dtype), indices


def three_interpolate(features: Tensor, indices: Tensor, weight: Tensor) -> Tensor:
    """Weighted sums of three features: (B, C, M), (B, N, 3), (B, N, 3) -> (B, C, N), differentiable in the features."""
    _batch("three_interpolate", "features", features, 3, "(B, C, M)")
    _batch("three_interpolate", "indices", indices, 3, "(B, N, 3)")
    if tuple(indices.shape) != tuple(weight.shape) or indices.shape[2] != 3:
        raise ValueError("three_interpolate: indices and weight are not both (B, N, 3)")
    return _three_interpolate(features, indices, weight.detach().to(features.dtype))


def knn(k: int, xyz: Tensor, center_xyz: Optional[Tensor] = None, transposed: bool = False) -> Tensor:
    """The k nearest points of each center, nearest first.

    Parameters
    ----------
    k : int
        1 to 1,024.
    xyz : (B, N, 3), or (B, 3, N) if transposed
    center_xyz : (B, M, 3), or (B, 3, M) if transposed, optional
        Left out, the points.
    transposed : bool

    Returns
    -------
    (B, k, M), int32
        Ties ascend by index; 0 where a cloud has fewer than k points.
    """
    for what, cloud in (("xyz", xyz), ("center_xyz", center_xyz)):
        if cloud is not None:
            _batch("knn", what, cloud, 3, "(B, 3, N)" if transposed else "(B, N, 3)")
    if not 1 <= k <= _MOST_NEIGHBORS:
        raise ValueError(f"knn: k is {k}; it must be 1 to 1,024")
    clouds = _coordinates("knn", xyz) if center_xyz is None else _coordinates("knn", xyz, center_xyz)
    if transposed:
        clouds = [cloud.transpose(1, 2) for cloud in clouds]
    indices, _ = _nearest("knn", k, clouds[0], None if center_xyz is None else clouds[1])
    return indices.clamp(min=0).transpose(1, 2).contiguous()


def _redrawn(indices: Tensor) -> Tuple[Tensor, Tensor]:
    """Distinct indices of each row, then draws from them, in place of repetitions of the first; and how many are distinct."""
    ordered = indices.sort(-1)[0]
    new = torch.ones_like(ordered, dtype=torch.bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    count = new.sum(-1, keepdim=True)
    distinct = torch.zeros_like(ordered).scatter_(-1, new.cumsum(-1) - 1, ordered)
    draws = (torch.rand(ordered.shape, device=ordered.device, dtype=torch.float64) * count).long()
    repeated = torch.arange(ordered.shape[-1], device=ordered.device) >= count
    return torch.where(repeated, distinct.gather(-1, draws), distinct), count.squeeze(-1).float()


class QueryAndGroup(nn.Module):
    """Groups of points around centers: their coordinates relative to the center, and their features.

    Parameters
    ----------
    max_radius : float or None
        Radius of ball_query(); with None the nearest points are grouped.
    sample_num : int
        Points of a group.
    min_radius : float
    use_xyz : bool
        Put the coordinates before the features.
    return_grouped_xyz : bool
        Return the coordinates themselves, too.
    normalize_xyz : bool
        Divide relative coordinates by max_radius.
    uniform_sample : bool
        Draw from the points of a group, by torch's generator, where there are fewer than sample_num.
    return_unique_cnt : bool
        Return how many points of each group are distinct, too.
    return_grouped_idx : bool
        Return the indices, too.
    """

    def __init__(self, max_radius: Optional[float], sample_num: int, min_radius: float = 0.0, use_xyz: bool = True,
                 return_grouped_xyz: bool = False, normalize_xyz: bool = False, uniform_sample: bool = False,
                 return_unique_cnt: bool = False, return_grouped_idx: bool = False):
        super().__init__()
        if return_unique_cnt and not uniform_sample:
            raise ValueError("QueryAndGroup: return_unique_cnt needs uniform_sample")
        if max_radius is None and normalize_xyz:
            raise ValueError("QueryAndGroup: normalize_xyz needs max_radius")
        self.max_radius = max_radius
        self.sample_num = sample_num
        self.min_radius = min_radius
        self.use_xyz = use_xyz
        self.return_grouped_xyz = return_grouped_xyz
        self.normalize_xyz = normalize_xyz
        self.uniform_sample = uniform_sample
        self.return_unique_cnt = return_unique_cnt
        self.return_grouped_idx = return_grouped_idx

    def forward(self, points_xyz: Tensor, center_xyz: Tensor,
                features: Optional[Tensor] = None) -> Union[Tensor, Tuple[Tensor, ...]]:
        """(B, N, 3), (B, M, 3) and (B, C, N) -> (B, 3 + C, M, sample_num), and what else the options name."""
        if features is None and not self.use_xyz:
            raise ValueError("QueryAndGroup: without use_xyz there must be features")
        if self.max_radius is None:
            idx = knn(self.sample_num, points_xyz, center_xyz).transpose(1, 2).contiguous()
        else:
            idx = ball_query(self.min_radius, self.max_radius, self.sample_num, points_xyz, center_xyz)
        distinct = None
        if self.uniform_sample:
            idx, distinct = _redrawn(idx)
        grouped_xyz = grouping_operation(points_xyz.transpose(1, 2), idx)
        relative = grouped_xyz - center_xyz.transpose(1, 2).unsqueeze(-1)
        if self.normalize_xyz and self.max_radius is not None:
            relative = relative / self.max_radius
        groups = [relative] if self.use_xyz else []
        if features is not None:
            groups.append(grouping_operation(features, idx))
        answer = [groups[0] if len(groups) == 1 else torch.cat(groups, 1)]
        if self.return_grouped_xyz:
            answer.append(grouped_xyz)
        if self.return_unique_cnt and distinct is not None:
            answer.append(distinct)
        if self.return_grouped_idx:
            answer.append(idx)
        return answer[0] if len(answer) == 1 else tuple(answer)


def _rounded(name: str, what: str, values: Any, count: int) -> List[float]:
    """Numbers as mmcv hands them to its kernels: rounded to float32."""
    numbers = np.asarray(values, np.float32).reshape(-1)
    if numbers.shape[0] == 1 and count == 3:
        numbers = numbers.repeat(3)
    if numbers.shape[0] != count:
        raise ValueError(f"{name}: {what} has {numbers.shape[0]} numbers; it must have {count}")
    return numbers.tolist()


def _cells(size: Sequence[float], bounds: Sequence[float]) -> List[float]:
    """Range over size along each axis."""
    ends = np.asarray(bounds, np.float32)
    return ((ends[3:] - ends[:3]) / np.asarray(size, np.float32)).tolist()


def _counts(size: Sequence[float], bounds: Sequence[float]) -> List[int]:
    """Voxels along each axis: the quotient in float32, halves rounded up, as in mmcv's kernels."""
    if not all(0 < edge < math.inf for edge in size):
        raise ValueError(f"voxelization: voxel_size is {tuple(size)}; it must be positive and finite")
    if not all(map(math.isfinite, bounds)):
        raise ValueError(f"voxelization: coors_range is {tuple(bounds)}; it must be finite")
    return [math.floor(cells + 0.5) for cells in _cells(size, bounds)]


def voxelization(points: Tensor, voxel_size: Any, coors_range: Any, max_points: int = 35, max_voxels: int = 20000,
                 deterministic: bool = True) -> Union[Tensor, Tuple[Tensor, Tensor, Tensor]]:
    """Voxels of a cloud, in the order of their first points; with max_points or max_voxels of -1, the voxel of each point.

    Parameters
    ----------
    points : (N, F)
        x, y, z, and further features.
    voxel_size : three floats
    coors_range : six floats
        x, y, z from, and x, y, z to.
    max_points, max_voxels : int
        Points of a voxel, and voxels, that are kept.
    deterministic : bool
        Not used: the answer is mmcv's deterministic one.

    Returns
    -------
    voxels : (V, max_points, F)
        The points of each voxel, then zeros.
    coors : (V, 3), int32
        z, y, x.
    num_points_per_voxel : (V,), int32
    or, with -1, coors : (N, 3), int32
        z, y, x of each point's voxel; -1 for a point outside of the range or not finite.
    """
    _batch("voxelization", "points", points, 2, "(N, F)")
    if not points.is_floating_point() or points.shape[1] < 3:
        raise ValueError("voxelization: points must be floating point numbers, three or more for each point")
    size, bounds = _rounded("voxelization", "voxel_size", voxel_size, 3), _rounded("voxelization", "coors_range", coors_range, 6)
    wide = points if points.dtype == torch.float64 else points.float()
    counts = _counts(size, bounds)
    if max_points == -1 or max_voxels == -1:
        low, cell, grid = (wide.new_tensor(numbers) for numbers in (bounds[:3], size, counts))
        place = ((wide.detach()[:, :3] - low) / cell).floor()
        inside = ((place >= 0) & (place < grid)).all(1, keepdim=True)
        return torch.where(inside, place, -1).flip(1).int()
    # farpoint divides in double, where a range of 1 m has fewer than 2.5 voxels of float32(0.4) m: this upper end has `counts`.
    upper = [low + count * edge for low, count, edge in zip(bounds, counts, size)]
    found = _fp.voxelize(wide, size, (*bounds[:3], *upper), max_points=max_points, max_voxels=max_voxels, columns="zyx",
                         outputs=("voxels", "coords", "num_points"))
    count = int(found["voxel_count"])
    voxels, coors, num_points = (found[name][:count] for name in ("voxels", "coords", "num_points"))
    return voxels.to(points.dtype), coors, num_points


class Voxelization(nn.Module):
    """voxelization() with options of its own for training and testing.

    Parameters
    ----------
    voxel_size : three floats
    point_cloud_range : six floats
        x, y, z from, and x, y, z to.
    max_num_points : int
        Points of a voxel that are kept; -1 for the voxel of each point.
    max_voxels : int, or a tuple or list of two
        Voxels that are kept, in training and in testing.
    deterministic : bool
        Not used: the answer is mmcv's deterministic one.
    """

    def __init__(self, voxel_size: Sequence[float], point_cloud_range: Sequence[float], max_num_points: int,
                 max_voxels: Union[Tuple[int, int], List[int], int] = 20000, deterministic: bool = True):
        super().__init__()
        self.voxel_size = voxel_size
        self.point_cloud_range = point_cloud_range
        self.max_num_points = max_num_points
        # A configuration in YAML or JSON has lists.
        self.max_voxels = tuple(max_voxels) if isinstance(max_voxels, (list, tuple)) else (max_voxels, max_voxels)
        self.deterministic = deterministic
        size, bounds = _rounded("Voxelization", "voxel_size", voxel_size, 3), _rounded("Voxelization", "range", point_cloud_range, 6)
        self.grid_size = torch.tensor(_cells(size, bounds)).round().long()
        self.pcd_shape = [1, self.grid_size[1], self.grid_size[0]]

    def forward(self, input: Tensor) -> Union[Tensor, Tuple[Tensor, Tensor, Tensor]]:
        """Points (N, F) -> see voxelization()."""
        return voxelization(input, self.voxel_size, self.point_cloud_range, self.max_num_points,
                            self.max_voxels[0 if self.training else 1], self.deterministic)

    def extra_repr(self) -> str:
        """The options."""
        return (f"voxel_size={self.voxel_size}, point_cloud_range={self.point_cloud_range}, max_num_points={self.max_num_points}, "
                f"max_voxels={self.max_voxels}, deterministic={self.deterministic}")


def _distinct_rows(rows: Tensor) -> Tuple[Tensor, Tensor]:
    """Distinct rows of integers from 0 on, ascending, and the number of each row among them."""
    sizes = (rows.amax(0).long() + 1).tolist()
    if math.prod(sizes) >= 2**63:
        return torch.unique(rows, dim=0, return_inverse=True)
    # One number for a row: sorted much faster than rows.
    number = torch.zeros_like(rows[:, 0], dtype=torch.int64)
    for column, size in zip(rows.unbind(1), sizes):
        number = number * size + column
    keys, inverse = torch.unique(number, return_inverse=True)
    columns = []
    for size in reversed(sizes):
        columns.append(keys % size)
        keys = keys.div(size, rounding_mode="floor")
    return torch.stack(columns[::-1], 1).to(rows.dtype), inverse


def dynamic_scatter(feats: Tensor, coors: Tensor, reduce_type: str = "max") -> Tuple[Tensor, Tensor]:
    """Features of the points of each voxel, reduced.

    Parameters
    ----------
    feats : (N, C)
    coors : (N, D), integers
        The voxel of each point, as voxelization() gives them; a point with a negative number is in none.
    reduce_type : "max", "mean" or "sum"

    Returns
    -------
    voxel_feats : (V, C)
        Differentiable in feats. The gradient of a maximum goes to the first point that has it.
    voxel_coors : (V, D)
        Ascending, from the first column on.
    """
    _batch("dynamic_scatter", "feats", feats, 2, "(N, C)")
    _batch("dynamic_scatter", "coors", coors, 2, "(N, D)")
    if not feats.is_floating_point() or coors.is_floating_point() or feats.shape[0] != coors.shape[0]:
        raise ValueError("dynamic_scatter: feats must be floating point numbers and coors as many rows of integers")
    if reduce_type not in ("max", "mean", "sum"):
        raise ValueError(f"dynamic_scatter: there is no reduce_type {reduce_type!r}")
    within = (coors >= 0).all(1)
    feats, coors = feats[within], coors[within]
    if feats.shape[0] == 0:
        return feats, coors
    voxel_coors, voxel = _distinct_rows(coors)
    count = voxel_coors.shape[0]
    if reduce_type == "mean":
        return voxel_mean(feats, voxel, count), voxel_coors
    if reduce_type == "sum":
        wide = feats.float() if feats.dtype in HALVES else feats
        return wide.new_zeros((count, feats.shape[1])).index_add(0, voxel, wide).to(feats.dtype), voxel_coors
    values = torch.where(feats.detach().isnan(), -math.inf, feats.detach())
    index = voxel.unsqueeze(1).expand_as(values)
    largest = values.new_empty((count, values.shape[1])).scatter_reduce(0, index, values, "amax", include_self=False)
    rows = torch.arange(values.shape[0], device=values.device).unsqueeze(1)
    mine = torch.where(values == largest[voxel], rows, values.shape[0])
    first = torch.empty_like(largest, dtype=torch.int64).scatter_reduce(0, index, mine, "amin", include_self=False)
    return feats.gather(0, first), voxel_coors


class DynamicScatter(nn.Module):
    """dynamic_scatter() of means or maxima, for one cloud or a batch.

    Parameters
    ----------
    voxel_size : three floats
    point_cloud_range : six floats
        Neither is used: coors have the voxels.
    average_points : bool
        Means; else maxima.
    """

    def __init__(self, voxel_size: Sequence[float], point_cloud_range: Sequence[float], average_points: bool):
        super().__init__()
        self.voxel_size = voxel_size
        self.point_cloud_range = point_cloud_range
        self.average_points = average_points

    def forward_single(self, points: Tensor, coors: Tensor) -> Tuple[Tensor, Tensor]:
        """Features (N, C) and coors (N, 3) -> (V, C) and (V, 3)."""
        return dynamic_scatter(points, coors, "mean" if self.average_points else "max")

    def forward(self, points: Tensor, coors: Tensor) -> Tuple[Tensor, Tensor]:
        """Features (N, C) and coors (N, 3), or (N, 4) with the cloud first, -> (V, C) and (V, 3) or (V, 4)."""
        return self.forward_single(points, coors)

    def extra_repr(self) -> str:
        """The options."""
        return (f"voxel_size={self.voxel_size}, point_cloud_range={self.point_cloud_range}, "
                f"average_points={self.average_points}")
