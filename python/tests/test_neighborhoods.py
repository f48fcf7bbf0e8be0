"""radius, normals, mean_knn_distance, interpolate."""

import numpy as np
import oracle
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint

RULES = st.fixed_dictionaries({"exclude_self": st.booleans(), "exclusive": st.booleans()})


def rows_of(points, queries, radius, order, rules):
    rows = [oracle.neighbors(points, query, q, radius=radius, **rules) for q, query in enumerate(queries)]
    return [sorted(row) for row in rows] if order == "nearest" else rows


@given(clouds(), st.sampled_from([0.5, 1.0, 2.5]), st.sampled_from(["index", "nearest"]), RULES)
def test_radius_is_its_definition(points, radius, order, rules):
    found = farpoint.radius(points, radius, order=order, **rules)
    rows = rows_of(points, points, radius, order, rules)
    np.testing.assert_array_equal(found.offsets, np.cumsum([0] + [len(row) for row in rows]))
    np.testing.assert_array_equal(found.indices, [i for row in rows for _, i in row])
    np.testing.assert_array_equal(found.distances, [d for row in rows for d, _ in row])
    edges = farpoint.radius(points, radius, order=order, edge_index=True, **rules)
    np.testing.assert_array_equal(edges, np.array([(q, i) for q, row in enumerate(rows) for _, i in row], int).reshape(-1, 2).T)


@given(clouds(dtype=np.float32, least=4), clouds(dtype=np.float32, least=4), st.data())
def test_edges_count_through_all_clouds(points, queries, data):
    cut, query_cut = data.draw(st.integers(0, len(points))), data.draw(st.integers(0, len(queries)))
    edges = farpoint.radius(points, 1.5, queries, edge_index=True, offsets=[0, cut, len(points)],
                            query_lengths=[query_cut, len(queries) - query_cut])
    expected = []
    for q, query in enumerate(queries):
        begin, end = (0, cut) if q < query_cut else (cut, len(points))
        expected += [(q, begin + i) for _, i in oracle.neighbors(points[begin:end], query, -1, radius=1.5)]
    np.testing.assert_array_equal(edges, np.array(expected, int).reshape(-1, 2).T)


def test_edges_of_batches_and_a_capacity(rng):
    points = rng.integers(-3, 3, (3, 9, 3)).astype(np.float64)
    edges = farpoint.radius(points, 2.0, edge_index=True)
    expected = [(b * 9 + q, b * 9 + i) for b in range(3) for q in range(9)
                for _, i in oracle.neighbors(points[b], points[b, q], -1, radius=2.0)]
    np.testing.assert_array_equal(edges.T, expected)
    whole, part = farpoint.radius(points, 2.0), farpoint.radius(points, 2.0, capacity=20)
    np.testing.assert_array_equal(part.offsets, whole.offsets)
    fits = whole.offsets[whole.offsets <= 20][-1]
    np.testing.assert_array_equal(part.indices[:fits], whole.indices[:fits])
    assert (part.indices[fits:] == -1).all()
    assert farpoint.radius(np.zeros((0, 3), np.float32), 1.0).offsets.tolist() == [0]


def test_radius_says_what_is_wrong():
    with pytest.raises(ValueError, match="radius"):
        farpoint.radius(np.zeros((2, 3), np.float32), -1.0)
    with pytest.raises(ValueError, match="no order"):
        farpoint.radius(np.zeros((2, 3), np.float32), 1.0, order="far")


def test_normals_of_planes(rng):
    for normal in np.eye(3):
        points = rng.standard_normal((200, 3))
        points -= np.outer(points @ normal, normal)
        points += 5 * normal
        found, curvature = farpoint.normals(points, 8, return_curvature=True)
        np.testing.assert_allclose(found, np.tile(-normal, (200, 1)), atol=1e-7)
        np.testing.assert_allclose(curvature, 0, atol=1e-7)
        np.testing.assert_allclose(farpoint.normals(points, 8, viewpoint=10 * normal), np.tile(normal, (200, 1)), atol=1e-7)


@given(clouds(dtype=np.float64, least=3, most=25), st.integers(3, 8))
def test_normals_are_of_the_neighbors(points, k):
    found, curvature = farpoint.normals(points, k, return_curvature=True)
    indices, _ = oracle.knn(points, points, k)
    for i, row in enumerate(indices):
        near = points[row[row >= 0]]
        if len(near) < 3:
            assert not found[i].any()
            continue
        values, vectors = np.linalg.eigh(np.cov(near.T, bias=True))
        if values[1] - values[0] < 1e-6 or not found[i].any():
            continue  # a line or a ball has no normal of its own
        assert abs(found[i] @ vectors[:, 0]) > 1 - 1e-6
        assert found[i] @ points[i] <= 1e-9  # towards the origin
        np.testing.assert_allclose(curvature[i], max(values[0], 0) / values.sum(), atol=1e-9)


