"""PointWindow against a list of points that is kept in Python, and what it finds against brute force."""

import copy
import pickle
import types

import numpy as np
import oracle
import pytest
from clouds import clouds, odd_views
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import farpoint
from farpoint import _arrays, _call, _core, _window


class Model:
    """A window by its definition: one point after another."""

    def __init__(self, capacity, dtype):
        self.capacity, self.dtype, self.rows = capacity, np.dtype(dtype).type, []

    def slide(self, scan, box=None, origin=None):
        """Returns the counts, and the source of each row."""
        def inside(p):
            if box is None or (origin is not None and not np.isfinite(np.asarray(origin, self.dtype)).all()):
                return True
            for axis in range(3):
                place = np.float64(p[axis]) - (0 if origin is None else np.float64(self.dtype(origin[axis])))
                with np.errstate(over="ignore"):
                    if not np.float64(self.dtype(box[axis])) <= place < np.float64(self.dtype(box[3 + axis])):
                        return False
            return True

        finite = [bool(np.isfinite(p).all()) for p in scan]
        kept = [(tuple(p), row) for row, p in enumerate(self.rows) if inside(p)]
        new = [(tuple(p), self.capacity + i) for i, p in enumerate(scan) if finite[i] and inside(p)]
        both = kept + new
        dropped = max(0, len(both) - self.capacity)
        counts = (len(kept), len(self.rows) - len(kept), len(new), sum(finite) - len(new), len(scan) - sum(finite), dropped)
        self.rows = [p for p, _ in both[dropped:]]
        return counts, [source for _, source in both[dropped:]]

    def array(self):
        return np.array(self.rows, self.dtype).reshape(-1, 3)


def check(window, model, change, expected, given=np.asarray):
    counts, sources = expected
    assert tuple(map(int, change[1:])) == counts
    size = len(sources)
    assert len(window) == size and np.asarray(window.offsets).tolist() == [0, size]
    np.testing.assert_array_equal(np.asarray(window.points)[:size], model.array())
    assert np.asarray(change.sources).tolist() == sources + [-1] * (model.capacity - size)
    assert np.isnan(np.asarray(window.points)[size:]).all()
    points, queries = model.array(), np.array([[0, 0, 0], [1, -2, 0.5], [np.nan, 0, 0], [9, 9, 9]], model.dtype)
    for found, one in zip(window.knn(3, given(queries)), oracle.knn(points, queries, 3)):
        np.testing.assert_array_equal(np.asarray(found), one)
    if window._offsets is None:
        for found, one in zip(window.radius(2.5, queries), farpoint.radius(points, 2.5, queries)):
            np.testing.assert_array_equal(found, one)
    for found, one in zip(window.radius(2.5, given(queries), 2), oracle.knn(points, queries, 2, radius=2.5)):
        np.testing.assert_array_equal(np.asarray(found), one)
    for found, one in zip(window.knn(2), oracle.knn(points, points, 2)):  # rows past the last find nothing
        np.testing.assert_array_equal(np.asarray(found)[:size], one)
        assert (np.asarray(found)[size:] == (-1 if one.dtype == np.int64 else np.inf)).all()


class IndexOfADevice:
    """What the compiled module does on a device: an index that is built again in the same memory."""

    def __init__(self, place, points, offsets):
        self.points, self.offsets = points, offsets
        self.rebuild(place, points, offsets)

    def rebuild(self, place, points, offsets):
        assert points is self.points and offsets is self.offsets
        self.index = _core.PointIndex(place, points, offsets)

    def __getattr__(self, name):
        return getattr(self.index, name)


@pytest.fixture(params=["numpy", "torch"])
def device(request, monkeypatch):
    """Makes host memory a device's, whose calls read no number; returns a function from arrays of numpy to its arrays."""
    kind, given = _arrays.Numpy, np.asarray
    if request.param == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed: windows of its tensors are not tested")
        kind, given = _arrays.Torch, torch.from_numpy

    class Device(kind):
        on_host = False

        def __init__(self, array, threads=0, **options):
            super().__init__(*((array, _core.Place(-1, 0, threads)) if kind is _arrays.Torch else (threads,)))
            self.on_host = False

    monkeypatch.setattr(_call, "space_of", Device)
    monkeypatch.setattr(_window, "_core", types.SimpleNamespace(PointIndex=IndexOfADevice))
    return given


