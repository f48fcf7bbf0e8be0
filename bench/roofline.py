#!/usr/bin/env python3
"""Prints how near to a limit of the GPU each row of a run is.

    bench/roofline.py RUN.json [RUN.json ...] [--limits bench/limits.json]
    bench/roofline.py --ncu ROW=FILE.csv [ROW=FILE.csv ...] [--gpu NAME]

RUN.json is a file of --benchmark_out, or of bench/results. The limits of a row, in microseconds:
    bytes         compulsory reads and writes, by the copy bandwidth that was measured in the same process
    graph         time of a graph of one empty kernel; for replayed graphs
    accesses      a random access in the L2 cache for each key; for the hash map
    instructions  warp instructions that ncu counted, by what all multiprocessors issue at the measured clock
    rounds        rounds that depend on each other; bench/limits.json has them for the row
The largest is the row's limit, and the share is limit / time. bench/limits.json has the figures of each GPU and their source.
The fastest variant of farpoint's own counts for a case (docs/baselines.json). bench/pages.py makes a page of all runs.

--ncu adds the instructions and the number of kernels of a row to bench/limits.json. FILE.csv has those of one call, as docs/tuning.md counts them:
    ncu --csv --metrics smsp__inst_executed.sum --launch-count LAUNCHES PROGRAM ...

Exit code: 0, or 2: no row has a limit, or a file cannot be read. Needs Python 3.8.
"""

import argparse
import csv
import io
import json
import pathlib
import sys

import charts
import report

BENCH = pathlib.Path(__file__).resolve().parent
LIMITS = BENCH / "limits.json"
BASELINES = BENCH.parent / "docs/baselines.json"
METRIC = "smsp__inst_executed.sum"
PLOTTED = 12


def accesses(row, limits):
    """Microseconds of one random access for each key of a row of the hash map, in the L2 cache: keys may be sorted into
    parts whose slots fit into it."""
    inserts = "insert" in row["case"].split("/")[0]
    # Copies of a key find it in the table, which a look without an exchange shows.
    keys = row["n"] / row["multiplicity"] if inserts else row["n"]
    return 1e6 * keys / limits["random_compare_and_swaps_per_second" if inserts else "random_loads_per_second"]["l2"]


def name_of(row):
    return f"{row['suite']}/{row['case']}"


def limits_of(row, context, limits):
    """{name: microseconds} of a row."""
    copy = 1e9 * float(context["copy_gb_per_second"]) if "copy_gb_per_second" in context else limits["copy_bytes_per_second"]
    name = name_of(row)
    found = {"bytes": row["bytes_per_second"] * row["p50_us"] / copy}
    if row["variant"].endswith("graph") or row["suite"] == "made":
        found["graph"] = limits["graph_us"]
    if row["suite"] == "hash_map" and row.get("key_bits") == 32:
        found["accesses"] = accesses(row, limits)
    if name in limits["instructions"]:
        found["instructions"] = limits["instructions"][name] / limits["instructions_per_cycle"] / row.get("sm_mhz_after", 1980)
    if name in limits["rows"]:
        found["rounds"] = limits["rows"][name]
    return found


def own_rows(run, baselines):
    """The fastest variant of farpoint's own for each case; functions that share a case are cases of their own."""
    fastest = {}
    for row in report.merged(run["benchmarks"]):
        suite = baselines.get(row["suite"], {})
        # Some other variants are parts of a call.
        if row["variant"] not in suite.get("whole", suite.get("own", ())):
            continue
        key = (row["suite"], row["case"], row["variant"] if row["suite"] == "made" else "")
        if key not in fastest or row["p50_us"] < fastest[key]["p50_us"]:
            fastest[key] = row
    return list(fastest.values())


def shares(run, limits, baselines):
    """[(row, {limit: microseconds}, name of the largest, share of it)], the smallest share first."""
    found = []
    for row in own_rows(run, baselines):
        all_of = limits_of(row, run["context"], limits)
        largest = max(all_of, key=all_of.get)
        found.append((row, all_of, largest, all_of[largest] / row["p50_us"]))
    return sorted(found, key=lambda one: one[3])


def table(found, kernels):
    """@param kernels  {row: kernels of a call}, of the rows that ncu counted"""
    names = ("bytes", "graph", "accesses", "instructions", "rounds")
    names = [name for name in names if any(name in one[1] for one in found)]
    lines = ["| row | variant | us | " + " | ".join(f"{name} us" for name in names) + " | limit | share | kernels |",
             "|---|---|--:|" + "--:|" * len(names) + "---|--:|--:|"]
    for row, all_of, largest, share in found:
        cells = [f"{all_of[name]:.3g}" if name in all_of else "-" for name in names]
        lines.append(f"| {row['suite']}: {report.title(row)} | {row['variant']} | {row['p50_us']:.4g} | " + " | ".join(cells)
                     + f" | {largest} | {100 * share:.0f} % | {kernels.get(name_of(row), '-')} |")
    return lines


