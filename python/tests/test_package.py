"""Properties of the package as a whole."""

import ast
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import farpoint

FOLDER = pathlib.Path(farpoint.__file__).parent


def test_everything_public_is_documented_and_typed():
    assert farpoint.__all__ == sorted(farpoint.__all__)
    for name in farpoint.__all__:
        thing = getattr(farpoint, name)
        assert (thing.__doc__ or "").strip(), name
        if inspect.isfunction(thing):
            assert "return" in thing.__annotations__, name
            untyped = [p for p in inspect.signature(thing).parameters if p not in thing.__annotations__]
            assert not untyped, f"{name}: {untyped}"
            if name not in ("ball_query", "three_nn"):
                assert "Returns" in thing.__doc__ and "Parameters" in thing.__doc__, name
    assert (FOLDER / "py.typed").exists()


@pytest.mark.parametrize("name", ["mmcv_ops", "pytorch3d_ops", "torch_cluster"])
def test_drop_in_modules_are_documented_and_typed(name):
    pytest.importorskip("torch", reason="torch is not installed: drop-in modules are not imported")
    module = importlib.import_module(f"farpoint.{name}")
    assert module.__doc__ and module.__all__ == sorted(module.__all__)
    for each in module.__all__:
        thing = getattr(module, each)
        assert (thing.__doc__ or "").strip(), each
        function = thing.forward if inspect.isclass(thing) else thing
        parameters = [p for p in inspect.signature(function).parameters if p != "self"]
        assert not {*parameters, "return"} - set(function.__annotations__), each


