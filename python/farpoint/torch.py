"""farpoint for torch: gradients, and operators that torch.compile takes as they are.

    import farpoint.torch as fpt
    picks = fpt.fps(points, 1024)
    sampled = fpt.gather(features, picks)   # differentiable in features

The functions of `farpoint` take tensors too, without gradients. These are torch.library operators of the namespace `farpoint`,
with shapes for tracing. All but `fps` and `ball_query`, which return indices, are differentiable, as often as one likes, also
within torch.func (grad, jvp, vmap): features, weights and the coordinates that distances are made of. All arithmetic is within
operators, so that what torch.compile makes of a call has the same bits. Gradients of rows are sums over what was gathered from
them, added by index_add_: on a GPU in an order that may differ from run to run, unless torch.use_deterministic_algorithms says
otherwise.
"""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._distances import knn, three_nn
from ._interpolation import interpolate, three_interpolate
from ._rows import constant, gather, opaque_unless_differentiated, transformed

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
    return _fps(constant(points), samples, first, offsets)


@torch.library.custom_op("farpoint::ball_query", mutates_args=())
def _ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    return _fp.ball_query(radius, nsample, xyz, new_xyz)


@_ball_query.register_fake
def _(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    return xyz.new_empty((*new_xyz.shape[:-1], nsample), dtype=torch.int32)


def ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor) -> Tensor:
    """Ball query of PointNet++: (B, M, nsample) int32; see `farpoint.ball_query`."""
    return _ball_query(radius, nsample, constant(xyz), constant(new_xyz))


def group(features: Tensor, indices: Tensor) -> Tensor:
    """(B, C, N) and (B, M, K) -> (B, C, M, K), differentiable in the features; see `farpoint.group`."""
    return gather(features, indices, True)


def _voxel_targets(point_voxel: Tensor, num_voxels: int, dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
    """The row of each point's voxel, or one past the last, and the number of points of each row, at least 1."""
    inside = (point_voxel >= 0) & (point_voxel < num_voxels)
    target = torch.where(inside, point_voxel, torch.full_like(point_voxel, num_voxels))
    ones = torch.ones_like(target, dtype=dtype)
    count = torch.zeros(num_voxels + 1, dtype=dtype, device=target.device).index_add(0, target, ones)
    return target, count.clamp(min=1).unsqueeze(1)


def _voxel_mean(features: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    target, count = _voxel_targets(point_voxel, num_voxels, features.dtype)
    total = features.new_zeros((num_voxels + 1, features.shape[1])).index_add(0, target, features)
    return (total / count)[:-1]


def _voxel_mean_gradient(gradient: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    target, count = _voxel_targets(point_voxel, num_voxels, gradient.dtype)
    return gather(gradient / count[:-1], target)


@torch.library.custom_op("farpoint::voxel_mean", mutates_args=())
def _voxel_mean_operator(features: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    return _voxel_mean(features, point_voxel, num_voxels).contiguous()


@_voxel_mean_operator.register_fake
def _(features: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    return features.new_empty((num_voxels, features.shape[1]))


@torch.library.custom_op("farpoint::voxel_mean_backward", mutates_args=())
def _voxel_mean_backward(gradient: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    return _voxel_mean_gradient(gradient, point_voxel, num_voxels).contiguous()


@_voxel_mean_backward.register_fake
def _(gradient: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    return gradient.new_empty((point_voxel.shape[0], gradient.shape[1]))


_gradient_of_voxel_mean = opaque_unless_differentiated(_voxel_mean_backward, _voxel_mean_gradient)


def _voxel_mean_setup(ctx, inputs, output) -> None:
    _, point_voxel, ctx.num_voxels = inputs
    ctx.save_for_backward(point_voxel)


def _voxel_mean_autograd(ctx, gradient):
    return _gradient_of_voxel_mean(gradient, *ctx.saved_tensors, ctx.num_voxels), None, None


_voxel_mean_operator.register_autograd(_voxel_mean_autograd, setup_context=_voxel_mean_setup)


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
    return (_voxel_mean if transformed() else _voxel_mean_operator)(features, point_voxel, num_voxels)