def chart(found, note):
    """The rows that are farthest from their limits."""
    lines = [(f"{row['suite']}: {report.title(row)}", {"limit": all_of[largest] / 1000, "farpoint": row["p50_us"] / 1000})
             for row, all_of, largest, _ in found[:PLOTTED]]
    return charts.dots("The rows that are farthest from a limit of the GPU", note, "milliseconds (median)", lines)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_pages(results, pages, limits_file=LIMITS):
    """Writes a page of the runs of each GPU that has limits; returns the paths."""
    written = []
    everything, baselines = read(limits_file), read(BASELINES)
    for folder in sorted(path for path in results.glob("*") if path.is_dir()):
        runs = {path: read(path) for path in sorted(folder.glob("*.json"))}
        runs = {path: run for path, run in runs.items() if run.get("context", {}).get("gpu") in everything and "benchmarks" in run}
        # A suite counts once: parts and other settings of it have files of their own.
        runs = {path: run for path, run in runs.items() if path.stem == run["context"].get("suite")}
        found = {path: shares(run, everything[run["context"]["gpu"]], baselines) for path, run in runs.items()}
        found = {path: rows for path, rows in found.items() if rows}
        if not found:
            continue
        gpu = runs[next(iter(found))]["context"]["gpu"]
        made = pages / folder.name
        made.mkdir(parents=True, exist_ok=True)
        every = sorted((one for rows in found.values() for one in rows), key=lambda one: one[3])
        picture = made / "roofline.svg"
        picture.write_text(chart(every, f"{gpu}, bench/limits.json"), encoding="utf-8")
        lines = [f"# roofline: {gpu}", "", "Written by bench/roofline.py from bench/results and bench/limits.json.", "",
                 f"- limits: {everything[gpu]['source']}", f"- rounds: {everything[gpu]['rows_source']}",
                 "- instructions: counted by ncu at " + ", ".join(sorted(set(everything[gpu].get("counted_at", {}).values()))), "",
                 f"![The rows that are farthest from a limit of the GPU]({picture.name})"]
        for path, rows in found.items():
            context = runs[path]["context"]
            lines += ["", f"## {path.stem}", "", f"Commit {context.get('commit', 'unknown')}, {str(context.get('date'))[:10]}.", ""]
            lines += table(rows, everything[gpu].get("kernels", {}))
        page = made / "roofline.md"
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written += [page, picture]
    return written


def counted(text):
    """The warp instructions, the number of kernels and the commit in what ncu --csv printed: lines of the program, then a table."""
    start = text.find('"ID"')
    if start < 0:
        raise ValueError("no table of ncu --csv in it")
    rows = [row for row in csv.DictReader(io.StringIO(text[start:])) if row.get("Metric Name") == METRIC]
    if not rows:
        raise ValueError(f"no metric {METRIC} in it")
    instructions = sum(int(row["Metric Value"].replace(",", "").split(".")[0]) for row in rows)
    commits = [line.partition(": ")[2].strip() for line in text[:start].splitlines() if line.startswith("commit: ")]
    return instructions, len(rows), commits[0] if commits else "unknown"


def add_instructions(arguments, gpu, path):
    """@param arguments  "ROW=FILE.csv", any number of them"""
    everything = read(path)
    if gpu not in everything:
        raise ValueError(f"{path} has no GPU {gpu}")
    for row, _, file in (argument.partition("=") for argument in arguments):
        instructions, kernels, commit = counted(pathlib.Path(file).read_text(encoding="utf-8"))
        for name, value in (("instructions", instructions), ("kernels", kernels), ("counted_at", commit)):
            everything[gpu].setdefault(name, {})[row] = value
        print(f"{row}: {instructions:,} warp instructions, kernels: {kernels}")
    path.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--limits", type=pathlib.Path, default=LIMITS)
    parser.add_argument("--ncu", nargs="+", metavar="ROW=FILE.csv", help="keep the instructions that ncu counted for a row")
    parser.add_argument("--gpu", default="NVIDIA H200", help="the GPU of --ncu")
    options = parser.parse_args()
    try:
        if options.ncu:
            add_instructions(options.ncu, options.gpu, options.limits)
            return 0
        everything, baselines, found, kernels = read(options.limits), read(BASELINES), [], {}
        for path in options.runs:
            run = report.load(path, without_failed=True)
            gpu = report.device_of(run["context"])
            if gpu in everything:
                found += shares(run, everything[gpu], baselines)
                kernels.update(everything[gpu].get("kernels", {}))
            else:
                print(f"{path}: {options.limits} has no limits of {gpu}", file=sys.stderr)
    except (OSError, ValueError, report.BadRun) as error:
        print(error, file=sys.stderr)
        return 2
    if not found:
        print("no row with a limit", file=sys.stderr)
        return 2
    print("\n".join(table(sorted(found, key=lambda one: one[3]), kernels)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
