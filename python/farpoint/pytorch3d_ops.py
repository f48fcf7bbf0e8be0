"""pytorch3d.ops of points, with their arguments and answers: padded batches (B, N, D) with the lengths of their clouds.

    from farpoint.pytorch3d_ops import ball_query, knn_points    # was: from pytorch3d.ops import ...

Distances are squared and differentiable in both clouds, more than once, in float32 and float64; float16 and bfloat16 are searched as
float32. Clouds of one to three dimensions are searched in a tree, others compared with all points by functions of torch. Indices
are int64 and equal on every run and device: ties ascend by index. Points with a NaN or infinite coordinate have no neighbors, and
are no neighbors of other points.
"""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional
from torch import Tensor

import farpoint as _fp

from . import _brute_force
from ._distances import _differences, gradient_of_distances
from ._rows import gather, scatter

__all__ = ["ball_query", "knn_gather", "knn_points", "sample_farthest_points"]

_MOST_NEIGHBORS = 1024


class KNN(NamedTuple):
    """The answer of knn_points() and ball_query()."""

    dists: Tensor  #: (B, N, K), squared
    idx: Tensor  #: (B, N, K), int64
    knn: Optional[Tensor]  #: (B, N, K, D), with `return_nn`


def _clouds(name: str, what: str, points: Tensor) -> Tensor:
    """Checks a tensor (B, N, D), and converts it to a type that is searched."""
    if not isinstance(points, Tensor) or points.dim() != 3:
        raise ValueError(f"{name}: {what} must be a tensor (B, N, D)")
    return _brute_force.searched(name, what, points)


def _two_clouds(name: str, p1: Tensor, p2: Tensor) -> Tuple[Tensor, Tensor]:
    p1, p2 = _clouds(name, "p1", p1), _clouds(name, "p2", p2)
    if p1.shape[0] != p2.shape[0]:
        raise ValueError(f"{name}: p1 and p2 must have the same batch dimension")
    if p1.shape[2] != p2.shape[2]:
        raise ValueError(f"{name}: p1 and p2 must have the same point dimension")
    if p1.device != p2.device:
        raise ValueError(f"{name}: p1 is on {p1.device} and p2 on {p2.device}")
    dtype = torch.promote_types(p1.dtype, p2.dtype)
    return p1.to(dtype), p2.to(dtype)


def _within(name: str, what: str, points: Tensor, lengths: Optional[Tensor]) -> Optional[Tensor]:
    """(B, N), true for a point of its cloud; None where all are."""
    if lengths is None:
        return None
    lengths = torch.as_tensor(lengths, device=points.device)
    if tuple(lengths.shape) != (points.shape[0],):
        raise ValueError(f"{name}: {what} has the shape {tuple(lengths.shape)}; it must be ({points.shape[0]},)")
    if lengths.is_floating_point() or lengths.is_complex():
        raise ValueError(f"{name}: {what} must be integers")
    if lengths.device.type == "cpu" and bool(((lengths < 0) | (lengths > points.shape[1])).any()):
        raise ValueError(f"{name}: {what} has a number that is negative or larger than {points.shape[1]}")
    return torch.arange(points.shape[1], device=points.device) < lengths.unsqueeze(1)


def _searched(points: Tensor, within: Optional[Tensor]) -> Tensor:
    """Points without gradients and with at least three columns; rows outside `within` are NaN, which no search finds."""
    points = points.detach()
    missing = 3 - points.shape[2]
    if missing > 0:
        points = torch.nn.functional.pad(points, (0, missing))
    return points if within is None else torch.where(within.unsqueeze(2), points, math.nan)


def _rows_of_pairs(pairs: List[Tuple[Tensor, Tensor, Tensor]], like: Tensor, k: int) -> Tuple[Tensor, Tensor]:
    """Indices and distances (B, N, k) of the pairs of each cloud; -1 and +inf where there are fewer."""
    shape = (*like.shape[:2], k)
    indices, distances = torch.full(shape, -1, dtype=torch.int64, device=like.device), like.new_full(shape, math.inf)
    for into, values, (row, column, distance) in zip(indices, distances, pairs):
        place = _brute_force.ranks(row, like.shape[1])
        into[row, place], values[row, place] = column, distance
    return indices, distances


