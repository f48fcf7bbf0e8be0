"""Lists of all neighbors within a radius, with gradients of their distances."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
import math
from typing import Any, Dict, Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._distances import INFINITY
from ._rows import constant, coordinates, eager, gather, offsets_of, opaque_unless_differentiated, scatter, transformed


@torch.library.custom_op("farpoint::radius", mutates_args=())
def _radius(points: Tensor, radius: float, queries: Optional[Tensor], order: str, exclude_self: bool, exclusive: bool,
            capacity: Optional[int], offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
    found = _fp.radius(points, radius, queries, order=order, exclude_self=exclude_self, exclusive=exclusive, capacity=capacity,
                       offsets=offsets, query_offsets=query_offsets)
    return found.offsets, found.indices, found.distances


@_radius.register_fake
def _(points: Tensor, radius: float, queries: Optional[Tensor], order: str, exclude_self: bool, exclusive: bool,
      capacity: Optional[int], offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
    rows = math.prod((points if queries is None else queries).shape[:-1])
    room = torch.library.get_ctx().new_dynamic_size() if capacity is None else capacity
    return (points.new_empty((rows + 1,), dtype=torch.int64), points.new_empty((room,), dtype=torch.int64),
            points.new_empty((room,)))


@torch.library.custom_op("farpoint::radius_edges", mutates_args=())
def _radius_edges(points: Tensor, radius: float, queries: Optional[Tensor], order: str, exclude_self: bool, exclusive: bool,
                  capacity: Optional[int], offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    return _fp.radius(points, radius, queries, order=order, exclude_self=exclude_self, exclusive=exclusive, capacity=capacity,
                      offsets=offsets, query_offsets=query_offsets, edge_index=True)


@_radius_edges.register_fake
def _(points: Tensor, radius: float, queries: Optional[Tensor], order: str, exclude_self: bool, exclusive: bool,
      capacity: Optional[int], offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    room = torch.library.get_ctx().new_dynamic_size() if capacity is None else capacity
    return points.new_empty((2, room), dtype=torch.int64)


def _pairs(row_offsets: Tensor, indices: Tensor, points: Tensor, queries: Tensor, offsets: Optional[Tensor],
           query_offsets: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
    """Row of each neighbor's point, and of its query, in the arrays of all clouds; -1 for entries without a neighbor."""
    query = torch.searchsorted(row_offsets, torch.arange(indices.shape[0], device=indices.device), right=True) - 1
    found = (query < row_offsets.shape[0] - 1) & (indices >= 0)
    begin: Any = 0
    if offsets is not None:
        cuts = offsets if query_offsets is None else query_offsets
        cloud = torch.searchsorted(cuts.long(), query, right=True) - 1
        begin = offsets[cloud.clamp(0, max(offsets.shape[0] - 2, 0))]
    elif points.dim() == 3:
        begin = query // max(queries.shape[1], 1) * points.shape[1]
    return torch.where(found, indices + begin, -1), torch.where(found, query, -1)


def _differences(points: Tensor, queries: Tensor, of_points: Tensor, of_queries: Tensor) -> Tensor:
    return gather(points.reshape(-1, 3), of_points) - gather(queries.reshape(-1, 3), of_queries)