BOXES = st.one_of(st.none(), st.tuples(*[st.integers(-6, 1)] * 3, *[st.integers(-1, 6)] * 3),
                  st.just((-np.inf, -2, -np.inf, np.inf, 2, 1e300)), st.just((0,) * 6))
ORIGINS = st.one_of(st.none(), st.tuples(*[st.sampled_from([-1.5, 0.0, 0.1, 2.0])] * 3), st.just((0.0, np.nan, 0.0)))
SLIDES = st.lists(st.tuples(clouds(dtype=np.float64, most=25), BOXES, ORIGINS), max_size=4)
TYPES, CAPACITIES = st.sampled_from(["float32", "float64"]), st.sampled_from([0, 1, 7, 30, 500])


def slides_are_right(window, model, slides, given=np.asarray, origin_of=lambda origin: origin):
    for scan, box, origin in slides:
        scan, origin = scan.astype(model.dtype), None if box is None else origin
        asked = None if origin is None else origin_of(np.array(origin, model.dtype))
        check(window, model, window.append(given(scan), box, origin=asked), model.slide(scan, box, origin), given)
    check(window, model, window.keep((-2, -2, -2, 2, 3, 3)), model.slide([], (-2, -2, -2, 2, 3, 3)),
          given)
    window.clear()
    assert len(window) == 0 and np.isnan(np.asarray(window.points)).all()


@given(TYPES, CAPACITIES, SLIDES)
def test_a_window_is_a_list_of_points(dtype, capacity, slides):
    slides_are_right(farpoint.PointWindow(capacity, dtype=dtype), Model(capacity, dtype), slides)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TYPES, st.sampled_from([0, 1, 7, 30]), SLIDES, st.booleans())
def test_a_window_on_a_device_is_the_same(device, dtype, capacity, slides, origin_is_an_array):
    window = farpoint.PointWindow(capacity, like=device(np.zeros(1, dtype)))
    memory = window.points, window.offsets
    slides_are_right(window, Model(capacity, dtype), slides, device, device if origin_is_an_array else list)
    assert window.points is memory[0] and window.offsets is memory[1]  # as a captured graph needs them


def test_points_of_many_layouts_and_types(rng):
    points = rng.integers(-9, 9, (40, 3)).astype(np.float32)
    for dtype in ("float32", "float64"):
        expected = points[-30:]
        for name, view in odd_views(points.astype(dtype)).items():
            window = farpoint.PointWindow(30, dtype=dtype)
            window.append(view)
            np.testing.assert_array_equal(window.points, expected, err_msg=name)
    for dtype, other in (("float32", np.float16), ("float64", np.int16), ("float64", np.uint64), ("float64", np.float16)):
        window = farpoint.PointWindow(50, dtype=dtype)
        window.append(abs(points).astype(other))
        np.testing.assert_array_equal(window.points, abs(points))
    window = farpoint.PointWindow(50)
    window.append(points.tolist())
    assert window.points.dtype == np.float32 and len(window) == 40


def test_duplicates_beyond_the_capacity_and_coordinates_of_a_map():
    window = farpoint.PointWindow(10, dtype="float64")
    same = np.tile([[4.5e5, 5.4e6, 100.0]], (500, 1))
    assert window.append(same).dropped == 490
    assert window.knn(3, same[:1]).indices.tolist() == [[0, 1, 2]]
    change = window.append(same + [0.001, 0, 0], (4.5e5 + 0.0005, 0, 0, 5e5, 6e6, 1e3))
    assert (change.kept, change.erased, change.appended, change.dropped) == (0, 10, 500, 490)
    assert window.append(same + 1e-3, (-1, -1, -1, 1, 1, 1), origin=same[0]).appended == 500
    assert not window.append(np.full((5, 3), np.inf)).appended


def test_features_move_with_their_points(rng):
    window, features = farpoint.PointWindow(60), np.zeros((60, 2), np.float32)
    for second in range(8):
        scan = rng.random((25, 3)).astype(np.float32) + np.float32([second / 4, 0, 0])
        change = window.append(scan, (-0.5, 0, 0, 1.0, 1, 1), origin=(second / 4, 0, 0))
        features = farpoint.gather(np.concatenate([features, scan[:, :2] * 3]), change.sources)
        np.testing.assert_array_equal(features[:len(window)], window.points[:, :2] * 3)
    rows = features[:len(window)]
    np.testing.assert_array_equal(window.interpolate(rows, scan), farpoint.interpolate(window.points, rows, scan))


