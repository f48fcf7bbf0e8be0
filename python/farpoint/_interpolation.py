"""Weighted sums of the features of three points, with gradients of features and weights."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._distances import INFINITY, knn, rows_of
from ._rows import coordinates, eager, gather, global_rows, offsets_of, opaque_unless_differentiated, scatter, transformed


def _weighted_sum(features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool) -> Tensor:
    products = gather(features, indices, channels_first) * weight.unsqueeze(-3 if channels_first else -1)
    one, two, three = products.unbind(-1 if channels_first else -2)
    return one + two + three


def _weighted_sum_gradient(gradient: Tensor, features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool,
                           of_features: bool) -> Tensor:
    each = gradient.unsqueeze(-1 if channels_first else -2)
    if not of_features:
        return (each * gather(features, indices, channels_first)).sum(-3 if channels_first else -1).to(weight.dtype)
    rows = features.shape[-1 if channels_first else -2]
    return scatter((each * weight.unsqueeze(-3 if channels_first else -1)).to(features.dtype), indices, rows, features.dim() == 3,
                   channels_first)


@torch.library.custom_op("farpoint::weighted_sum", mutates_args=())
def _weighted_sum_operator(features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool) -> Tensor:
    return _weighted_sum(features, indices, weight, channels_first).contiguous()


@_weighted_sum_operator.register_fake
def _(features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool) -> Tensor:
    channels = features.shape[-2] if channels_first else features.shape[-1]
    *front, middle, _ = indices.shape
    return features.new_empty((*front, channels, middle) if channels_first else (*front, middle, channels),
                              dtype=torch.result_type(features, weight))


@torch.library.custom_op("farpoint::weighted_sum_backward", mutates_args=())
def _weighted_sum_backward(gradient: Tensor, features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool,
                           of_features: bool) -> Tensor:
    return _weighted_sum_gradient(gradient, features, indices, weight, channels_first, of_features).contiguous()


@_weighted_sum_backward.register_fake
def _(gradient: Tensor, features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool, of_features: bool) -> Tensor:
    return torch.empty_like(features if of_features else weight, memory_format=torch.contiguous_format)


_gradient_of_weighted_sum = opaque_unless_differentiated(_weighted_sum_backward, _weighted_sum_gradient)


def _weighted_sum_setup(ctx, inputs, output) -> None:
    features, indices, weight, ctx.channels_first = inputs
    ctx.save_for_backward(features, indices, weight)


def _weighted_sum_autograd(ctx, gradient):
    arguments = (gradient, *ctx.saved_tensors, ctx.channels_first)
    of_features, _, of_weight, _ = ctx.needs_input_grad
    return (_gradient_of_weighted_sum(*arguments, True) if of_features else None, None,
            _gradient_of_weighted_sum(*arguments, False) if of_weight else None, None)


_weighted_sum_operator.register_autograd(_weighted_sum_autograd, setup_context=_weighted_sum_setup)


def weighted_sum(features: Tensor, indices: Tensor, weight: Tensor, channels_first: bool) -> Tensor:
    """Sums of the rows of three indices by weights; differentiable in the features and the weights."""
    if eager(features, indices, weight):
        return _weighted_sum(features, indices, weight, channels_first).contiguous()
    return (_weighted_sum if transformed() else _weighted_sum_operator)(features, indices, weight, channels_first)


def three_interpolate(features: Tensor, idx: Tensor, weight: Tensor, *, offsets: Any = None, lengths: Any = None,
                      index_offsets: Any = None, index_lengths: Any = None) -> Tensor:
    """(B, C, M), (B, N, 3), (B, N, 3) -> (B, C, N), or of ragged clouds (M, C), (N, 3), (N, 3) -> (N, C), differentiable in features
    and weights; see `farpoint.three_interpolate`."""
    if idx.shape != weight.shape or idx.shape[-1:] != (3,):
        raise ValueError("three_interpolate: idx and weight are not both (B, N, 3)")
    cuts = offsets_of(offsets, lengths, features)
    if cuts is None:
        return weighted_sum(features, idx, weight, True)
    rows = global_rows(idx, cuts, offsets_of(index_offsets, index_lengths, idx, "index_"), features.shape[0])
    return weighted_sum(features, rows, weight, False)


def _inverse_weights(distances: Tensor, indices: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Weights of squared distances, each its inverse over the sum of all; that sum relative to the nearest, and where a weight
    follows its distance."""
    nearest = distances[..., :1]
    follows = (distances > 0) & (distances < INFINITY) & (indices >= 0)
    # Relative to the nearest: the inverse of a distance may overflow, this ratio cannot.
    ratio = torch.where(follows, nearest / torch.where(follows, distances, 1), (distances == nearest).to(distances.dtype))
    ratio = torch.where(indices >= 0, ratio, torch.zeros_like(ratio))
    total = ratio.sum(-1, keepdim=True).clamp(min=1)
    return ratio / total, total, follows


