"""Arrays of a device by DLPack, of JAX and of unknown libraries.

There need be no JAX and no GPU: a stand-in with JAX's functions and rules has its memory on the host, and the place of a call is
replaced by the host. test_cuda.py has the same with JAX on a GPU.
"""

import contextlib
import sys
import types
from typing import List, Optional

import numpy as np
import pytest
from test_every_function import CALLS, answers

import farpoint
from farpoint import _arrays, _core, _jax

DEVICE = "gpu 0 of the stand-in"


class Arrays(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that cannot be written to, says that it is on a GPU, and has no way to the host but numbers and lists."""

    exports: List[Optional[int]] = []  # the `stream` of each

    def __init__(self, values):
        self.values = np.array(values, order="C")

    dtype = property(lambda self: self.values.dtype)
    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)

    def __dlpack__(self, *, stream=None, max_version=None):
        self.exports.append(stream)
        if stream != 1:
            raise RuntimeError("the array is not ready on that stream")
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return (2, 0)

    def devices(self):
        return {DEVICE}

    def __array__(self, *arguments, **options):
        raise AssertionError("an array of a device is copied to the host")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return wrapped(getattr(ufunc, method)(*unwrapped(inputs), **options))

    def __getitem__(self, key):
        return Arrays(self.values[unwrapped(key)])

    def __int__(self):
        return int(self.values)

    __index__ = __int__

    @property
    def at(self):
        def put(key, rows):
            values = self.values.copy()
            values[unwrapped(key)] = unwrapped(rows)
            return Arrays(values)

        return At(put)

    def __getattr__(self, name):
        if name in ("tolist", "item"):
            return getattr(self.values, name)
        if name in ("all", "any", "argmax", "astype", "cumsum", "max", "reshape", "sum", "transpose"):
            return lambda *arguments, **options: wrapped(getattr(self.values, name)(*unwrapped(arguments), **options))
        raise AttributeError(name)


class At:
    def __init__(self, put):
        self.put = put

    def __getitem__(self, key):
        return types.SimpleNamespace(set=lambda rows: self.put(key, rows))


Arrays.__module__ = "jaxlib.stand_in"


class Tracer(Arrays):
    """An argument of a function that JAX traces."""

    __module__ = "jax.stand_in"


def unwrapped(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(unwrapped, value))
    return value.values if isinstance(value, Arrays) else value


def wrapped(value):
    return Arrays(value) if isinstance(value, (np.ndarray, np.generic)) else value


class JaxNumpy:
    """Functions of jax.numpy on the stand-in's arrays, which halve 64-bit types unless they are enabled."""

    __name__ = "jax.numpy"

    def __init__(self):
        self.is_wide = False

    def type_of(self, dtype):
        dtype = np.dtype(dtype)
        return dtype if self.is_wide or dtype.itemsize < 8 else np.dtype(dtype.kind + "4")

    def __getattr__(self, name):
        def function(*arguments, device=DEVICE, **options):
            assert device == DEVICE
            given = unwrapped(arguments)
            if name in ("empty", "zeros", "full"):
                *given, dtype = given
                return wrapped(getattr(np, name)(*given, self.type_of(dtype)))
            found = getattr(np, name)(*given, **options)
            return wrapped(found.astype(self.type_of(found.dtype)))

        return function


@pytest.fixture(params=[False, True], ids=["32 bits", "64 bits"])
def jax(request, monkeypatch):
    library = JaxNumpy()
    library.is_wide = request.param

    @contextlib.contextmanager
    def enable_x64(wanted):
        before, library.is_wide = library.is_wide, wanted
        yield
        library.is_wide = before

    @contextlib.contextmanager
    def ensure_compile_time_eval():
        yield

    stand_in = types.SimpleNamespace(numpy=library, Array=Arrays, core=types.SimpleNamespace(Tracer=Tracer), enable_x64=enable_x64,
                                     ensure_compile_time_eval=ensure_compile_time_eval,
                                     config=types.SimpleNamespace(jax_enable_x64=request.param))
    monkeypatch.setitem(sys.modules, "jax", stand_in)
    monkeypatch.setattr(_jax.Jax, "_place_on", lambda self, number, allocate, y_first: _core.Place(-1, 0, 0, None, y_first))
    Arrays.exports.clear()
    yield stand_in
    assert set(Arrays.exports) <= {1}  # the legacy default stream, on which the calls are


def same(jax, found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert type(one) is Arrays
        # Without 64-bit types, results have halved types, as JAX does it.
        halved = jax.numpy.type_of(other.dtype)
        assert one.dtype == halved
        np.testing.assert_array_equal(one.values, other.astype(halved))


@pytest.fixture
def cloud(rng):
    points = rng.integers(-9, 9, (40, 3)).astype(np.float32)
    points[3, 1] = np.nan
    return points


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("gather", "screen_knn", "voxelize")])
def test_results_are_arrays_of_jax(name, jax, cloud):
    call, batches, ragged = CALLS[name]
    same(jax, answers(call(Arrays(cloud))), answers(call(cloud)))
    if batches:
        batch = np.stack([cloud, cloud[::-1] + 1])
        same(jax, answers(call(Arrays(batch))), answers(call(batch)))
    if ragged:
        for cut in ({"lengths": [10, 0, 30]}, {"offsets": np.array([0, 10, 30])}):
            given = {key: Arrays(np.asarray(value)) for key, value in cut.items()}
            same(jax, answers(call(Arrays(cloud), **given)), answers(call(cloud, **cut)))
    assert Arrays.exports