def test_copies_of_a_window(rng):
    window = farpoint.PointWindow(20, dtype="float64", threads=1)
    window.append(rng.random((33, 3)))
    for other in (pickle.loads(pickle.dumps(window)), copy.copy(window), copy.deepcopy(window)):
        assert repr(other) == repr(window) == "PointWindow(20 of 20 points, float64)" and other.capacity == 20
        np.testing.assert_array_equal(other.knn(3).indices, window.knn(3).indices)
        other.clear()
        assert len(other) == 0 and len(window) == 20


def test_a_window_has_its_own_points(rng):
    points = rng.random((9, 3))
    window = farpoint.PointWindow(9, dtype="float64")
    window.append(points)
    before = points.copy()
    points[:] = 0
    np.testing.assert_array_equal(window.points, before)
    assert (window.knn(1, before).distances == 0).all()


def test_tensors_in_host_memory(rng):
    torch = pytest.importorskip("torch", reason="torch is not installed: windows of its tensors are not tested")
    points = torch.from_numpy(rng.random((40, 3)))
    window = farpoint.PointWindow(30, like=points)
    change = window.append(points, (0, 0, 0, 0.9, 1, 1))
    assert change.sources.dtype == torch.int64 and isinstance(change.kept, int)
    found, expected = window.radius(0.3, points[:4]), farpoint.radius(window.points, 0.3, points[:4])
    assert all(torch.equal(one, other) for one, other in zip(found, expected))
    assert torch.equal(window.offsets, torch.tensor([0, len(window)]))
    assert torch.equal(farpoint.normals(window.points, offsets=window.offsets), farpoint.normals(window.points))
    assert window.append(points.to(torch.bfloat16)).appended == 40
    with pytest.raises(ValueError, match=r"gradient of points would be lost; pass points.detach\(\)"):
        window.append(points.clone().requires_grad_())
    with pytest.raises(ValueError, match="another library"):
        farpoint.PointWindow(4).append(types.SimpleNamespace(__dlpack_device__=lambda: (2, 0), shape=(1, 3)))


def test_a_window_says_what_is_wrong():
    for arguments, sentence in (((-1,), "capacity is -1"), ((2**30 + 1,), "capacity is 1073741825"), ((2.5,), "whole number"),
                                ((4, "int32"), "dtype is int32")):
        with pytest.raises(ValueError, match=sentence):
            farpoint.PointWindow(arguments[0], dtype=arguments[1] if len(arguments) > 1 else None)
    window = farpoint.PointWindow(4)
    window.append(np.eye(3, dtype=np.float32))
    good = np.ones((2, 3), np.float32)
    for call, sentence in ((lambda: window.append(np.ones((2, 3))), "points are float64, and those of the window float32"),
                           (lambda: window.append(np.ones((2, 3), int)), "points are float64, and those of the window float32"),
                           (lambda: window.append(good[None]), "one cloud"), (lambda: window.append(good[:, :2]), "shape"),
                           (lambda: window.append(good, (0, 0, 0)), "box has 3 numbers; it must have six"),
                           (lambda: window.append(good, (0, 0, 0, np.nan, 1, 1)), "bound of the box is NaN"),
                           (lambda: window.keep(None), "box"), (lambda: window.append(good, origin=(0, 0, 0)), "origin is of a box"),
                           (lambda: window.append(good, (0,) * 6, origin=(0, 0)), "origin has 2 numbers; it must have three"),
                           (lambda: window.append(np.ma.masked_array(good)), "masked array"),
                           (lambda: window.knn(1, np.ones((1, 3))), "queries are float64 and points float32"),
                           (lambda: window.knn(1, good, query_lengths=[2]), "as many clouds"),
                           (lambda: window.append(good, workspace=lambda size: 0), "workspace is memory of a device")):
        with pytest.raises(ValueError, match=sentence):
            call()
    np.testing.assert_array_equal(window.points, np.eye(3))
