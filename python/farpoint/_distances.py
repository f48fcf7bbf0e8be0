"""knn and three_nn with gradients of their distances."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._rows import (constant, coordinates, eager, gather, global_rows, offsets_of, opaque_unless_differentiated, over_clouds,
                    scatter, transformed)

INFINITY = float("inf")


@torch.library.custom_op("farpoint::knn", mutates_args=())
def _knn(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool,
         offsets: Optional[Tensor] = None, query_offsets: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    found = _fp.knn(points, k, queries, max_radius=max_radius, exclude_self=exclude_self, offsets=offsets, query_offsets=query_offsets)
    return found.indices, found.distances


@_knn.register_fake
def _(points: Tensor, k: int, queries: Optional[Tensor], max_radius: float, exclude_self: bool,
      offsets: Optional[Tensor] = None, query_offsets: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    rows = (points if queries is None else queries).shape[:-1]
    return points.new_empty((*rows, k), dtype=torch.int64), points.new_empty((*rows, k))


@torch.library.custom_op("farpoint::three_nn", mutates_args=())
def _three_nn(unknown: Tensor, known: Tensor, offsets: Optional[Tensor] = None,
              query_offsets: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    return _fp.three_nn(unknown, known, offsets=offsets, query_offsets=query_offsets)


@_three_nn.register_fake
def _(unknown: Tensor, known: Tensor, offsets: Optional[Tensor] = None,
      query_offsets: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    return torch.empty_like(unknown, memory_format=torch.contiguous_format), unknown.new_empty(unknown.shape, dtype=torch.int32)


def _differences(points: Tensor, queries: Tensor, indices: Tensor, found: Tensor) -> Tensor:
    """Vectors from each query to its neighbors; zeros for missing neighbors."""
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
    query; zero where a neighbor is missing, and for the root where the two coincide."""
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


gradient_of_distances = opaque_unless_differentiated(_distances_backward, _distances_gradient)


def rows_of(indices: Tensor, points: Tensor, offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    """Indices as gather() takes them: of ragged clouds, those among all points."""
    if offsets is None:
        return indices
    return global_rows(indices, offsets, offsets if query_offsets is None else query_offsets, points.shape[0])


def _knn_setup(ctx, inputs, output) -> None:
    points, _, queries, _, _, offsets, query_offsets = inputs
    ctx.save_for_backward(points, queries, *output, offsets, query_offsets)


def _knn_gradient(ctx, _, gradient):
    points, queries, indices, distances, offsets, query_offsets = ctx.saved_tensors
    rows = rows_of(indices, points, offsets, query_offsets)
    arguments = (gradient, distances, points, points if queries is None else queries, rows, False)
    of_points = gradient_of_distances(*arguments, True) if ctx.needs_input_grad[0] else None
    if queries is None:
        return of_points + gradient_of_distances(*arguments, False), *(None,) * 6
    return of_points, None, gradient_of_distances(*arguments, False) if ctx.needs_input_grad[2] else None, *(None,) * 4


_knn.register_autograd(_knn_gradient, setup_context=_knn_setup)
over_clouds(_knn, (0, 2))


def knn(points: Tensor, k: int, queries: Optional[Tensor] = None, max_radius: float = INFINITY, exclude_self: bool = False, *,
        offsets: Any = None, lengths: Any = None, query_offsets: Any = None, query_lengths: Any = None) -> Tuple[Tensor, Tensor]:
    """The k nearest points of each query: indices and squared distances; see `farpoint.knn`. The distances are differentiable in
    the points and the queries; distances to missing neighbors, +inf, have gradients of zero."""
    if eager(points, queries):
        found = _fp.knn(points, k, queries, max_radius=max_radius, exclude_self=exclude_self, offsets=offsets, lengths=lengths,
                        query_offsets=query_offsets, query_lengths=query_lengths)
        return found.indices, found.distances
    points, queries = coordinates(points, queries)
    cuts, asked = offsets_of(offsets, lengths, points), offsets_of(query_offsets, query_lengths, points, "query_")
    indices, distances = _knn(constant(points), k, constant(queries), max_radius, exclude_self, cuts, asked)
    if transformed():
        rows = rows_of(indices, points, cuts, asked)
        distances = _distances(points, points if queries is None else queries, rows, distances < INFINITY, False)
    return indices, distances


def _three_nn_setup(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs[:2], *output, *inputs[2:])


def _three_nn_gradient(ctx, gradient, _):
    unknown, known, distances, indices, offsets, query_offsets = ctx.saved_tensors
    arguments = (gradient, distances, known, unknown, rows_of(indices, known, offsets, query_offsets), True)
    return *(gradient_of_distances(*arguments, of_points) if ctx.needs_input_grad[number] else None
             for number, of_points in enumerate((False, True))), None, None


_three_nn.register_autograd(_three_nn_gradient, setup_context=_three_nn_setup)
over_clouds(_three_nn, (0, 1))


def three_nn(unknown: Tensor, known: Tensor, *, offsets: Any = None, lengths: Any = None, query_offsets: Any = None,
             query_lengths: Any = None) -> Tuple[Tensor, Tensor]:
    """Distances and indices of the three nearest known points; see `farpoint.three_nn`. The distances are differentiable in both;
    the gradient of a distance is zero if the distance is 0, or +inf because the cloud has fewer than three known points."""
    if eager(unknown, known):
        return _fp.three_nn(unknown, known, offsets=offsets, lengths=lengths, query_offsets=query_offsets, query_lengths=query_lengths)
    unknown, known = coordinates(unknown, known)
    cuts, asked = offsets_of(offsets, lengths, known), offsets_of(query_offsets, query_lengths, unknown, "query_")
    distances, indices = _three_nn(constant(unknown), constant(known), cuts, asked)
    if transformed():
        distances = _distances(known, unknown, rows_of(indices, known, cuts, asked), distances < INFINITY, True)
    return distances, indices