def test_voxels(jax, cloud):
    box = (-9, -9, -9, 9, 9, 9)
    for options in ({}, {"max_points": 3, "max_voxels": 50}, {"lengths": [10, 0, 20]}):
        expected = farpoint.voxelize(cloud, 1.0, box, **options)
        found = farpoint.voxelize(Arrays(cloud), 1.0, box, **options)
        assert found.keys() == expected.keys()
        for key, value in expected.items():  # a device's have rows for all voxels that fit
            np.testing.assert_array_equal(found[key].values[:len(value)], value, err_msg=key)
    assert found["point_voxel"].values.tolist()[-10:] == [-1] * 10  # the offsets leave these out
    np.testing.assert_array_equal(np.array(farpoint.voxelize(Arrays(cloud), 1.0)["point_range"].tolist()),
                                  farpoint.voxelize(cloud, 1.0)["point_range"])


def test_rows_and_maps(jax, cloud):
    indices = np.array([3, 0, 39, -1], np.int32)
    same(jax, [farpoint.gather(Arrays(cloud), Arrays(indices))], [farpoint.gather(cloud, indices)])
    same(jax, [farpoint.gather(Arrays(cloud), [3, 1])], [cloud[[3, 1]]])
    table = farpoint.HashMap(9, like=Arrays(cloud))
    table.insert(Arrays(np.array([4, 2])), Arrays(np.array([40, 20])))
    assert table.find(Arrays(np.array([2, 3, 4]))).tolist() == [20, -1, 40]
    fits = np.nan_to_num(cloud)
    index = farpoint.PointIndex(Arrays(fits))
    same(jax, index.knn(3, Arrays(cloud)), farpoint.knn(fits, 3, cloud))
    same(jax, [index.interpolate(Arrays(fits), Arrays(cloud))], [farpoint.interpolate(fits, fits, cloud)])


def test_neighbors_on_a_screen(jax, cloud):
    call, *_ = CALLS["screen_knn"]
    expected = call(cloud)
    found = call(Arrays(cloud))
    for one, other in zip(found, expected):  # a device's have a row for each point
        np.testing.assert_array_equal(one.values[:len(other)], other)


