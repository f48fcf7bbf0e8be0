"""scripts/docs.py must see what is wrong: a page in a folder of its own for each way to be."""

import json
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import blocks
import docs
import figures
import pictures
import signatures
import splats

EXAMPLE = """int main() {
  //! [call]
  auto const found = farpoint::fps(points, 3);
    // deeper
  //! [call]
}
"""
HEADER = """/// Samples.
inline result fps(host_exec exec) noexcept { return {}; }
namespace detail {
inline result hidden(host_exec exec) noexcept { return {}; }
}  // namespace detail
inline std::size_t fps_workspace_bytes(host_exec exec) noexcept { return 0; }
"""
PAGE = "# fps(): sampling\n\n<!-- examples/01.cpp: call -->\n```cpp\nauto const found = farpoint::fps(points, 3);\n  // deeper\n```\n"


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("examples/01.cpp", EXAMPLE)
        self.write("include/farpoint/fps.hpp", HEADER)
        self.write("docs/functions/fps.md", PAGE)
        self.write("README.md", "`fps()`\n")
        self.write("docs/getting_started.md", "[1](../examples/01.cpp)\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def test_sound(self):
        self.assertEqual(docs.filled(self.root, PAGE), PAGE)
        self.assertEqual(docs.undocumented(self.root), [])

    def test_code_that_is_not_the_example(self):
        self.assertEqual(docs.filled(self.root, PAGE.replace("3)", "4)")), PAGE)
        self.assertEqual(docs.filled(self.root, PAGE.replace("  // deeper\n", "")), PAGE)

    def test_region_that_is_not_there(self):
        for page in (PAGE.replace(": call", ": other"), PAGE.replace("```cpp", "text", 1)):
            with self.assertRaises(KeyError):
                docs.filled(self.root, page)

    def test_region_within_another(self):
        self.write("examples/01.cpp", "//! [all]\na\n//! [part]\nb\n//! [part]\n//! [all]\n")
        self.assertEqual(docs.region(self.root, "examples/01.cpp", "all"), ["a", "b"])
        self.assertEqual(docs.region(self.root, "examples/01.cpp", "part"), ["b"])

    def test_code_that_is_not_compiled(self):
        page = self.root / "docs/functions/fps.md"
        self.assertEqual(docs.typed_in(self.root, page, PAGE), [])
        self.assertEqual(docs.typed_in(self.root, page, "\n```cpp\nfps();\n```\n"),
                         ["docs/functions/fps.md:2: C++ that is neither complete nor from an example"])
        self.assertEqual(docs.typed_in(self.root, self.root / "docs/design/fps.md", "\n```cpp\nfps();\n```\n"), [])

    def test_programs_of_a_page(self):
        program = "```cpp\n#include <cstdio>\nint main() { std::puts(\"3\"); }\n```\n"
        page = f"# fps()\n\n```cpp\nint main_of_all();\n```\n\n{program}\n```text\n3\n```\n{program}then\n```text\n4\n```\n"
        found = blocks.complete(page)
        self.assertEqual([(block.line, block.prints) for block in found], [(7, "3\n"), (15, None)])
        self.assertEqual(docs.typed_in(self.root, self.root / "docs/functions/fps.md", page),
                         ["docs/functions/fps.md:3: C++ that is neither complete nor from an example"])
        self.assertEqual(docs.not_to_be_pasted(self.root), ["docs/functions/fps.md: no program can be pasted",
                                                            "docs/functions/fps.md: the headers of its functions are not named"])
        self.write("docs/functions/fps.md", f"{page}\n<!-- calls farpoint/fps.hpp: fps -->\n<!-- /calls -->\n")
        self.assertEqual(docs.not_to_be_pasted(self.root), [])

    def test_program_that_does_something_else(self):
        if not shutil.which("c++"):
            self.skipTest("there is no c++")
        sound = blocks.Block(1, '#include <farpoint/text.hpp>\n#include <cstdio>\nint main() { std::puts(text); }\n', "3\n")
        self.write("include/farpoint/text.hpp", 'char const* const text = "3";\n')
        self.assertIsNone(blocks.problem_of(self.root, sound, self.root))
        for block, problem in ((sound._replace(prints="4\n"), "prints\n4\nand it prints\n3\n"),
                               (sound._replace(code=sound.code.replace("#include <farpoint/text.hpp>\n", "")), "text"),
                               (sound._replace(code="int main() { return 3; }\n"), "ended with 3")):
            self.assertIn(problem, blocks.problem_of(self.root, block, self.root) or "")

    def test_calls_are_those_of_the_header(self):
        self.write("include/farpoint/fps.hpp", HEADER.replace("host_exec exec) noexcept { return {}; }\nnamespace", (
            "host_exec exec, batch<std::array<float, 3>> const& points, Out<typename Points::scalar> const& out = f(1, 2)) "
            "noexcept {}\ninline result fps(host_exec exec, int n) noexcept {}\nnamespace")))
        marker = "<!-- calls farpoint/fps.hpp: fps -->"
        page = docs.filled(self.root, f"{marker}\nresult old();\n<!-- /calls -->\n")
        self.assertEqual(page, f"{marker}\n\n`#include <farpoint/fps.hpp>` for host threads:\n\n```cpp\n"
                               "result fps(exec, batch<std::array<float, 3>> points, Out<Scalar> out = f(1, 2))\n"
                               "result fps(exec, int n)\n```\n\n<!-- /calls -->\n")
        self.assertEqual(docs.typed_in(self.root, self.root / "docs/functions/fps.md", page), [])
        self.write("include/farpoint/fps.cuh", "")
        for header, where in (("stream_calls.hpp", "for a stream"), ("host_calls.hpp", "for both")):
            self.write(f"include/farpoint/runtime/{header}", "result fps(int n);  // and knn(int n)\n")
            self.assertIn("hpp>` for host threads, `<farpoint/fps.cuh>` for a stream, by nvcc, `<farpoint/runtime.hpp>` "
                          f"{where}, by the", docs.filled(self.root, page))
        self.assertFalse(signatures.in_library(self.root, ["fps", "knn"]))
        refused = "/// Does not compile: the workspace is missing.\ninline result fps(host_exec) noexcept {\n  static_assert(never);\n}\n\n"
        header = self.root / "include/farpoint/fps.hpp"
        self.write("include/farpoint/fps.hpp", refused + header.read_text())
        self.assertNotIn("fps(host_exec)", docs.filled(self.root, page))
        with self.assertRaisesRegex(KeyError, "declares no hidden"):
            docs.filled(self.root, page.replace(": fps", ": hidden"))

    def write_results(self, rows):
        context = {"gpu": "NVIDIA X", "cuda_runtime": "13.0", "date": "2026-01-02T03:04:05"}
        self.write(f"{figures.RESULTS}/knn_exact.json", json.dumps({"context": context, "benchmarks": rows}))
        self.write(figures.TABLE, "function\twhat\nknn\tk = 8\tknn_exact\tknn/8/cube\tgraph\n")
        self.write(figures.BASELINES, json.dumps({"knn": {"baselines": {"brute": "brute force", "tree": "a tree"}, "own": ["graph"]}}))

    def test_figures_are_the_results(self):
        self.write_results([{"suite": "knn", "case": "8/cube", "variant": variant, "p50_us": time}
                            for variant, time in (("graph", 90), ("graph", 100), ("graph", 500), ("brute", 250))])
        table = docs.filled(self.root, "<!-- performance -->\n| a | typed in |\n<!-- /performance -->\n")
        self.assertIn("| k = 8 | 0.1 | brute force | 0.25 | 2.5 |", table)
        self.assertIn("NVIDIA X, CUDA 13.0, 2026-01-02;", table)
        self.assertIn("To measure again: `./dev bench knn`. [docs/performance.tsv]", table)
        self.assertNotIn("typed in", table)

    def test_baseline_is_the_fastest(self):
        rows = [{"suite": "knn", "case": "8/cube", "variant": variant, "p50_us": time}
                for variant, time in (("graph", 100), ("brute", 1000), ("tree", 250))]
        self.write_results(rows)
        table = docs.filled(self.root, "<!-- performance -->\n<!-- /performance -->\n")
        self.assertIn("| k = 8 | 0.1 | a tree | 0.25 | 2.5 |", table)
        slower = table.replace("| a tree | 0.25 | 2.5 |", "| brute force | 1 | 10 |")
        self.assertNotEqual(slower, table)
        self.assertEqual(docs.filled(self.root, slower), table)  # so that `docs.py check` refuses the page
        self.write_results(rows + [{"suite": "knn", "case": "8/cube", "variant": "new", "p50_us": 200}])
        with self.assertRaisesRegex(KeyError, "variant new"):
            figures.performance(self.root)
        self.write_results(rows[:1])
        self.assertIn("| k = 8 | 0.1 | none measured | - | - |", "\n".join(figures.performance(self.root)))

    def test_a_weaker_answer_is_no_baseline_where_there_is_another(self):
        rows = [{"suite": "knn", "case": "8/cube", "variant": variant, "p50_us": time}
                for variant, time in (("graph", 100), ("brute", 1000), ("racy", 200))]
        for times, expected in ((rows, "| k = 8 | 0.1 | brute force; with a weaker answer racy table, 0.2 ms | 1 | 10 |"),
                                ([*rows[:2], {**rows[2], "p50_us": 1001}], "| k = 8 | 0.1 | brute force | 1 | 10 |"),
                                ([rows[0], rows[2]], "| k = 8 | 0.1 | racy table (weaker answer) | 0.2 | 2.0 |")):
            self.write_results(times)
            self.write(figures.BASELINES, json.dumps({"knn": {"baselines": {"brute": "brute force"}, "weaker": {"racy": "racy table"},
                                                              "own": ["graph"]}}))
            self.assertIn(expected, "\n".join(figures.performance(self.root)))

    def test_only_right_answers_of_the_same_function_are_baselines(self):
        rows = [{"suite": "knn", "case": "8/cube", "variant": variant, "p50_us": time}
                for variant, time in (("graph", 100), ("graph_of_brute", 1000), ("graph_of_tree", 50), ("other_of_tree", 10))]
        rows[2]["wrong"] = 1
        self.write_results(rows)
        self.write(figures.BASELINES, json.dumps({"knn": {"baselines": {"graph_of_brute": "brute force", "graph_of_tree": "a tree",
                                                                        "other_of_tree": "a tree"}, "own": ["graph"]}}))
        self.assertIn("| k = 8 | 0.1 | brute force | 1 | 10 |", "\n".join(figures.performance(self.root)))

    def test_peers_that_were_not_measured_are_named(self):
        self.write_results([{"suite": "knn", "case": "8/cube", "variant": "graph", "p50_us": 100}])
        self.assertIn("Not measured: the libraries of bench/peers/external. ", "\n".join(figures.performance(self.root)))
        path = self.root / f"{figures.RESULTS}/knn_exact.json"
        run = json.loads(path.read_text(encoding="utf-8"))
        for missing, expected in (("cuBQL, PCL", "Not measured: PCL, cuBQL. "), ("", None)):
            run["context"].update(peers="nanoflann 1.4.2", peers_not_measured=missing)
            path.write_text(json.dumps(run), encoding="utf-8")
            text = "\n".join(figures.performance(self.root))
            if expected:
                self.assertIn(expected, text)
            else:
                self.assertNotIn("Not measured", text)

    def test_table_of_all_cases_of_a_suite(self):
        rows = [("fps", "1x2", "a", 900), ("fps", "1x2", "a", 1100), ("fps", "1x2", "a", 1000), ("fps", "1x2", "b", 2500),
                ("fps", "3x4", "b", 10), ("fps", "5x6", "c", 1), ("other", "7x8", "a", 1)]
        context = {"processor": "X", "num_cpus": 2, "host_compiler": "g++", "date": "2026-01-02T03:04:05"}
        self.write(f"{figures.ALL_RESULTS}/x/fps_host.json", json.dumps({"context": context, "benchmarks": [
            {"suite": suite, "case": case, "variant": variant, "p50_us": time} for suite, case, variant, time in rows]}))
        marker = "<!-- medians x/fps_host fps: a = first, b = second -->"
        table = docs.filled(self.root, f"{marker}\ntyped in\n<!-- /medians -->\n")
        self.assertIn("| case | first | second |\n|---|--:|--:|\n| `1x2` | 1 | 2.5 |\n| `3x4` | - | 0.01 |\n\n", table)
        self.assertIn("X, 2 cores, g++, 2026-01-02", table)
        self.assertNotIn("typed in", table)
        self.assertEqual(docs.filled(self.root, table), table)
        for wrong in (marker.replace("a =", "d ="), marker.replace(" fps:", " none:")):
            with self.assertRaises(KeyError):
                docs.filled(self.root, f"{wrong}\n<!-- /medians -->\n")

    def test_charts_are_the_results(self):
        self.write_results([{"name": f"knn_exact/{n}_k8/cube/{variant}", "variant": variant, "n": n, "p50_us": time, "p99_us": time,
                             "max_us": time, "points_per_second": 1.0, "case": f"{n}_k8/cube", "suite": "knn_exact"}
                            for n, variant, time in ((1000, "graph", 90), (2000, "graph", 160), (1000, "brute_force", 500))])
        self.write("CONTRIBUTING.md", "")
        self.write(f"{figures.RESULTS}/tables/tables.json",
                   (pathlib.Path(docs.__file__).parents[1] / figures.RESULTS / "tables/tables.json").read_text(encoding="utf-8"))
        for name in ("published.json", "quality.json"):
            self.write(f"docs/tables/{name}",
                       (pathlib.Path(docs.__file__).parents[1] / "docs/tables" / name).read_text(encoding="utf-8"))
        self.write("docs/page.md", "![more points](plots/nvidia-h200/knn_exact-knn-points.svg)\n")
        self.assertEqual(docs.brought_up_to_date(self.root, True), [])
        chart = self.root / "docs/plots/nvidia-h200/knn_exact-knn-points.svg"
        sound = chart.read_text(encoding="utf-8")
        self.assertIn(">brute force</text>", sound)
        self.assertIn("NVIDIA X, 2026-01-02, commit unknown, bench/results/nvidia-h200/knn_exact.json", sound)
        self.assertEqual(docs.brought_up_to_date(self.root, False), [])
        chart.write_text(sound.replace("brute force", "brute farce"), encoding="utf-8")
        self.write("docs/plots/old.svg", "<svg/>")
        self.assertEqual(docs.brought_up_to_date(self.root, False), [
            "docs/plots/old.svg: no page shows it",
            "docs/plots/nvidia-h200/knn_exact-knn-points.svg: code, figures or version are not up to date; run scripts/docs.py fill"])
        self.write("docs/page.md", "![none](plots/nvidia-h200/knn_exact-none.svg)\n")
        with self.assertRaisesRegex(KeyError, "knn_exact-none"):
            docs.brought_up_to_date(self.root, False)

    def test_row_that_was_not_measured(self):
        self.write_results([])
        with self.assertRaises(KeyError):
            figures.performance(self.root)

    def test_published_tables_are_the_results(self):
        repository = pathlib.Path(docs.__file__).parents[1]
        for path in (f"{figures.RESULTS}/tables/tables.json", "docs/tables/published.json", "docs/tables/quality.json"):
            self.write(path, (repository / path).read_text(encoding="utf-8"))
        self.write("CONTRIBUTING.md", "")
        page = self.root / "docs/tables/README.md"
        self.assertEqual(len(docs.brought_up_to_date(self.root, False)), 3)  # the page and its plots are not there
        self.assertEqual(docs.brought_up_to_date(self.root, True), [])
        self.assertEqual(docs.brought_up_to_date(self.root, False), [])
        sound = page.read_text(encoding="utf-8")
        for figure, typed in (("0.691", "0.591"), ("10.69 / 4.62", "10.69 / 5.62"), ("0.80 / 0.85 / 0.85", "0.80 / 0.98 / 0.98"),
                              ("| the reference: 8 of the whole cloud | 2.61 |", "| the reference: 8 of the whole cloud | 0.61 |")):
            self.assertEqual(sound.count(figure), 1, figure)
            self.write("docs/tables/README.md", sound.replace(figure, typed))
            self.assertEqual(docs.brought_up_to_date(self.root, False),
                             ["docs/tables/README.md: code, figures or version are not up to date; run scripts/docs.py fill"])

    def test_compile_times_are_those_that_were_measured(self):
        one = {"seconds": 1.25, "bytes": 82432}
        run = {"commit": "abc", "date": "2026-01-02", "processor": "P", "g++": "12.2", "nvcc": "13.0", "cpp": {"fps": one},
               "library": {"seconds": 0.3, "bytes": 1584}, "cuda": {"fps": {"seconds": 50.4, "bytes": 3920144}}}
        self.write("bench/compile_times.json", json.dumps(run))
        page = "\n".join(figures.compile_times(self.root))
        self.assertIn("| `fps()` of the headers | 1.2 s, 82.4 KB | 50 s, 3.9 MB |\n", page)
        self.assertIn("| `knn()` of the compiled library | 0.3 s, 1.58 KB | - |\n\nSeconds of one core", page)
        self.assertIn("g++ 12.2 and nvcc 13.0 on P, clouds of float, commit abc, 2026-01-02.", page)

    def test_tables_of_the_bench_of_python(self):
        self.assertEqual(figures.python_bench(self.root, "gpu-x"), [
            "No run on gpu-x is kept: `./dev bench python` there makes the tables of this place."])
        rows = [("fps", "(16, 1024, 3) -> 256", "farpoint", 20.0), ("fps", "(16, 1024, 3) -> 256", "torch_cluster", 2345.6),
                ("knn", "(4, 9, 3), k = 16", "farpoint", 1234.4), ("fps", "(1, 4, 3)", "farpoint", 2.51),
                ("fps", "(1, 4, 3)", "farpoint, in C++", 1.0), ("fps", "(1, 4, 3)", "farpoint.torch", 5.0)]
        context = {"gpu": "GPU X", "processor": "P", "threads": 8, "python": "3.12.1", "torch": "2.11", "commit": "abc",
                   "date": "2026-01-02T03:04:05Z", "versions": {"torch_cluster": "1.6.3"}, "missing": {"open3d": "not installed"},
                   "failed": {"pytorch3d knn": "RuntimeError: no"}}
        run = {"context": context, "rows": [dict(zip(("function", "input", "package", "p50_us"), row)) for row in rows]}
        self.write("bench/results/gpu-x/python/bench.json", json.dumps(run))
        page = "\n".join(figures.python_bench(self.root, "gpu-x"))
        self.assertIn("GPU X, 8 host threads, Python 3.12.1, torch 2.11, commit abc, 2026-01-02.", page)
        self.assertIn("| function | input | farpoint | torch_cluster 1.6.3 |\n|---|---|--:|--:|\n"
                      "| `fps` | (16, 1024, 3) -> 256 | 20 | 2,346 (117) |\n| `knn` | (4, 9, 3), k = 16 | 1,234 | - |\n", page)
        self.assertIn("Not measured: `open3d`, `pytorch3d knn`.", page)
        self.assertTrue(page.endswith("| `fps` | (1, 4, 3) | 2.51 | 1 | 5 |"), page)
        text = "<!-- python_bench gpu-x -->\nold\n<!-- /python_bench -->\n"
        self.assertEqual(docs.filled(self.root, text), f"<!-- python_bench gpu-x -->\n\n{page}\n\n<!-- /python_bench -->\n")

    def test_figures_of_splats_are_what_the_program_printed(self):
        printed = ("  points                 1000\n  visible                70\n  neighbors             16\n\n"
                   "  rounds        right sets  normals (deg)  deviation  time (ms)\n"
                   "  1                94.29 %          2.053      1.374       9.99\n"
                   "  2                99.90 %          2.096      1.429      10.00\n"
                   "  3                99.95 %          2.096      1.430      10.00\n"
                   "  until exact     100.00 %          2.096      1.430     100.00\n\n"
                   "  azimuth    visible  holes (px)            flicker\n"
                   "     20.0         70  1 of 2000             0.0044 %\n     65.0         71  2 of 3000             0.0010 %\n")
        made = splats.figures(printed)
        self.write(figures.SPLATS, json.dumps({"until_exact": made, "one_round": dict(made, views=made["views"][1:])}))
        page = docs.filled(self.root, "<!-- splats rounds -->\n<!-- /splats -->\n<!-- splats views -->\ntyped in\n<!-- /splats -->\n")
        self.assertIn("16 of each of the 70 visible points", page)
        self.assertIn("| 1 | 94.29 % | 2.053 degrees | 1.374 |\n", page)
        self.assertIn("| until exact | 100.00 % | 2.096 degrees | 1.430 |\n", page)
        self.assertIn("| until exact | 2 | 3 of 5,000 | 0.0044 % |\n| one round | 1 | 2 of 3,000 | 0.0010 % |\n", page)
        self.assertNotIn("typed in", page)
        self.assertEqual(docs.filled(self.root, page.replace("94.29", "3.64")), page)
        with self.assertRaises(ValueError):
            splats.figures(printed.replace("  3 ", "  4 "))

    def test_links(self):
        page = self.write("docs/page.md", "")
        self.write("docs/other.md", "## What it *does*: `a()`, [b](c.md)\n```\n# code\n```\n")
        sound = "[a](other.md) [b](other.md#what-it-does-a-b) [c](https://x.org/y) `[d](none.md)`\n```\n[e](none.md)\n```\n## Here\n[f](#here)"
        self.assertEqual(docs.broken_links(self.root, page, sound), [])
        for broken in ("[a](none.md)", "[a](other.md#code)", "[a](#there)", "![a](none.png)"):
            self.assertEqual(len(docs.broken_links(self.root, page, broken)), 1, broken)

    def test_files_that_are_named(self):
        page, header = self.write("docs/page.md", ""), self.root / "include/farpoint/fps.hpp"
        sound = "`farpoint/fps.hpp`, `include/farpoint/f*.hpp`, `.../fps.hpp`; `docs/functions/fps.md` and other/none.hpp"
        self.assertEqual(docs.missing_files(self.root, page, sound), [])
        self.assertEqual(docs.missing_files(self.root, page, "\n`tests/fps/host/*.hpp`"),
                         ["docs/page.md:2: there is no tests/fps/host/*.hpp"])
        self.assertEqual(docs.missing_files(self.root, header, "#include <none/none.hpp>  // see farpoint/fps.hpp"), [])
        self.assertEqual(docs.missing_files(self.root, header, "/// @param camera  see spatial/camera.hpp"),
                         ["include/farpoint/fps.hpp:1: there is no spatial/camera.hpp"])

    def test_picture_that_is_too_large(self):
        small, large = (self.write(f"docs/{name}/a.png", "") for name in ("small", "large"))
        small.write_bytes(bytes(pictures.LARGEST))
        large.write_bytes(bytes(pictures.LARGEST + 1))
        problems = pictures.too_large(self.root)
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith("docs/large/a.png: 300,001 bytes; "), problems)

    def test_pictures_are_made_smaller(self):
        try:
            from PIL import Image
        except ImportError:
            self.skipTest("there is no Pillow")
        # Noise: a PNG of it cannot be smaller than its pixels.
        width, height = 330, 320
        noise = Image.frombytes("RGB", (width, height), random.Random(1).randbytes(width * height * 3))
        source, plain = self.root / "noise.png", self.root / "plain.png"
        noise.save(source)
        self.assertGreater(source.stat().st_size, pictures.LARGEST)
        pictures.copy(source, self.root / "small.png")
        self.assertLessEqual((self.root / "small.png").stat().st_size, pictures.LARGEST)
        with Image.open(self.root / "small.png") as small:
            self.assertEqual((small.mode, small.size), ("P", (width, height)))
        Image.new("RGB", (64, 48), (1, 2, 3)).save(plain)
        pictures.copy(plain, self.root / "copy.png")
        self.assertEqual((self.root / "copy.png").read_bytes(), plain.read_bytes())

    def test_example_that_nobody_finds(self):
        self.write("examples/02.cu", "")
        self.assertEqual(docs.undocumented(self.root), ["docs/getting_started.md: examples/02.cu is not in the ladder"])

    def test_functions_without_example_or_page(self):
        self.assertEqual(docs.public_functions(self.root), ["fps"])
        self.write("include/farpoint/knn.cuh", "template <class P>\nresult knn(cuda_exec exec, P const& p) noexcept {}\n")
        self.assertEqual(docs.undocumented(self.root), ["examples: none calls knn()", "docs/functions: knn() is in no heading",
                                                        "README.md: knn() is not named"])

    def test_view_or_launcher_without_example(self):
        self.write("include/farpoint/interop/tensors.hpp", "inline bool is_there(tensor const& t) noexcept {}\n")
        self.write("include/farpoint/compat/ball.hpp", "template <class E>\nresult ball_launcher(E exec) noexcept {}\n")
        self.assertEqual(docs.undocumented(self.root), ["examples: none calls ball_launcher()", "examples: none calls is_there()"])

    def test_class_without_example(self):
        self.write("include/farpoint/interop/pool.hpp", "template <class R>\nclass pooled : public memory {\n};\nclass pool;\n")
        self.assertEqual(docs.undocumented(self.root), ["examples: none has a pool", "examples: none has a pooled"])
        self.write("examples/01.cpp", (self.root / "examples/01.cpp").read_text() + "farpoint::pooled p{farpoint::pool{}};\n")
        self.assertEqual(docs.undocumented(self.root), [])


if __name__ == "__main__":
    unittest.main()
