import numpy as np
import oracle
import pytest
from clouds import clouds, odd_views
from hypothesis import given
from hypothesis import strategies as st

import farpoint


@given(clouds(), st.integers(0, 12), st.data())
def test_fps_is_its_definition(points, samples, data):
    first = data.draw(st.integers(0, max(0, len(points) - 1)))
    indices, distances = farpoint.fps(points, samples, first=first, return_distances=True)
    expected = oracle.fps(points, samples, first)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])
    assert indices.dtype == np.int64 and distances.dtype == points.dtype


@given(clouds(dtype=np.float16, most=20), st.integers(1, 8))
def test_fps_of_halves(points, samples):
    indices, distances = farpoint.fps(points, samples, return_distances=True)
    np.testing.assert_array_equal(indices, oracle.fps(points, samples)[0])
    assert distances.dtype == np.float32


def test_fps_takes_strides_as_they_are(rng):
    points = rng.integers(-9, 9, (50, 3)).astype(np.float64)
    expected = oracle.fps(points, 12)[0]
    for name, view in odd_views(points).items():
        np.testing.assert_array_equal(farpoint.fps(view, 12), expected, err_msg=name)
    record = np.zeros(50, [("flag", "u1"), ("xyz", "f8", 3)])
    record["xyz"] = points
    np.testing.assert_array_equal(farpoint.fps(record["xyz"], 12), expected)


def test_fps_copies_nothing(rng):
    # A stride that no copy would have, of memory that the call must read itself: points of stride 0 are all one point.
    one = np.lib.stride_tricks.as_strided(np.array([1, 2, 3], np.float32), (1 << 20, 3), (0, 4))
    indices, distances = farpoint.fps(one, 2, return_distances=True)
    assert indices.tolist() == [0, 1] and distances.tolist() == [np.inf, 0]


def test_fps_of_batches(rng):
    points = rng.integers(-9, 9, (4, 30, 3)).astype(np.float32)
    expected = np.stack([oracle.fps(cloud, 7)[0] for cloud in points])
    np.testing.assert_array_equal(farpoint.fps(points, 7), expected)
    for view in (points[::2], np.asfortranarray(points)[::2], points[:, ::3][::2], points.transpose(1, 0, 2).copy().transpose(1, 0, 2)[::2]):
        np.testing.assert_array_equal(farpoint.fps(view, 7), np.stack([oracle.fps(cloud, 7)[0] for cloud in view]))
    firsts = np.array([3, 0, 29, 5], np.int32)
    np.testing.assert_array_equal(farpoint.fps(points, 7, first=firsts),
                                  np.stack([oracle.fps(c, 7, f)[0] for c, f in zip(points, firsts)]))
    assert farpoint.fps(points, 7, index_dtype=np.int32).dtype == np.int32


@given(clouds(least=1), st.lists(st.integers(0, 40), max_size=4))
def test_fps_of_ragged_clouds(points, cuts):
    offsets = np.array(sorted({0, len(points), *(cut for cut in cuts if cut <= len(points))}))
    expected = np.stack([oracle.fps(points[a:b], 5)[0] for a, b in zip(offsets, offsets[1:])])
    np.testing.assert_array_equal(farpoint.fps(points, 5, offsets=offsets), expected)
    np.testing.assert_array_equal(farpoint.fps(points, 5, lengths=np.diff(offsets)), expected)


@given(clouds(least=1), st.integers(1, 9), st.lists(st.integers(-1, 10), min_size=1, max_size=5), st.sampled_from([0, 0.5, 3]))
def test_fps_goes_on_from_chosen(points, samples, chosen, stop_below):
    chosen = [c for c in chosen if c < len(points)] or [-1]
    indices, distances = farpoint.fps(points, samples, chosen=chosen, stop_below=stop_below, return_distances=True)
    expected = oracle.fps(points, samples, chosen=chosen, stop_below=stop_below)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_fps_from_a_seed(rng):
    points = rng.standard_normal((3, 100, 3))
    assert (farpoint.fps(points, 5, seed=7) == farpoint.fps(points, 5, seed=7)).all()
    assert len({farpoint.fps(points[0], 1, seed=s).item() for s in range(20)}) > 5


