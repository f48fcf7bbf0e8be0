"""Rows of features by index with gradients: the operators below everything in farpoint.torch that is differentiable."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, Callable, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

import farpoint as _fp

if not hasattr(torch.library, "custom_op"):
    raise ImportError(f"farpoint.torch needs torch 2.4 or later; this is torch {torch.__version__}")


def eager(*tensors: Optional[Tensor]) -> bool:
    """True where a call may go to `farpoint` itself: nothing compiles, traces or transforms it, and no gradient is needed.

    An operator of torch.library in Python takes tens of microseconds, farpoint's own calls a few.
    """
    if torch.compiler.is_compiling() or transformed() or torch._C._len_torch_dispatch_stack() > 0:
        return False
    if torch._C._get_tracing_state() is not None:
        return False
    records = torch.is_grad_enabled()
    return all([tensor is None or (type(tensor) in _PLAIN and not (records and tensor.requires_grad)) for tensor in tensors])


_PLAIN = (Tensor, torch.nn.Parameter)
#: Types whose rows are added up and counted in float32: in their own type, counts end at 2,048 and 256.
HALVES = (torch.float16, torch.bfloat16)


def coordinates(*clouds: Optional[Tensor]) -> List[Any]:
    """Clouds in a type that is searched, under autocast or not: float16 and bfloat16 as float32, integers as float64, and both
    as float64 where they then differ."""
    found: List[Any] = []
    converts = wide = False
    for cloud in clouds:
        if cloud is not None and cloud.dtype not in (torch.float32, torch.float64):
            converts = True
            cloud = cloud.to(torch.float32 if cloud.is_floating_point() else torch.float64)
        wide = wide or (cloud is not None and cloud.dtype == torch.float64)
        found.append(cloud)
    return [None if cloud is None else cloud.double() for cloud in found] if converts and wide else found


def transformed() -> bool:
    """True within torch.func's transforms and forward-mode differentiation, which pass over the gradients of operators."""
    return torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0


def constant(tensor: Optional[Tensor]) -> Optional[Tensor]:
    """A tensor for an operator that transforms must not differentiate, because it has no derivatives of higher order."""
    return tensor.detach() if tensor is not None and transformed() else tensor


def opaque_unless_differentiated(operator: Callable, formula: Callable) -> Callable:
    """A gradient: by an operator, in which no compiler changes the arithmetic, or by its formula in functions of torch, where
    the gradient itself is to be differentiated. Both compute the same."""
    return lambda *arguments: (formula if torch.is_grad_enabled() else operator)(*arguments)


def offsets_of(offsets: Any, lengths: Any, like: Tensor, what: str = "") -> Optional[Tensor]:
    """Offsets of clouds that lie one after another, on the device of their points; None of regular clouds."""
    if offsets is not None and lengths is not None:
        raise ValueError(f"pass either {what}offsets or {what}lengths")
    if lengths is not None:
        sizes = torch.as_tensor(lengths, device=like.device)
        sizes = sizes if sizes.numel() > 0 else sizes.long()
        return torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    return None if offsets is None else torch.as_tensor(offsets, device=like.device)


def over_clouds(operator: Any, clouds: Sequence[int]) -> None:
    """Registers the batching rule of an operator, for vmap over its arguments at the positions `clouds`: one call on all
    clouds."""

    def rule(info: Any, in_dims: Tuple[Optional[int], ...], *arguments: Any) -> Tuple[Any, Any]:
        given = [number for number in clouds if arguments[number] is not None]
        found: Any
        if any(isinstance(each, Tensor) and number not in given for number, each in enumerate(arguments)):  # ragged clouds
            each_call = [operator(*[value.select(dim, row) if isinstance(value, Tensor) and dim is not None else value
                                    for value, dim in zip(arguments, in_dims)]) for row in range(info.batch_size)]
            is_one = isinstance(each_call[0], Tensor)
            found = torch.stack(each_call) if is_one else tuple(torch.stack(each) for each in zip(*each_call))
        else:
            batched = list(arguments)
            for number in given:
                value, dim = arguments[number], in_dims[number]
                batched[number] = value.expand(info.batch_size, *value.shape) if dim is None else value.movedim(dim, 0)
            front = batched[given[0]].shape[:-2]
            if len(front) == 2:  # vmap over batches: all clouds become one batch
                for number in given:
                    batched[number] = batched[number].flatten(0, 1)
            found = operator(*batched)
            is_one = isinstance(found, Tensor)
            if len(front) == 2:
                found = found.unflatten(0, front) if is_one else tuple(each.unflatten(0, front) for each in found)
        return found, 0 if is_one else (0,) * len(found)

    torch.library.register_vmap(operator, rule)


