"""PointIndex for torch: with gradients of distances and features."""

# No `from __future__ import annotations` here: torch 2.6 needs the types of an operator's arguments, not their names.
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

import farpoint as _fp

from ._distances import INFINITY, gradient_of_distances, rows_of
from ._interpolation import by_distance, check_features
from ._lists import list_distances
from ._rows import coordinates, offsets_of


@torch.library.custom_op("farpoint::known_distances", mutates_args=())
def _known_distances(points: Tensor, queries: Tensor, rows: Tensor, distances: Tensor) -> Tensor:
    return distances.clone()


@_known_distances.register_fake
def _(points: Tensor, queries: Tensor, rows: Tensor, distances: Tensor) -> Tensor:
    return torch.empty_like(distances)


def _autograd(ctx, gradient):
    points, queries, rows, distances = ctx.saved_tensors
    arguments = (gradient, distances, points, queries, rows, False)
    return (gradient_of_distances(*arguments, True) if ctx.needs_input_grad[0] else None,
            gradient_of_distances(*arguments, False) if ctx.needs_input_grad[1] else None, None, None)


_known_distances.register_autograd(_autograd, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


class PointIndex:
    """`farpoint.PointIndex` of tensors: its distances are differentiable in the points and the queries, its features in all three.

    torch.compile calls it as it is, between two graphs. Transforms of torch.func do not go through it.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3)
        With `offsets` or `lengths`, (N, 3) of clouds one after another. Gradients flow to this tensor: build a new index
        after changing it.
    threads : int
        Host threads for building and for each search; 0 for all cores.
    """

    def __init__(self, points: Tensor, *, offsets: Any = None, lengths: Any = None, threads: int = 0):
        (self._points,) = coordinates(points)
        self._offsets = offsets_of(offsets, lengths, points)
        self._threads = threads
        self._index = _fp.PointIndex(self._points.detach(), offsets=self._offsets, threads=threads)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"farpoint.torch.{self._index!r}"

    def __reduce__(self) -> tuple:
        return _built, (type(self), self._points.detach(), self._offsets, self._threads)

    def _queries(self, queries: Optional[Tensor], offsets: Any, lengths: Any) -> tuple:
        """Queries with their gradient, and as the index takes them."""
        if queries is None:
            return self._points, self._offsets, {"queries": None}
        (queries,) = coordinates(queries)
        if queries.dtype != self._points.dtype and self._points.dtype == torch.float64:
            queries = queries.double()
        cuts = offsets_of(offsets, lengths, queries, "query_")
        return queries, cuts, {"queries": queries.detach(), "query_offsets": cuts}

    def _distances(self, queries: Tensor, cuts: Optional[Tensor], indices: Tensor, distances: Tensor) -> Tensor:
        if not (torch.is_grad_enabled() and (self._points.requires_grad or queries.requires_grad)):
            return distances
        return _known_distances(self._points, queries, rows_of(indices, self._points, self._offsets, cuts), distances)

    @torch.compiler.disable
    def knn(self, k: int, queries: Optional[Tensor] = None, *, max_radius: float = INFINITY, exclude_self: bool = False,
            query_offsets: Any = None, query_lengths: Any = None) -> Tuple[Tensor, Tensor]:
        """The k nearest points of each query: indices and squared distances; see `farpoint.knn`."""
        asked, cuts, given = self._queries(queries, query_offsets, query_lengths)
        found = self._index.knn(k, max_radius=max_radius, exclude_self=exclude_self, **given)
        return found.indices, self._distances(asked, cuts, found.indices, found.distances)

    @torch.compiler.disable
    def radius(self, radius: float, queries: Optional[Tensor] = None, max_neighbors: Optional[int] = None, *,
               order: Optional[str] = None, exclude_self: bool = False, exclusive: bool = False, capacity: Optional[int] = None,
               query_offsets: Any = None, query_lengths: Any = None) -> Any:
        """Points within a radius of each query, in lists or rows of `max_neighbors`; see `farpoint.PointIndex.radius`."""
        asked, cuts, given = self._queries(queries, query_offsets, query_lengths)
        found = self._index.radius(radius, max_neighbors=max_neighbors, order=order, exclude_self=exclude_self, exclusive=exclusive,
                                   capacity=capacity, **given)
        if max_neighbors is not None:
            return _fp.Neighbors(found.indices, self._distances(asked, cuts, found.indices, found.distances))
        return _fp.RadiusRows(found.offsets, found.indices, list_distances(self._points, asked, found, self._offsets, cuts))

    @torch.compiler.disable
    def interpolate(self, features: Tensor, queries: Tensor, *, query_offsets: Any = None, query_lengths: Any = None) -> Tensor:
        """Features at the queries, of the three nearest points, of any floating type; see `farpoint.torch.interpolate`."""
        check_features(features, self._points)
        indices, distances = self.knn(3, queries, query_offsets=query_offsets, query_lengths=query_lengths)
        cuts = offsets_of(query_offsets, query_lengths, queries, "query_")
        return by_distance(features, rows_of(indices, self._points, self._offsets, cuts), distances)


def _built(kind: type, points: Tensor, offsets: Optional[Tensor], threads: int) -> PointIndex:
    """An index out of a pickle."""
    return kind(points, offsets=offsets, threads=threads)
