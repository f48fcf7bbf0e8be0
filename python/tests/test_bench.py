import json

import numpy as np

from farpoint import bench


def test_the_bench_writes_a_table_and_json(tmp_path, capsys):
    cloud = np.random.default_rng(0).random((5000, 3), np.float32)
    cloud.tofile(tmp_path / "sweep.bin")
    assert bench.main(["--seconds", "0", "--only", "knn", "--sweep", str(tmp_path / "sweep.bin"), "--json", str(tmp_path / "rows.json")]) == 0
    result = json.loads((tmp_path / "rows.json").read_text())
    own = [row for row in result["rows"] if row["package"] == "farpoint"]
    assert len(own) == 3 and all(row["p50_us"] > 0 and row["function"] == "knn" for row in own)
    table = capsys.readouterr().out
    assert "sweep of 5,000, k = 16" in table and "times farpoint's" in table


def test_the_made_sweep_is_one():
    points = bench._made_sweep()
    assert points.dtype == np.float32 and 50_000 < len(points) <= 64 * 1800 and np.isfinite(points).all()
