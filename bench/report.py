#!/usr/bin/env python3
"""Keeps the JSON of a benchmark run in bench/results, and makes tables and plots of it, so that no figure is typed by hand.

    bench/report.py RUN.json [RUN.json ...] [--results DIR] [--pages DIR] [--name NAME]

For each run it writes
    bench/results/<gpu or processor>/<name>.json   the run, without what only concerns the machine it ran on (host name,
                                                   paths), numbers shortened; this file is committed
    build/results/<gpu or processor>/<name>.md     its tables and plots
    build/results/<gpu or processor>/<name>-*.svg  a chart for each question that bench/plots.py has for the run

A run with a failed row is refused. bench/pages.py makes the pages of all runs that are kept. Needs Python 3.8, and nothing
else.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys

import plots

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
PAGES = RESULTS.parents[1] / "build/results"
BASELINES = ("pointnet2", "textbook", "serial", "default", "published", "serial_hash", "brute_force", "one_gpu",
             "one_thread", "one_call")
# Variants of other libraries on the host begin with these names, "nanoflann_threads_2".
HOST_PEERS = ("nanoflann", "pcl")
# Variants of other libraries on the GPU begin with these; behind a function they follow "_of_".
GPU_PEERS = ("cubql", "cudax", "cuco", "mmcv", "openpcdet", "pointnet2_ops", "pytorch3d", "simple_knn", "torch_cluster")
# Suites that run only on request: their results get a name of their own.
PARTS = ("tune", "scale", "axes")
# Suites of many shapes for a row: the fastest is marked, and nothing is drawn.
SEARCHES = ("tune", "fps_kernels")
# Counters whose median over the repetitions of a row is kept; rates are kept, too.
MEDIANS = ("p50_us", "host_us", "copy_bandwidth_percent", "copies_us", "stream_us", "over_us", "alone_us",
           "times_alone")
DROPPED_CONTEXT = ("host_name", "executable", "library_version", "json_schema_version")
DROPPED_ROW = ("family_index", "per_family_instance_index", "repetitions", "threads", "run_type", "run_name",
               "real_time", "cpu_time", "time_unit", "aggregate_name", "aggregate_unit")


class BadRun(Exception):
    """A file that no table may be made of."""


def shortened(value):
    """Floats with six significant digits: more would be noise, and a diff of two runs unreadable."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    return value


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def normalized(text, where):
    """The run of the JSON `text`, without its failed rows, and these. Raises BadRun."""
    try:
        run = json.loads(text)
        rows = [row for row in run["benchmarks"] if row.get("run_type", "iteration") == "iteration"]
        context = {key: value for key, value in run["context"].items() if key not in DROPPED_CONTEXT}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRun(f"{where}: expected the JSON of --benchmark_out: {error!r}") from error
    if not rows:
        raise BadRun(f"{where}: no row in it")

    failed = [row for row in rows if row.get("error_occurred")]
    rows = [row for row in rows if not row.get("error_occurred")]
    foreign = [row["name"] for row in rows if "p50_us" not in row or "points_per_second" not in row]
    if foreign:
        raise BadRun(f"{where}: rows without farpoint's counters: {', '.join(foreign)}")

    for row in rows:
        # "fps/16x1024_to_512/uniform/textbook/iterations:200/manual_time"
        parts = [part for part in row["name"].split("/") if part != "manual_time" and ":" not in part]
        row["suite"], row["case"], row["variant"] = parts[0], "/".join(parts[1:-1]), parts[-1]
        if set(parts[1:-1]) & set(context.get("real_scans", "").split(", ")):
            row["real_scan"] = 1
        for key in DROPPED_ROW:
            row.pop(key, None)
    return shortened({"context": context, "benchmarks": rows}), failed