@pytest.mark.parametrize("arguments, sentence", [
    ((np.zeros((5, 2), np.float32), 2), r"fps: points have the shape \(5, 2\)"),
    ((np.zeros(3, np.float32), 2), "fps: points have the shape"),
    ((np.zeros((5, 3), bool), 2), "fps: points are bool"),
    ((np.zeros((5, 3), np.float32), -1), "fps: samples is negative"),
    ((np.zeros((5, 3), np.complex64), 1), "complex64"),
    (([["a"] * 3], 1), "fps: points are"),
])
def test_fps_says_what_is_wrong(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        farpoint.fps(*arguments)


def test_the_librarys_sentence():
    with pytest.raises(ValueError, match="first"):
        farpoint.fps(np.zeros((5, 3), np.float32), 2, first=-1)
    with pytest.raises(ValueError, match="offsets"):
        farpoint.fps(np.zeros((5, 3), np.float32), 2, offsets=[0, 4, 3])
    with pytest.raises(ValueError, match="offsets"):
        farpoint.fps(np.zeros((5, 3), np.float32), 2, offsets=[0, 6])
    with pytest.raises(ValueError, match="either offsets or lengths"):
        farpoint.fps(np.zeros((5, 3), np.float32), 2, offsets=[0, 5], lengths=[5])
    with pytest.raises(ValueError, match="one after another"):
        farpoint.fps(np.zeros((1, 5, 3), np.float32), 2, lengths=[5])


def test_empty_clouds():
    assert farpoint.fps(np.zeros((0, 3), np.float32), 2).tolist() == [-1, -1]
    assert farpoint.fps(np.zeros((0, 4, 3), np.float32), 2).shape == (0, 2)
    assert farpoint.fps(np.zeros((2, 0, 3), np.float32), 2).tolist() == [[-1, -1]] * 2
    assert farpoint.fps(np.zeros((4, 3), np.float32), 0).shape == (0,)
    assert farpoint.fps(np.zeros((4, 3), np.float32), 2, offsets=[0]).shape == (0, 2)


TYPES = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, bool]


@given(st.sampled_from(TYPES), st.integers(0, 9), st.integers(1, 5), st.data())
def test_gather_is_its_definition(dtype, rows, channels, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    features = rng.integers(0, 100, (rows, channels)).astype(dtype)
    shape = data.draw(st.sampled_from([(), (4,), (3, 2), (0,), (2, 0), (2, 2, 2)]))
    indices = rng.integers(-2, rows + 2, shape).astype(data.draw(st.sampled_from([np.int32, np.int64, np.int16])))
    gathered = farpoint.gather(features, indices)
    assert gathered.dtype == features.dtype
    np.testing.assert_array_equal(gathered, oracle.gather(features, indices))


def test_gather_of_batches_and_strides(rng):
    features = rng.standard_normal((3, 8, 4)).astype(np.float32)
    indices = rng.integers(-1, 8, (3, 5, 2))
    expected = np.stack([oracle.gather(f, i) for f, i in zip(features, indices)])
    np.testing.assert_array_equal(farpoint.gather(features, indices), expected)
    np.testing.assert_array_equal(farpoint.gather(np.asfortranarray(features), indices), expected)
    np.testing.assert_array_equal(farpoint.gather(features[:, ::-1], 7 - indices)[indices >= 0], expected[indices >= 0])
    channels_first = np.ascontiguousarray(features.transpose(0, 2, 1))
    np.testing.assert_array_equal(farpoint.group(channels_first, indices), expected.transpose(0, 3, 1, 2))
    np.testing.assert_array_equal(farpoint.group(channels_first[0], indices[0]), expected[0].transpose(2, 0, 1))


def test_gather_of_ragged_clouds(rng):
    features = rng.standard_normal((9, 2))
    offsets = [0, 4, 4, 9]
    indices = rng.integers(-1, 5, (3, 2))
    cut = [features[a:b] for a, b in zip(offsets, offsets[1:])]
    np.testing.assert_array_equal(farpoint.gather(features, indices, offsets=offsets),
                                  np.stack([oracle.gather(f, i) for f, i in zip(cut, indices)]))
    rows = rng.integers(-1, 5, (6, 3))
    gathered = farpoint.gather(features, rows, lengths=[4, 0, 5], index_lengths=[1, 2, 3])
    expected = [oracle.gather(f, i) for f, i in zip(cut, (rows[:1], rows[1:3], rows[3:]))]
    np.testing.assert_array_equal(gathered, np.concatenate(expected))


def test_gather_says_what_is_wrong():
    with pytest.raises(ValueError, match="gather: indices are float64"):
        farpoint.gather(np.zeros((2, 2)), [0.5])
    with pytest.raises(ValueError, match="gather: features have the shape"):
        farpoint.gather(np.zeros(2), [0])
    with pytest.raises(ValueError, match="with B = 2"):
        farpoint.gather(np.zeros((2, 2, 2)), [[0]])
    with pytest.raises(ValueError, match="1, 2, 4 or 8 bytes"):
        farpoint.gather(np.zeros((2, 2), complex), [0])
