"""farpoint for torch: gradients, and operators that torch.compile takes as they are.

    import farpoint.torch as fpt
    picks = fpt.fps(points, 1024)
    sampled = fpt.gather(features, picks)   # differentiable in features

The functions of `farpoint` take tensors too, without gradients. These are torch.library operators of the namespace `farpoint`,
with shapes for tracing; `gather`, `group`, `interpolate` and `voxel_mean` have gradients. Those are sums over the rows that went
into an output, added by index_add_: on a GPU in an order that may differ from run to run, unless
torch.use_deterministic_algorithms says otherwise.
"""

# Without annotations from __future__: torch 2.6 cannot tell the types of an operator from their names.
from typing import Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

__all__ = ["ball_query", "fps", "gather", "group", "interpolate", "knn", "three_interpolate", "three_nn", "voxel_mean"]


@torch.library.custom_op("farpoint::fps", mutates_args=())
def _fps(points: Tensor, samples: int, first: int, offsets: Optional[Tensor]) -> Tensor:
    return _fp.fps(points, samples, first=first, offsets=offsets)


@_fps.register_fake
def _(points: Tensor, samples: int, first: int, offsets: Optional[Tensor]) -> Tensor:
    front = points.shape[:-2] if offsets is None else (offsets.shape[0] - 1,)
    return points.new_empty((*front, samples), dtype=torch.int64)


def fps(points: Tensor, samples: int, first: int = 0, offsets: Optional[Tensor] = None) -> Tensor:
    """Farthest point sampling: (B, N, 3) -> (B, samples) int64; see `farpoint.fps`."""
    return _fps(points, samples, first, offsets)


@torch.library.custom_op("farpoint::knn", mutates_args=())
def _knn(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool) -> Tuple[Tensor, Tensor]:
    found = _fp.knn(points, k, queries, max_radius=max_radius, exclude_self=exclude_self)
    return found.indices, found.distances


@_knn.register_fake
def _(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool) -> Tuple[Tensor, Tensor]:
    rows = (points if queries is None else queries).shape[:-1]
    return points.new_empty((*rows, k), dtype=torch.int64), points.new_empty((*rows, k))


def knn(points: Tensor, k: int, queries: Optional[Tensor] = None, max_radius: float = float("inf"),
        exclude_self: bool = False) -> Tuple[Tensor, Tensor]:
    """The k nearest points of each query: indices and squared distances; see `farpoint.knn`. Without gradients: compute distances
    of gathered points where they are needed."""
    return _knn(points, k, queries, max_radius, exclude_self)


@torch.library.custom_op("farpoint::ball_query", mutates_args=())
def _ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    return _fp.ball_query(radius, nsample, xyz, new_xyz)