def _global_rows(indices: Tensor, offsets: Tensor, index_offsets: Optional[Tensor]) -> Tensor:
    clouds = offsets.shape[0] - 1
    rows = torch.arange(indices.shape[0], device=indices.device)
    segment = rows if index_offsets is None else torch.searchsorted(index_offsets.long(), rows, right=True) - 1
    begin, end = offsets[segment.clamp(0, max(clouds - 1, 0))], offsets[(segment + 1).clamp(0, clouds)]
    known = (segment >= 0) & (segment < clouds)
    begin, end, known = (each.reshape(-1, *[1] * (indices.dim() - 1)) for each in (begin, end, known))
    return torch.where(known & (indices >= 0) & (indices < end - begin), indices + begin, -1).long()


def _checked_rows(indices: Tensor, offsets: Tensor, index_offsets: Optional[Tensor], rows: int) -> Tensor:
    for cuts, count in ((offsets, rows), (index_offsets, indices.shape[0])):
        if cuts is not None and (cuts.dim() != 1 or cuts.shape[0] == 0 or cuts.is_floating_point()):
            raise ValueError("offsets are not integers of (clouds + 1,)")
        if cuts is not None and cuts.is_cpu and (cuts[0] < 0 or cuts[-1] > count or (cuts.diff() < 0).any()):
            raise ValueError("offsets do not ascend, or leave the points")
    if indices.dim() == 0 or (index_offsets.shape[0] if index_offsets is not None else indices.shape[0] + 1) != offsets.shape[0]:
        raise ValueError("indices and features have different numbers of clouds")
    return _global_rows(indices, offsets, index_offsets)


_global_rows_operator = torch.library.custom_op("farpoint::global_rows", _checked_rows, mutates_args=())


@_global_rows_operator.register_fake
def _(indices: Tensor, offsets: Tensor, index_offsets: Optional[Tensor], rows: int) -> Tensor:
    return indices.new_empty(indices.shape, dtype=torch.int64)


def global_rows(indices: Tensor, offsets: Tensor, index_offsets: Optional[Tensor], rows: int) -> Tensor:
    """Converts indices into each cloud to rows of all clouds; -1 for an index that is out of range, or in no cloud.

    `offsets` cut the `rows` that indices point to, and `index_offsets` cut the indices; without them `indices` has a row for
    each cloud.
    """
    if transformed():
        return _global_rows(indices, offsets, index_offsets)
    return (_checked_rows if eager(indices, offsets) else _global_rows_operator)(indices, offsets, index_offsets, rows)


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


def gather(features: Tensor, indices: Tensor, channels_first: bool = False, *, offsets: Any = None, lengths: Any = None,
           index_offsets: Any = None, index_lengths: Any = None) -> Tensor:
    """Rows of (B, N, C) by (B, ...) indices, differentiable in the features; see `farpoint.gather`."""
    if eager(features, indices):
        return _fp.gather(features, indices, channels_first=channels_first, offsets=offsets, lengths=lengths,
                          index_offsets=index_offsets, index_lengths=index_lengths)
    cuts = offsets_of(offsets, lengths, features)
    index_cuts = offsets_of(index_offsets, index_lengths, indices, "index_")
    if cuts is not None:
        if channels_first or features.dim() != 2:
            raise ValueError("gather: features of ragged clouds are (N, C), not channels first")
        indices = global_rows(indices, cuts, index_cuts, features.shape[0])
    elif index_cuts is not None:
        raise ValueError("gather: index_offsets and index_lengths need offsets or lengths")
    return (_plain_gather if transformed() else _gather)(features, indices, channels_first)
