"""bench/compare.py: ratio, spread and verdict of each row, of files, folders and revisions; bench/history.py on top of it."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import compare  # noqa: E402
import history  # noqa: E402

GPU = {"gpu": "GPU X", "suite": "knn", "commit": "abc", "date": "2026-01-02T03:04:05", "cuda_runtime": "13.0",
       "copy_gb_per_second": "4000"}


def row(variant, microseconds, p99=None, **more):
    return dict(name=f"knn/8/cube/{variant}/iterations:50/manual_time", run_type="iteration", iterations=50,
                p50_us=microseconds, p99_us=p99 or microseconds, max_us=microseconds, points_per_second=1e6, **more)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def write(self, path, rows, **context):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        known = {key: value for key, value in dict(GPU, **context).items() if value is not None}
        target.write_text(json.dumps({"context": known, "benchmarks": rows}), encoding="utf-8")
        return str(target)

    def compare(self, *arguments):
        """Exit code, output and errors of a comparison."""
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["compare.py", *map(str, arguments)]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            code = compare.main()
        return code, out.getvalue(), err.getvalue()

    def of_rows(self, old, new, *arguments):
        return self.compare(self.write("old.json", old), self.write("new.json", new, commit="def"), *arguments)

    def git(self, *arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        # A hook that runs the tests would have these point at its own repository.
        calm = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "-C", str(self.folder), *who, *arguments], check=True, capture_output=True, env=calm)


class Compare(Folder):
    def test_rows_come_by_ratio(self):
        code, out, _ = self.of_rows([row("a", 1000), row("b", 1000, 1010), row("c", 1000)],
                                    [row("a", 1020), row("b", 800), row("c", 1100)])
        self.assertEqual(code, 1)
        self.assertIn("- knn on GPU X, commit abc, 2026-01-02 -> knn on GPU X, commit def, 2026-01-02\n", out)
        self.assertIn("3 rows: 1 slower and 1 faster by more than 3 % and their spread; 0 appeared, 0 vanished, 0 failed.", out)
        self.assertEqual([line for line in out.splitlines() if line.startswith("| `")], [
            "| `knn/8/cube/c` | 1 | 1.1 | 1.100 | 0.0 % | **slower** |",
            "| `knn/8/cube/a` | 1 | 1.02 | 1.020 | 0.0 % |  |",
            "| `knn/8/cube/b` | 1 | 0.8 | 0.800 | 1.0 % | faster |"])

    def test_a_limit_is_kept_or_not(self):
        rows = [row("a", 1000)], [row("a", 1040)]
        self.assertEqual(self.of_rows(*rows)[0], 1)
        self.assertEqual(self.of_rows(*rows, "--limit", "1.05")[0], 0)
        self.assertEqual(self.of_rows(rows[0] + [row("b", 1)], rows[1] + [row("b", 1)], "--filter", "cube/b")[0], 0)

    def test_a_filter_that_no_row_passes_is_refused(self):
        code, out, err = self.of_rows([row("a", 1000)], [row("a", 1040)], "--filter", "cube/b")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--filter cube/b: no row has such a name", err)

    def test_a_time_of_zero(self):
        self.assertEqual(self.of_rows([row("a", 0)], [row("a", 0, commit="x")])[0], 0)
        self.assertEqual(self.of_rows([row("a", 0)], [row("a", 1)])[0], 1)

    def test_what_is_within_the_spread_is_not_slower(self):
        # The 99th percentile of either run, the fastest call where there is one, repetitions where there are several.
        self.assertEqual(self.of_rows([row("a", 1000, 1100)], [row("a", 1090)])[0], 0)
        self.assertEqual(self.of_rows([row("a", 1000)], [row("a", 1090, 1200)])[0], 0)
        self.assertEqual(self.of_rows([row("a", 1000, 1100, min_us=990)], [row("a", 1090)])[0], 1)
        code, out, _ = self.of_rows([row("a", one, 5000) for one in (1000, 980, 1050)], [row("a", 1090)])
        self.assertEqual(code, 1)
        self.assertIn("| 1.090 | 5.0 % | **slower** |", out)
        self.assertEqual(self.of_rows([row("a", one) for one in (1000, 980, 1100)], [row("a", 1090)])[0], 0)

    def test_a_single_call_has_no_spread(self):
        code, out, _ = self.of_rows([dict(row("a", 1000), iterations=1)], [dict(row("a", 1040), iterations=1)])
        self.assertEqual(code, 1)
        self.assertIn("| 1.040 | - | **slower** |", out)

    def test_rows_that_are_on_one_side(self):
        code, out, _ = self.of_rows([row("a", 1000), row("gone", 1)], [row("a", 1000), row("new", 1)])
        self.assertEqual(code, 0)
        self.assertIn("Appeared (1): `knn/8/cube/new`\n", out)
        self.assertIn("Vanished (1): `knn/8/cube/gone`\n", out)

    def test_a_row_that_fails_is_no_row_that_vanished(self):
        code, out, _ = self.of_rows([row("a", 1000), row("b", 1000)],
                                    [row("a", 1000), row("b", 1, error_occurred=True, error_message="differs")])
        self.assertEqual(code, 1)
        self.assertIn("Failed (1): `knn/8/cube/b/", out)
        self.assertIn("0 vanished, 1 failed.", out)

    def test_changed_rows_alone(self):
        _, out, _ = self.of_rows([row("a", 1000), row("b", 1000)], [row("a", 1010), row("b", 1100)], "--changed")
        self.assertEqual([line[:18] for line in out.splitlines() if line.startswith("| `")], ["| `knn/8/cube/b` |"])

    def test_other_devices_are_refused(self):
        old, new = self.write("old.json", [row("a", 1000)]), self.write("new.json", [row("a", 1000)], gpu="GPU Y")
        code, out, err = self.compare(old, new)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("the devices differ: GPU X and GPU Y", err)
        code, out, _ = self.compare(old, new, "--any-device")
        self.assertEqual(code, 0)
        self.assertIn("warning: the devices differ: GPU X and GPU Y", out)

    def test_other_circumstances_are_reported(self):
        old = self.write("old.json", [row("a", 1000, sm_mhz_before=1980, sm_mhz_after=1980)])
        new = self.write("new.json", [row("a", 1000, sm_mhz_before=1980, sm_mhz_after=1700)], cuda_runtime="13.1",
                         copy_gb_per_second="3000", commit="def-dirty")
        _, out, _ = self.compare(old, new)
        self.assertEqual([line for line in out.splitlines() if "warning" in line], [
            "  - warning: cuda_runtime: 13.0 and 13.1", "  - warning: copy_gb_per_second: 4000 and 3000",
            "  - warning: commit is def-dirty", "  - warning: rows at clocks that differ by more than 3 %: knn/8/cube/a"])
        host = {"gpu": None, "processor": "P", "num_cpus": 4, "load_avg": [3.0]}
        _, out, _ = self.compare(self.write("old.json", [row("a", 1)], **dict(host, num_cpus=8)),
                                 self.write("new.json", [row("a", 2)], **host))
        self.assertEqual([line for line in out.splitlines() if "warning" in line], [
            "  - warning: num_cpus: 8 and 4",
            "  - warning: load of the machine when abc was measured: 3.00, of 4 cores"])

    def test_folders_pair_runs_by_their_names(self):
        for side, time in (("old", 1000), ("new", 1010)):
            self.write(f"{side}/gpu-x/knn.json", [row("a", time)])
            self.write(f"{side}/gpu-x/knn_again.json", [row("a", 2 * time)])
        self.write("new/gpu-x/sort.json", [dict(row("a", 1), name="sort/8/a/iterations:5")])
        (self.folder / "new/gpu-x/stress.json").write_text('{"now": {}}')
        code, out, _ = self.compare(self.folder / "old", self.folder / "new")
        self.assertEqual(code, 0)
        self.assertIn("| knn | `knn/8/cube/a` | 1 | 1.01 |", out)
        self.assertIn("| knn_again | `knn/8/cube/a` | 2 | 2.02 |", out)
        self.assertIn("- only in NEW: sort on GPU X, commit abc, 2026-01-02, 1 rows", out)

    def test_the_same_run_is_left_out(self):
        old = self.write("old.json", [row("a", 1000)])
        code, out, _ = self.compare(old, old)
        self.assertEqual(code, 0)
        self.assertIn("the same run on both sides (1): gpu-x/knn\n", out)

    def test_revisions(self):
        self.git("init", "-q")
        for time in (1000, 1100):
            self.write("bench/results/gpu-x/knn.json", [row("a", time)])
            self.git("add", ".")
            self.git("commit", "-qm", "run")
        with mock.patch.object(compare, "ROOT", self.folder):
            code, out, _ = self.compare("HEAD~1", "HEAD")
            self.assertEqual(code, 1)
            self.assertIn("| `knn/8/cube/a` | 1 | 1.1 | 1.100 |", out)
            self.assertEqual(self.compare("HEAD:bench/results/gpu-x/knn.json", "HEAD~1")[0], 0)
            # A run that is not kept yet, against a revision.
            code, out, _ = self.compare("HEAD~1", self.write("run.json", [row("a", 1200)]))
            self.assertEqual(code, 1)
            self.assertIn("| 1.200 |", out)
            for wrong in ("HEAD~9", "--upload-pack=x", "HEAD:bench/none"):
                self.assertRaises(compare.Unusable, compare.read, wrong)

    def test_files_that_are_no_runs(self):
        old = self.write("old.json", [row("a", 1000)])
        (self.folder / "other.json").write_text("[1]")
        for wrong in ("other.json", "none.json"):
            code, _, err = self.compare(old, self.folder / wrong)
            self.assertEqual(code, 2)
            self.assertIn(wrong, err)


class History(Folder):
    CHOSEN = [{"function": "knn", "what": "eight", "run": "knn", "row": "knn/8/cube/a"},
              {"function": "knn", "what": "none", "run": "knn", "row": "knn/8/cube/none"}]

    def add(self, name, date, time):
        run = compare.run_of(json.dumps({"context": dict(GPU, date=date), "benchmarks": [row("a", time)]}), "gpu-x/knn.json")
        made, missing = history.release_of(name, {"knn": run}, self.CHOSEN, "abc")
        (self.folder / "gpu-x").mkdir(exist_ok=True)
        (self.folder / f"gpu-x/{name}.json").write_text(json.dumps(made), encoding="utf-8")
        return made, missing

    def test_a_release_has_the_chosen_rows(self):
        made, missing = self.add("1.0", "2026-01-02", 1234.5678)
        self.assertEqual(made["rows"], [dict(self.CHOSEN[0], p50_us=1234.57, spread=0)])
        self.assertEqual((made["commit"], made["date"], made["gpu"]), ("abc", "2026-01-02", "GPU X"))
        self.assertEqual(missing, ["knn/8/cube/none"])
        with self.assertRaises(compare.Unusable):
            history.release_of("1.0", {}, self.CHOSEN, "abc")

    def test_pages_have_releases_by_date(self):
        for release in (("1.10", "2026-03-01", 500), ("1.9", "2026-02-01", 800), ("1.0", "2026-01-01", 1000)):
            self.add(*release)
        written = history.write_pages(self.folder, self.folder / "made")
        self.assertEqual([path.name for path in written], ["history-knn.svg", "history.md"])
        page = written[1].read_text(encoding="utf-8")
        self.assertIn("| function | what | 1.0 | 1.9 | 1.10 | last / first |", page)
        self.assertIn("| knn | eight | 1 | 0.8 | 0.5 | 0.50 |", page)
        self.assertIn("](history-knn.svg)", page)
        self.assertIn(">1.9</text>", written[0].read_text(encoding="utf-8"))

    def test_kept_releases_are_the_results_of_their_commits(self):
        paths = sorted(history.HISTORY.glob("*/*.json"))
        self.assertTrue(paths)
        for path in paths:
            kept = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(kept["release"], path.stem)
            if compare.git("rev-parse", "--verify", "--quiet", f"{kept['commit']}^{{commit}}").returncode:
                continue  # a source package, or a shallow clone
            runs = {run.name: run for run in compare.read(f"{kept['commit']}:{compare.RESULTS}/{path.parent.name}")}
            for one in kept["rows"]:
                self.assertEqual(one["p50_us"], float(f"{runs[one['run']].rows[one['row']].microseconds:.6g}"), one["row"])


if __name__ == "__main__":
    unittest.main()