class _Distances(torch.autograd.Function):
    """Distances that a search has found, with their gradients in both clouds."""

    @staticmethod
    def forward(p1: Tensor, p2: Tensor, indices: Tensor, distances: Tensor, norm: int) -> Tensor:
        return torch.where(distances < math.inf, distances, 0)

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        *tensors, ctx.norm = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx, gradient):
        p1, p2, indices, distances = ctx.saved_tensors
        found = [None, None]
        for number, of_points in ((0, False), (1, True)):
            if not ctx.needs_input_grad[number]:
                continue
            if ctx.norm == 2:
                found[number] = gradient_of_distances(gradient, distances, p2, p1, indices, False, of_points)
            else:
                pull = gradient.unsqueeze(-1) * _differences(p2, p1, indices, distances < math.inf).sign()
                found[number] = scatter(pull, indices, p2.shape[1], True, False) if of_points else -pull.sum(2)
        return (*found, None, None, None)


def knn_points(p1: Tensor, p2: Tensor, lengths1: Optional[Tensor] = None, lengths2: Optional[Tensor] = None, norm: int = 2,
               K: int = 1, version: int = -1, return_nn: bool = False, return_sorted: bool = True) -> KNN:
    """The K nearest points of p2 of each point of p1, nearest first.

    Parameters
    ----------
    p1, p2 : (B, N, D) and (B, M, D)
    lengths1, lengths2 : (B,) integers, optional
        Points of each cloud; the rest of its rows is padding.
    norm : 1 or 2
        L1 distances, or squared L2 distances.
    K : int
    version, return_sorted
        Not used: the answer is sorted in any case.
    return_nn : bool
        Return the neighbors, too.

    Returns
    -------
    KNN(dists, idx, knn) : (B, N, K), (B, N, K), (B, N, K, D)
        dists and idx are zeros where a cloud of p2 has fewer than K points, and in the padding of p1. dists and knn are
        differentiable.
    """
    if norm not in (1, 2):
        raise ValueError("knn_points: norm must be 1 or 2")
    if K < 1:
        raise ValueError(f"knn_points: K is {K}; it must be positive")
    p1, p2 = _two_clouds("knn_points", p1, p2)
    queries = _searched(p1, _within("knn_points", "lengths1", p1, lengths1))
    points = _searched(p2, _within("knn_points", "lengths2", p2, lengths2))
    if norm == 2 and points.shape[2] == 3 and K <= _MOST_NEIGHBORS:
        indices, distances = _fp.knn(points, K, queries)
    else:
        metric = "l1" if norm == 1 else "l2"
        pairs = [_brute_force.neighbors(cloud, asked, K, metric=metric) for cloud, asked in zip(points, queries)]
        indices, distances = _rows_of_pairs(pairs, queries, K)
    dists, idx = _Distances.apply(p1, p2, indices, distances, norm), indices.clamp(min=0)
    return KNN(dists, idx, knn_gather(p2, idx, lengths2) if return_nn else None)