def test_the_stub_has_all_of_the_module():
    stub = FOLDER / "_core.pyi"
    if not stub.exists():
        pytest.skip("the module was built without its stub: this is no installed package")
    names = {node.name for node in ast.parse(stub.read_text()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert {name for name in dir(farpoint._core) if not name.startswith("_") and callable(getattr(farpoint._core, name))} <= names


def parameters_of(function):
    """Returns (name, is keyword-only, is optional) for each parameter of a function."""
    return [(p.name, p.kind is p.KEYWORD_ONLY, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


def parameters_in(stub):
    """Returns the same for a stub, where a parameter that selects an overload counts as optional."""
    arguments, chosen = stub.args, "Literal[True]"
    positional = [*[False] * (len(arguments.args) - len(arguments.defaults)), *[True] * len(arguments.defaults)]
    return [*((each.arg, False, optional) for each, optional in zip(arguments.args, positional)),
            *((each.arg, True, default is not None or ast.unparse(each.annotation) == chosen)
              for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults))]


def test_types_are_those_of_the_functions():
    tree = ast.parse((FOLDER / "__init__.pyi").read_text())
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert {name for name in farpoint.__all__ if callable(getattr(farpoint, name))} <= defined
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(getattr(farpoint, node.name)):
            assert parameters_in(node) == parameters_of(getattr(farpoint, node.name)), node.name
        name = getattr(node, "name", "")
        of_runtime = farpoint._index.Searches if name == "_Searches" else getattr(farpoint, name, None)
        if isinstance(node, ast.ClassDef) and of_runtime is not None and not hasattr(of_runtime, "_fields"):
            methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
            public = {name for name, value in vars(of_runtime).items() if callable(value) and not name.startswith("_")}
            assert public <= {*methods}, node.name
            for name in public | ({"__init__"} & {*methods}):
                assert parameters_in(methods[name]) == parameters_of(getattr(of_runtime, name)), f"{node.name}.{name}"


def test_a_program_with_types_is_accepted(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: the types of the package are not checked")
    program = pathlib.Path(__file__).with_name("typed_program.py")
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, program], capture_output=True, text=True,
                           check=False, env={**os.environ, "MYPYPATH": str(FOLDER.parent)})
    assert found.returncode == 0, found.stdout + found.stderr


def test_nothing_is_imported_but_numpy():
    code = ("import sys, farpoint; print(sorted(set(name.partition('.')[0] for name in sys.modules) & "
            "{'torch', 'cupy', 'jax', 'scipy', 'open3d', 'numpy'}))")
    path = str(FOLDER.parent)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert out.stdout.strip() == "['numpy']"


def test_the_version_is_that_of_the_library():
    header = FOLDER.parents[0].parent / "include/farpoint/core/config.hpp"
    if not header.exists():
        import importlib.metadata

        assert importlib.metadata.version("farpoint") == farpoint.__version__
    else:
        assert ".".join(re.findall(r"#define FARPOINT_VERSION_\w+ (\d+)", header.read_text())) == farpoint.__version__


def test_without_a_gpu_it_says_so():
    assert isinstance(farpoint.has_cuda, bool)
    if not farpoint.has_cuda:
        assert farpoint.cuda_available() is False
        with pytest.raises(RuntimeError, match="built without CUDA"):
            place = farpoint._core.Place(0, 0, 0, None)
            points = np.zeros((4, 3), np.float32)
            farpoint._core.mean_knn_distance(place, points, None, 1, np.zeros(4, np.float32))


def test_calls_release_the_lock():
    # This thread counts during a long call of another thread.
    points = np.random.default_rng(0).random((60_000, 3), np.float32)
    done = threading.Event()

    def work():
        farpoint.fps(points, 6_000, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    start = time.perf_counter()
    thread.start()
    turns = 0
    while not done.is_set():
        time.sleep(0.0005)
        turns += 1
    thread.join()
    took = time.perf_counter() - start
    assert turns >= 3 or took < 0.01


def test_threads_do_not_disturb_one_another():
    points = np.random.default_rng(1).random((4, 3000, 3), np.float32)
    expected = [farpoint.fps(cloud, 50) for cloud in points]
    found = [None] * 4

    def work(i):
        for _ in range(5):
            found[i] = farpoint.fps(points[i], 50, threads=1)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)


def test_memory_is_given_back():
    # Calls keep no reference to their arrays.
    points = np.zeros((10, 3), np.float32)
    before = sys.getrefcount(points)
    for _ in range(50):
        farpoint.knn(points, 2)
        farpoint.fps(points[::2], 2)
        with pytest.raises(ValueError):
            farpoint.fps(points, 2, first=-1)
    assert sys.getrefcount(points) == before


def report_at_exit(program, **environment):
    """Runs a program and returns its standard error."""
    variables = {**os.environ, "PYTHONPATH": str(FOLDER.parent), **environment}
    return subprocess.run([sys.executable, *program], capture_output=True, text=True, check=True, env=variables).stderr


def test_nothing_is_left_at_exit():
    code = ("import farpoint, numpy as np; p = np.random.rand(1, 40, 3); farpoint.fps(p, 3); farpoint.voxelize(p, 0.5, (0, 0, 0, 1, 1, 1));"
            "index = farpoint.PointIndex(p); table = farpoint.HashMap(10)")
    assert report_at_exit(["-c", code], FARPOINT_LEAK_WARNINGS="1") == ""
    lost = f"{code}; import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(index._index))"
    assert "leaked 1 instances" in report_at_exit(["-c", lost], FARPOINT_LEAK_WARNINGS="1")


def test_what_torch_compile_keeps_is_not_reported(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed: what it keeps at exit is not tested")
    program = tmp_path / "compiled.py"  # torch.compile reads its source
    program.write_text("import farpoint, farpoint.torch as fpt, torch\npoints = torch.rand(1, 40, 3)\nfarpoint.fps(points, 3, seed=1)\n"
                       "sample = torch.compile(lambda points: fpt.fps(points, 3), backend='eager')\nsample(points)\n")
    assert "leaked" not in report_at_exit([program])
    # The compiled function keeps the package loaded, which may be reported, but keeps no object of the package.
    assert "instances" not in report_at_exit([program], FARPOINT_LEAK_WARNINGS="1")


class Foreign:
    """Array of an unknown library in host memory."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Elsewhere(Foreign):
    def __dlpack_device__(self):
        return (2, 0)


class OfADevice:
    """Array on a device with the older protocol only. Its conversion to NumPy would copy it to the host."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (0, False), "version": 3}

    def __array__(self, *arguments, **options):
        raise AssertionError("the array was copied to the host")


@pytest.fixture
def numpy_alone(monkeypatch):
    """No library is imported that takes arrays of unknown libraries."""
    for name in ("torch", "cupy"):
        monkeypatch.setitem(sys.modules, name, None)


def test_arrays_of_a_device_are_not_copied_to_the_host(numpy_alone):
    points = np.zeros((4, 3), np.float32)
    with pytest.raises(ValueError, match="on a device are not known"):
        farpoint.knn(OfADevice(points), 1)
    with pytest.raises(ValueError, match="another memory or of another library"):
        farpoint.knn(points, 1, OfADevice(points))


def test_other_libraries_by_dlpack(numpy_alone):
    points = np.random.default_rng(2).random((30, 3))
    np.testing.assert_array_equal(farpoint.knn(Foreign(points), 3).indices, farpoint.knn(points, 3).indices)
    np.testing.assert_array_equal(farpoint.knn(points, 3, Foreign(points[:4])).indices, farpoint.knn(points, 3, points[:4]).indices)
    with pytest.raises(ValueError, match="on a device are not known"):
        farpoint.knn(Elsewhere(points), 3)
    with pytest.raises(ValueError, match="another memory or of another library"):
        farpoint.knn(points, 3, Elsewhere(points))


class OfAStream:
    """Array with the traits of CuPy's: its type has the buffer protocol even if the memory is on a device, and exporting it
    without stream=-1 would wait for another stream."""

    def __init__(self, array, captured=False):
        self.array = array
        self.captured = captured

    def __buffer__(self, flags):
        raise TypeError("this array is not in host memory")

    def __dlpack__(self, *, stream=None, **options):
        if stream != -1:
            raise RuntimeError("the legacy stream is to wait for a captured one")
        if self.captured:
            raise RuntimeError("this array cannot be exported")
        return self.array.__dlpack__(**options)


def test_arrays_are_exported_without_an_order_of_streams():
    core = farpoint._core
    points, means = np.random.default_rng(5).random((30, 3)), np.zeros(30)
    core.mean_knn_distance(core.Place(), OfAStream(points), None, 3, OfAStream(means))
    np.testing.assert_array_equal(means, farpoint.mean_knn_distance(points, 3))


def test_what_a_library_says_of_its_array_is_said():
    core = farpoint._core
    points, means, offsets = np.zeros((30, 3)), np.zeros(30), np.array([0, 30])
    for given, cuts in ((OfAStream(points, True), None), (points, OfAStream(offsets, True))):
        with pytest.raises(RuntimeError, match="this array cannot be exported"):
            core.mean_knn_distance(core.Place(), given, cuts, 3, means)
    with pytest.raises(RuntimeError, match="this array cannot be exported"):
        core.mean_knn_distance(core.Place(), points, None, 3, OfAStream(means, True))
    with pytest.raises(TypeError, match="an argument is no array"):
        core.mean_knn_distance(core.Place(), "points", None, 3, means)