def _gradient(gradient: Tensor, row_offsets: Tensor, indices: Tensor, points: Tensor, queries: Tensor, offsets: Optional[Tensor],
              query_offsets: Optional[Tensor], of_points: bool) -> Tensor:
    """The gradient of squared distances: 2 (p - q) for the point, the opposite for the query; zero without a neighbor."""
    point, query = _pairs(row_offsets, indices, points, queries, offsets, query_offsets)
    slope = torch.where(point >= 0, 2 * gradient, torch.zeros_like(gradient))
    pull = slope.unsqueeze(-1) * _differences(points, queries, point, query)
    if of_points:
        return scatter(pull, point, points.numel() // 3, False, False).reshape(points.shape)
    return -scatter(pull, query, queries.numel() // 3, False, False).reshape(queries.shape)


@torch.library.custom_op("farpoint::list_distances_backward", mutates_args=())
def _backward(gradient: Tensor, row_offsets: Tensor, indices: Tensor, points: Tensor, queries: Tensor, offsets: Optional[Tensor],
              query_offsets: Optional[Tensor], of_points: bool) -> Tensor:
    return _gradient(gradient, row_offsets, indices, points, queries, offsets, query_offsets, of_points).contiguous()


@_backward.register_fake
def _(gradient: Tensor, row_offsets: Tensor, indices: Tensor, points: Tensor, queries: Tensor, offsets: Optional[Tensor],
      query_offsets: Optional[Tensor], of_points: bool) -> Tensor:
    return torch.empty_like(points if of_points else queries, memory_format=torch.contiguous_format)


_gradient_of_lists = opaque_unless_differentiated(_backward, _gradient)


@torch.library.custom_op("farpoint::list_distances", mutates_args=())
def _known_distances(points: Tensor, queries: Tensor, row_offsets: Tensor, indices: Tensor, distances: Tensor,
                     offsets: Optional[Tensor], query_offsets: Optional[Tensor]) -> Tensor:
    return distances.clone()


@_known_distances.register_fake
def _(points: Tensor, queries: Tensor, row_offsets: Tensor, indices: Tensor, distances: Tensor, offsets: Optional[Tensor],
      query_offsets: Optional[Tensor]) -> Tensor:
    return torch.empty_like(distances)


def _setup(ctx, inputs, output) -> None:
    points, queries, row_offsets, indices, _, offsets, query_offsets = inputs
    ctx.save_for_backward(row_offsets, indices, points, queries, offsets, query_offsets)


def _autograd(ctx, gradient):
    of_points, of_queries, *_ = ctx.needs_input_grad
    return (_gradient_of_lists(gradient, *ctx.saved_tensors, True) if of_points else None,
            _gradient_of_lists(gradient, *ctx.saved_tensors, False) if of_queries else None, *(None,) * 5)


_known_distances.register_autograd(_autograd, setup_context=_setup)


def list_distances(points: Tensor, queries: Tensor, found: Any, offsets: Optional[Tensor],
                   query_offsets: Optional[Tensor]) -> Tensor:
    """Distances of lists that a search has found, differentiable in the points and the queries."""
    if transformed():
        point, query = _pairs(found.offsets, found.indices, points, queries, offsets, query_offsets)
        x, y, z = _differences(points, queries, point, query).square().unbind(-1)
        return torch.where(point >= 0, x + y + z, INFINITY)
    if not (torch.is_grad_enabled() and (points.requires_grad or queries.requires_grad)):
        return found.distances
    return _known_distances(points, queries, found.offsets, found.indices, found.distances, offsets, query_offsets)


def radius(points: Tensor, radius: float, queries: Optional[Tensor] = None, *, order: str = "index", exclude_self: bool = False,
           exclusive: bool = False, edge_index: bool = False, capacity: Optional[int] = None, offsets: Any = None,
           lengths: Any = None, query_offsets: Any = None, query_lengths: Any = None) -> Any:
    """All points within a radius of each query: RadiusRows(offsets, indices, distances), or with `edge_index` (2, E); see
    `farpoint.radius`. The squared distances are differentiable in the points and the queries. Without a `capacity`, torch.compile
    needs `torch._dynamo.config.capture_dynamic_output_shape_ops`, as for every call whose answer has a length of its own."""
    rules: Dict[str, Any] = {"order": order, "exclude_self": exclude_self, "exclusive": exclusive, "capacity": capacity}
    if eager(points, queries):
        return _fp.radius(points, radius, queries, edge_index=edge_index, offsets=offsets, lengths=lengths, query_offsets=query_offsets,
                          query_lengths=query_lengths, **rules)
    points, queries = coordinates(points, queries)
    cuts, asked = offsets_of(offsets, lengths, points), offsets_of(query_offsets, query_lengths, points, "query_")
    search = _radius_edges if edge_index else _radius
    found = search(constant(points.detach()), radius, None if queries is None else constant(queries.detach()), order, exclude_self,
                   exclusive, capacity, cuts, asked)
    if edge_index:
        return found
    rows = _fp.RadiusRows(*found)
    distances = list_distances(points, points if queries is None else queries, rows, cuts, cuts if queries is None else asked)
    return _fp.RadiusRows(rows.offsets, rows.indices, distances)
