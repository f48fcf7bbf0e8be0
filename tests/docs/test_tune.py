"""bench/tune.py: the winner of each axis against the default, and a struct that a compiler would take."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import tune  # noqa: E402


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tune(self, suite, times, *arguments):
        rows = [dict(name=f"{name}/iterations:5/manual_time", p50_us=us, p99_us=us, max_us=us, points_per_second=1)
                for name, us in times.items()]
        path = self.folder / "run.json"
        path.write_text(json.dumps({"context": {"gpu": "GPU X"}, "benchmarks": rows}))
        return subprocess.run([sys.executable, "-B", BENCH / "tune.py", suite, "--from", path, *arguments], check=False,
                              capture_output=True, text=True)

    def test_a_value_must_suit_all_rows(self):
        times = {"tune/a/cube/default": 100, "tune/a/cube/block_32": 50, "tune/a/cube/block_128": 80,
                 "tune/b/cube/default": 100, "tune/b/cube/block_32": 210, "tune/b/cube/block_128": 90}
        done = self.tune("knn", times)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| block | a/cube | 100 | block_32 | 50 | 2.00 |", done.stdout)
        # The geometric mean of 100/80 and 100/90 beats the mean of 2 and 100/210.
        self.assertIn("struct tuned : farpoint::knn_selector {\n  // GPU X: block_128: 1.18x over 2 rows\n"
                      "  static constexpr int block_size = 128;\n};", done.stdout)

    def test_a_variant_that_a_row_lacks_is_no_value(self):
        times = {"tune/a/cube/default": 100, "tune/a/cube/block_32": 50, "tune/a/cube/block_64": 99,
                 "tune/b/cube/default": 100, "tune/b/cube/block_64": 99}
        self.assertIn("keep it", self.tune("knn", times).stdout)

    def test_shapes_of_sizes_begin_between_the_sizes(self):
        times = {}
        for size, best in (("10000_k8", "build_256x4_blocks_4_window_16"), ("1000000_k8", "build_512x8_blocks_1_window_16")):
            times.update({f"tune/{size}/cube/default": 100, f"tune/{size}/cube/{best}": 80,
                          f"tune/{size}/cube/build_512x2_blocks_1_window_16": 120})
        self.assertIn("static constexpr farpoint::bvh_build_tuning builds[] = {{1, 256, 4, 4, 16}, {100000, 512, 8, 1, 16}};",
                      self.tune("knn", times, "--axis", "build").stdout)

    def test_sorts_compare_with_the_default_of_their_size(self):
        times = {"sort/4096/bits32/farpoint": 10, "sort/tune/4096/bits32/sweeps_256x16_blocks3_window4_apart": 8,
                 "sort/tune/4096/bits32/block_512x8": 9, "sort/tune/4096/bits8/block_512x8": 1, "sort/4096/bits32/cub": 1}
        done = self.tune("sort", times)
        self.assertIn("static constexpr farpoint::radix_block_tuning blocks[] = {{512, 8}};", done.stdout)
        self.assertIn("sweeps[] = {{1, 256, 16, 3, 4, true}};", done.stdout)
        self.assertNotIn("bits8", done.stdout)

    def test_choices_are_conditions(self):
        times = {"fps_kernels/16x40000_to_1024/uniform/default": 970, "fps_kernels/16x40000_to_1024/uniform/in_teams_8_boxes": 457,
                 "fps_kernels/16x4096_to_1024/uneven/default": 500, "fps_kernels/16x4096_to_1024/uneven/in_teams_8": 100,
                 "fps_kernels/1x256_to_64/uniform/default": 40, "fps_kernels/1x256_to_64/uniform/in_regions": 30,
                 "fps_kernels/1x300_to_64/uniform/default": 40,
                 "fps_kernels/1x300_to_64/uniform/in_teams_9_boxes_wanted_30_listed_16": 35,
                 "fps_kernels/1x400_to_64/uniform/default": 40, "fps_kernels/1x400_to_64/uniform/in_teams_9_singles_8": 30,
                 "fps_kernels/256x4096_to_64/uniform/default": 40,
                 "fps_kernels/256x4096_to_64/uniform/in_teams_132_shared_out_boxes": 30,
                 "fps_kernels/1x512_to_64/uniform/default": 40, "fps_kernels/1x512_to_64/uniform/in_regions": 39.9}
        done = self.tune("fps_kernels", times)
        self.assertIn("c.clouds == 16 && c.largest == 40000 && c.samples == 1024) {\n"
                      "      return {farpoint::fps_kernel::in_teams, 8, true};", done.stdout)
        self.assertIn("return {farpoint::fps_kernel::in_regions, 1, false};", done.stdout)
        self.assertIn("return {farpoint::fps_kernel::in_teams, 9, true, 30, 16};", done.stdout)
        self.assertIn("return {farpoint::fps_kernel::in_teams, 9, false, 40, 32, 8};", done.stdout)
        self.assertIn("return {farpoint::fps_kernel::in_teams, 132, true, 40, 32, 0, true};", done.stdout)
        struct = done.stdout[done.stdout.index("struct"):]
        self.assertNotIn("uneven", struct)  # no condition could express it
        self.assertNotIn("512", struct)  # within the limit
        self.assertEqual(struct.count("{") + struct.count("("), struct.count("}") + struct.count(")"))

    def test_layouts_of_the_hash_map(self):
        times = {"hash_map/find/8_u32_load0.5_x1/farpoint": 10, "hash_map/find/8_u32_load0.5_x1/split": 5,
                 "hash_map/find/8_u32_load0.5_x1/linear": 1}
        self.assertIn("layout = farpoint::hash_map_layout::split;", self.tune("hash_map", times).stdout)

    def test_runs_without_the_rows_are_refused(self):
        self.assertEqual(self.tune("knn", {"tune/a/cube/default": 1}).returncode, 2)
        self.assertEqual(self.tune("knn", {"tune/a/cube/block_32": 1}).returncode, 2)
        self.assertEqual(self.tune("knn", {"tune/a/cube/default": 1}, "--axis", "none").returncode, 2)

    def test_the_filter_selects_the_default_and_the_axis_alone(self):
        suite = tune.SUITES["sort"]
        pattern = re.compile(tune.filter_of(suite, [axis for axis in suite.axes if axis.name == "sweeps"], "4096"))
        tail = "/iterations:100/manual_time"
        for name, chosen in (("sort/4096/bits32/farpoint", True), ("sort/tune/4096/bits32/sweeps_256x8_blocks4_window4", True),
                             ("sort/tune/4096/bits32/block_256x8", False), ("sort/4096/bits32/cub", False),
                             ("sort/65536/bits32/farpoint", False)):
            self.assertEqual(bool(pattern.search(name + tail)), chosen, name)

    MEMBERS = {"fps": "region_shapes streaming_block_size choose(", "fps_kernels": "choose(", "knn": "block_size builds", "sort": "blocks sweeps",
               "hash_map": "layout"}

    def test_every_suite_names_a_program_and_members_that_there_are(self):
        build = (BENCH / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertEqual(set(self.MEMBERS), set(tune.SUITES))
        for name, suite in tune.SUITES.items():
            self.assertIn(f"farpoint_add_bench({suite.program} ", build)
            header = (BENCH.parent / "include" / suite.header).read_text(encoding="utf-8")
            body = header[header.index(f"struct {suite.base.split('::')[1]} {{"):]
            for member in self.MEMBERS[name].split():
                self.assertRegex(body, rf"static constexpr [\w:]+ {re.escape(member)}", name)

    def test_runs_of_the_repository(self):
        results = BENCH / "results/nvidia-h200"
        for suite, name in (("fps_kernels", "fps_kernels"), ("hash_map", "hash_map")):
            run = tune.report.load(results / f"{name}.json", without_failed=True)
            lines = tune.printed(tune.SUITES[suite], run, tune.SUITES[suite].axes, 1.03)
            self.assertGreater(len(lines), 5, name)


if __name__ == "__main__":
    unittest.main()
