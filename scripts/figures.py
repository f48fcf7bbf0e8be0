"""The figures of the pages, from the results that are committed. scripts/docs.py puts them where the markers are."""

import json
import pathlib
import re
import sys

import tables

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench/ranks"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import charts
import model as more_ranks
import plots
import report

ALL_RESULTS = "bench/results"
RESULTS = f"{ALL_RESULTS}/nvidia-h200"
# The rows of the README's table: function, what is timed, file, row and variant.
TABLE = "docs/performance.tsv"
# Runs whose suite has another name in `./dev bench`.
PROGRAMS = {"knn_exact": "knn"}
# By suite: the variants that are farpoint's own, and the baselines with their names.
BASELINES = "docs/baselines.json"
SPLATS = "docs/splats/splats.json"
COMPILE_TIMES = "bench/compile_times.json"
# Charts that pages show: PLOTS/<gpu or processor>/<run>-<question of bench/plots.py>.svg, and the README's.
PLOTS = "docs/plots"
PERFORMANCE = "performance"
SHOWN = re.compile(r"\]\((?:[\w./]*/)?plots/([\w/-]+)\.svg\)")


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def milliseconds(microseconds):
    return f"{microseconds / 1000:.3g}" if microseconds < 1e6 else f"{microseconds / 1000:,.0f}"


class Results:
    """The committed runs of a machine."""

    def __init__(self, root, folder=RESULTS):
        self.folder = root / folder
        self.runs = {}

    def run(self, name):
        if name not in self.runs:
            self.runs[name] = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        return self.runs[name]

    def microseconds(self, name, row):
        """The median of each variant of a row, without peers whose answer was wrong."""
        suite, case = row.split("/", 1)
        found = {}
        for one in self.run(name)["benchmarks"]:
            if (one["suite"], one["case"]) == (suite, case) and "wrong" not in one:
                found.setdefault(one["variant"], []).append(one["p50_us"])
        return {variant: median(times) for variant, times in found.items()}


def fastest_baselines(baselines, row, times):
    """(time, name) of the fastest baseline of a row with an equally good answer, and of the fastest with a weaker answer; None if
    the row has no such baseline. An unknown variant is an error: it may be a baseline."""
    suite = baselines[row.split("/", 1)[0]]
    weaker = suite.get("weaker", {})
    for variant in times:
        if variant not in suite["baselines"] and variant not in weaker and variant not in suite["own"]:
            raise KeyError(f"{BASELINES}: {row} has a variant {variant}, which is neither farpoint's own nor a baseline")
    return tuple(min(((times[variant], name) for variant, name in some.items() if variant in times), default=None)
                 for some in (suite["baselines"], weaker))


def compared_with(right, weaker):
    """(time, name) of the baseline that a row of the README shows, or None: the fastest with the right answer, or else the fastest
    with a weaker answer. If both exist and the weaker one is faster, the name mentions it."""
    if right is None or weaker is None:
        return right or weaker and (weaker[0], f"{weaker[1]} (weaker answer)")
    if weaker[0] >= right[0]:
        return right
    return right[0], f"{right[1]}; with a weaker answer {weaker[1]}, {milliseconds(weaker[0])} ms"


def performance_rows(root):
    """[(function, what, file, the time of farpoint, and of the fastest baseline with its name, or None)] of the README's rows."""
    results = Results(root)
    table = [line.split("\t") for line in (root / TABLE).read_text(encoding="utf-8").splitlines()[1:]]
    baselines = json.loads((root / BASELINES).read_text(encoding="utf-8"))
    found = []
    for function, what, name, row, variant in table:
        times = results.microseconds(name, row)
        if variant not in times:
            raise KeyError(f"{RESULTS}/{name}.json has no row {row}/{variant}")
        # Where a case has several functions, "ball_query_of_mmcv" is a baseline of ball_query alone.
        times = {other: time for other, time in times.items() if "_of_" not in other or other.startswith(f"{variant}_of_")}
        found.append((function, what, name, times[variant], compared_with(*fastest_baselines(baselines, row, times))))
    return found


