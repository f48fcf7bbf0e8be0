"""bench/report.py keeps a run as JSON alone, and its tables follow from what is kept."""

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

    def report(self, rows):
        run = {"context": {"host_name": "secret", "gpu": "GPU X", "suite": "knn", "commit": "abc"}, "benchmarks": rows}
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

    def test_pages_follow_from_what_is_kept(self):
        self.report([row("graph", 1000), row("brute_force", 5000)])
        first = {path.name: path.read_bytes() for path in (self.folder / "made/gpu-x").iterdir()}
        written = pages.write_pages(self.folder / "kept", self.folder / "again")
        self.assertIn(self.folder / "again/gpu-x/knn.md", written)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "again/gpu-x").iterdir()}, first)
        page = first["knn.md"].decode()
        for plot in (name for name in first if name.endswith(".png")):
            self.assertIn(f"]({plot})", page)

    def test_a_failed_row_is_refused(self):
        done = self.report([row("graph", 1000), row("other", 1, error_occurred=True, error_message="differs in row 3")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs in row 3", done.stderr)
        self.assertFalse((self.folder / "kept").exists())

    def test_every_run_of_the_repository_has_a_page_or_is_known_to_have_none(self):
        results = BENCH / "results"
        without = {path.relative_to(results).as_posix() for path in results.rglob("*.json")} - {
            path.relative_to(results).as_posix() for path in pages.kept(results)}
        self.assertEqual(without, {"nvidia-h200/fps_variants.json", "nvidia-h200/tables/tables.json"})
        self.assertEqual(sorted(path.name for path in results.rglob("*") if path.suffix in (".md", ".png")), [])


if __name__ == "__main__":
    unittest.main()