@given(clouds(dtype=np.float64, least=1, most=25), st.integers(3, 8))
def test_covariances_are_of_the_neighbors(points, k):
    found, curvature, covariances = farpoint.normals(points, k, return_curvature=True, return_covariances=True)
    alone = farpoint.normals(points, k, return_covariances=True)
    assert len(alone) == 2 and np.array_equal(alone[0], found) and np.array_equal(alone[1], covariances)
    assert np.array_equal(farpoint.normals(points, k, return_curvature=True)[1], curvature)
    indices, _ = oracle.knn(points, points, k)
    upper = np.triu_indices(3)
    for i, row in enumerate(indices):
        near = points[row[row >= 0]]
        expected = np.cov(near.T, bias=True)[upper] if len(near) > 1 else np.zeros(6)
        scale = np.abs(near - points[i]).max() ** 2 if len(near) > 0 else 0
        np.testing.assert_allclose(covariances[i], expected, rtol=1e-6, atol=1e-9 * scale)


def test_covariances_of_batches_and_ragged_clouds():
    corners = np.array([[1, 1, 5], [1, 3, 5], [5, 1, 5], [5, 3, 5]], np.float32)
    expected = np.tile(np.array([4, 0, 0, 1, 0, 0], np.float32), (4, 1))
    found = farpoint.normals(corners, 4, return_covariances=True)[1]
    assert found.dtype == np.float32 and np.array_equal(found, expected)
    assert np.array_equal(farpoint.normals(np.stack([corners, corners]), 4, return_covariances=True)[1], np.stack([expected, expected]))
    # A point in no cloud has zeros.
    ragged = farpoint.normals(np.concatenate([corners, corners[:1]]), 4, offsets=[0, 4], return_covariances=True)[1]
    assert np.array_equal(ragged, np.concatenate([expected, np.zeros((1, 6), np.float32)]))


def test_normals_say_what_is_wrong():
    with pytest.raises(ValueError, match="k"):
        farpoint.normals(np.zeros((5, 3), np.float32), 2)
    with pytest.raises(ValueError, match="viewpoint"):
        farpoint.normals(np.zeros((5, 3), np.float32), viewpoint=(0, 0))


def mean_distance(points, k):
    means = np.full(len(points), np.inf, points.dtype)
    for i, point in enumerate(points):
        nearest = sorted(oracle.neighbors(points, point, i, exclude_self=True))[:k]
        if nearest:
            total = points.dtype.type(0)
            for d, _ in nearest:
                total += d
            means[i] = total / points.dtype.type(len(nearest))
    return means


@given(clouds(), st.integers(1, 6))
def test_mean_knn_distance_is_its_definition(points, k):
    np.testing.assert_array_equal(farpoint.mean_knn_distance(points, k), mean_distance(points, k))


def test_mean_knn_distance_of_batches(rng):
    points = rng.integers(-5, 5, (2, 15, 3)).astype(np.float32)
    expected = np.stack([mean_distance(cloud, 3) for cloud in points])
    np.testing.assert_array_equal(farpoint.mean_knn_distance(points), expected)
    np.testing.assert_array_equal(farpoint.mean_knn_distance(points.reshape(-1, 3), lengths=[15, 15]), expected.reshape(-1))


@given(clouds(dtype=np.float64, least=1), clouds(dtype=np.float64), st.integers(1, 4))
def test_interpolate_is_its_definition(points, queries, channels):
    features = np.random.default_rng(len(points)).standard_normal((len(points), channels)).astype(np.float32)
    found = farpoint.interpolate(points, features, queries)
    indices, distances = oracle.knn(points, queries, 3)
    for row, near, d in zip(found, indices, distances):
        near, d = near[near >= 0], d[near >= 0]
        if not len(near):
            expected = np.zeros(channels)
        elif (d == 0).any():
            expected = features[near[d == 0]].astype(float).mean(axis=0)
        else:
            expected = (features[near] / d[:, None]).sum(axis=0) / (1 / d).sum()
        np.testing.assert_allclose(row, expected, rtol=1e-5, atol=1e-6)


def test_interpolate_says_what_is_wrong():
    points = np.zeros((4, 3), np.float32)
    with pytest.raises(ValueError, match="a row for each point"):
        farpoint.interpolate(points, np.zeros((3, 2), np.float32), points)
    with pytest.raises(ValueError, match="features are float64"):
        farpoint.interpolate(points, np.zeros((4, 2)), points)