def measured(root, names):
    """Where and when these runs were measured: (GPUs, CUDA runtimes, days)."""
    contexts = [Results(root).run(name)["context"] for name in names]
    days = sorted({context["date"][:10] for context in contexts})
    return (", ".join(sorted({context["gpu"] for context in contexts})),
            ", ".join(sorted({context["cuda_runtime"] for context in contexts})),
            days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}")


def not_measured(root, names):
    """A sentence on the peers that these runs could not measure."""
    contexts = [Results(root).run(name)["context"] for name in names]
    peers = sorted({peer for context in contexts for peer in context.get("peers_not_measured", "").split(", ") if peer})
    if not peers and any("peers" in context for context in contexts):
        return ""
    missing = ", ".join(peers) if peers else "the libraries of bench/peers/external"
    return f"Not measured: {missing}. "


def performance_table(rows, functions):
    """The lines of a table of such rows; `functions` is the folder of their pages."""
    lines = ["| function | what | ms | compared with | ms | times as fast |", "|---|---|--:|---|--:|--:|"]
    for function, what, _, time, fastest in rows:
        cells = [f"[{function}]({functions}/{function}.md)", what, milliseconds(time), "none measured", "-", "-"]
        if fastest:
            factor = fastest[0] / time
            cells[3:] = [fastest[1], milliseconds(fastest[0]), f"{factor:.1f}" if factor < 10 else f"{factor:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def largest(root, functions):
    """The lines of a table of the last row of each of these functions, for a page of docs."""
    last = {row[0]: row for row in performance_rows(root)}
    rows = [last[function] for function in functions.split(", ")]
    names = dict.fromkeys(row[2] for row in rows)
    gpus, cuda, when = measured(root, names)
    return performance_table(rows, "functions") + ["", f"One {gpus}, CUDA {cuda}, {when}; medians. {not_measured(root, names)}".rstrip()]


def measured_by(names):
    """A sentence with the commands that measure these runs, and where the names of the table's rows are."""
    commands = dict.fromkeys(f"`./dev bench {PROGRAMS.get(name, name)}`" for name in names)
    return f"To measure again: {', '.join(commands)}. [docs/performance.tsv]({TABLE}) has the name of each row in these runs."


def performance(root):
    """The lines of the table, and of what was measured where."""
    rows = performance_rows(root)
    lines = performance_table(rows, "docs/functions")
    names = list(dict.fromkeys(row[2] for row in rows))
    gpus, cuda, when = measured(root, names)
    lines += ["", f"One {gpus}, CUDA {cuda}, {when}; medians, with the index or table built in each call. "
              "Each row is compared with the fastest baseline of the same run whose answer is as good; one with a weaker answer is "
              f"named where it is faster ([all baselines]({BASELINES})). " + not_measured(root, names) +
              "All rows: " + ", ".join(f"[{name}]({RESULTS}/{name}.json)" for name in names) +
              "; [what they are](bench/README.md).", "", measured_by(names)]
    return lines


def performance_chart(root):
    """The README's rows that have a baseline: farpoint's time and the baseline's, whose mark has its name."""
    rows = [row for row in performance_rows(root) if row[4]]
    gpus, _, when = measured(root, dict.fromkeys(row[2] for row in rows))
    lines = [(f"{function}: {what}", {"farpoint": time / 1000, "fastest baseline": fastest[0] / 1000},
              {"fastest baseline": re.split("[,;(]", fastest[1])[0].strip()}) for function, what, _, time, fastest in rows]
    return charts.dots("farpoint and the fastest baseline of the same run", f"{gpus}, {when}, docs/performance.tsv",
                       "milliseconds (median)", lines)


def chart(root, name):
    """The SVG of a chart that a page shows, by its path in PLOTS."""
    if name == PERFORMANCE:
        return performance_chart(root)
    machine, _, rest = name.partition("/")
    for path in sorted((root / ALL_RESULTS / machine).glob("*.json")):
        if rest.startswith(f"{path.stem}-"):
            run = report.load(path)
            drawn = plots.of_run(report.merged(run["benchmarks"]), report.note_of(run, f"{ALL_RESULTS}/{machine}/{path.name}"),
                                 report.title)
            if rest[len(path.stem) + 1:] in drawn:
                return drawn[rest[len(path.stem) + 1:]]
    raise KeyError(f"{PLOTS}/{name}.svg: no run in {ALL_RESULTS} makes it (bench/plots.py)")


def shown_charts(root, pages):
    """The text of each chart that these pages show, by its path."""
    names = {name for page in pages if page.exists() for name in SHOWN.findall(page.read_text(encoding="utf-8"))}
    return {root / PLOTS / f"{name}.svg": chart(root, name) for name in sorted(names)}


def medians(root, run_name, suite, columns):
    """The lines of a table of a suite's cases, a column for each variant, and of where it was measured."""
    run = Results(root, ALL_RESULTS).run(run_name)
    times = {}
    for row in run["benchmarks"]:
        if row["suite"] == suite:
            times.setdefault(row["case"], {}).setdefault(row["variant"], []).append(row["p50_us"])
    if not times:
        raise KeyError(f"{ALL_RESULTS}/{run_name}.json has no suite {suite}")
    variants = dict(column.split(" = ", 1) for column in columns.split(", "))
    for variant in variants:
        if not any(variant in case for case in times.values()):
            raise KeyError(f"{ALL_RESULTS}/{run_name}.json has no variant {variant} in {suite}")
    lines = ["| case | " + " | ".join(variants.values()) + " |", "|---" + "|--:" * len(variants) + "|"]
    for case, measured in times.items():
        cells = [milliseconds(median(measured[variant])) if variant in measured else "-" for variant in variants]
        if cells != ["-"] * len(cells):
            lines.append(f"| `{case}` | " + " | ".join(cells) + " |")
    context = run["context"]
    where = context.get("gpu") or f"{context['processor']}, {context['num_cpus']} cores, {context['host_compiler']}"
    return lines + ["", f"Milliseconds, medians; {where}, {context['date'][:10]} (`{ALL_RESULTS}/{run_name}.json`)."]


def model(root, measured, simulated):
    """The lines of the table of what more GPUs would give, from a run on two and a simulated one."""
    return more_ranks.table(*(more_ranks.rows(root / ALL_RESULTS / f"{name}.json") for name in (measured, simulated)))


def splats(root, what):
    """The lines of a table of what `farpoint splat` printed: of searches that end after some rounds, or of views."""
    made = json.loads((root / SPLATS).read_text(encoding="utf-8"))
    exact = made["until_exact"]
    if what == "rounds":
        return [f"Neighbors: {exact['k']} of each of the {exact['visible']:,} visible points of the first view.", "",
                "| rounds | right sets | normals off by (mean) | standard deviation |", "|---|--:|--:|--:|"] + [
                    f"| {row['rounds']} | {row['right_sets_percent']} % | {row['normals_off_deg']} degrees | "
                    f"{row['deviation_deg']} |" for row in exact["rounds"]]
    lines = ["| search | views | holes, of lines of sight | flicker in the worst view |", "|---|--:|--:|--:|"]
    for name, run in (("until exact", exact), ("one round", made["one_round"])):
        views = run["views"]
        holes, of = (sum(view[key] for view in views) for key in ("holes", "lines_of_sight"))
        worst = max((view["flicker_percent"] for view in views), key=float)
        lines.append(f"| {name} | {len(views)} | {holes:,} of {of:,} | {worst} % |")
    return lines


def short_microseconds(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def rows_of_packages(rows):
    """{(function, input): {package: us}} of rows of farpoint.bench, in their order."""
    found = {}
    for row in rows:
        found.setdefault((row["function"], row["input"]), {})[row["package"]] = row["p50_us"]
    return found


def python_bench(root, machine):
    """Whole calls of farpoint and of the packages that were installed, and the calls of a few points; a sentence without a run."""
    path = root / ALL_RESULTS / machine / "python/bench.json"
    if not path.exists():
        return [f"No run on {machine} is kept: `./dev bench python` there makes the tables of this place."]
    run = json.loads(path.read_text(encoding="utf-8"))
    context, own = run["context"], ("farpoint", "farpoint, in C++", "farpoint.torch")
    cases = rows_of_packages(run["rows"])
    few = {case: times for case, times in cases.items() if "farpoint, in C++" in times}
    whole = {case: times for case, times in cases.items() if case not in few}
    peers = list(dict.fromkeys(name for times in whole.values() for name in times if name not in own))
    versions = context.get("versions", {})
    titles = [f"{name} {versions[name]}" if name in versions else name for name in peers]
    lines = [f'{context["gpu"] or context["processor"]}, {context["threads"]} host threads, Python {context["python"]}'
             + (f', torch {context["torch"]}' if context.get("torch") else "")
             + f', commit {context["commit"]}, {context["date"][:10]}. Microseconds of whole calls; in parentheses, how many times farpoint\'s.', "",
             "| function | input | farpoint | " + " | ".join(titles) + " |" if peers else "| function | input | farpoint |",
             "|---|---|--:|" + "--:|" * len(peers)]
    for (function, name), times in whole.items():
        cells = [f'{short_microseconds(times[peer])} ({times[peer] / times["farpoint"]:.3g})' if peer in times else "-" for peer in peers]
        lines.append("| " + " | ".join([f"`{function}`", name, short_microseconds(times["farpoint"]), *cells]) + " |")
    absent = [*sorted(context.get("missing", {})), *sorted(context.get("failed", {}))]
    lines += ["", f'Not measured: {", ".join(f"`{name}`" for name in absent)}.' if absent else "All packages that the bench knows were measured.", "",
              "Calls of a few points: microseconds until the call returns, and of these in C++.", "",
              "| function | input | `farpoint` | in C++ | `farpoint.torch` |", "|---|---|--:|--:|--:|"]
    for (function, name), times in few.items():
        cells = [short_microseconds(times[package]) if package in times else "-" for package in own]
        lines.append("| " + " | ".join([f"`{function}`", name, *cells]) + " |")
    return lines


def compile_times(root):
    """What a file with one call compiles for, by scripts/compile_times.py."""
    run = json.loads((root / COMPILE_TIMES).read_text(encoding="utf-8"))

    def cell(one):
        size = f'{one["bytes"] / 1e6:.1f} MB' if one["bytes"] >= 1e6 else f'{one["bytes"] / 1e3:.3g} KB'
        return f'{one["seconds"]:.0f} s, {size}' if one["seconds"] >= 10 else f'{one["seconds"]:.1f} s, {size}'

    lines = ["| a file with one call of | C++, `-O2` | CUDA, `-O2 -arch=sm_90` |", "|---|--:|--:|"]
    lines += [f"| `{function}()` of the headers | {cell(one)} | {cell(run['cuda'][function])} |" for function, one in run["cpp"].items()]
    lines += [f"| `knn()` of the compiled library | {cell(run['library'])} | - |", "",
              f'Seconds of one core and size of the object; g++ {run["g++"]} and nvcc {run["nvcc"]} on {run["processor"]}, clouds of float, '
              f'commit {run["commit"]}, {run["date"]}.']
    return lines


def made(root):
    """The text of each file that results make as a whole."""
    run = json.loads((root / RESULTS / "tables/tables.json").read_text(encoding="utf-8"))
    return {root / "docs/tables" / name: text for name, text in tables.texts(root, run).items()}