def _inverse_weights_gradient(gradient: Tensor, distances: Tensor, indices: Tensor) -> Tensor:
    weight, total, follows = _inverse_weights(distances, indices)
    slope = gradient - (gradient * weight).sum(-1, keepdim=True)
    slope = torch.where(follows, slope, torch.zeros_like(slope)) / torch.where(follows, distances, 1)
    # By the distance itself, and by the nearest, to which all are relative.
    own = -slope * weight
    return torch.cat([own[..., :1] + (slope / total).sum(-1, keepdim=True), own[..., 1:]], -1)


@torch.library.custom_op("farpoint::inverse_weights", mutates_args=())
def _inverse_weights_operator(distances: Tensor, indices: Tensor) -> Tensor:
    return _inverse_weights(distances, indices)[0].contiguous()


@_inverse_weights_operator.register_fake
def _(distances: Tensor, indices: Tensor) -> Tensor:
    return torch.empty_like(distances, memory_format=torch.contiguous_format)


@torch.library.custom_op("farpoint::inverse_weights_backward", mutates_args=())
def _inverse_weights_backward(gradient: Tensor, distances: Tensor, indices: Tensor) -> Tensor:
    return _inverse_weights_gradient(gradient, distances, indices)


@_inverse_weights_backward.register_fake
def _(gradient: Tensor, distances: Tensor, indices: Tensor) -> Tensor:
    return torch.empty_like(distances, memory_format=torch.contiguous_format)


_gradient_of_inverse_weights = opaque_unless_differentiated(_inverse_weights_backward, _inverse_weights_gradient)
_inverse_weights_operator.register_autograd(
    lambda ctx, gradient: (_gradient_of_inverse_weights(gradient, *ctx.saved_tensors), None),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def check_features(features: Tensor, points: Tensor) -> None:
    """Refuses integers, to which weights would be rounded, and features without a row for each point."""
    if not features.is_floating_point():
        raise ValueError(f"interpolate: features are {features.dtype}; they must be floating point numbers")
    if features.dim() < 2 or features.shape[:-1] != points.shape[:-1]:
        raise ValueError(f"interpolate: features have the shape {tuple(features.shape)}; they must have a row for each point")


def by_distance(features: Tensor, rows: Tensor, distances: Tensor) -> Tensor:
    """Features (B, N, C) of three rows, weighted by the inverse of their squared distances."""
    direct = transformed() or eager(distances, rows)
    weight = _inverse_weights(distances, rows)[0] if direct else _inverse_weights_operator(distances, rows)
    return weighted_sum(features, rows, weight.to(features.dtype), False)


@torch.library.custom_op("farpoint::interpolate", mutates_args=())
def _interpolate(points: Tensor, features: Tensor, queries: Tensor, offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    """interpolate() without gradients."""
    return _fp.interpolate(points, features, queries, offsets=offsets, query_offsets=query_offsets)


@_interpolate.register_fake
def _(points: Tensor, features: Tensor, queries: Tensor, offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    return features.new_empty((*queries.shape[:-1], features.shape[-1]))


def interpolate(points: Tensor, features: Tensor, queries: Tensor, *, offsets: Any = None, lengths: Any = None,
                query_offsets: Any = None, query_lengths: Any = None) -> Tensor:
    """Features (B, N, C) of the three nearest points at the queries (B, M, 3), weighted by the inverse squared distance;
    differentiable in features, points and queries, of any floating type.

    Of float32 features, where no gradient is needed, the result is that of `farpoint.interpolate`; otherwise its last bits differ.
    """
    learned = torch.is_grad_enabled() and (points.requires_grad or features.requires_grad or queries.requires_grad)
    direct = features.dtype == torch.float32 and not learned and not transformed()
    if direct and eager(points, features, queries):
        return _fp.interpolate(points, features, queries, offsets=offsets, lengths=lengths, query_offsets=query_offsets,
                               query_lengths=query_lengths)
    check_features(features, points)
    points, queries = coordinates(points, queries)
    cuts, asked = offsets_of(offsets, lengths, points), offsets_of(query_offsets, query_lengths, queries, "query_")
    if direct:
        return _interpolate(points, features, queries, cuts, asked)
    indices, distances = knn(points, 3, queries, offsets=cuts, query_offsets=asked)
    return by_distance(features, rows_of(indices, points, cuts, asked), distances)