def load(path, without_failed=False):
    """The run of a file, normalized. Raises BadRun; of failed rows, unless it is to do without them."""
    try:
        run, failed = normalized(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise BadRun(f"{path}: expected the JSON of --benchmark_out: {error!r}") from error
    messages = [f"  {row['name']}: {row.get('error_message', '?')}" for row in failed]
    if failed and without_failed:
        print("\n".join([f"{path}: {len(failed)} rows failed"] + messages), file=sys.stderr)
    elif failed:
        raise BadRun("\n".join([f"{path}: {len(failed)} rows failed; nothing is written"] + messages))
    return run


def device_of(context):
    """The GPU of a run or, of a run on the host, the processor."""
    return context.get("gpu") or context.get("processor", "unknown")


def kept_as(run, stem):
    """Names of the folder and of the file that keep a run of a file named `stem`."""
    suites = {row["suite"] for row in run["benchmarks"]}
    part = "".join(f"_{one}" for one in PARTS if suites == {one})
    return slug(device_of(run["context"])), run["context"].get("suite", stem) + part


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def merged(rows):
    """One row per suite, case and variant; repetitions become the median of medians and the worst of worsts."""
    groups = {}
    for row in rows:
        groups.setdefault((row["suite"], row["case"], row["variant"]), []).append(row)
    result = []
    for group in groups.values():
        row = dict(group[0])
        for key in row:
            if key.endswith("_per_second") or key in MEDIANS:
                row[key] = median([one[key] for one in group])
        for key in ("p99_us", "max_us"):
            row[key] = max(one[key] for one in group)
        result.append(row)
    return result


def milliseconds(microseconds):
    return f"{microseconds / 1000:.3g}" if microseconds < 1e6 else f"{microseconds / 1000:.0f}"


def cases(rows):
    """Lists of rows of one suite and case, in the order of the run."""
    groups = {}
    for row in rows:
        groups.setdefault((row["suite"], row["case"]), []).append(row)
    return list(groups.values())


def title(row):
    """The name of a case in tables and charts."""
    return title_of_case(row) + (" (real scan)" if "real_scan" in row else "")


def title_of_case(row):
    if "samples" not in row:
        words = row["case"].replace("/", ", ").replace("_", " ")
        return re.sub(r"\b\d{4,}\b", lambda number: f"{int(number.group()):,}", words)
    kind = row["case"].split("/")[-1]
    beside = f" + {row['small_clouds']:,} x {row['small_n']:,}" if "small_clouds" in row else ""
    return f"{row['clouds']:,} x {row['n']:,}{beside} -> {row['samples']:,} {kind}"


def check_and_note(row):
    """Splits a label into the oracle of the answer and, after a semicolon, the reason for a missing baseline."""
    check, _, note = row.get("label", "").partition("; ")
    return check, note.replace("baseline: ", "", 1)


def rates(rows):
    """The table of a suite that counts keys: a row per case, a column per variant."""
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    lines = ["| G keys/s | " + " | ".join(variants) + " |", "|---|" + "--:|" * len(variants)]
    for case in cases(rows):
        rate = {row["variant"]: row["keys_per_second"] / 1e9 for row in case}
        lines.append(f"| {case[0]['case']} | " + " | ".join(
            (f"**{rate[one]:.3g}**" if rate[one] == max(rate.values()) else f"{rate[one]:.3g}") if one in rate else "-"
            for one in variants) + " |")
    return lines


def calls_on_host_memory(rows):
    """The table of the compiled library: a call by one thread with what it is made of, and by eight at once."""
    lines = ["| row | call us | copies us | on a stream us | over us | by eight threads us | times alone |",
             "|---|" + "--:|" * 6]
    for case in cases(rows):
        of = {row["variant"]: row for row in case}
        one, eight = of.get("1_thread", {}), of.get("8_threads", {})
        figures = [one.get(key) for key in ("p50_us", "copies_us", "stream_us", "over_us")] + [eight.get("p50_us")]
        lines.append("| " + " | ".join(
            [title(case[0])] + ["-" if figure is None else f"{figure:,.0f}" for figure in figures] +
            [f"{eight['times_alone']:.1f}" if eight else "-"]) + " |")
    return lines


def library_of(variant, compared):
    """True if a variant is a library on the GPU that `compared` is measured beside."""
    function, of, library = variant.partition("_of_")
    if of:
        return library.startswith(GPU_PEERS) and compared.partition("_of_")[0] == function
    return variant.startswith(GPU_PEERS)


def baseline_of(case, row):
    """The row that a row of the same case is compared with: a baseline, a replayed graph with a replayed one, where there is one, or
    the fastest library on the GPU, whichever is faster. Wrong answers do not count."""
    case = [other for other in case if "wrong" not in other]
    libraries = [other for other in case if library_of(other["variant"], row["variant"])]
    named = {other["variant"]: other for other in case}
    ends = ("_graph", "") if row["variant"].endswith("graph") else ("",)
    found = next((named[name + end] for end in ends for name in BASELINES if name + end in named), None)
    if libraries:
        return min(libraries + [found] * bool(found), key=lambda other: other["p50_us"])
    # Otherwise the fastest library on the host, with the row's number of threads if it has one.
    others = [other for other in case if other["variant"].startswith(HOST_PEERS)
              and other["host_threads"] == row.get("host_threads", other["host_threads"])]
    return found or min(others, key=lambda other: other["p50_us"], default=None)


def rate_columns(rows):
    """Columns of a table in addition to times, for the counters that its rows have: [(heading, text of a row)]."""
    columns = [("M points/s", lambda row: f"{row['points_per_second'] / 1e6:.3g}")]
    if any("pairs_per_second" in row for row in rows):
        columns.append(("G pairs/s", lambda row: f"{row['pairs_per_second'] / 1e9:.3g}" if "pairs_per_second" in row else "-"))
    if any("voxels" in row for row in rows):
        columns.append(("voxels", lambda row: f"{row['voxels']:,.0f}" if "voxels" in row else "-"))
    if any("host_us" in row for row in rows):
        columns.append(("host us", lambda row: f"{row['host_us']:.3g}" if "host_us" in row else "-"))
    columns.append(("% of copy", lambda row: f"{row['copy_bandwidth_percent']:.2g}"
                    if "copy_bandwidth_percent" in row else "-"))
    return columns


def table(rows):
    if all("keys_per_second" in row for row in rows):
        return rates(rows)
    if all("copies_us" in row or "alone_us" in row for row in rows):
        return calls_on_host_memory(rows)
    columns = rate_columns(rows)
    what = "clouds x points -> samples" if "samples" in rows[0] else "row"
    lines = [f"| {what} | variant | median ms | p99 ms | baseline | baseline ms | speed-up | " +
             " | ".join(heading for heading, _ in columns) + " |",
             "|---|---|--:|--:|---|--:|--:|" + "--:|" * len(columns)]
    for case in cases(rows):
        others = [row for row in case if row is not baseline_of(case, row)] or case
        fastest = min(others, key=lambda row: row["p50_us"])
        for row in others:
            # In a search the winner is what one looks for.
            mark = "**" if row is fastest and row["suite"] in SEARCHES else ""
            baseline = baseline_of(case, row)
            known = baseline is not None and baseline is not row
            lines.append("| " + " | ".join([
                title(row), f"{mark}{row['variant']}{mark}" + (", wrong answer" if "wrong" in row else ""),
                milliseconds(row["p50_us"]), milliseconds(row["p99_us"]),
                baseline["variant"] if known else check_and_note(row)[1] or "-",
                milliseconds(baseline["p50_us"]) if known else "-",
                f"{baseline['p50_us'] / row['p50_us']:.2f}" if known else "-",
                *[text(row) for _, text in columns],
            ]) + " |")
    return lines


def clocks(rows):
    """Sentence on the clock of the multiprocessors before and after the rows; empty on the host."""
    seen = [row[key] for row in rows for key in ("sm_mhz_before", "sm_mhz_after") if key in row]
    return [f"- clock of the multiprocessors during the run: {min(seen):.0f} to {max(seen):.0f} MHz"] if seen else []


def markdown(run, name, source):
    context, rows = run["context"], merged(run["benchmarks"])
    checks = sorted({check_and_note(row)[0] for row in rows if "label" in row and "wrong" not in row})
    lines = [f"# {name}: {context.get('gpu') or context.get('processor', 'unknown processor')}", "",
             f"Written by bench/report.py from [{source}]({source}).", ""]
    keys = ("date", "commit", "gpu_driver", "cuda_runtime", "copy_gb_per_second", "l2_before_each_call", "processor",
            "num_cpus", "load_avg", "host_compiler", "serial_loop_fma", "lidar_cloud", "gpus",
            "gpus_reach_each_other", "nccl", "nccl_nvls_enable", "peers", "real_scans")
    lines += [f"- {key}: {context[key]}" for key in keys if key in context]
    if context.get("peers_not_measured"):
        lines.append(f"- not measured, as they were not there: {context['peers_not_measured']}")
    lines += clocks(rows) + [f"- every answer was checked before it was timed: {', '.join(checks)}"] * bool(checks)
    for suite in dict.fromkeys(row["suite"] for row in rows):
        lines += ["", f"## {suite}", ""] + table([row for row in rows if row["suite"] == suite])
    return "\n".join(lines) + "\n"


def note_of(run, source):
    """The line below the title of a chart: where, when and from what commit, and the file."""
    context = run["context"]
    parts = [device_of(context), str(context.get("date", ""))[:10], f"commit {context.get('commit', 'unknown')}", source]
    return ", ".join(part for part in parts if part)


def write_plots(run, folder, name, source):
    """Writes the charts of a run; returns their paths."""
    written = []
    for end, chart in plots.of_run(merged(run["benchmarks"]), note_of(run, source), title).items():
        written.append(folder / f"{name}-{end}.svg")
        written[-1].write_text(chart, encoding="utf-8")
    return written


def write_page(run, kept, folder):
    """Writes the page of a run with its tables and plots, and copies the run's file to `folder`; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{kept.stem}.md"
    shutil.copyfile(kept, folder / kept.name)
    charts = write_plots(run, folder, kept.stem, kept.name)
    shown = [line for path in charts for line in ("", f"![{path.stem}]({path.name})")]
    page.write_text(markdown(run, kept.stem, kept.name) + "".join(f"{line}\n" for line in shown), encoding="utf-8")
    return [page, *charts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--pages", type=pathlib.Path, default=PAGES)
    parser.add_argument("--name", help="name of the results; by default the suite, and what part of it was asked for")
    options = parser.parse_args()
    if options.name and len(options.runs) > 1:
        parser.error("--name goes with one run only")

    status = 0
    for path in options.runs:
        try:
            run = load(path)
        except BadRun as error:
            print(error, file=sys.stderr)
            status = 1
            continue
        context = run["context"]
        machine, name = kept_as(run, path.stem)
        name = options.name or name
        kept = options.results / machine / f"{name}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
        written = [kept, *write_page(run, kept, options.pages / machine)]
        print("\n".join(f"wrote {one}" for one in written))
        if context.get("commit", "unknown") == "unknown" or str(context["commit"]).endswith("-dirty"):
            print(f"note: commit is {context.get('commit', 'unknown')}: do not publish these results", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
