"""The definitions of farpoint's functions, in numpy, one loop after another."""

import numpy as np


def distance2(a, b):
    """Squared distances as farpoint rounds them: a fused multiply-add for each coordinate, from 0.

    In float32 the products and sums of a step are exact in double, or rounded once more: tests of bits use coordinates
    for which neither rounds.
    """
    d = (np.asarray(a) - np.asarray(b))
    if d.dtype == np.float64:
        return d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1] + d[..., 2] * d[..., 2]
    total = np.zeros(d.shape[:-1], np.float32)
    for axis in range(3):
        step = d[..., axis].astype(np.float64)
        total = (step * step + total.astype(np.float64)).astype(np.float32)
    return total


def fps(points, samples, first=0, chosen=(), stop_below=0.0):
    points = np.asarray(points)
    points = points.astype(np.float32) if points.dtype == np.float16 else points
    n = len(points)
    indices = np.full(samples, -1, np.int64)
    distances = np.full(samples, -1, points.dtype)
    free = np.isfinite(points).all(axis=1) if n else np.zeros(0, bool)
    nearest = np.full(n, np.inf, points.dtype)
    taken = [c for c in chosen if c >= 0 and free[c]]
    for c in taken:
        nearest = np.minimum(nearest, np.where(np.isfinite(points).all(axis=1), distance2(points, points[c]), np.inf))
        free[c] = False
    for s in range(samples):
        if not free.any():
            break
        if s == 0 and not taken:
            pick = first if free[first] else int(np.flatnonzero(free)[0])
        else:
            candidates = np.where(free, nearest, -1)
            pick = int(np.argmax(candidates))
            if candidates[pick] < points.dtype.type(stop_below) * points.dtype.type(stop_below):
                break
        indices[s] = pick
        distances[s] = nearest[pick]
        free[pick] = False
        with np.errstate(invalid="ignore"):
            nearest = np.fmin(nearest, distance2(points, points[pick]))
    return indices, distances


def neighbors(points, query, index, radius=np.inf, exclude_self=False, exclusive=False):
    """(squared distance, index) of each neighbor, by index."""
    if not np.isfinite(query).all():
        return []
    found = []
    limit = points.dtype.type(radius) * points.dtype.type(radius)
    for i, point in enumerate(points):
        if not np.isfinite(point).all() or (exclude_self and i == index):
            continue
        d = distance2(query, point)
        if d < limit or (d == limit and not exclusive) or radius == np.inf:
            found.append((d, i))
    return found


def knn(points, queries, k, **rules):
    indices = np.full((len(queries), k), -1, np.int64)
    distances = np.full((len(queries), k), np.inf, points.dtype)
    for q, query in enumerate(queries):
        for rank, (d, i) in enumerate(sorted(neighbors(points, query, q, **rules))[:k]):
            indices[q, rank], distances[q, rank] = i, d
    return indices, distances


def gather(features, indices):
    flat = np.asarray(indices).reshape(-1)
    rows = np.zeros((len(flat), features.shape[1]), features.dtype)
    for row, i in enumerate(flat):
        if 0 <= i < len(features):
            rows[row] = features[i]
    return rows.reshape(*np.asarray(indices).shape, features.shape[1])


def voxelize(points, size, box, max_points=None, max_voxels=None, order="first_occurrence"):
    """Lists of kept points by voxel, in the order of voxels; and the row of each point."""
    scalar = points.dtype.type
    lower, size = np.array(box[:3], scalar), np.array(size, scalar)
    dims = [int((np.float64(scalar(box[3 + a])) - np.float64(lower[a])) / np.float64(size[a]) + 0.5) for a in range(3)]
    cells, row_of = {}, np.full(len(points), -1, np.int64)
    for i, point in enumerate(points):
        if not np.isfinite(point[:3]).all():
            continue
        place = (point[:3] - lower) / size
        cell = tuple(int(np.floor(v)) for v in place)
        if all(0 <= place[a] and cell[a] < dims[a] for a in range(3)):
            cells.setdefault(cell, []).append(i)
    kept = list(cells)[:max_voxels]
    if order == "grid":
        # The voxels of lowest number are kept.
        kept = sorted(cells, key=lambda c: (c[2], c[1], c[0]))[:max_voxels]
    for row, cell in enumerate(kept):
        row_of[cells[cell]] = row
    return kept, [cells[cell][:max_points] for cell in kept], row_of
