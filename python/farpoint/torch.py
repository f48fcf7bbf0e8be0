"""farpoint for torch: gradients, and operators that torch.compile takes as they are.

    import farpoint.torch as fpt
    picks = fpt.fps(points, 1024)
    sampled = fpt.gather(features, picks)   # differentiable in features

The functions of `farpoint` take tensors too, without gradients. Here a call that needs no gradient, and that nothing compiles or
transforms, is passed on to them; any other call is an operator of torch.library in the namespace `farpoint`, with shapes for tracing.
Features, weights, and the coordinates that distances and voxels are computed from have gradients of any order; all functions but
voxelize() and PointIndex work within torch.func (grad, jvp, vmap). Coordinates of float16 and bfloat16 are searched as float32, under
autocast or not. All arithmetic is within operators, so that a compiled call has equal bits. The gradient of a row is the sum over all
rows gathered from it, added by index_add_: on a GPU in an order that may differ from run to run, unless
torch.use_deterministic_algorithms is set.

Clouds of different lengths lie one after another, (N, 3), cut by `offsets` of (B + 1,) or `lengths` of (B,), tensors or lists.
"""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._distances import INFINITY, knn, three_nn
from ._interpolation import interpolate, three_interpolate
from ._lists import radius
from ._rows import (HALVES, constant, coordinates, eager, gather, offsets_of, opaque_unless_differentiated, over_clouds,
                    transformed)
from ._torch_index import PointIndex
from ._voxel_values import voxelize

__all__ = [
    "PointIndex", "ball_query", "fps", "gather", "group", "interpolate", "knn", "normals", "radius", "three_interpolate", "three_nn",
    "voxel_mean", "voxelize",
]


@torch.library.custom_op("farpoint::fps", mutates_args=())
def _fps(points: Tensor, samples: int, first: int, offsets: Optional[Tensor], firsts: Optional[Tensor] = None) -> Tensor:
    return _fp.fps(points, samples, first=first if firsts is None else firsts, offsets=offsets)


@_fps.register_fake
def _(points: Tensor, samples: int, first: int, offsets: Optional[Tensor], firsts: Optional[Tensor] = None) -> Tensor:
    front = points.shape[:-2] if offsets is None else (offsets.shape[0] - 1,)
    return points.new_empty((*front, samples), dtype=torch.int64)


over_clouds(_fps, (0,))


def _without_gradient(*clouds: Optional[Tensor]) -> Sequence[Any]:
    """Clouds for a search that returns indices alone."""
    return [cloud.detach() if cloud is not None and cloud.requires_grad else cloud for cloud in clouds]


def fps(points: Tensor, samples: int, first: Any = 0, offsets: Any = None, lengths: Any = None) -> Tensor:
    """Farthest point sampling: (B, N, 3) -> (B, samples) int64; see `farpoint.fps`. `first` is an index, or a tensor of one for each
    cloud."""
    (points,) = _without_gradient(points)
    if eager(points):
        return _fp.fps(points, samples, first=first, offsets=offsets, lengths=lengths)
    (points,) = coordinates(points)
    firsts = first if isinstance(first, Tensor) else None
    return _fps(constant(points), samples, 0 if firsts is not None else first, offsets_of(offsets, lengths, points), firsts)


@torch.library.custom_op("farpoint::ball_query", mutates_args=())
def _ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor, offsets: Optional[Tensor] = None,
                query_offsets: Optional[Tensor] = None) -> Tensor:
    return _fp.ball_query(radius, nsample, xyz, new_xyz, offsets=offsets, query_offsets=query_offsets)


@_ball_query.register_fake
def _(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor, offsets: Optional[Tensor] = None,
      query_offsets: Optional[Tensor] = None) -> Tensor:
    return xyz.new_empty((*new_xyz.shape[:-1], nsample), dtype=torch.int32)


over_clouds(_ball_query, (2, 3))


def ball_query(radius: float, nsample: int, xyz: Tensor, new_xyz: Tensor, *, offsets: Any = None, lengths: Any = None,
               query_offsets: Any = None, query_lengths: Any = None) -> Tensor:
    """Ball query of PointNet++: (B, M, nsample) int32; see `farpoint.ball_query`."""
    xyz, new_xyz = _without_gradient(xyz, new_xyz)
    if eager(xyz, new_xyz):
        return _fp.ball_query(radius, nsample, xyz, new_xyz, offsets=offsets, lengths=lengths, query_offsets=query_offsets,
                              query_lengths=query_lengths)
    xyz, new_xyz = coordinates(xyz, new_xyz)
    return _ball_query(radius, nsample, constant(xyz), constant(new_xyz), offsets_of(offsets, lengths, xyz),
                       offsets_of(query_offsets, query_lengths, xyz, "query_"))