@_ball_query.register_fake
def _(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    return xyz.new_empty((*new_xyz.shape[:-1], nsample), dtype=torch.int32)


def ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    """Ball query of PointNet++: (B, M, nsample) int32; see `farpoint.ball_query`."""
    return _ball_query(radius, nsample, xyz, new_xyz)


@torch.library.custom_op("farpoint::three_nn", mutates_args=())
def _three_nn(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    return _fp.three_nn(unknown, known)


@_three_nn.register_fake
def _(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    return torch.empty_like(unknown, memory_format=torch.contiguous_format), unknown.new_empty(unknown.shape, dtype=torch.int32)


def three_nn(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    """Distances and indices of the three nearest known points; see `farpoint.three_nn`."""
    return _three_nn(unknown, known)


@torch.library.custom_op("farpoint::gather", mutates_args=())
def _gather(features: Tensor, indices: Tensor, channels_first: bool) -> Tensor:
    return _fp.gather(features, indices, channels_first=channels_first)


@_gather.register_fake
def _(features: Tensor, indices: Tensor, channels_first: bool) -> Tensor:
    batched = features.dim() == 3
    front, middle = (indices.shape[:1], indices.shape[1:]) if batched else ((), indices.shape)
    channels = features.shape[-2] if channels_first else features.shape[-1]
    return features.new_empty((*front, channels, *middle) if channels_first else (*front, *middle, channels))


@torch.library.custom_op("farpoint::gather_backward", mutates_args=())
def _gather_backward(gradient: Tensor, indices: Tensor, rows: int, batched: bool, channels_first: bool) -> Tensor:
    clouds = indices.shape[0] if batched else 1
    channels = gradient.shape[1 if batched else 0] if channels_first else gradient.shape[-1]
    if channels_first:
        each = gradient.reshape(clouds, channels, -1).transpose(1, 2).reshape(-1, channels)
    else:
        each = gradient.reshape(-1, channels)
    index = indices.reshape(clouds, -1).long()
    inside = ((index >= 0) & (index < rows)).reshape(-1)
    begin = torch.arange(clouds, device=index.device).unsqueeze(1) * rows
    # A row beyond the last takes what is out of range.
    target = torch.where(inside, (index + begin).reshape(-1), torch.full_like(begin, clouds * rows).reshape(-1)[:1])
    total = gradient.new_zeros((clouds * rows + 1, channels)).index_add_(0, target, each)[:-1].reshape(clouds, rows, channels)
    if channels_first:
        total = total.transpose(1, 2)
    return (total if batched else total[0]).contiguous()


@_gather_backward.register_fake
def _(gradient: Tensor, indices: Tensor, rows: int, batched: bool, channels_first: bool) -> Tensor:
    channels = gradient.shape[1 if batched else 0] if channels_first else gradient.shape[-1]
    front = indices.shape[:1] if batched else ()
    return gradient.new_empty((*front, channels, rows) if channels_first else (*front, rows, channels))


def _gather_setup(ctx, inputs, output) -> None:
    features, indices, channels_first = inputs
    ctx.save_for_backward(indices)
    ctx.rows = features.shape[-1] if channels_first else features.shape[-2]
    ctx.batched, ctx.channels_first = features.dim() == 3, channels_first


def _gather_gradient(ctx, gradient):
    (indices,) = ctx.saved_tensors
    return _gather_backward(gradient, indices, ctx.rows, ctx.batched, ctx.channels_first), None, None


_gather.register_autograd(_gather_gradient, setup_context=_gather_setup)


def _gather_of_gradient_setup(ctx, inputs, output) -> None:
    _, indices, _, _, ctx.channels_first = inputs
    ctx.save_for_backward(indices)


def _gradient_of_gradient(ctx, gradient):
    (indices,) = ctx.saved_tensors
    return _gather(gradient, indices, ctx.channels_first), None, None, None, None


_gather_backward.register_autograd(_gradient_of_gradient, setup_context=_gather_of_gradient_setup)


def gather(features: Tensor, indices: Tensor, channels_first: bool = False) -> Tensor:
    """Rows of (B, N, C) by (B, ...) indices, differentiable in the features; see `farpoint.gather`."""
    return _gather(features, indices, channels_first)


def group(features: Tensor, indices: Tensor) -> Tensor:
    """(B, C, N) and (B, M, K) -> (B, C, M, K), differentiable in the features; see `farpoint.group`."""
    return _gather(features, indices, True)


def three_interpolate(features: Tensor, idx: Tensor, weight: Tensor) -> Tensor:
    """(B, C, M), (B, N, 3), (B, N, 3) -> (B, C, N), differentiable in features and weights; see `farpoint.three_interpolate`."""
    values = _gather(features, idx, True)
    products = values * weight.unsqueeze(-3)
    return products[..., 0] + products[..., 1] + products[..., 2]


def interpolate(points: Tensor, features: Tensor, queries: Tensor) -> Tensor:
    """Features (B, N, C) of the three nearest points at the queries (B, M, 3), weighted by the inverse squared distance;
    differentiable in the features, of any floating type. As `farpoint.interpolate`, but for the last bits."""
    indices, distances = _knn(points, 3, queries, float("inf"), False)
    # Relative to the nearest: the inverse of a distance may overflow, this ratio cannot.
    nearest = distances[..., :1]
    weight = torch.where(distances == nearest, 1.0, nearest / distances) * (indices >= 0)
    weight = (weight / weight.sum(-1, keepdim=True).clamp(min=1)).to(features.dtype)
    return (_gather(features, indices, False) * weight.unsqueeze(-1)).sum(-2)


def voxel_mean(features: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    """Mean of the features of each voxel's points, differentiable in the features.

    Parameters
    ----------
    features : (N, C)
    point_voxel : (N,)
        Rows of voxels as `farpoint.voxelize` gives them; -1 for a point in none.
    num_voxels : int
        Rows of the output; those of voxels without points are zeros.
    """
    inside = (point_voxel >= 0) & (point_voxel < num_voxels)
    target = torch.where(inside, point_voxel, torch.full_like(point_voxel, num_voxels))
    total = features.new_zeros((num_voxels + 1, features.shape[1])).index_add(0, target, features)[:-1]
    count = torch.zeros(num_voxels + 1, dtype=features.dtype, device=features.device)
    count = count.index_add(0, target, torch.ones_like(target, dtype=features.dtype))[:-1]
    return total / count.clamp(min=1).unsqueeze(1)
