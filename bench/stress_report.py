#!/usr/bin/env python3
"""Keeps the JSON of farpoint_stress in bench/results, and makes tables of it, so that no figure is typed by hand.

    bench/stress_report.py RUN.json [RUN.json ...] [--before OLD_RUN.json ...] [--results DIR] [--pages DIR]

Writes bench/results/<gpu>/stress.json, which is the run (and the one before, if there is one) and is committed, and
build/results/<gpu>/stress.md, its tables: the time of a call with concurrent work over its time alone, or how it failed.
Several files are sections of one run.
"""

import argparse
import json
import pathlib
import shutil
import sys

from report import PAGES, RESULTS, shortened, slug


def distinct(values):
    return list(dict.fromkeys(values))


def cell(row):
    """How a call went: a factor of its time alone, or the failure."""
    if row["outcome"] != "ok":
        return f"**{row['outcome']}**"
    factor = row["loaded_ms"] / row["alone_ms"] if row["alone_ms"] > 0 else 0
    return f"{factor:.2f}" if factor < 10 else f"{factor:.0f}"


def matrix(rows):
    """Calls downwards, loads across."""
    loads = distinct(row["load"] for row in rows)
    lines = ["| call | alone, ms | " + " | ".join(loads) + " |", "|---|--:|" + "--:|" * len(loads)]
    for call in distinct(row["call"] for row in rows):
        found = {row["load"]: row for row in rows if row["call"] == call}
        alone = next(iter(found.values()))["alone_ms"]
        cells = [cell(found[load]) if load in found else "-" for load in loads]
        lines.append(f"| {call} | {alone:.3g} | " + " | ".join(cells) + " |")
    return lines


def alone_table(rows):
    lines = ["| call | ms | the call itself, us |", "|---|--:|--:|"]
    return lines + [f"| {row['call']} | {row['ms']:.3g} | {row['host_us']:.3g} |" for row in rows]


def crowd_table(rows):
    lines = ["| | calls | wrong | refused | s |", "|---|--:|--:|--:|--:|"]
    return lines + [f"| {row['name']} | {row['calls']:,} | {row['wrong']} | {row['refused']} | {row['seconds']:.3g} |"
                    for row in rows]


def sections(run):
    """[(title, lines)] of a run."""
    beside = [row for row in run["loads"] if row["group"] == "beside"]
    found = [("A call alone, from the call to the end of its work", alone_table(run["alone"])) if run["alone"] else None]
    for limit in distinct(row["limit"] for row in beside):
        title = "Beside kernels that hold multiprocessors"
        title += f", with a limit of {limit} multiprocessors" if limit else ""
        found.append((title, matrix([row for row in beside if row["limit"] == limit])))
    green = [row for row in run["loads"] if row["group"] == "green"]
    if green:
        found.append(("In green contexts of so many multiprocessors (current: also the thread's)", matrix(green)))
    if run["crowds"]:
        found.append(("Many calls at once", crowd_table(run["crowds"])))
    return [one for one in found if one]


def describe(run):
    context = run["context"]
    quiet = f", an empty kernel takes {float(context['empty_kernel_ms']):.3f} ms" if "empty_kernel_ms" in context else ""
    return (f"{context['commit']}, {context['date']}, CUDA {context['cuda_runtime']}, driver for "
            f"{context['gpu_driver_cuda']}{quiet}")


def markdown(now, before):
    lines = [f"# stress: {now['context']['gpu']}", "", "Written by bench/stress_report.py from [stress.json](stress.json).", "",
             "Times are medians, as so many times the time alone. **STARVED**: not done as long as the other work went on.",
             "**REFUSED**: the call returned a failure. **WRONG**: not the host's answer, to the bit.", "",
             f"- now: {describe(now)}"]
    if before:
        lines.append(f"- before: {describe(before)}")
    old = dict(sections(before)) if before else {}
    for title, table in sections(now):
        lines += ["", f"## {title}", ""]
        if title in old:
            lines += ["Before:", "", *old[title], "", "Now:", ""]
        lines += table
    return "\n".join(lines) + "\n"


def load(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    missing = [key for key in ("context", "alone", "loads", "crowds") if key not in run]
    if missing:
        raise ValueError(f"{path}: expected the JSON of farpoint_stress --output: no {', '.join(missing)}")
    return shortened(run)


def join(paths):
    """One run of several files, of one commit."""
    runs = [load(path) for path in paths]
    commits = {run["context"]["commit"] for run in runs}
    if len(commits) > 1:
        raise ValueError(f"the files are of several commits: {', '.join(sorted(commits))}")
    for run in runs[1:]:
        for key in ("alone", "loads", "crowds"):
            runs[0][key] += run[key]
    return runs[0]


def write_page(kept, folder):
    """Writes the page of a run, and copies the run's file to `folder`; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    run = json.loads(kept.read_text(encoding="utf-8"))
    shutil.copyfile(kept, folder / "stress.json")
    page = folder / "stress.md"
    page.write_text(markdown(run["now"], run["before"]), encoding="utf-8")
    return [page]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--before", nargs="+", type=pathlib.Path, metavar="OLD_RUN.json")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--pages", type=pathlib.Path, default=PAGES)
    options = parser.parse_args()
    try:
        now = join(options.runs)
        before = join(options.before) if options.before else None
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    machine = slug(now["context"]["gpu"])
    kept = options.results / machine / "stress.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"now": now, "before": before}, indent=1) + "\n", encoding="utf-8")
    print("\n".join(f"wrote {one}" for one in [kept, *write_page(kept, options.pages / machine)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
