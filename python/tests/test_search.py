import numpy as np
import oracle
import pytest
from clouds import clouds, odd_views
from hypothesis import given
from hypothesis import strategies as st

import farpoint


@given(clouds(), st.integers(1, 9), st.sampled_from([np.inf, 0.0, 1.5]), st.booleans())
def test_knn_is_its_definition(points, k, max_radius, exclude_self):
    found = farpoint.knn(points, k, max_radius=max_radius, exclude_self=exclude_self)
    indices, distances = oracle.knn(points, points, k, radius=max_radius, exclude_self=exclude_self)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.distances, distances)
    assert found.distances.dtype == points.dtype


@given(clouds(dtype=np.float32), clouds(dtype=np.float32), st.integers(1, 6))
def test_knn_of_queries(points, queries, k):
    indices, distances = farpoint.knn(points, k, queries)
    expected = oracle.knn(points, queries, k)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_knn_takes_strides_as_they_are(rng):
    points = rng.integers(-9, 9, (40, 3)).astype(np.float64)
    expected = oracle.knn(points, points, 4)[0]
    for name, view in odd_views(points).items():
        np.testing.assert_array_equal(farpoint.knn(view, 4).indices, expected, err_msg=name)
        np.testing.assert_array_equal(farpoint.knn(points, 4, view).indices, expected, err_msg=name)


def test_knn_of_batches_and_ragged_clouds(rng):
    points = rng.integers(-5, 5, (3, 12, 3)).astype(np.float32)
    queries = rng.integers(-5, 5, (3, 5, 3)).astype(np.float32)
    expected = np.stack([oracle.knn(p, q, 4)[0] for p, q in zip(points, queries)])
    np.testing.assert_array_equal(farpoint.knn(points, 4, queries).indices, expected)
    found = farpoint.knn(points.reshape(-1, 3), 4, queries.reshape(-1, 3), lengths=[12] * 3, query_offsets=[0, 5, 10, 15])
    np.testing.assert_array_equal(found.indices, expected.reshape(-1, 4))
    assert farpoint.knn(points, 4, index_dtype="int32").indices.dtype == np.int32


def test_knn_says_what_is_wrong():
    points = np.zeros((5, 3), np.float32)
    for arguments, sentence in [((points, 0), "k is 0"), ((points, 1025), "k is 1025"),
                                ((points, 1, points.astype(np.float64)), "queries are float64 and points float32"),
                                ((points, 1, points[None]), "both"), ((points[None], 1, np.zeros((2, 5, 3), np.float32)), "numbers of clouds")]:
        with pytest.raises(ValueError, match="knn: .*" + sentence):
            farpoint.knn(*arguments)
    with pytest.raises(ValueError, match="max_radius"):
        farpoint.knn(points, 1, max_radius=-1.0)
    with pytest.raises(ValueError, match="need queries"):
        farpoint.knn(points, 1, query_lengths=[5])
    with pytest.raises(ValueError, match="knn: points are complex128"):
        farpoint.knn(points.astype(complex), 1)


def test_knn_of_nothing():
    nothing = np.zeros((0, 3), np.float32)
    assert farpoint.knn(nothing, 3).indices.shape == (0, 3)
    assert farpoint.knn(nothing, 2, np.zeros((1, 3), np.float32)).indices.tolist() == [[-1, -1]]
    assert farpoint.knn(np.zeros((2, 0, 3), np.float32), 2, np.zeros((2, 1, 3), np.float32)).indices.tolist() == [[[-1, -1]]] * 2


def test_rows_that_offsets_leave_out_are_empty(rng):
    points = rng.integers(-5, 5, (20, 3)).astype(np.float32)
    cut = {"offsets": [3, 3, 11, 15]}
    inside, outside = slice(3, 15), [*range(3), *range(15, 20)]
    found = farpoint.knn(points, 2, **cut)
    np.testing.assert_array_equal(found.indices[3:11], oracle.knn(points[3:11], points[3:11], 2)[0])
    np.testing.assert_array_equal(found.indices[11:15], oracle.knn(points[11:15], points[11:15], 2)[0])
    assert (found.indices[outside] == -1).all() and (found.distances[outside] == np.inf).all()
    whole = farpoint.PointIndex(points, **cut).knn(2, points, query_offsets=cut["offsets"])
    np.testing.assert_array_equal(whole.indices, found.indices)
    np.testing.assert_array_equal(whole.distances, found.distances)
    means = farpoint.mean_knn_distance(points, **cut)
    assert np.isfinite(means[inside]).all() and (means[outside] == np.inf).all()
    assert not farpoint.normals(points, 4, **cut)[outside].any()
    rows = farpoint.radius(points, 2.0, **cut)
    assert (np.diff(rows.offsets)[outside] == 0).all() and len(rows.indices) == rows.offsets[-1]
    edges = farpoint.radius(points, 2.0, edge_index=True, **cut)
    distances = oracle.distance2(points[edges[0]], points[edges[1]])
    np.testing.assert_array_equal(distances, rows.distances)
    features = np.ones((20, 2), np.float32)
    between = farpoint.interpolate(points, features, points, query_offsets=cut["offsets"], **cut)
    assert (between[inside] == 1).all() and not between[outside].any()
    picked = farpoint.gather(features, np.zeros((20, 1), int), index_offsets=cut["offsets"], **cut)
    assert (picked[11:15] == 1).all() and not picked[outside].any()
    voxels = farpoint.voxelize(points, 1.0, (-6, -6, -6, 6, 6, 6), **cut)
    assert (voxels["point_voxel"][inside] >= 0).all() and (voxels["point_voxel"][outside] == -1).all()