@torch.library.custom_op("farpoint::normals", mutates_args=())
def _normals(points: Tensor, k: int, max_radius: float, viewpoint: List[float], offsets: Optional[Tensor],
             ) -> Tuple[Tensor, Tensor, Tensor]:
    return _fp.normals(points, k, max_radius=max_radius, viewpoint=viewpoint, return_curvature=True, return_covariances=True,
                       offsets=offsets)


@_normals.register_fake
def _(points: Tensor, k: int, max_radius: float, viewpoint: List[float], offsets: Optional[Tensor],
      ) -> Tuple[Tensor, Tensor, Tensor]:
    shape = points.shape[:-1]
    return points.new_empty((*shape, 3)), points.new_empty(shape), points.new_empty((*shape, 6))


over_clouds(_normals, (0,))


def normals(points: Tensor, k: int = 16, *, max_radius: float = INFINITY, viewpoint: Sequence[float] = (0.0, 0.0, 0.0),
            return_curvature: bool = False, return_covariances: bool = False, offsets: Any = None, lengths: Any = None) -> Any:
    """Normals (B, N, 3), with `return_curvature` curvatures (B, N), and with `return_covariances` covariances (B, N, 6); see
    `farpoint.normals`. They have no gradient: a tensor that needs one is refused."""
    if eager(points):
        return _fp.normals(points, k, max_radius=max_radius, viewpoint=viewpoint, return_curvature=return_curvature,
                           return_covariances=return_covariances, offsets=offsets, lengths=lengths)
    if torch.is_grad_enabled() and points.requires_grad:
        raise ValueError("normals: the gradient of points would be lost; pass points.detach()")
    (points,) = coordinates(points)
    found = _normals(constant(points), k, max_radius, [float(each) for each in viewpoint], offsets_of(offsets, lengths, points))
    more = tuple(each for each, wanted in zip(found[1:], (return_curvature, return_covariances)) if wanted)
    return (found[0], *more) if more else found[0]


def group(features: Tensor, indices: Tensor, *, offsets: Any = None, lengths: Any = None, index_offsets: Any = None,
          index_lengths: Any = None) -> Tensor:
    """(B, C, N) and (B, M, K) -> (B, C, M, K), or of ragged clouds (N, C) and (M, K) -> (M, C, K), differentiable in the features; see
    `farpoint.group`."""
    if offsets is None and lengths is None:
        return gather(features, indices, True, index_offsets=index_offsets, index_lengths=index_lengths)
    rows = gather(features, indices, offsets=offsets, lengths=lengths, index_offsets=index_offsets, index_lengths=index_lengths)
    return rows.transpose(1, 2).contiguous()


def _voxel_targets(point_voxel: Tensor, num_voxels: int, dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
    """The row of each point's voxel, or one past the last, and the number of points of each row, at least 1."""
    inside = (point_voxel >= 0) & (point_voxel < num_voxels)
    target = torch.where(inside, point_voxel, torch.full_like(point_voxel, num_voxels))
    ones = torch.ones_like(target, dtype=dtype)
    count = torch.zeros(num_voxels + 1, dtype=dtype, device=target.device).index_add(0, target, ones)
    return target, count.clamp(min=1).unsqueeze(1)


def _voxel_mean(features: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    if features.dtype in HALVES:
        return _voxel_mean(features.float(), point_voxel, num_voxels).to(features.dtype)
    target, count = _voxel_targets(point_voxel, num_voxels, features.dtype)
    total = features.new_zeros((num_voxels + 1, features.shape[1])).index_add(0, target, features)
    return (total / count)[:-1]


def _voxel_mean_gradient(gradient: Tensor, point_voxel: Tensor, num_voxels: int) -> Tensor:
    if gradient.dtype in HALVES:
        return _voxel_mean_gradient(gradient.float(), point_voxel, num_voxels).to(gradient.dtype)
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
        Rows of the output; rows of voxels without points are zeros.
    """
    if eager(features, point_voxel):
        return _voxel_mean(features, point_voxel, num_voxels).contiguous()
    return (_voxel_mean if transformed() else _voxel_mean_operator)(features, point_voxel, num_voxels)
