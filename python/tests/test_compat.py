"""Functions of other libraries' names, against their kernels written down in numpy: a block's threads, strides and reductions."""

import numpy as np
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint
from farpoint import _compat


def fused(a, b):
    """Squared distances as nvcc compiles dx * dx + dy * dy + dz * dz: fma(dz, dz, fma(dx, dx, dy * dy))."""
    d = (a - b).astype(np.float32).astype(np.float64)
    total = (d[..., 1] * d[..., 1]).astype(np.float32)
    for axis in (0, 2):
        total = (d[..., axis] * d[..., axis] + total).astype(np.float32)
    return total


def furthest_point_sampling_kernel(points, m, max_threads, skip_origin):
    """One block: thread t has points t, t + threads, ...; then halves of the block are compared."""
    n = len(points)
    threads = 1
    while threads * 2 <= min(n, max_threads):
        threads *= 2
    temp = np.full(n, 1e10, np.float32)
    norms = fused(points, np.zeros(3, np.float32))
    picks, old = [0], 0
    for _ in range(1, m):
        best, best_i = np.full(threads, -1, np.float32), np.zeros(threads, int)
        distances = fused(points, points[old])
        for t in range(threads):
            for k in range(t, n, threads):
                if skip_origin and norms[k] <= 1e-3:
                    continue
                temp[k] = min(distances[k], temp[k])
                if temp[k] > best[t]:
                    best[t], best_i[t] = temp[k], k
        half = threads // 2
        while half:
            for t in range(half):
                if best[t + half] > best[t]:
                    best[t], best_i[t] = best[t + half], best_i[t + half]
            half //= 2
        old = int(best_i[0])
        picks.append(old)
    return picks[:m]


@given(clouds(dtype=np.float32, least=1, most=40, finite=True), st.integers(1, 12), st.sampled_from(["openpcdet", "pointnet2_ops", None]))
def test_furthest_point_sample(points, m, rules):
    threads, skip = {"openpcdet": (1024, False), "pointnet2_ops": (512, True), None: (1, False)}[rules]
    expected = furthest_point_sampling_kernel(points, m, threads, skip)
    np.testing.assert_array_equal(farpoint.furthest_point_sample(points, m, rules=rules), expected)


@pytest.mark.parametrize("rules, threads, skip", [("openpcdet", 1024, False), ("pointnet2_ops", 512, True), (None, 1, False)])
def test_furthest_point_sample_of_batches(rng, rules, threads, skip):
    points = rng.standard_normal((3, 700, 3)).astype(np.float32)
    found = farpoint.furthest_point_sample(points, 12, rules=rules)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, [furthest_point_sampling_kernel(cloud, 12, threads, skip) for cloud in points])


def ball_query_kernel(radius, nsample, xyz, new_xyz):
    idx = np.zeros((len(new_xyz), nsample), np.int32)
    radius2 = np.float32(radius) * np.float32(radius)
    for q, query in enumerate(new_xyz):
        count = 0
        for k, d in enumerate(fused(query, xyz)):
            if d < radius2:
                if count == 0:
                    idx[q] = k
                idx[q, count] = k
                count += 1
                if count == nsample:
                    break
    return idx


@given(clouds(dtype=np.float32, least=1, finite=True), clouds(dtype=np.float32, least=1, finite=True), st.integers(1, 6),
       st.sampled_from([0.0, 1e-30, 0.5, 1.0, 3.0, -1.0]))
def test_ball_query(xyz, new_xyz, nsample, radius):
    np.testing.assert_array_equal(farpoint.ball_query(radius, nsample, xyz, new_xyz), ball_query_kernel(radius, nsample, xyz, new_xyz))


@pytest.mark.parametrize("radius", [0.0, 2.0**-80, 2.0**-75, np.nextafter(2.0**-75, 1), 2.0**-75 * (1 + 2.0**-23), 2.0**-70, -1.0, np.nan])
def test_ball_query_of_radii_whose_square_is_hardly_a_float(radius):
    xyz, new_xyz = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 0]], np.float32), np.zeros((1, 3), np.float32)
    np.testing.assert_array_equal(farpoint.ball_query(radius, 3, xyz, new_xyz), ball_query_kernel(radius, 3, xyz, new_xyz))


