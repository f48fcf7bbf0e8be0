"""bench/charts.py draws what can be read, and bench/plots.py joins no workloads that have nothing to do with each other."""

import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import charts  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def parts(svg, tag):
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def words(svg):
    return [one.text for one in parts(svg, "text")]


class Charts(unittest.TestCase):
    def test_bars_stand_on_zero_and_a_missing_value_has_none(self):
        svg = charts.bars("t", "n", "x", "y", ["a", "b"], {"one": [10, 20], "two": [None, 5]})
        bars = [one for one in parts(svg, "rect") if one.get("fill") in charts.COLORS[:2]]
        heights = {}
        for bar in bars:
            if float(bar.get("height")) > 20:  # the square mark of the legend is smaller
                heights.setdefault(bar.get("fill"), []).append(float(bar.get("height")))
                feet = float(bar.get("y")) + float(bar.get("height"))
                self.assertAlmostEqual(feet, 66 + 10 + 8 + 240, delta=0.11)
        self.assertEqual([len(heights[color]) for color in charts.COLORS[:2]], [2, 1])
        low, high = heights[charts.COLORS[0]]
        self.assertAlmostEqual(high, 2 * low, delta=0.2)
        self.assertAlmostEqual(heights[charts.COLORS[1]][0], low / 2, delta=0.2)
        self.assertTrue({"a", "b", "one", "two", "20"} <= set(words(svg)))

    def test_ticks_are_round_and_lie_where_the_values_do(self):
        self.assertEqual(charts.log_ticks(0.9, 1200), [1, 10, 100, 1000])
        self.assertEqual(charts.log_ticks(9, 110), [10, 20, 50, 100])
        self.assertEqual(charts.log_ticks(0.28, 0.61), [0.3, 0.4, 0.5, 0.6])
        self.assertEqual(charts.linear_ticks(7.3), [0, 2, 4, 6, 8])
        self.assertEqual(charts.linear_ticks(0.31), [0, 0.1, 0.2, 0.3, 0.4])
        for low in (1e-4, 0.03, 7, 5e5):
            for factor in (3, 8, 40, 1e3, 1e6):
                ticks = charts.log_ticks(low, low * factor)
                self.assertTrue(3 <= len(ticks) <= 13, ticks)
                self.assertTrue(all(low <= tick <= low * factor for tick in ticks), ticks)

    def test_curves(self):
        svg = charts.curves("a < b", "note", "points", "ms", {"one": [(10, 1), (1, 2)], "two": [(1, 5)]})
        lines = [one.get("points").split() for one in parts(svg, "polyline")]
        self.assertEqual(sorted(map(len, lines)), [1, 2])
        left, right = (float(point.split(",")[0]) for point in max(lines, key=len))
        self.assertLess(left, right)  # by x, however they come
        for expected in ("a < b", "note", "points", "ms", "one", "two"):
            self.assertIn(expected, words(svg))

    def test_dots_have_no_lines_between_rows_and_no_bars(self):
        svg = charts.dots("t", "n", "ms", [("first", {"a": 1, "b": 1000}, {"b": "a peer"}), ("second", {"a": 2})])
        self.assertEqual(parts(svg, "polyline"), [])
        self.assertEqual({one.get("width") for one in parts(svg, "rect")}, {str(charts.WIDTH), "9"})
        # Each mark, and the legend's mark.
        self.assertEqual((len(parts(svg, "circle")), len(parts(svg, "rect")) - 1), (3, 2))
        peer = next(one for one in parts(svg, "text") if one.text == "a peer")
        self.assertLess(float(peer.get("x")) + charts.width_of("a peer", 11), charts.WIDTH)

    def test_more_than_six_series_are_refused(self):
        series = {str(i): [(1, 1), (2, 2)] for i in range(7)}
        with self.assertRaises(charts.TooManySeries):
            charts.curves("t", "n", "x", "y", series)
        with self.assertRaises(charts.TooManySeries):
            charts.dots("t", "n", "x", [("a", {name: 1 for name in series})])
        series.pop("6")
        self.assertEqual(len(parts(charts.curves("t", "n", "x", "y", series), "polyline")), 6)


def row(case, variant, time, **more):
    return dict(suite="knn_exact", case=case, variant=variant, p50_us=time, **more)


class Plots(unittest.TestCase):
    ROWS = [row("10000_k8/cube", "graph", 70, n=10000, k=8), row("10000_k8/cube", "brute_force", 570, n=10000, k=8),
            row("100000_k8/cube", "graph", 105, n=100000, k=8), row("1000000_k8/sphere", "graph", 420, n=1000000, k=8),
            row("1000000_k8/cube", "nanoflann_threads_16", 780000, n=1000000, k=8)]

    def test_a_line_joins_one_workload(self):
        made = plots.of_run(self.ROWS, "note", report.title)
        self.assertEqual(sorted(made), ["knn-clouds", "knn-points"])  # one k is no curve
        farpoint = max((one.get("points").split() for one in parts(made["knn-points"], "polyline")), key=len)
        self.assertEqual(len(farpoint), 2)  # cubes; no sphere
        self.assertIn("nanoflann, 16 threads of the host", words(made["knn-points"]))
        self.assertEqual(parts(made["knn-clouds"], "polyline"), [])

    def test_a_suite_without_a_question_gets_a_chart_of_all_its_cases(self):
        rows = [dict(one, suite="new") for one in self.ROWS]
        self.assertEqual(list(plots.of_run(rows, "note", report.title)), ["new"])
        self.assertEqual(plots.of_run([dict(one, variant=f"{one['case']}{i}") for one in rows for i in range(9)], "note",
                                      report.title), {})
        self.assertEqual(plots.of_run([dict(one, suite="tune") for one in rows], "note", report.title), {})

    def test_names_are_of_one_question(self):
        names = [question.name for question in plots.QUESTIONS]
        self.assertEqual(len(set(names)), len(names))

    def test_all_kept_runs_can_be_drawn(self):
        drawn = 0
        for path in (path for path, kind in pages.kept(report.RESULTS).items() if kind == "suite"):
            run = json.loads(path.read_text(encoding="utf-8"))
            for name, svg in plots.of_run(report.merged(run["benchmarks"]), "note", report.title).items():
                self.assertLessEqual(len({one.get("stroke") for one in parts(svg, "polyline")}), charts.MOST_SERIES)
                height = float(ElementTree.fromstring(svg).get("height"))
                self.assertLess(height, 1000, name)
                for x, y in re.findall(r'c?x="([\d.-]+)" c?y="([\d.-]+)"', svg):
                    self.assertTrue(0 <= float(x) <= charts.WIDTH and 0 <= float(y) <= height, (path.name, name))
                drawn += 1
        self.assertGreater(drawn, 20)


if __name__ == "__main__":
    unittest.main()
