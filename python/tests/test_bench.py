import json
import sys
import types

import numpy as np
import pytest

import farpoint
from farpoint import bench


def test_the_bench_writes_a_table_and_json(tmp_path, capsys):
    cloud = np.random.default_rng(0).random((5000, 3), np.float32)
    cloud.tofile(tmp_path / "sweep.bin")
    assert bench.main(["--seconds", "0", "--only", "knn", "--sweep", str(tmp_path / "sweep.bin"), "--json", str(tmp_path / "rows.json")]) == 0
    result = json.loads((tmp_path / "rows.json").read_text())
    own = [row for row in result["rows"] if row["package"] == "farpoint"]
    assert len(own) == 4 and all(row["p50_us"] > 0 and row["function"] == "knn" for row in own)
    table = capsys.readouterr().out
    assert "sweep of 5,000, k = 16" in table and "times farpoint's" in table


def test_a_package_that_raises_is_named_and_the_others_are_timed(monkeypatch, capsys):
    def broken():
        raise AttributeError("it misses another package")

    own = bench.Cases.knn
    monkeypatch.setattr(bench.Cases, "knn", lambda self, points, k: {**own(self, points[..., :100, :], k), "broken": broken})
    monkeypatch.setattr(bench, "_made_sweep", lambda: np.random.default_rng(0).random((500, 3), np.float32))
    assert bench.main(["--seconds", "0", "--only", "knn"]) == 0
    shown = capsys.readouterr().out
    assert "Not timed: broken knn: AttributeError: it misses another package" in shown
    assert shown.count("(16, 1024, 3), k = 16") >= 1


def small(monkeypatch):
    monkeypatch.setattr(bench, "_made_sweep", lambda: np.random.default_rng(0).random((500, 3), np.float32))
    own = bench.Cases.fps
    monkeypatch.setattr(bench.Cases, "fps", lambda self, points, samples: own(self, points[..., :100, :], 25))


def test_a_package_that_is_not_there_is_named(monkeypatch, capsys):
    small(monkeypatch)
    monkeypatch.setitem(sys.modules, "torch_cluster", None)  # Python then has no such module
    assert bench.main(["--seconds", "0", "--only", "fps"]) == 0
    assert "Not timed: torch_cluster: not installed" in capsys.readouterr().out


def test_fps_of_torch_cluster_and_torch_geometric_are_timed(monkeypatch, capsys):
    torch = pytest.importorskip("torch", reason="torch is not installed: fps of torch_cluster and torch_geometric are not timed")
    small(monkeypatch)
    taken = []

    def fps(x, batch, ratio, random_start):
        taken.append((tuple(x.shape), int(batch.max()) + 1, round(ratio * len(x)) // (int(batch.max()) + 1), random_start))
        return torch.arange(1)

    def without_pyg_lib(*arguments, **options):
        raise ImportError("'fps' requires 'pyg-lib>=0.6.0'")

    for name, function in (("torch_cluster", fps), ("torch_geometric", None), ("torch_geometric.nn", None),
                           ("torch_geometric.nn.pool", without_pyg_lib)):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(fps=function))
    assert bench.main(["--seconds", "0", "--only", "fps"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("torch_cluster ") == 3 and "Not timed: torch_geometric fps: ImportError: 'fps' requires 'pyg-lib>=0.6.0'" in shown
    assert set(taken) == {((1600, 3), 16, 25, False), ((400, 3), 4, 25, False), ((100, 3), 1, 25, False)}


def test_small_gicp_is_timed_in_doubles_and_versions_are_named(monkeypatch, tmp_path):
    small(monkeypatch)
    taken = []

    class KdTree:
        def __init__(self, points, num_threads):
            taken.append((points.dtype, points.shape, num_threads > 0))

        def batch_knn_search(self, points, k, num_threads):
            taken.append((points.dtype, points.shape, k))

    own = bench.Cases.knn
    monkeypatch.setattr(bench.Cases, "knn", lambda self, points, k: own(self, points[..., :100, :], k))
    monkeypatch.setitem(sys.modules, "small_gicp", types.SimpleNamespace(KdTree=KdTree))
    result = bench.run(only="knn", seconds=0)
    rows = [row for row in result["rows"] if row["package"] == "small_gicp"]
    assert len(rows) == 3 and all(row["p50_us"] > 0 for row in rows)
    assert set(taken) == {(np.dtype(np.float64), (100, 3), True), (np.dtype(np.float64), (100, 3), 16)}
    assert "small_gicp" in result["context"]["versions"] and result["context"]["processor"]


@pytest.mark.parametrize("function", ["gather", "group", "ball_query", "three_nn"])
def test_of_a_few_points_it_has_a_row_for_cpp_alone(function):
    rows = bench.run(only=function, seconds=0)["rows"]
    assert [(row["function"], row["package"]) for row in rows[:2]] == [(function, "farpoint"), (function, "farpoint, in C++")]
    assert [row["package"] for row in rows[2:]] == ["farpoint.torch"] * (bench.Peers()["torch"] is not None)
    assert all(row["p50_us"] > 0 for row in rows)
    assert bench._added(rows) == {function: rows[0]["p50_us"] - rows[1]["p50_us"]}


def test_a_few_points_alone():
    rows = bench.run(only="fps", seconds=0, few=True)["rows"]
    assert [(row["input"], row["package"]) for row in rows[:2]] == [("(1, 4, 3)", "farpoint"), ("(1, 4, 3)", "farpoint, in C++")]


def test_a_run_is_kept_by_the_machine(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "_processor", lambda: "Some (R) CPU 7")
    monkeypatch.setenv("FARPOINT_COMMIT", "abcdef012345")
    assert bench.main(["--seconds", "0", "--few", "--only", "gather", "--results", str(tmp_path / "results")]) == 0
    files = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")]
    assert files == ["results/some-r-cpu-7/python/bench.json"]
    kept = json.loads((tmp_path / files[0]).read_text())
    assert kept["context"]["commit"] == "abcdef012345" and kept["context"]["date"].endswith("Z") and kept["rows"][0]["function"] == "gather"
    assert "gather" in capsys.readouterr().out
    kept["context"]["gpu"] = "NVIDIA X"
    assert bench._kept(kept, tmp_path) == tmp_path / "nvidia-x/python/bench.json"


def test_every_call_of_the_library_is_counted():
    points = np.zeros((4, 3), np.float32)
    with bench._library_times() as times:
        farpoint.radius(points, 1.0)  # one call for the number, one for the neighbors
        farpoint.fps(points, 2)
        found = times()
        assert len(found) == 3 and all(seconds > 0 for seconds in found)
        assert times() == []


def test_only_the_bench_has_calls_timed():
    points = np.zeros((4, 3), np.float32)
    with bench._library_times() as times:
        times()
    farpoint.fps(points, 2)
    assert farpoint._core.call_seconds() == []


def test_the_made_sweep_is_one():
    points = bench._made_sweep()
    assert points.dtype == np.float32 and 50_000 < len(points) <= 64 * 1800 and np.isfinite(points).all()
