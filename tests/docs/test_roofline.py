"""bench/roofline.py: the limits of a row by hand, the page, and the instructions that ncu counted."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import roofline  # noqa: E402

LIMITS = {"copy_bytes_per_second": 2e12, "graph_us": 5, "random_compare_and_swaps_per_second": {"l2": 1e9},
          "random_loads_per_second": {"l2": 2e9}, "instructions_per_cycle": 100, "rows": {"fps/a/uniform": 30}, "instructions": {}}


def row(name, us, **more):
    return dict(name=f"{name}/iterations:5/manual_time", run_type="iteration", p50_us=us, p99_us=us, max_us=us,
                points_per_second=1.0, bytes_per_second=1e12, **more)


class Roofline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.limits = json.loads(json.dumps(LIMITS))

    def shares(self, *rows, **context):
        run = roofline.report.normalized(json.dumps({"context": {"gpu": "GPU X", **context}, "benchmarks": rows}), "run")[0]
        return roofline.shares(run, self.limits, roofline.read(roofline.BASELINES))

    def test_the_largest_limit_counts(self):
        (found,) = self.shares(row("fps/a/uniform/graph", 100), row("fps/a/uniform/textbook", 10))
        self.assertEqual((found[1], found[2], found[3]), ({"bytes": 50, "graph": 5, "rounds": 30}, "bytes", 0.5))
        (found,) = self.shares(row("fps/a/uniform/graph", 100), copy_gb_per_second="8000")
        self.assertEqual((found[1]["bytes"], found[2], found[3]), (12.5, "rounds", 0.3))

    def test_the_fastest_variant_of_a_case_counts_and_functions_are_cases(self):
        found = self.shares(row("fps/b/uniform/farpoint", 100), row("fps/b/uniform/graph", 80), row("made/c/cube/ball_query", 7),
                            row("made/c/cube/interpolate", 9), row("unknown/d/cube/graph", 1))
        self.assertEqual(sorted((one[0]["suite"], one[0]["variant"]) for one in found),
                         [("fps", "graph"), ("made", "ball_query"), ("made", "interpolate")])

    def test_keys_of_the_hash_map(self):
        map_row = dict(n=8000, key_bits=32, multiplicity=8, load=0.5, keys_per_second=1.0)
        insert, find = (self.shares(row(f"hash_map/{what}/8000/farpoint", 100, **map_row))[0][1] for what in ("insert", "find"))
        self.assertEqual((insert["accesses"], find["accesses"]), (1, 4))
        self.assertNotIn("accesses", self.shares(row("hash_map/find/8000/farpoint", 100, **{**map_row, "key_bits": 64}))[0][1])

    def test_instructions_of_ncu(self):
        text = ('==PROF== Connected\ncommit: 0123abcd\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
                '"0","a","smsp__inst_executed.sum","inst","1,500"\n"0","a","dram__bytes.sum","byte","9"\n'
                '"1","b","smsp__inst_executed.sum","inst","500"\n')
        (self.folder / "counted.csv").write_text(text)
        (self.folder / "limits.json").write_text(json.dumps({"GPU X": LIMITS}))
        command = [sys.executable, "-B", BENCH / "roofline.py", "--limits", self.folder / "limits.json", "--gpu", "GPU X", "--ncu",
                   f"fps/a/uniform={self.folder / 'counted.csv'}"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "fps/a/uniform: 2,000 warp instructions, kernels: 2\n"), done.stderr)
        self.limits = json.loads((self.folder / "limits.json").read_text())["GPU X"]
        self.assertEqual(self.limits["counted_at"], {"fps/a/uniform": "0123abcd"})
        # 2,000 instructions at 100 a cycle of 2 GHz.
        self.assertAlmostEqual(self.shares(row("fps/a/uniform/graph", 100, sm_mhz_after=2000))[0][1]["instructions"], 0.01)
        for broken in ("nothing", '"ID","Metric Name","Metric Value"\n"0","other","1"\n'):
            (self.folder / "counted.csv").write_text(broken)
            self.assertEqual(subprocess.run(command, check=False, capture_output=True).returncode, 2)

    def test_other_runs_are_refused(self):
        path = self.folder / "run.json"
        path.write_text(json.dumps({"context": {"gpu": "another"}, "benchmarks": [row("fps/a/uniform/graph", 100)]}))
        done = subprocess.run([sys.executable, "-B", BENCH / "roofline.py", path], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no limits of another", done.stderr)

    def test_no_row_of_the_repository_is_faster_than_its_limit(self):
        written = roofline.write_pages(BENCH / "results", self.folder)
        self.assertEqual([path.name for path in written], ["roofline.md", "roofline.svg"])
        page = written[0].read_text(encoding="utf-8")
        shares = [int(line.split("|")[-3].rstrip(" %")) for line in page.splitlines() if line.endswith(" |") and " % | " in line]
        self.assertGreater(len(shares), 40)
        self.assertLessEqual(max(shares), 100)
        self.assertNotIn("h100", page.lower())
        for suite in ("fps", "voxelize", "knn_exact", "hash_map", "knn_screen"):
            self.assertIn(f"## {suite}\n", page)


if __name__ == "__main__":
    unittest.main()
