"""knn and three_nn with gradients of their distances."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._rows import constant, gather, opaque_unless_differentiated, scatter, transformed

INFINITY = float("inf")


@torch.library.custom_op("farpoint::knn", mutates_args=())
def _knn(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool) -> Tuple[Tensor, Tensor]:
    found = _fp.knn(points, k, queries, max_radius=max_radius, exclude_self=exclude_self)
    return found.indices, found.distances


@_knn.register_fake
def _(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool) -> Tuple[Tensor, Tensor]:
    rows = (points if queries is None else queries).shape[:-1]
    return points.new_empty((*rows, k), dtype=torch.int64), points.new_empty((*rows, k))


@torch.library.custom_op("farpoint::three_nn", mutates_args=())
def _three_nn(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    return _fp.three_nn(unknown, known)


@_three_nn.register_fake
def _(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    return torch.empty_like(unknown, memory_format=torch.contiguous_format), unknown.new_empty(unknown.shape, dtype=torch.int32)


def _differences(points: Tensor, queries: Tensor, indices: Tensor, found: Tensor) -> Tensor:
    """From each query to each of its neighbours; zeros for those that are missing."""
    difference = gather(points, indices) - queries.unsqueeze(-2)
    return torch.where(found.unsqueeze(-1), difference, torch.zeros_like(difference))


def _distances(points: Tensor, queries: Tensor, indices: Tensor, found: Tensor, root: bool) -> Tensor:
    """Distances by torch's own functions, for transforms; see _distances_gradient()."""
    x, y, z = _differences(points, queries, indices, found).square().unbind(-1)
    distances = x + y + z
    if root:
        apart = distances > 0
        distances = torch.where(apart, torch.where(apart, distances, 1).sqrt(), torch.zeros_like(distances))
    return torch.where(found, distances, INFINITY)


def _distances_gradient(gradient: Tensor, distances: Tensor, points: Tensor, queries: Tensor, indices: Tensor, root: bool,
                        of_points: bool) -> Tensor:
    """The gradient of squared distances, or of their roots: 2 (p - q) or (p - q) / |p - q| in the point, the opposite in the
    query; zero where a neighbour is missing, and for the root where the two coincide."""
    found = distances < INFINITY
    apart = found & (distances > 0)
    slope = gradient / torch.where(apart, distances, 1) if root else 2 * gradient
    slope = torch.where(apart if root else found, slope, torch.zeros_like(slope))
    pull = slope.unsqueeze(-1) * _differences(points, queries, indices, found)
    return scatter(pull, indices, points.shape[-2], points.dim() == 3, False) if of_points else -pull.sum(-2)


@torch.library.custom_op("farpoint::distances_backward", mutates_args=())
def _distances_backward(gradient: Tensor, distances: Tensor, points: Tensor, queries: Tensor, indices: Tensor, root: bool,
                        of_points: bool) -> Tensor:
    return _distances_gradient(gradient, distances, points, queries, indices, root, of_points).contiguous()


@_distances_backward.register_fake
def _(gradient: Tensor, distances: Tensor, points: Tensor, queries: Tensor, indices: Tensor, root: bool,
      of_points: bool) -> Tensor:
    return torch.empty_like(points if of_points else queries, memory_format=torch.contiguous_format)


_gradient_of_distances = opaque_unless_differentiated(_distances_backward, _distances_gradient)


def _knn_setup(ctx, inputs, output) -> None:
    points, _, queries, _, _ = inputs
    ctx.save_for_backward(points, queries, *output)


def _knn_gradient(ctx, _, gradient):
    points, queries, indices, distances = ctx.saved_tensors
    arguments = (gradient, distances, points, points if queries is None else queries, indices, False)
    of_points = _gradient_of_distances(*arguments, True) if ctx.needs_input_grad[0] else None
    if queries is None:
        return of_points + _gradient_of_distances(*arguments, False), None, None, None, None
    return of_points, None, _gradient_of_distances(*arguments, False) if ctx.needs_input_grad[2] else None, None, None


_knn.register_autograd(_knn_gradient, setup_context=_knn_setup)


def knn(points: Tensor, k: int, queries: Optional[Tensor] = None, max_radius: float = INFINITY,
        exclude_self: bool = False) -> Tuple[Tensor, Tensor]:
    """The k nearest points of each query: indices and squared distances; see `farpoint.knn`. The distances are differentiable in
    the points and the queries; those of missing neighbours, +inf, have gradients of zero."""
    indices, distances = _knn(constant(points), k, constant(queries), max_radius, exclude_self)
    if transformed():
        distances = _distances(points, points if queries is None else queries, indices, distances < INFINITY, False)
    return indices, distances


def _three_nn_setup(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs, *output)


def _three_nn_gradient(ctx, gradient, _):
    unknown, known, distances, indices = ctx.saved_tensors
    arguments = (gradient, distances, known, unknown, indices, True)
    return tuple(_gradient_of_distances(*arguments, of_points) if ctx.needs_input_grad[number] else None
                 for number, of_points in enumerate((False, True)))


_three_nn.register_autograd(_three_nn_gradient, setup_context=_three_nn_setup)


def three_nn(unknown: Tensor, known: Tensor) -> Tuple[Tensor, Tensor]:
    """Distances and indices of the three nearest known points; see `farpoint.three_nn`. The distances are differentiable in both;
    the gradient of a distance is zero where it is 0 or where there is no third, second or first point."""
    distances, indices = _three_nn(constant(unknown), constant(known))
    if transformed():
        distances = _distances(known, unknown, indices, distances < INFINITY, True)
    return distances, indices
