"""voxelize() of torch tensors, with gradients of the voxels' means and of the points that they keep."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from . import _core
from ._arrays import name_of
from ._rows import eager, gather, offsets_of, opaque_unless_differentiated, scatter, transformed
from ._voxelize import BOUNDS, named_outputs

_WITH_GRADIENTS = ("voxels", "mean", "first", "centroid")
_OF_VOXELS = ("coords", "num_points", "voxels", "mean", "max", "first", "centroid")


@torch.library.custom_op("farpoint::voxelize", mutates_args=())
def _voxelize(points: Tensor, voxel_size: List[float], point_range: List[float], max_points: Optional[int],
              max_voxels: Optional[int], outputs: str, capacity: Optional[int], order: str, columns: str, seed: Optional[int],
              dtype: str, offsets: Optional[Tensor]) -> List[Tensor]:
    found = _fp.voxelize(points, voxel_size, point_range or None, max_points=max_points, max_voxels=max_voxels,
                         outputs=outputs.split(), capacity=capacity, order=order, columns=columns, seed=seed, dtype=dtype,
                         offsets=offsets)
    return [found[name] for name in _names(outputs, point_range)]


def _names(outputs: str, point_range: Sequence[float]) -> List[str]:
    return [*outputs.split(), "voxel_count", "voxel_offsets", *([] if point_range else [BOUNDS])]


@_voxelize.register_fake
def _(points: Tensor, voxel_size: List[float], point_range: List[float], max_points: Optional[int], max_voxels: Optional[int],
      outputs: str, capacity: Optional[int], order: str, columns: str, seed: Optional[int], dtype: str,
      offsets: Optional[Tensor]) -> List[Tensor]:
    clouds = points.shape[0] if points.dim() == 3 else 1 if offsets is None else offsets.shape[0] - 1
    scalar = str(points.dtype).rpartition(".")[2]
    shapes = _core.voxelize_shapes(tuple(int(length) for length in points.shape), int(clouds), max_points, max_voxels, capacity,
                                   columns.startswith("batch"), scalar, dtype)
    found, on_host, voxels = [], points.device.type == "cpu", None
    for name in _names(outputs, point_range):
        shape, kind = shapes[name] if name != BOUNDS else ((6,), "float64")
        if on_host and (name in _OF_VOXELS or name == "list_offsets"):
            # Rows are voxels, whose number is not known while tracing.
            voxels = torch.library.get_ctx().new_dynamic_size() if voxels is None else voxels
            shape = (voxels + 1 if name == "list_offsets" else voxels, *shape[1:])
        if on_host and name == "list_points":
            shape = (torch.library.get_ctx().new_dynamic_size(),)
        found.append(points.new_empty(shape, dtype=getattr(torch, dtype if name == "mean" else kind)))
    return found


def _of_points_gradient(gradient: Tensor, voxel: Tensor, point: Tensor, counts: Tensor, rows: int) -> Tensor:
    """Gradient of the points: each kept point of a voxel gets the gradient of the voxel's mean, divided by the voxel's count."""
    return scatter(gather(gradient / counts.clamp(min=1).unsqueeze(-1), voxel), point, rows, False, False)


@torch.library.custom_op("farpoint::voxel_means_backward", mutates_args=())
def _of_points_backward(gradient: Tensor, voxel: Tensor, point: Tensor, counts: Tensor, rows: int) -> Tensor:
    return _of_points_gradient(gradient, voxel, point, counts, rows).contiguous()


@_of_points_backward.register_fake
def _(gradient: Tensor, voxel: Tensor, point: Tensor, counts: Tensor, rows: int) -> Tensor:
    return gradient.new_empty((rows, gradient.shape[1]))


_gradient_of_points = opaque_unless_differentiated(_of_points_backward, _of_points_gradient)


@torch.library.custom_op("farpoint::voxel_means", mutates_args=())
def _known_means(points: Tensor, means: Tensor, voxel: Tensor, point: Tensor, counts: Tensor) -> Tensor:
    """Copies means that voxelize() has computed, and makes them differentiable in the points."""
    return means.clone()


@_known_means.register_fake
def _(points: Tensor, means: Tensor, voxel: Tensor, point: Tensor, counts: Tensor) -> Tensor:
    return torch.empty_like(means)


def _means_setup(ctx, inputs, output) -> None:
    points, _, voxel, point, counts = inputs
    ctx.save_for_backward(voxel, point, counts)
    ctx.rows = points.shape[0]


def _means_autograd(ctx, gradient):
    return _gradient_of_points(gradient, *ctx.saved_tensors, ctx.rows), *(None,) * 4


_known_means.register_autograd(_means_autograd, setup_context=_means_setup)


def _kept(found: Dict[str, Tensor], max_points: Optional[int]) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns three tensors of rows, -1 for padding: the voxel of each kept point; that point; and the points of each voxel,
    `[voxels, max_points]`, or without `max_points` its first point alone, `[voxels, 1]`."""
    ends, points, counts = found["list_offsets"], found["list_points"], found["num_points"]
    if max_points is None:
        number = torch.arange(points.shape[0], device=points.device)
        voxel = torch.searchsorted(ends, number, right=True) - 1
        there = (points >= 0) & (voxel < counts.shape[0])
        first = torch.where(counts > 0, gather(points.unsqueeze(1), ends[:-1]).squeeze(1), -1)
        return torch.where(there, voxel, -1), torch.where(there, points, -1), first.unsqueeze(1)
    slot = torch.arange(max_points, device=points.device)
    at = torch.where(slot < counts.unsqueeze(1), ends[:-1].unsqueeze(1) + slot, -1)
    table = torch.where(at >= 0, gather(points.unsqueeze(1), at).squeeze(-1), -1)
    voxel = torch.arange(counts.shape[0], device=points.device).unsqueeze(1).expand_as(table)
    return torch.where(table >= 0, voxel, -1).flatten(), table.flatten(), table