def knn_gather(x: Tensor, idx: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
    """Features of the neighbors that knn_points() found.

    Parameters
    ----------
    x : (B, M, U)
    idx : (B, N, K), integers
    lengths : (B,) integers, optional
        Rows of each cloud of x. Neighbors k of a cloud with k or fewer rows are zeros.

    Returns
    -------
    (B, N, K, U)
        Differentiable in x.
    """
    if not isinstance(x, Tensor) or x.dim() != 3 or not isinstance(idx, Tensor) or idx.dim() != 3:
        raise ValueError("knn_gather: x must be a tensor (B, M, U) and idx one of (B, N, K)")
    if x.shape[0] != idx.shape[0]:
        raise ValueError("knn_gather: x and idx must have the same batch dimension")
    within = _within("knn_gather", "lengths", x, lengths)
    found = gather(x, idx)
    if within is None:
        there = torch.arange(idx.shape[2], device=x.device) < x.shape[1]
        return torch.where(there.unsqueeze(1), found, 0)
    there = torch.arange(idx.shape[2], device=x.device) < within.sum(1, keepdim=True)
    return torch.where(there[:, None, :, None], found, 0)


def ball_query(p1: Tensor, p2: Tensor, lengths1: Optional[Tensor] = None, lengths2: Optional[Tensor] = None, K: int = 500,
               radius: float = 0.2, return_nn: bool = True, skip_points_outside_cube: bool = False) -> KNN:
    """The first K points of p2, by index, that are nearer than a radius to each point of p1.

    Parameters
    ----------
    p1, p2, lengths1, lengths2
        As in knn_points().
    K : int
    radius : float
        A point at exactly this distance is no neighbor.
    return_nn : bool
        Return the neighbors, too.
    skip_points_outside_cube : bool
        Not used: the answer does not depend on it.

    Returns
    -------
    KNN(dists, idx, knn) : (B, N, K), (B, N, K), (B, N, K, D)
        idx is -1 past the last neighbor, dists and knn are zeros there. dists and knn are differentiable.
    """
    if K < 1:
        raise ValueError(f"ball_query: K is {K}; it must be positive")
    if not radius >= 0:
        raise ValueError(f"ball_query: radius is {radius}; it must not be negative")
    p1, p2 = _two_clouds("ball_query", p1, p2)
    queries = _searched(p1, _within("ball_query", "lengths1", p1, lengths1))
    points = _searched(p2, _within("ball_query", "lengths2", p2, lengths2))
    reach = torch.tensor(radius, dtype=p1.dtype)
    bound = float(reach * reach)
    if points.shape[2] == 3 and K <= _MOST_NEIGHBORS and bound > 0:
        indices, distances = _fp.PointIndex(points).radius(radius, queries, K, order="index", exclusive=True)
    else:
        pairs = [_brute_force.neighbors(cloud, asked, K, bound, by_index=True) for cloud, asked in zip(points, queries)]
        indices, distances = _rows_of_pairs(pairs, queries, K)
    dists = _Distances.apply(p1, p2, indices, distances, 2)
    return KNN(dists, indices, gather(p2, indices) if return_nn else None)


def sample_farthest_points(points: Tensor, lengths: Optional[Tensor] = None, K: Union[int, List[int], Tensor] = 50,
                           random_start_point: bool = False) -> Tuple[Tensor, Tensor]:
    """Farthest point sampling of each cloud.

    Parameters
    ----------
    points : (B, N, D)
    lengths : (B,) integers, optional
        Points of each cloud; the rest of its rows is padding.
    K : int, list or (B,) integers
        Samples of each cloud.
    random_start_point : bool
        Draw the first sample of each cloud from torch's generator; else it is point 0.

    Returns
    -------
    selected_points : (B, max K, D)
        Has the type of `points`, and is differentiable in them; zeros where idx is -1.
    selected_indices : (B, max K), int64
        In the order of selection; -1 past the last sample of a cloud with a smaller K, or with fewer points.
    """
    given = points
    points = _clouds("sample_farthest_points", "points", points)
    clouds, rows, _ = points.shape
    device = points.device
    within = _within("sample_farthest_points", "lengths", points, lengths)
    # An int is filled in on the device, which is not waited for.
    counts = torch.full((clouds,), K, device=device) if isinstance(K, int) else torch.as_tensor(K, device=device).long()
    if tuple(counts.shape) != (clouds,):
        raise ValueError("sample_farthest_points: K and points must have the same batch dimension")
    most = K if isinstance(K, int) else int(counts.max()) if counts.numel() > 0 else 0
    if most < 0:
        raise ValueError("sample_farthest_points: K is negative")
    firsts = torch.zeros(clouds, dtype=torch.int64, device=device)
    if random_start_point:
        sizes = torch.full_like(firsts, rows) if within is None else within.sum(1)
        firsts = (torch.rand(clouds, device=device, dtype=torch.float64) * sizes).long()
    counts = counts.clamp(min=0)
    searched = _searched(points, within)
    if searched.shape[2] == 3:
        picks = _fp.fps(searched, most, first=firsts, sample_counts=counts)
    else:
        picks = torch.stack([_brute_force.farthest_points(cloud, most, first) for cloud, first in zip(searched, firsts)]
                            or [firsts.new_zeros(most)])[:clouds]
        picks = torch.where(torch.arange(most, device=device) < counts.unsqueeze(1), picks, -1)
    return gather(given, picks), picks
