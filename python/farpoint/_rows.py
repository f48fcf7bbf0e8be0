"""Rows of features by index with gradients: the operators below everything in farpoint.torch that is differentiable."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Callable, Optional

import torch
from torch import Tensor

import farpoint as _fp


def transformed() -> bool:
    """True within torch.func's transforms and forward-mode differentiation, which pass over the gradients of operators."""
    return torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0


def constant(tensor: Optional[Tensor]) -> Optional[Tensor]:
    """A tensor for an operator that transforms must not differentiate: they would ask it for derivatives that it has not."""
    return tensor.detach() if tensor is not None and transformed() else tensor


def opaque_unless_differentiated(operator: Callable, formula: Callable) -> Callable:
    """A gradient: by an operator, in which no compiler changes the arithmetic, or by its formula in functions of torch, where
    the gradient itself is to be differentiated. Both compute the same."""
    return lambda *arguments: (formula if torch.is_grad_enabled() else operator)(*arguments)


@torch.library.custom_op("farpoint::gather", mutates_args=())
def _gather(features: Tensor, indices: Tensor, channels_first: bool) -> Tensor:
    return _fp.gather(features, indices, channels_first=channels_first)


@_gather.register_fake
def _(features: Tensor, indices: Tensor, channels_first: bool) -> Tensor:
    batched = features.dim() == 3
    front, middle = (indices.shape[:1], indices.shape[1:]) if batched else ((), indices.shape)
    channels = features.shape[-2] if channels_first else features.shape[-1]
    return features.new_empty((*front, channels, *middle) if channels_first else (*front, *middle, channels))


def _plain_gather(features: Tensor, indices: Tensor, channels_first: bool) -> Tensor:
    """gather() by torch's own functions, for transforms."""
    table = features.transpose(-1, -2) if channels_first else features
    inside = (indices >= 0) & (indices < table.shape[-2])
    which = torch.where(inside, indices, 0).long()
    if features.dim() == 3:
        flat = which.flatten(1).unsqueeze(-1).expand(-1, -1, table.shape[-1])
        rows = table.gather(1, flat).reshape(*indices.shape, table.shape[-1])
    else:
        rows = table[which]
    rows = torch.where(inside.unsqueeze(-1), rows, torch.zeros_like(rows))
    return rows.movedim(-1, features.dim() - 2) if channels_first else rows


@torch.library.custom_op("farpoint::gather_backward", mutates_args=())
def scatter(gradient: Tensor, indices: Tensor, rows: int, batched: bool, channels_first: bool) -> Tensor:
    """The gradient of gather() in the features: for each of `rows` rows the sum of what was gathered from it."""
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


@scatter.register_fake
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
    return scatter(gradient, indices, ctx.rows, ctx.batched, ctx.channels_first), None, None


_gather.register_autograd(_gather_gradient, setup_context=_gather_setup)


def _scatter_setup(ctx, inputs, output) -> None:
    _, indices, _, _, ctx.channels_first = inputs
    ctx.save_for_backward(indices)


def _scatter_gradient(ctx, gradient):
    (indices,) = ctx.saved_tensors
    return _gather(gradient, indices, ctx.channels_first), None, None, None, None


scatter.register_autograd(_scatter_gradient, setup_context=_scatter_setup)


def gather(features: Tensor, indices: Tensor, channels_first: bool = False) -> Tensor:
    """Rows of (B, N, C) by (B, ...) indices, differentiable in the features; see `farpoint.gather`."""
    return (_plain_gather if transformed() else _gather)(features, indices, channels_first)
