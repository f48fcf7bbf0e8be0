"""fps and gather."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import Allocator, Array, space_of
from ._call import Call, cloud_shape, follows_stream

_VALUES = ("float", "int", "uint", "bool", "complex", "bfloat")
_SIZES = frozenset(("float16", "float32", "float64", "int32", "int64"))  # frequent types of 1, 2, 4 or 8 bytes
_POINTS = ("float16", "float32", "float64")


@follows_stream
def fps(points: Array, samples: int, *, first: Any = 0, seed: Optional[int] = None, chosen: Optional[Array] = None,
        stop_below: float = 0.0, sample_counts: Optional[Array] = None, offsets: Optional[Array] = None,
        lengths: Optional[Array] = None, return_distances: bool = False, index_dtype: Any = "int64", threads: int = 0,
        stream: Optional[int] = None, workspace: Optional[Allocator] = None) -> Any:
    """Farthest point sampling: each sample is the point farthest from those before it.

    Ties go to the lowest index. Points with a NaN or infinite coordinate are never sampled.

    Parameters
    ----------
    points : (N, 3) or (B, N, 3), numbers
        One cloud, or B of them; with `offsets` or `lengths`, (N, 3) of clouds one after another. Any strides.
    samples : int
        Samples per cloud. If a cloud has fewer finite points, the rest of its row is -1.
    first : int or (B,) integers
        Index of the first sample.
    seed : int, optional
        Draw the first sample of each cloud instead: the same for the same seed.
    chosen : (K,) or (B, K) integers, optional
        Points that count as picked already; -1 is skipped.
    stop_below : float
        Meters: end a cloud's row before a sample that is nearer than this to those before it.
    sample_counts : (B,) integers, optional
        Samples of each cloud, at most `samples`.
    offsets, lengths : (B + 1,) or (B,) integers, optional
        Where the clouds of (N, 3) begin and end, or how many points each has.
    return_distances : bool
        Return the squared distance of each sample to those before it, too; +inf for a first one, -1 past the last.

    Returns
    -------
    indices : (samples,) or (B, samples), `index_dtype`
        Into each cloud, in the order of selection.
    distances : the same shape, float32 or float64
    """
    if (seed is chosen is sample_counts is offsets is lengths is stream is workspace is None and not return_distances
            and type(stop_below) is float and stop_below == 0):
        quick = _core.quick_fps(points, samples, first, index_dtype, threads)
        if quick is not None:
            return quick
    call = Call("fps", points, threads, stream, workspace, only_indices=not return_distances)
    space = call.space
    points = call.points(points, types=_POINTS)
    cuts = call.offsets(points, offsets, lengths)
    samples = call.integer(samples, "samples")
    if samples < 0:
        call.fail("samples is negative")
    shape = cloud_shape(points, cuts)
    clouds = shape[0] if shape else 1
    indices = space.empty((*shape, samples), call.index_type(index_dtype))
    scalar = "float64" if space.dtype(points) == "float64" else "float32"
    distances = space.empty((*shape, samples), scalar) if return_distances else None

    firsts = None
    if not isinstance(first, (int, np.integer)):
        firsts = call.indices(first, "first")
        if tuple(firsts.shape) != ((clouds,) if shape else ()):
            call.fail(f"first has the shape {tuple(firsts.shape)}; it must be one index, or one for each cloud")
        first = 0
    if chosen is not None:
        chosen = call.indices(chosen, "chosen")
        if tuple(chosen.shape[:-1]) != shape:
            call.fail(f"chosen has the shape {tuple(chosen.shape)}; it must be {(*shape, 'K')}")
    if sample_counts is not None:
        sample_counts = call.indices(sample_counts, "sample_counts")
    _core.fps(call.place, points, cuts, samples, call.integer(first, "first"), call.number(stop_below, "stop_below"),
              call.seed(seed), firsts, chosen, sample_counts, indices, distances, None)
    return (indices, distances) if return_distances else indices


@follows_stream
def gather(features: Array, indices: Array, *, offsets: Optional[Array] = None, lengths: Optional[Array] = None,
           index_offsets: Optional[Array] = None, index_lengths: Optional[Array] = None, channels_first: bool = False,
           threads: int = 0, stream: Optional[int] = None) -> Any:
    """Rows of features by index, within each cloud: the points or features that fps, knn or radius chose.

    Parameters
    ----------
    features : (N, C) or (B, N, C), numbers of 1, 2, 4 or 8 bytes
        With `channels_first`, (C, N) or (B, C, N). Strides that are not negative are taken as they are.
    indices : (...) or (B, ...), integers
        Indices into the rows of each cloud. -1, and other indices out of range, give zeros.
    offsets, lengths
        Ragged clouds: features (N, C), one cloud after another. The first axis of `indices` is then cut by `index_offsets` or
        `index_lengths`; without them, it has a row for each cloud.

    Returns
    -------
    (..., C) or (B, ..., C); with `channels_first`, (C, ...) or (B, C, ...)
        Rows of the features' type.
    """
    if offsets is lengths is index_offsets is index_lengths is stream is None:
        quick = _core.quick_gather(features, indices, bool(channels_first), threads)
        if quick is not None:
            return quick
    call = Call("gather", features, threads, stream, None)
    space = call.space
    features, dtype = call.typed(features, "features")
    if dtype not in _SIZES and (not dtype.startswith(_VALUES) or features.dtype.itemsize > 8):
        call.fail(f"features are {dtype}; they must be numbers of 1, 2, 4 or 8 bytes")
    shape = tuple(features.shape)
    if len(shape) not in (2, 3):
        call.fail(f"features have the shape {shape}; they must be (N, C) or (B, N, C)")
    ragged = offsets is not None or lengths is not None
    if not space.is_packed(features):
        strides = space.strides(features)
        if ragged or strides is None or min(strides) < 0:
            features = space.packed(features)
    indices = call.indices(indices, "indices")
    which = tuple(indices.shape)
    if ragged or index_offsets is not None or index_lengths is not None:
        return _gather_ragged(call, features, dtype, indices, channels_first, call.offsets(features, offsets, lengths),
                              call.offsets(indices, index_offsets, index_lengths, "index_"))
    gathered_shape = _core.gathered_shape(shape, which, bool(channels_first))
    if gathered_shape is None:
        call.fail(f"indices have the shape {which}; they must be (B, ...) with B = {shape[0]}")
    gathered = space.empty(tuple(gathered_shape), dtype)
    _core.gather(call.place, features, None, indices, None, 1, bool(channels_first), gathered)
    return gathered


def _gather_ragged(call: Call, features: Any, dtype: str, indices: Any, channels_first: bool, cuts: Any, index_cuts: Any) -> Any:
    if cuts is None:
        call.fail("index_offsets and index_lengths need offsets or lengths")
    if channels_first:
        call.fail("features of ragged clouds are (N, C), not channels first")
    which, clouds = tuple(indices.shape), cuts.shape[0] - 1
    if index_cuts is None:
        if not which or which[0] != clouds:
            call.fail(f"indices have the shape {which}; they must have a row for each of {clouds} clouds")
        index_cuts = call.space.count(clouds + 1, "int64")
    if index_cuts.shape[0] != clouds + 1:
        call.fail("index_offsets are of another number of clouds")
    gathered = call.space.zeros((*which, features.shape[-1]), dtype)  # rows that offsets leave out are not written
    _core.gather(call.place, features, cuts, indices, index_cuts, math.prod(which[1:]), False, gathered)
    return gathered


@follows_stream
def group(features: Array, indices: Array, *, offsets: Optional[Array] = None, lengths: Optional[Array] = None,
          index_offsets: Optional[Array] = None, index_lengths: Optional[Array] = None, threads: int = 0,
          stream: Optional[int] = None) -> Any:
    """Features of the neighbors of each point, channels first: grouping_operation of PointNet++.

    Parameters
    ----------
    features : (B, C, N) or (C, N), numbers of 1, 2, 4 or 8 bytes
    indices : (B, M, K) or (M, K), integers
        Indices as ball_query returns them. Indices out of range give zeros.
    offsets, lengths, index_offsets, index_lengths : integers, optional
        Ragged clouds: features (N, C) and indices (M, K), one cloud after another, as in gather().

    Returns
    -------
    (B, C, M, K) or (C, M, K), or of ragged clouds (M, C, K)
    """
    if offsets is lengths is index_offsets is index_lengths is stream is None:
        quick = _core.quick_gather(features, indices, True, threads)
        if quick is not None:
            return quick
    if offsets is not None or lengths is not None:
        rows = gather(features, indices, offsets=offsets, lengths=lengths, index_offsets=index_offsets,
                      index_lengths=index_lengths, threads=threads, stream=stream)
        if len(rows.shape) != 3:
            raise ValueError(f"group: indices have the shape {tuple(rows.shape[:-1])}; those of ragged clouds are (M, K)")
        space = space_of(rows)
        return space.packed(space.transposed(rows, (0, 2, 1)))
    Call("group", features, threads, stream).typed(features, "features")  # under this name it refuses a lost gradient
    return gather(features, indices, channels_first=True, threads=threads, stream=stream)
