"""The code of docs/python.md and of the pages of drop-in modules runs."""

import pathlib
import re

import numpy as np
import pytest

import farpoint

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


def blocks(page=PAGE):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_first_calls_run():
    exec(compile(blocks()[0], "docs/python.md", "exec"), {})


def test_the_calls_with_gradients_run():
    torch = pytest.importorskip("torch", reason="torch is not installed: the page's code for it is not run")
    features = torch.rand(2, 2000, 4, requires_grad=True)
    [code] = [block for block in blocks() if "import farpoint.torch" in block]
    exec(compile(code, "docs/python.md", "exec"), {"points": torch.rand(2, 2000, 3), "features": features})
    assert np.isfinite(features.grad.numpy()).all() and features.grad.any()


def test_the_window_slides():
    [code] = [block for block in blocks() if "PointWindow" in block]
    rng = np.random.default_rng(0)
    scans = [(rng.random((500, 3), np.float32) * 80 + np.float32([20 * i, 0, 0]), (20 * i, 0, 0)) for i in range(6)]
    names = {"farpoint": farpoint, "np": np, "scans": scans, "queries": scans[-1][0][:9]}
    exec(compile(code, "docs/python.md", "exec"), names)
    window, change = names["window"], names["change"]
    assert change.erased and change.kept and len(window) == change.kept + change.appended
    np.testing.assert_array_equal(names["features"][:len(window)], window.points[:, 2:])


def test_a_laz_is_read_sampled_and_written(tmp_path, monkeypatch):
    laspy = pytest.importorskip("laspy", reason="laspy is not installed: the page's code for .laz is not run")
    pytest.importorskip("lazrs", reason="lazrs is not installed: the page's code for .laz is not run")
    header = laspy.LasHeader(point_format=3, version="1.2")
    header.scales, header.offsets = [0.001] * 3, [500_000, 5_400_000, 0]
    scan = laspy.LasData(header)
    scan.xyz = np.random.default_rng(0).random((3000, 3)).round(3) * 50 + header.offsets
    scan.intensity = np.arange(3000)
    scan.write(tmp_path / "scan.laz")
    monkeypatch.chdir(tmp_path)
    [code] = [block for block in blocks() if "laspy" in block]
    exec(compile(code, "docs/python.md", "exec"), {})
    found = laspy.read(tmp_path / "samples.laz")
    picks = farpoint.fps(scan.xyz, 1024)
    assert np.array_equal(found.intensity, scan.intensity[picks]) and np.array_equal(found.xyz, scan.xyz[picks])


@pytest.mark.parametrize("name", ["mmcv", "pytorch3d", "torch_cluster"])
def test_the_code_of_a_drop_in_runs(name):
    pytest.importorskip("torch", reason="torch is not installed: the code of drop-in modules is not run")
    first, *others = blocks(PAGE.parent / f"migration/{name}.md")
    _, now = first.split("# now\n")  # "before" is code of a library that need not be installed
    exec(compile("\n".join([now, *others]), f"docs/migration/{name}.md", "exec"), {})


def arrays(value):
    """What two answers are compared by: arrays, of sparse matrices their parts."""
    if hasattr(value, "tocsr"):
        value.sort_indices()
        return [value.toarray()]
    if isinstance(value, np.ndarray) and value.dtype.hasobject or (isinstance(value, list) and np.ndim(value[0]) > 0):  # lists of different lengths
        return [np.asarray(one) for one in value]
    return [np.asarray(value)]


def in_order(found):
    """Rows of a table in one order."""
    return found[np.lexsort(found.round(9).T)]


@pytest.mark.parametrize("peer, least", [("scipy", 5), ("open3d", 8)])
def test_calls_of_a_peer_and_of_farpoint_have_one_answer(peer, least):
    pytest.importorskip(peer, reason=f"{peer} is not installed: the page of its calls is not run")
    page = f"docs/migration/{peer}.md"
    setup, *pairs = blocks(PAGE.parent / f"migration/{peer}.md")
    assert len(pairs) >= least
    for code in pairs:
        first, second = re.fullmatch(r"# (?:scipy|Open3D)\n(.*?)\n# farpoint\n(.*)", code, flags=re.DOTALL).groups()
        answers = []
        for half in (first, second):
            names = {}
            exec(compile(setup, page, "exec"), names)
            before = dict(names)
            exec(compile(half, page, "exec"), names)
            answers.append({name: value for name, value in names.items() if name not in before and name != "__builtins__"})
        common = set(answers[0]) & set(answers[1]) - {"_"}
        assert common, code
        for name in common:
            one, other = (arrays(answer[name]) for answer in answers)
            assert len(one) == len(other), name
            for a, b in zip(one, other):
                if name == "means":
                    a, b = in_order(a), in_order(b)
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=f"{name} in {code}")