def _with_gradients(points: Tensor, found: Dict[str, Tensor], max_points: Optional[int]) -> Dict[str, Tensor]:
    """Replaces the outputs of _WITH_GRADIENTS by equal ones that are differentiable in the points."""
    flat = points.reshape(-1, points.shape[-1])
    voxel, point, table = _kept(found, max_points)
    made = dict(found)
    for name in _WITH_GRADIENTS:
        if name in found:
            if name in ("mean", "centroid"):
                source = flat if name == "mean" else flat[:, :3]
                made[name] = _known_means(source, found[name].to(flat.dtype), voxel, point, found["num_points"])
            else:
                made[name] = gather(flat, table if name == "voxels" else table[:, 0])
            made[name] = made[name].to(found[name].dtype)
    return made


def voxelize(points: Tensor, voxel_size: Any, point_range: Optional[Sequence[float]] = None, *, max_points: Optional[int] = None,
             max_voxels: Optional[int] = None, outputs: Optional[Sequence[str]] = None, capacity: Optional[int] = None,
             order: str = "first_occurrence", columns: str = "xyz", seed: Optional[int] = None, dtype: Any = None,
             offsets: Any = None, lengths: Any = None) -> Dict[str, Tensor]:
    """Voxels of a grid and the points in them; see `farpoint.voxelize`. `voxels`, `mean`, `first` and `centroid` are differentiable in
    the points. For points that require a gradient, `seed` and the output `max` are refused."""
    cuts = offsets_of(offsets, lengths, points)
    if eager(points):
        return _fp.voxelize(points, voxel_size, point_range, max_points=max_points, max_voxels=max_voxels, outputs=outputs,
                            capacity=capacity, order=order, columns=columns, seed=seed, dtype=dtype, offsets=cuts)
    if transformed():
        raise ValueError("voxelize: transforms of torch.func do not go through it")
    if points.dtype not in (torch.float32, torch.float64):
        points = points.to(torch.float32 if points.is_floating_point() else torch.float64)
    names = named_outputs(outputs, max_points is not None)
    learned = torch.is_grad_enabled() and points.requires_grad and any(name in _WITH_GRADIENTS or name == "max" for name in names)
    if learned and ("max" in names or seed is not None):
        what = "max has no gradient" if "max" in names else "a seed chooses points, whose gradients are not known"
        raise ValueError(f"voxelize: {what}; pass points.detach(), or leave it out")
    hidden = ("num_points", "list_offsets", "list_points") if learned else ()
    asked = " ".join(dict.fromkeys((*names, *hidden)))
    sizes = voxel_size.tolist() if hasattr(voxel_size, "tolist") else voxel_size
    size = [float(each) for each in sizes] if isinstance(sizes, (list, tuple)) else [float(sizes)] * 3
    bounds = [] if point_range is None else [float(each) for each in point_range]
    if point_range is not None and not bounds:  # the operator takes these for no range
        raise ValueError("voxelize: point_range has 0 numbers; it must have six")
    dtype = points.dtype if dtype is None else dtype
    kind = str(dtype).rpartition(".")[2] if isinstance(dtype, (str, torch.dtype)) else name_of(dtype)
    tensors = _voxelize(points.detach(), size, bounds, max_points, max_voxels, asked, capacity, order, columns, seed, kind, cuts)
    found = dict(zip(_names(asked, bounds), tensors))
    if learned:
        found = _with_gradients(points, found, max_points)
    return {name: found[name] for name in _names(" ".join(names), bounds)}
