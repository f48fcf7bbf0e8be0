#!/usr/bin/env python3
"""Compares two runs of the benchmarks, row by row, as a Markdown table for a pull request.

    ./dev bench compare OLD [NEW] [--limit 1.03] [--filter REGEX] [--changed] [--any-device]

OLD and NEW are each
    a file        the JSON of --benchmark_out, or one that bench/report.py keeps
    a folder      all JSON files in it
    a revision    git revision, e.g. main or v0.1.0: all of its bench/results; REVISION:PATH selects a part
NEW is bench/results as it is now, unless it is given.

The time of a row is its median, or the median of its repetitions' medians. The spread is the largest distance of a
repetition's median from that time; without repetitions, the distance of the fastest call from the median, or of the 99th
percentile if the JSON has no fastest call. The larger spread of both runs counts. A row with a single call has no spread.
A row is slower if new / old is above the limit and above 1 + spread; faster, if old / new is.

Exit code: 0 no row is slower; 1 a row is slower, or failed in NEW; 2 nothing was compared: a run cannot be read, or the
devices differ. Needs Python 3.8, and git for revisions.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

import report

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = "bench/results"
# Entries of the context that change times; a difference is a warning.
CONDITIONS = ("cuda_runtime", "gpu_driver", "sm_mhz_max", "memory_mhz_max", "l2_before_each_call", "host_compiler", "gpus",
              "gpus_reach_each_other", "nccl", "nccl_nvls_enable", "lidar_cloud", "serial_loop_fma")
# Copy bandwidth and clocks that differ by more than this factor.
FAR = 1.03


class Unusable(Exception):
    """The reason why two runs cannot be compared."""


@dataclass
class Row:
    """A row of a run: its time in microseconds, and its spread as a part of the time, None if unknown."""
    microseconds: float
    spread: "float | None"
    megahertz: "float | None" = None


@dataclass
class Run:
    """A file of one side: where it is or would be kept, its context, its rows by name, and the names of failed ones."""
    machine: str
    name: str
    context: dict
    rows: dict
    failed: list = field(default_factory=list)

    def title(self):
        return (f"{self.name} on {report.device_of(self.context)}, commit {self.context.get('commit', 'unknown')}, "
                f"{str(self.context.get('date', 'undated'))[:10]}")


@dataclass
class Difference:
    """A row of both sides."""
    run: str
    name: str
    old: Row
    new: Row

    def ratio(self):
        # A clock that is too coarse gives 0.
        return max(self.new.microseconds, 1e-6) / max(self.old.microseconds, 1e-6)

    def spread(self):
        known = [row.spread for row in (self.old, self.new) if row.spread is not None]
        return max(known) if known else None

    def verdict(self, limit):
        beyond = max(limit, 1 + (self.spread() or 0))
        if self.ratio() > beyond:
            return "slower"
        return "faster" if 1 / self.ratio() > beyond else ""


def row_of(repetitions):
    """One row of all repetitions of it."""
    medians = [one["p50_us"] for one in repetitions]
    middle = report.median(medians)
    clocks = [one[key] for one in repetitions for key in ("sm_mhz_before", "sm_mhz_after") if key in one]
    spread = None
    if middle > 0 and len(medians) > 1:
        spread = max(abs(one - middle) for one in medians) / middle
    elif middle > 0 and repetitions[0].get("iterations", 0) > 1:
        one = repetitions[0]
        spread = 1 - one["min_us"] / middle if "min_us" in one else one["p99_us"] / middle - 1
    return Row(middle, spread, min(clocks) if clocks else None)


def run_of(text, where):
    """The run of a JSON, which a file of that path holds."""
    kept, failed = report.normalized(text, where)
    groups = {}
    for row in kept["benchmarks"]:
        groups.setdefault(f"{row['suite']}/{row['case']}/{row['variant']}", []).append(row)
    path = pathlib.PurePosixPath(where)
    machine, name = report.kept_as(kept, path.stem)
    # Kept files may have another name than their suite.
    if path.parent.name == machine:
        name = path.stem
    return Run(machine, name, kept["context"], {key: row_of(rows) for key, rows in groups.items()},
               [row["name"] for row in failed])


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=False, capture_output=True, text=True, encoding="utf-8")


def texts_of_revision(argument):
    """{path: text} of the JSON of bench/results at a revision, or below REVISION:PATH; None if git knows no such revision."""
    revision, _, path = argument.partition(":")
    if revision.startswith("-") or git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").returncode:
        return None
    names = git("ls-tree", "-r", "--name-only", revision, "--", path.rstrip("/") or RESULTS).stdout.splitlines()
    return {name: git("show", f"{revision}:{name}").stdout for name in names if name.endswith(".json")}


def is_suite(text):
    """True for the JSON of a benchmark; bench/results also has the JSON of stress tests and tables."""
    try:
        return "benchmarks" in json.loads(text)
    except (ValueError, TypeError):
        return False


def read(argument):
    """The runs that an argument names. Raises Unusable, or report.BadRun."""
    path = pathlib.Path(argument)
    if path.is_file():
        return [run_of(path.read_text(encoding="utf-8"), path.resolve().as_posix())]
    if path.is_dir():
        found = {one.resolve().as_posix(): one.read_text(encoding="utf-8") for one in sorted(path.rglob("*.json"))}
    else:
        revision = texts_of_revision(argument)
        if revision is None:
            raise Unusable(f"{argument}: neither a file nor a folder nor a revision of git")
        found = revision
    runs = [run_of(text, name) for name, text in found.items() if is_suite(text)]
    if not runs:
        raise Unusable(f"{argument}: no JSON of a benchmark in it")
    return runs


def pairs(old, new, any_device):
    """[(old run, new run)] with common rows. The old run has the name of the new one or, without such a run, the most common rows."""
    found = []
    for run in new:
        others = [one for one in old if (any_device or one.machine == run.machine) and set(one.rows) & set(run.rows)]
        if others:
            found.append((max(others, key=lambda one: (one.machine == run.machine, one.name == run.name,
                                                       len(set(one.rows) & set(run.rows)))), run))
    return found


def far(one, other):
    return max(one, other) > FAR * min(one, other)


def warnings_of(old, new):
    """Sentences on how the circumstances of two runs differ."""
    warnings = []
    if report.device_of(old.context) != report.device_of(new.context):
        warnings.append(f"the devices differ: {report.device_of(old.context)} and {report.device_of(new.context)}")
    on_host = ("num_cpus",) if "gpu" not in new.context else ()
    for key in CONDITIONS + on_host:
        values = [str(run.context[key]) for run in (old, new) if key in run.context]
        if len(set(values)) > 1:
            warnings.append(f"{key}: {values[0]} and {values[1]}")
    copies = [float(run.context["copy_gb_per_second"]) for run in (old, new) if "copy_gb_per_second" in run.context]
    if len(copies) == 2 and far(*copies):
        warnings.append(f"copy_gb_per_second: {copies[0]:g} and {copies[1]:g}")
    for run in (old, new):
        commit, load = str(run.context.get("commit", "unknown")), run.context.get("load_avg")
        if commit == "unknown" or commit.endswith("-dirty"):
            warnings.append(f"commit is {commit}")
        if "gpu" not in run.context and load and load[0] > run.context.get("num_cpus", 1) / 2:
            warnings.append(f"load of the machine when {commit} was measured: {load[0]:.2f}, of {run.context.get('num_cpus', 1)} cores")
    clocks = [name for name, row in new.rows.items() if name in old.rows and row.megahertz and old.rows[name].megahertz
              and far(row.megahertz, old.rows[name].megahertz)]
    if clocks:
        warnings.append(f"rows at clocks that differ by more than {100 * (FAR - 1):.0f} %: {', '.join(clocks)}")
    return list(dict.fromkeys(warnings))


def percent(part):
    return "-" if part is None else f"{100 * part:.1f} %"


def time(microseconds):
    return f"{microseconds / 1000:.4g}"


def table(differences, limit, with_run):
    """Rows that became slower first. The run is a column where there are several."""
    lines = ["| " + ("run | " if with_run else "") + "row | old ms | new ms | new / old | spread | |",
             ("|---" if with_run else "") + "|---|--:|--:|--:|--:|---|"]
    for one in sorted(differences, key=lambda one: (-one.ratio(), one.run, one.name)):
        verdict = one.verdict(limit)
        lines.append("| " + (f"{one.run} | " if with_run else "") + f"`{one.name}` | {time(one.old.microseconds)} | "
                     f"{time(one.new.microseconds)} | {one.ratio():.3f} | {percent(one.spread())} | "
                     + (f"**{verdict}** |" if verdict == "slower" else f"{verdict} |"))
    return lines


def listed(title, names):
    return ["", f"{title} ({len(names)}): " + ", ".join(f"`{name}`" for name in names)] if names else []


def compared(old, new, options):
    """The lines of the comparison, and whether a row is slower or failed. Raises Unusable."""
    found = pairs(old, new, options.any_device)
    if not found:
        devices = [", ".join(sorted({report.device_of(run.context) for run in side})) for side in (old, new)]
        if devices[0] != devices[1]:
            raise Unusable(f"the devices differ: {devices[0]} and {devices[1]}; --any-device compares them nevertheless")
        raise Unusable("the runs have no row in common")
    partnered = list(zip(*found))
    same = [after for before, after in found if before.context == after.context and before.rows == after.rows]
    found = [pair for pair in found if not any(pair[1] is run for run in same)]
    wanted = re.compile(options.filter)
    if not any(wanted.search(name) for pair in zip(*partnered) for run in pair for name in run.rows):
        raise Unusable(f"--filter {options.filter}: no row has such a name")
    differences, appeared, vanished, failed, lines = [], [], [], [], []
    if same:
        lines += [f"- the same run on both sides ({len(same)}): " + ", ".join(f"{run.machine}/{run.name}" for run in same)]
    for before, after in found:
        lines += [f"- {before.title()} -> {after.title()}"]
        lines += [f"  - warning: {one}" for one in warnings_of(before, after)]
        differences += [Difference(after.name, name, before.rows[name], row) for name, row in after.rows.items()
                        if name in before.rows and wanted.search(name)]
        appeared += [name for name in after.rows if name not in before.rows and wanted.search(name)]
        broken = [name for name in after.failed if wanted.search(name)]
        failed += broken
        vanished += [name for name in before.rows if name not in after.rows and wanted.search(name)
                     and not any(one.startswith(f"{name}/") for one in broken)]
    # Runs without a partner are not listed if the other side is a single file.
    for side, others, place in ((old, new, 0), (new, old, 1)):
        alone = [] if len(others) == 1 else [run for run in side if not any(run is one for one in partnered[place])]
        lines += [f"- only in {'NEW' if place else 'OLD'}: {run.title()}, {len(run.rows)} rows" for run in alone]
    verdicts = [one.verdict(options.limit) for one in differences]
    slower, faster = verdicts.count("slower"), verdicts.count("faster")
    lines += ["", f"{len(differences)} rows: {slower} slower and {faster} faster by more than "
              f"{100 * (options.limit - 1):.3g} % and their spread; {len(appeared)} appeared, {len(vanished)} vanished, "
              f"{len(failed)} failed."]
    shown = [one for one in differences if one.verdict(options.limit) or not options.changed]
    if shown:
        lines += ["", *table(shown, options.limit, len(found) > 1)]
    lines += listed("Failed", failed) + listed("Appeared", appeared) + listed("Vanished", vanished)
    return lines, bool(slower or failed)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW", nargs="?", default=str(ROOT / RESULTS))
    parser.add_argument("--limit", type=float, default=1.03, help="new / old above which a row is slower (1.03)")
    parser.add_argument("--filter", default="", metavar="REGEX", help="rows to compare")
    parser.add_argument("--changed", action="store_true", help="show only rows that are slower or faster")
    parser.add_argument("--any-device", action="store_true", help="compare runs of different devices, with a warning")
    options = parser.parse_args()
    if options.limit < 1:
        parser.error("--limit is a factor, 1 or more")
    try:
        lines, is_bad = compared(read(options.old), read(options.new), options)
    except (Unusable, report.BadRun, re.error, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
