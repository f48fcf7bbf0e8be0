#!/usr/bin/env python3
"""Keeps the times of chosen rows at each release, and shows them over releases, so that no figure is typed by hand.

    ./dev bench history add RELEASE [--revision HEAD] [--machine nvidia-h200]
    ./dev bench history show [--machine nvidia-h200]

`add` writes bench/history/<gpu>/RELEASE.json, which is committed, from bench/results at a revision of git. The rows are
named by docs/performance.tsv, as for the README's table. `show` prints the table of all releases; bench/pages.py makes a
page of it, with a chart for each run. Needs Python 3.8 and git.
"""

import argparse
import json
import pathlib
import sys

import charts
import compare
import report

HISTORY = compare.ROOT / "bench/history"
CHOSEN = compare.ROOT / "docs/performance.tsv"
# Titles of charts, by run.
TITLES = {"fps": "fps()", "voxelize": "voxelize()", "knn_exact": "knn() and functions of neighborhoods",
          "knn_screen": "knn() in screen space", "hash_map": "hash map"}


def chosen(path=CHOSEN):
    """[{function, what, run, row}] of the rows that a release keeps."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:] if line]
    return [{"function": function, "what": what, "run": run, "row": f"{row}/{variant}"}
            for function, what, run, row, variant in lines]


def release_of(name, runs, rows, commit):
    """The release that the runs {name: compare.Run} make, and the chosen rows that no run has."""
    found = [dict(one, p50_us=report.shortened(runs[one["run"]].rows[one["row"]].microseconds),
                  spread=report.shortened(runs[one["run"]].rows[one["row"]].spread))
             for one in rows if one["run"] in runs and one["row"] in runs[one["run"]].rows]
    used = {one["run"]: runs[one["run"]].context for one in found}
    contexts = {run: {key: context[key] for key in ("commit", "date", "cuda_runtime", "gpu_driver") if key in context}
                for run, context in used.items()}
    missing = [one["row"] for one in rows if not any(one["row"] == kept["row"] for kept in found)]
    devices = sorted({report.device_of(context) for context in used.values()})
    if len(devices) != 1:
        raise compare.Unusable(f"the chosen rows are of no device, or of several: {', '.join(devices) or 'none'}")
    return {"release": name, "commit": commit, "date": max(run.get("date", "") for run in contexts.values()), "gpu": devices[0],
            "runs": contexts, "rows": found}, missing


def releases(history, machine):
    """The releases of a machine, oldest first."""
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((history / machine).glob("*.json"))]
    return sorted(kept, key=lambda one: (one["date"], one["release"]))


def rows_of(kept):
    """The rows that any of the releases has, {row: (what it is, the time in each release or None)}."""
    found = {}
    for one in kept:
        for row in one["rows"]:
            found[row["row"]] = row
    times = [{row["row"]: row["p50_us"] for row in one["rows"]} for one in kept]
    return {name: (row, [of.get(name) for of in times]) for name, row in found.items()}


def table(kept):
    """Milliseconds of each row in each release, and the last over the first that has the row."""
    lines = ["| function | what | " + " | ".join(one["release"] for one in kept) + " | last / first |",
             "|---|---|" + "--:|" * (len(kept) + 1)]
    for row, times in rows_of(kept).values():
        known = [one for one in times if one is not None]
        lines.append(f"| {row['function']} | {row['what']} | "
                     + " | ".join("-" if one is None else report.milliseconds(one) for one in times)
                     + f" | {known[-1] / known[0]:.2f} |")
    return lines


def plots(kept):
    """{run: SVG}: the rows of a run, release by release."""
    made = {}
    ticks = [(place, one["release"]) for place, one in enumerate(kept)]
    by_run = {}
    for row, times in rows_of(kept).values():
        by_run.setdefault(row["run"], {})[f"{row['function']}: {row['what']}"] = [(place, time / 1000) for place, time in enumerate(times) if time is not None]
    for run, series in by_run.items():
        made[run] = charts.curves(f"{TITLES.get(run, run)}: time over releases", f"{kept[-1]['gpu']}, bench/history", "release",
                                  "milliseconds (median)", series, log_x=False, x_ticks=ticks)
    return made


def write_pages(history, pages):
    """Writes the page and the charts of each machine into a folder; returns the paths."""
    written = []
    for folder in sorted(path for path in history.glob("*") if path.is_dir()):
        kept = releases(history, folder.name)
        made = pages / folder.name
        made.mkdir(parents=True, exist_ok=True)
        lines = [f"# history: {kept[-1]['gpu']}", "", "Written by bench/history.py from bench/history. Milliseconds, medians.", ""]
        lines += [f"- {one['release']}: results of {one['commit']}, measured until {one['date'][:10]}" for one in kept]
        lines += ["", *table(kept)]
        for run, chart in plots(kept).items():
            written.append(made / f"history-{report.slug(run)}.svg")
            written[-1].write_text(chart, encoding="utf-8")
            lines += ["", f"![{TITLES.get(run, run)}: time over releases]({written[-1].name})"]
        written.append(made / "history.md")
        written[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return written


def main():
    parser = argparse.ArgumentParser(prog="./dev bench history", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    add = verbs.add_parser("add", help="keep the results of a revision as a release")
    add.add_argument("release", metavar="RELEASE")
    add.add_argument("--revision", default="HEAD")
    for verb in (add, verbs.add_parser("show", help="print the table of all releases")):
        verb.add_argument("--machine", default="nvidia-h200", help="folder of bench/results")
        verb.add_argument("--history", type=pathlib.Path, default=HISTORY, metavar="DIR")
    options = parser.parse_args()
    if options.verb == "show":
        kept = releases(options.history, options.machine)
        print("\n".join(table(kept)) if kept else f"{options.history / options.machine}: no release")
        return 0 if kept else 1
    try:
        runs = compare.read(f"{options.revision}:{compare.RESULTS}/{options.machine}")
        commit = compare.git("rev-parse", "--short", f"{options.revision}^{{commit}}").stdout.strip()
        release, missing = release_of(options.release, {run.name: run for run in runs}, chosen(), commit)
    except (compare.Unusable, report.BadRun, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    path = options.history / options.machine / f"{options.release}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(release, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {path}: {len(release['rows'])} rows")
    if missing:
        print(f"note: not measured on {options.machine}: {', '.join(missing)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
