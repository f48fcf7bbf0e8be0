"""bench/report.py keeps a run as JSON alone, its tables follow from what is kept, and bench/regret.py finds the best."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import pages  # noqa: E402


def row(variant, microseconds, **more):
    return dict(name=f"knn/8/cube/{variant}/iterations:5/manual_time", run_type="iteration", p50_us=microseconds,
                p99_us=2 * microseconds, max_us=3 * microseconds, points_per_second=1e6, real_time=1.0, **more)


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.context: dict = {}

    def report(self, rows):
        run = {"context": {"host_name": "secret", "gpu": "GPU X", "suite": "knn", "commit": "abc", **self.context}, "benchmarks": rows}
        (self.folder / "run.json").write_text(json.dumps(run))
        return subprocess.run([sys.executable, "-B", BENCH / "report.py", self.folder / "run.json", "--results",
                               self.folder / "kept", "--pages", self.folder / "made"], check=False,
                              capture_output=True, text=True)

    def test_a_run_is_kept_as_json_alone(self):
        done = self.report([row("graph", 1234.5678), row("brute_force", 5000)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in (self.folder / "kept/gpu-x").iterdir()], ["knn.json"])
        kept = json.loads((self.folder / "kept/gpu-x/knn.json").read_text())
        self.assertNotIn("host_name", kept["context"])
        self.assertEqual([(one["variant"], one["p50_us"]) for one in kept["benchmarks"]],
                         [("graph", 1234.57), ("brute_force", 5000)])
        self.assertIn("| 8, cube | graph | 1.23 | 2.47 | brute_force | 5 | 4.05 |",
                      (self.folder / "made/gpu-x/knn.md").read_text())

    def test_the_fastest_peer_is_the_baseline_and_missing_ones_are_named(self):
        rows = [row(f"{name}_threads_{threads}", us, host_threads=threads)
                for name, threads, us in (("nanoflann", 1, 3000), ("pcl", 1, 2000), ("pcl", 2, 500), ("farpoint", 1, 1000))]
        self.context = {"peers": "pcl 1.13.0, nanoflann 1.4.2", "peers_not_measured": "cuBQL"}
        self.assertEqual(self.report(rows).returncode, 0)
        page = (self.folder / "made/gpu-x/knn.md").read_text()
        self.assertIn("| 8, cube | farpoint_threads_1 | 1 | 2 | pcl_threads_1 | 2 | 2.00 |", page)
        self.assertIn("- peers: pcl 1.13.0, nanoflann 1.4.2\n- not measured, as they were not there: cuBQL\n", page)

    def test_wrong_answers_are_shown_and_are_no_baseline(self):
        self.assertEqual(self.report([row("graph", 1000), row("brute_force", 9000), row("cubql_a", 4000), row("cubql_b", 2000),
                                      row("mmcv", 500, wrong=3)]).returncode, 0)
        page = (self.folder / "made/gpu-x/knn.md").read_text()
        self.assertIn("| 8, cube | graph | 1 | 2 | cubql_b | 2 | 2.00 |", page)
        self.assertIn("| 8, cube | mmcv, wrong answer | 0.5 | 1 | cubql_b | 2 | 4.00 |", page)

    def test_libraries_of_one_function_are_beside_it_alone(self):
        self.assertEqual(self.report([row("ball_query", 1000), row("radius_nearest", 1000), row("ball_query_of_mmcv", 9000),
                                      row("radius_nearest_of_cubql_a", 3000)]).returncode, 0)
        page = (self.folder / "made/gpu-x/knn.md").read_text()
        self.assertIn("| 8, cube | ball_query | 1 | 2 | ball_query_of_mmcv | 9 | 9.00 |", page)
        self.assertIn("| 8, cube | radius_nearest | 1 | 2 | radius_nearest_of_cubql_a | 3 | 3.00 |", page)

    def test_real_scans_are_marked(self):
        self.context = {"real_scans": "street, room"}
        rows = [dict(row("graph", 1000), name=f"knn/8_k8/{cloud}/graph") for cloud in ("cube", "room")]
        self.assertEqual(self.report(rows).returncode, 0)
        page = (self.folder / "made/gpu-x/knn.md").read_text()
        self.assertIn("| 8 k8, room (real scan) | graph |", page)
        self.assertIn("| 8 k8, cube | graph |", page)

    def test_pages_follow_from_what_is_kept(self):
        self.report([row("graph", 1000), row("brute_force", 5000)])
        first = {path.name: path.read_bytes() for path in (self.folder / "made/gpu-x").iterdir()}
        written = pages.write_pages(self.folder / "kept", self.folder / "again")
        self.assertIn(self.folder / "again/gpu-x/knn.md", written)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "again/gpu-x").iterdir()}, first)
        page = first["knn.md"].decode()
        self.assertEqual(sorted(first), ["knn-knn.svg", "knn.json", "knn.md"])
        self.assertIn("](knn-knn.svg)", page)

    def test_a_failed_row_is_refused(self):
        done = self.report([row("graph", 1000), row("other", 1, error_occurred=True, error_message="differs in row 3")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs in row 3", done.stderr)
        self.assertFalse((self.folder / "kept").exists())

    def test_every_run_of_the_repository_has_a_page_or_is_known_to_have_none(self):
        results = BENCH / "results"
        without = {path.relative_to(results).as_posix() for path in results.rglob("*.json")} - {
            path.relative_to(results).as_posix() for path in pages.kept(results)}
        # Runs of python -m farpoint.bench are tables of docs/python.md.
        without = {path for path in without if not path.endswith("/python/bench.json")}
        self.assertEqual(without, {"nvidia-h200/fps_variants.json", "nvidia-h200/tables/tables.json"})
        self.assertEqual(sorted(path.name for path in results.rglob("*") if path.suffix in (".md", ".png", ".svg")), [])


class Regret(unittest.TestCase):
    """bench/regret.py: the choice of each row against the best kernel."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def regret(self, times, *arguments):
        """Runs it on rows: (case and variant, microseconds, end of the label)."""
        rows = [dict(name=f"{name}/iterations:1/manual_time", p50_us=us, p99_us=us, max_us=us, points_per_second=1,
                     label="equals host_exec" + note) for name, us, note in times]
        path = self.folder / "run.json"
        path.write_text(json.dumps({"context": {"suite": "fps_kernels"}, "benchmarks": rows}))
        return subprocess.run([sys.executable, "-B", BENCH / "regret.py", path, *arguments], check=False,
                              capture_output=True, text=True)

    ROWS = (("fps_kernels/a/uniform/default", 100, "; in_regions"), ("fps_kernels/a/uniform/in_regions", 101, ""),
            ("fps_kernels/a/uniform/in_teams", 120, ""), ("fps_kernels/b/uniform/default", 220, "; in_teams"),
            ("fps_kernels/b/uniform/in_teams", 210, ""), ("fps_kernels/b/uniform/in_regions", 140, ""),
            ("fps_wrappers/a/uniform/default", 100, ""), ("fps_wrappers/a/uniform/openpcdet", 125, ""))

    def test_rows_come_by_regret(self):
        done = self.regret(self.ROWS, "--limit", "1.6", "--wrapper-limit", "1.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[2:4], [
            "| b/uniform | in_teams | 0.2100 | in_regions | 0.1400 | 1.50 | 1.05 |",
            "| a/uniform | in_regions | 0.1000 | in_regions | 0.1000 | 1.00 | 1.01 |"])
        self.assertEqual(done.stdout.splitlines()[-1], "| a/uniform | openpcdet | 0.1250 | 0.1000 | 1.25 |")

    def test_limits_are_kept(self):
        done = self.regret(self.ROWS, "--limit", "1.05")
        self.assertEqual((done.returncode, done.stderr), (1, "above the limit: b/uniform: regret 1.50\n"))
        done = self.regret(self.ROWS, "--wrapper-limit", "1.2")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "above the limit: a/uniform: openpcdet 1.25 times fps()\n"))

    def test_other_runs_are_refused(self):
        self.assertEqual(self.regret((("knn/8/cube/graph", 5, ""),)).returncode, 2)


if __name__ == "__main__":
    unittest.main()
