"""Clouds that make trouble: ties, duplicates, points that are not finite, none at all."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def clouds(draw, dtype=None, least=0, most=40, columns=3, finite=False):
    """On a coarse grid, so that squared distances are exact and many are equal."""
    dtype = dtype or draw(st.sampled_from([np.float32, np.float64]))
    n = draw(st.integers(least, most))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    spread = draw(st.sampled_from([1, 3, 20]))
    points = rng.integers(-spread, spread + 1, (n, columns)).astype(dtype) / 2
    if not finite and n:
        for _ in range(draw(st.integers(0, 2))):
            points[rng.integers(n), rng.integers(columns)] = rng.choice([np.nan, np.inf, -np.inf])
    return points


def odd_views(points):
    """The same cloud, laid out in other ways."""
    n, columns = points.shape
    wide = np.zeros((n, columns + 2), points.dtype)
    wide[:, 1:1 + columns] = points
    spaced = np.zeros((2 * n + 1, columns), points.dtype)
    spaced[1::2] = points
    return {
        "packed": points,
        "columns first": np.asfortranarray(points),
        "part of a record": wide[:, 1:1 + columns],
        "every other row": spaced[1::2],
        "backwards": points[::-1].copy()[::-1],
        "columns backwards": points[:, ::-1].copy()[:, ::-1],
        "read only": _locked(points),
        "big endian": points.astype(points.dtype.newbyteorder(">")),
        "list": points.tolist() if points.dtype == np.float64 and n else points,
    }


def _locked(points):
    copy = points.copy()
    copy.flags.writeable = False
    return copy