def test_a_window(jax, rng):
    ours, theirs = farpoint.PointWindow(50), farpoint.PointWindow(50, like=Arrays(np.zeros(1, np.float32)))
    theirs._index = types.SimpleNamespace(rebuild=lambda *given: setattr(theirs, "_rebuilt", _core.PointIndex(*given)))
    for second in range(4):
        scan, origin = rng.standard_normal((30, 3)).astype(np.float32), np.float32([second / 4, 0, 0])
        expected = ours.append(scan, (-1, -2, -2, 1, 2, 2), origin=origin)
        found = theirs.append(Arrays(scan), (-1, -2, -2, 1, 2, 2), origin=Arrays(origin))
        np.testing.assert_array_equal(found.sources.values, expected.sources)
        assert tuple(map(int, found[1:])) == expected[1:] and len(theirs) == len(ours)
        np.testing.assert_array_equal(theirs.points.values[:len(ours)], ours.points)
    theirs._index = theirs._rebuilt
    found = theirs.knn(3, Arrays(scan))
    same(jax, found, ours.knn(3, scan))


def test_numbers_of_other_types_are_converted(jax, cloud):
    whole = np.nan_to_num(cloud)
    for dtype in ("float16", "int32"):
        same(jax, farpoint.knn(Arrays(whole.astype(dtype)), 3), farpoint.knn(whole.astype(dtype), 3))


def test_what_is_refused(jax, cloud):
    points = Arrays(cloud)
    for call, sentence in ((lambda: farpoint.knn(points, 1, stream=7), "stream is of arrays of torch and CuPy"),
                           (lambda: farpoint.knn(Tracer(cloud), 1), "outside of it, or by jax.pure_callback"),
                           (lambda: farpoint.knn(points, 1, Tracer(cloud)), "outside of it, or by jax.pure_callback"),
                           (lambda: farpoint.knn(points, 1, cloud), "another memory or of another library"),
                           (lambda: farpoint.knn(cloud, 1, points), "another memory or of another library"),
                           (lambda: farpoint.knn(Arrays(cloud.astype(complex)), 1), "they must be float")):
        with pytest.raises(ValueError, match=sentence):
            call()
    spread = Arrays(cloud)
    spread.devices = lambda: {DEVICE, "gpu 1"}
    with pytest.raises(ValueError, match="is on 2 devices"):
        farpoint.fps(spread, 3)


def test_a_call_on_a_device_waits(monkeypatch, cloud):
    asked = []
    monkeypatch.setattr(_jax, "_core", types.SimpleNamespace(Place=lambda *arguments, **options: asked.append((arguments, options))))
    _jax.Jax._place_on(None, 3, len, True)
    assert asked == [((3, 1, 0, len, True), {"waits": True})]  # the legacy default stream


class Unknown:
    """An array of a library that is not known, on a device."""

    def __init__(self, values, device=(2, 0)):
        self.values, self.device = values, device

    def __dlpack__(self, *, stream=None, **options):
        assert stream == 77
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.device


def test_unknown_arrays_are_taken_by_a_library_that_is_there(monkeypatch, cloud):
    taken = []

    def from_dlpack(array):
        taken.append(array)
        array.__dlpack__(stream=77)  # the current stream of the library
        return array.values

    library = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: True), from_dlpack=from_dlpack, ndarray=int)
    for name in ("torch", "cupy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match="on a device are not known unless"):
        farpoint.knn(Unknown(cloud), 3)
    monkeypatch.setitem(sys.modules, "cupy", library)
    np.testing.assert_array_equal(_arrays._imported(Unknown(cloud)), cloud)
    assert _arrays._imported(Unknown(cloud, (4, 0))) is None and len(taken) == 1  # an accelerator of another kind
    # After a first array of a known library, on the same device only.
    space = types.SimpleNamespace(library=library, device=0, number=0)
    for kind in (_arrays.Cupy, _arrays.Torch):
        np.testing.assert_array_equal(kind.imported(space, Unknown(cloud)), cloud)
        assert kind.imported(space, Unknown(cloud, (2, 1))) is None and kind.imported(space, Unknown(cloud, (1, 0))) is None
        assert kind.imported(space, Arrays(cloud)) is None  # arrays of two known libraries are not mixed
