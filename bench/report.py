#!/usr/bin/env python3
"""Turns the JSON of a benchmark run into the tables and plots of bench/results: nobody types in a figure.

    bench/report.py RUN.json [RUN.json ...] [--results DIR] [--name NAME]

For each run it writes, below bench/results/<gpu or processor>/:
    <name>.json   the run, without what only concerns the machine it ran on (host name, paths), numbers shortened
    <name>.md     the tables
    <name>-*.png  time per sample against points per cloud; of a suite "scale", time against points and against samples
                  (needs matplotlib)

A run with a failed row is refused. Needs Python 3.8; matplotlib is optional.
"""

import argparse
import json
import pathlib
import re
import sys

BASELINES = ("textbook", "serial", "default", "published")
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


def load(path):
    """The run, normalised. Raises BadRun."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        rows = [row for row in run["benchmarks"] if row.get("run_type", "iteration") == "iteration"]
        context = {key: value for key, value in run["context"].items() if key not in DROPPED_CONTEXT}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRun(f"{path}: expected the JSON of --benchmark_out: {error!r}") from error
    if not rows:
        raise BadRun(f"{path}: no row in it")

    failed = [f"  {row['name']}: {row.get('error_message', '?')}" for row in rows if row.get("error_occurred")]
    if failed:
        raise BadRun("\n".join([f"{path}: {len(failed)} rows failed; nothing is written"] + failed))
    foreign = [row["name"] for row in rows if "p50_us" not in row or "n" not in row]
    if foreign:
        raise BadRun(f"{path}: rows without farpoint's counters: {', '.join(foreign)}")

    for row in rows:
        # "fps/16x1024_to_512/uniform/textbook/iterations:200/manual_time"
        parts = [part for part in row["name"].split("/") if part != "manual_time" and ":" not in part]
        row["suite"], row["case"], row["variant"] = parts[0], "/".join(parts[1:-1]), parts[-1]
        for key in DROPPED_ROW:
            row.pop(key, None)
    return shortened({"context": context, "benchmarks": rows})


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
        for key in ("p50_us", "points_per_second", "pairs_per_second", "bytes_per_second", "keys_per_second",
                    "copy_bandwidth_percent"):
            if key in row:
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
    kind = row["case"].split("/")[-1]
    beside = f" + {row['small_clouds']:,} x {row['small_n']:,}" if "small_clouds" in row else ""
    return f"{row['clouds']:,} x {row['n']:,}{beside} -> {row['samples']:,} {kind}"


def check_and_note(row):
    """A label says what the answer was compared with and, after a semicolon, why there is no baseline."""
    check, _, note = row.get("label", "").partition("; ")
    return check, note.replace("baseline: ", "", 1)


def rates(rows):
    """The table of a suite that counts keys: all variants of a case beside each other."""
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    lines = ["| G keys/s | " + " | ".join(variants) + " |", "|---|" + "--:|" * len(variants)]
    for case in cases(rows):
        rate = {row["variant"]: row["keys_per_second"] / 1e9 for row in case}
        lines.append(f"| {case[0]['case']} | " + " | ".join(
            (f"**{rate[one]:.3g}**" if rate[one] == max(rate.values()) else f"{rate[one]:.3g}") if one in rate else "-"
            for one in variants) + " |")
    return lines


def table(rows):
    if all("keys_per_second" in row for row in rows):
        return rates(rows)
    lines = ["| clouds x points -> samples | variant | median ms | p99 ms | baseline | baseline ms | speed-up |"
             " M points/s | G pairs/s | % of copy |",
             "|---|---|--:|--:|---|--:|--:|--:|--:|--:|"]
    for case in cases(rows):
        baseline = next((row for row in case if row["variant"] in BASELINES), None)
        others = [row for row in case if row is not baseline] or case
        fastest = min(others, key=lambda row: row["p50_us"])
        for row in others:
            # In a search the winner is what one looks for.
            mark = "**" if row is fastest and row["suite"] == "tune" else ""
            known = baseline is not None and baseline is not row
            lines.append("| " + " | ".join([
                title(row), f"{mark}{row['variant']}{mark}", milliseconds(row["p50_us"]), milliseconds(row["p99_us"]),
                baseline["variant"] if known else check_and_note(row)[1] or "-",
                milliseconds(baseline["p50_us"]) if known else "-",
                f"{baseline['p50_us'] / row['p50_us']:.2f}" if known else "-",
                f"{row['points_per_second'] / 1e6:.3g}", f"{row['pairs_per_second'] / 1e9:.3g}",
                f"{row['copy_bandwidth_percent']:.2g}" if "copy_bandwidth_percent" in row else "-",
            ]) + " |")
    return lines


def clocks(rows):
    """Sentence on the clock of the multiprocessors before and after the rows; empty on the host."""
    seen = [row[key] for row in rows for key in ("sm_mhz_before", "sm_mhz_after") if key in row]
    return [f"- clock of the multiprocessors during the run: {min(seen):.0f} to {max(seen):.0f} MHz"] if seen else []


def markdown(run, name, source):
    context, rows = run["context"], merged(run["benchmarks"])
    checks = sorted({check_and_note(row)[0] for row in rows if "label" in row})
    lines = [f"# {name}: {context.get('gpu') or context.get('processor', 'unknown processor')}", "",
             f"Written by bench/report.py from {source}; do not edit.", ""]
    told = ("date", "commit", "gpu_driver", "cuda_runtime", "copy_gb_per_second", "l2_before_each_call", "processor",
            "num_cpus", "load_avg", "host_compiler", "serial_loop_fma", "lidar_cloud")
    lines += [f"- {key}: {context[key]}" for key in told if key in context]
    lines += clocks(rows) + [f"- every answer was checked before it was timed: {', '.join(checks)}"] * bool(checks)
    for suite in dict.fromkeys(row["suite"] for row in rows):
        lines += ["", f"## {suite}", ""] + table([row for row in rows if row["suite"] == suite])
    return "\n".join(lines) + "\n"


def most_common(values):
    values = list(values)
    return max(values, key=values.count)


def curves_of(suite, rows):
    """What to draw of a suite: [(end of the file's name, key on the x axis, label of x, label of y, title, rows, y)]."""
    if suite != "scale":
        # Per sample: the rows ask for different numbers of them, and only so do they lie on one curve.
        regular = [row for row in rows if "small_clouds" not in row]
        return [("", "n", "points per cloud", "microseconds per sample (median)", "", regular,
                 lambda row: row["p50_us"] / row["samples"])]
    # Two sweeps that cross: one holds the samples, the other the points.
    samples, points = most_common(row["samples"] for row in rows), most_common(row["n"] for row in rows)
    return [("-points", "n", "points of the cloud", "milliseconds (median)", f"{samples:,} samples",
             [row for row in rows if row["samples"] == samples], lambda row: row["p50_us"] / 1000),
            ("-samples", "samples", "samples", "milliseconds (median)", f"{points:,} points",
             [row for row in rows if row["n"] == points], lambda row: row["p50_us"] / 1000)]


def plot(run, folder, name):
    """Logarithmic on both axes, a curve per variant."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is not installed: no plots (the tables are complete)")
        return []

    rows = [row for row in merged(run["benchmarks"]) if row["suite"] != "tune" and "keys_per_second" not in row]
    written = []
    device = run["context"].get("gpu") or run["context"].get("processor", "")
    for suite in dict.fromkeys(row["suite"] for row in rows):
        of_suite = [row for row in rows if row["suite"] == suite]
        for end, key, x_label, y_label, what, drawn, y in curves_of(suite, of_suite):
            figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
            for variant in dict.fromkeys(row["variant"] for row in drawn):
                points = sorted((row[key], y(row)) for row in drawn if row["variant"] == variant)
                axes.loglog(*zip(*points), marker="o", label=variant)
            axes.set(xlabel=x_label, ylabel=y_label, title=", ".join(part for part in (device, what) if part))
            axes.grid(True, which="both", alpha=0.3)
            if drawn:
                axes.legend()
            path = folder / f"{name}-{suite}{end}.png"
            figure.savefig(path, dpi=120, metadata={"Software": None})
            plt.close(figure)
            written.append(path)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "results")
    parser.add_argument("--name", help="name of the results; by default the suite, and \"_tune\" for a search")
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
        searched = all(row["suite"] == "tune" for row in run["benchmarks"])
        scaled = all(row["suite"] == "scale" for row in run["benchmarks"])
        name = options.name or context.get("suite", path.stem) + ("_tune" if searched else "_scale" if scaled else "")
        folder = options.results / slug(context.get("gpu") or context.get("processor", "unknown"))
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / f"{name}.json", folder / f"{name}.md"]
        written[0].write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
        written[1].write_text(markdown(run, name, written[0].name), encoding="utf-8")
        written += plot(run, folder, name)
        print("\n".join(f"wrote {one}" for one in written))
        if context.get("commit", "unknown") == "unknown" or str(context["commit"]).endswith("-dirty"):
            print(f"note: commit is {context.get('commit', 'unknown')}: do not publish these results", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