def test_ball_query_of_batches(rng):
    xyz, new_xyz = rng.standard_normal((2, 300, 3)).astype(np.float32), rng.standard_normal((2, 40, 3)).astype(np.float32)
    expected = np.stack([ball_query_kernel(0.7, 8, a, b) for a, b in zip(xyz, new_xyz)])
    np.testing.assert_array_equal(farpoint.ball_query(0.7, 8, xyz, new_xyz), expected)
    with pytest.raises(ValueError, match="nsample"):
        farpoint.ball_query(1.0, 1025, xyz, new_xyz)
    with pytest.raises(ValueError, match="queries are float32 and points float64"):
        farpoint.ball_query(1.0, 1, xyz.astype(float), new_xyz)


def three_nn_kernel(unknown, known):
    dist, idx = np.full((len(unknown), 3), np.inf, np.float32), np.zeros((len(unknown), 3), np.int32)
    for q, query in enumerate(unknown):
        best = [np.float32(np.inf)] * 3
        besti = [0] * 3
        for k, d in enumerate(fused(query, known)):
            for place in range(3):
                if d < best[place]:
                    best[place + 1:], besti[place + 1:] = best[place:-1], besti[place:-1]
                    best[place], besti[place] = d, k
                    break
        dist[q], idx[q] = np.sqrt(np.array(best, np.float32)), besti
    return dist, idx


@given(clouds(dtype=np.float32, finite=True, most=25), clouds(dtype=np.float32, finite=True))
def test_three_nn(unknown, known):
    for found, expected in zip(farpoint.three_nn(unknown, known), three_nn_kernel(unknown, known)):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_three_nn_and_three_interpolate_of_batches(rng):
    unknown, known = rng.standard_normal((2, 50, 3)).astype(np.float32), rng.standard_normal((2, 200, 3)).astype(np.float32)
    dist, idx = farpoint.three_nn(unknown, known)
    for b in range(2):
        np.testing.assert_array_equal(idx[b], three_nn_kernel(unknown[b], known[b])[1])
    features = rng.standard_normal((2, 6, 200)).astype(np.float32)
    weight = 1 / (dist + 1e-8)
    weight /= weight.sum(axis=-1, keepdims=True)
    found = farpoint.three_interpolate(features, idx, weight)
    expected = sum(np.stack([features[b][:, idx[b, :, j]] for b in range(2)]).astype(float) * weight[:, None, :, j] for j in range(3))
    assert found.shape == (2, 6, 50) and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="not both"):
        farpoint.three_interpolate(features, idx, weight[:, :4])


def simple_knn_kernel(points):
    means = []
    for i, point in enumerate(points):
        best = [np.finfo(np.float32).max] * 3
        for d in np.delete(fused(points, point), i):
            for place in range(3):
                if best[place] > d:
                    best[place], d = d, best[place]
        with np.errstate(over="ignore"):
            means.append((best[0] + best[1] + best[2]) / np.float32(3))
    return np.array(means, np.float32)


@given(clouds(dtype=np.float32, finite=True, most=30))
def test_distCUDA2(points):
    np.testing.assert_array_equal(farpoint.distCUDA2(points), simple_knn_kernel(points))


def test_distCUDA2_of_many(rng):
    points = rng.standard_normal((300, 3)).astype(np.float32)
    np.testing.assert_array_equal(farpoint.distCUDA2(points), simple_knn_kernel(points))


def test_a_cache_that_another_thread_clears(monkeypatch, rng):
    class Cleared(dict):
        def __contains__(self, key):
            found = super().__contains__(key)
            self.clear()
            return found

    monkeypatch.setattr(_compat, "_places", Cleared())
    points = rng.random((40, 3), dtype=np.float32)
    one, other = (farpoint.furthest_point_sample(points, 5, rules="openpcdet") for _ in range(2))
    np.testing.assert_array_equal(one, other)
