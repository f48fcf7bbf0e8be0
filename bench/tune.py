#!/usr/bin/env python3
"""Searches for the constants of a selector on this GPU, and prints the winners and a struct to paste.

    ./dev tune SUITE [--axis NAME] [--rows REGEX] [--limit 1.03] [--output RUN.json]
    ./dev tune SUITE --from RUN.json [--axis NAME] [--limit 1.03]
    ./dev tune --list

SUITE is fps, fps_kernels, knn, sort or hash_map; --list prints the axes of each. The first form builds the program of the suite,
runs the default and the variants of the axes, and keeps the run in build/tune/SUITE.json; every answer is checked before it is
timed. The second form reads a run that was made before.

Two kinds of axes: a value, which must suit all rows, is judged by the geometric mean of its speed-ups over the default; shapes and
choices are judged row by row. A winner within --limit of the default is not taken. docs/tuning.md says how to go on.

Exit code: 0, or 2: the run has no row of the axes, or cannot be read. Needs Python 3.8.
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

import report

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "build/tune"


@dataclass(frozen=True)
class Axis:
    """Variants that a pattern matches, and the members of the selector that they stand for, made of the pattern's groups."""
    name: str
    pattern: str
    members: Callable
    by_row: bool = False
    rows: str = ".*"  # a pattern of the rows that members can express


@dataclass(frozen=True)
class Suite:
    program: str
    base: str  # the struct to derive from
    header: str
    prefix: str  # pattern of the rows' names
    default: str
    axes: tuple


def value(name, kind="int"):
    """A member of one number."""
    return lambda winners: [f"static constexpr {kind} {name} = {winners[0][1].group(1)};"]


def shape_of(groups):
    return "{" + ", ".join(groups) + "}"


def shapes(name, kind):
    """An array of the shapes (threads, points of a thread) that won, ascending in capacity."""
    def members(winners):
        found = sorted({tuple(match.groups()[:2]) for _, match in winners}, key=lambda one: int(one[0]) * int(one[1]))
        return [f"static constexpr farpoint::{kind} {name}[] = {{{', '.join(map(shape_of, found))}}};"]
    return members


def sizes_of(case):
    """Points or keys of a case: the largest number in the first part of its name that has one."""
    part = next(part for part in case.split("/") if re.search(r"\d", part))
    return int(re.match(r"\d+", part).group())


def from_sizes(name, kind, more=lambda groups: ()):
    """An array of shapes that begin with a size: the first from 1 on, the others from the middle of two measured sizes."""
    def members(winners):
        of_size = sorted({sizes_of(case): match for case, match in winners}.items())
        entries, before = [], None
        for size, match in of_size:
            groups = [group for group in match.groups() if group and group.isdigit()] + list(more(match.groups()))
            start = 1 if before is None else math.isqrt(before * size)
            if not entries or entries[-1][1:] != groups:
                entries.append([str(start), *groups])
            before = size
        return [f"static constexpr farpoint::{kind} {name}[] = {{{', '.join(map(shape_of, entries))}}};"]
    return members


def regions(winners):
    """An array of the region shapes (warps, points of a lane, listed, tested) that won, ascending in capacity."""
    found = sorted({match.groups() for _, match in winners}, key=lambda one: int(one[0]) * int(one[1]))
    return [f"static constexpr farpoint::fps_region_tuning region_shapes[] = {{{', '.join(map(shape_of, found))}}};"]


def layout(winners):
    return [f"static constexpr farpoint::hash_map_layout layout = farpoint::hash_map_layout::{winners[0][1].group(1)};"]


def choice_of(match):
    """The initializer of an fps_choice by the name that bench/fps/forced.cuh gives it."""
    kernel, blocks, shared_out, boxes, wanted, listed, singles = match.groups()
    entries = [f"farpoint::fps_kernel::{kernel}", blocks or "1", "true" if boxes else "false"]
    lengths = [(wanted, "40"), (listed, "32"), (singles, "0"), ("true" if shared_out else None, "false")]
    while lengths and not lengths[-1][0]:
        lengths.pop()
    return shape_of(entries + [length or default for length, default in lengths])


def choices(winners):
    """choose(), with a condition for each row of clouds of one size; the others are left to the default."""
    lines, known = ["static constexpr farpoint::fps_choice choose(farpoint::fps_case const& c) noexcept {"], set()
    for case, match in winners:
        row = re.fullmatch(REGULAR, case)
        if row.groups() in known:
            continue
        known.add(row.groups())
        lines += [f"  if (!c.ragged && c.clouds == {row.group(1)} && c.largest == {row.group(2)} && c.samples == {row.group(3)}) {{",
                  f"    return {choice_of(match)};", "  }"]
    return lines + ["  return fps_selector::choose(c);", "}"]


REGULAR = r"(\d+)x(\d+)_to_(\d+)/(?:uniform|lidar)"
CHOICE = (r"(in_regions|in_global_memory|in_teams)(?:_(\d+))?(_shared_out)?(_boxes)?"
          r"(?:_wanted_(\d+))?(?:_listed_(\d+))?(?:_singles_(\d+))?")
SUITES = {
    "fps": Suite("farpoint_bench_fps_tune", "farpoint::fps_selector", "farpoint/tuning/fps.hpp", "tune/", "default", (
        Axis("regions", r"in_regions_(\d+)x(\d+)_listed_(\d+)_tested_(\d+)", regions, True),
        Axis("global_memory", r"global_memory_(\d+)", value("streaming_block_size")),
        Axis("choice", CHOICE, choices, True, REGULAR))),
    "fps_kernels": Suite("farpoint_bench_fps_kernels", "farpoint::fps_selector", "farpoint/tuning/fps.hpp", "fps_kernels/", "default",
                         (Axis("choice", CHOICE, choices, True, REGULAR),)),
    "knn": Suite("farpoint_bench_knn_tune", "farpoint::knn_selector", "farpoint/tuning/knn.hpp", "tune/", "default", (
        Axis("block", r"block_(\d+)", value("block_size")),
        Axis("build", r"build_(\d+)x(\d+)_blocks_(\d+)_window_(\d+)", from_sizes("builds", "bvh_build_tuning"), True))),
    "sort": Suite("farpoint_bench_sort", "farpoint::radix_sort_selector", "farpoint/tuning/radix_sort.hpp", "sort/(tune/)?", "farpoint", (
        Axis("block", r"block_(\d+)x(\d+)", shapes("blocks", "radix_block_tuning"), True),
        Axis("sweeps", r"sweeps_(\d+)x(\d+)_blocks(\d+)_window(\d+)(_apart)?",
             from_sizes("sweeps", "radix_sweep_tuning", lambda groups: ["true"] if groups[4] else []), True))),
    "hash_map": Suite("farpoint_bench_hash_map", "farpoint::hash_map_tuning", "farpoint/tuning/hash_map.hpp", "hash_map/", "farpoint",
                      (Axis("layout", r"(split)", layout),)),
}


def filter_of(suite, axes, rows):
    """The --benchmark_filter of the default and the variants of some axes."""
    patterns = "|".join(axis.pattern.replace("(?:", "(").replace(r"\d", "[0-9]") for axis in axes)
    return f"^{suite.prefix}.*{rows}.*/({patterns}|{suite.default})(/|$)"


def times_of(run, suite):
    """{case: {variant: microseconds}}; rows that are searched and their default are of one case."""
    found = {}
    for row in report.merged(run["benchmarks"]):
        name = f"{row['suite']}/{row['case']}/"
        match = re.match(suite.prefix, name)
        if match:
            found.setdefault(name[match.end():-1], {})[row["variant"]] = row["p50_us"]
    return {case: times for case, times in found.items() if suite.default in times}


@dataclass
class Winner:
    """The best variant of an axis in a row."""
    case: str
    default_us: float
    variant: str
    us: float

    def factor(self):
        return self.default_us / self.us


def winners_of(axis, times, default):
    """The fastest variant of each row that has any."""
    found = []
    for case, of_case in times.items():
        matching = {variant: us for variant, us in of_case.items() if variant != default and re.fullmatch(axis.pattern, variant)}
        if matching:
            best = min(matching, key=matching.get)
            found.append(Winner(case, of_case[default], best, matching[best]))
    return found


def mean_factors(axis, times, default):
    """{variant: geometric mean of its speed-ups} of the variants that every row of the axis has, the fastest first."""
    cases = [case for case, of in times.items() if any(re.fullmatch(axis.pattern, one) for one in of if one != default)]
    everywhere = set.intersection(*(set(times[case]) for case in cases)) if cases else set()
    found = {variant: math.exp(sum(math.log(times[case][default] / times[case][variant]) for case in cases) / len(cases))
             for variant in everywhere if variant != default and re.fullmatch(axis.pattern, variant)}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def taken(axis, times, default, limit):
    """Winners for the struct: ([(case, match of a variant)], comments)."""
    if not axis.by_row:
        means = mean_factors(axis, times, default)
        best = next(iter(means), None)
        if best is None or means[best] <= limit:
            return [], []
        return [("", re.fullmatch(axis.pattern, best))], [f"{best}: {means[best]:.2f}x over {len(winners_of(axis, times, default))} rows"]
    won = [one for one in winners_of(axis, times, default) if one.factor() > limit and re.fullmatch(axis.rows, one.case)]
    won.sort(key=lambda one: -one.factor())
    return ([(one.case, re.fullmatch(axis.pattern, one.variant)) for one in won],
            [f"{one.case}: {one.us:.4g} us, default {one.default_us:.4g}, {one.factor():.2f}x" for one in won])


def table(suite, times, axes):
    lines = ["| axis | row | default us | best | us | times as fast |", "|---|---|--:|---|--:|--:|"]
    for axis in axes:
        for one in sorted(winners_of(axis, times, suite.default), key=lambda one: -one.factor()):
            lines.append(f"| {axis.name} | {one.case} | {one.default_us:.4g} | {one.variant} | {one.us:.4g} | {one.factor():.2f} |")
    return lines


def struct(suite, times, axes, limit, device):
    """The lines of a struct that has every winner, or none."""
    body = []
    for axis in axes:
        won, comments = taken(axis, times, suite.default, limit)
        if won:
            body += [f"  // {device}: {comment}" for comment in comments] + [f"  {line}" for line in axis.members(won)]
    if not body:
        return []
    return [f"// Derived from the defaults of {suite.header}.", f"struct tuned : {suite.base} {{", *body, "};"]


def printed(suite, run, axes, limit):
    """The text of a run; raises LookupError if no row is of these axes."""
    times = times_of(run, suite)
    lines = table(suite, times, axes)
    if len(lines) == 2:
        raise LookupError("the run has no row of these axes beside the default")
    found = struct(suite, times, axes, limit, report.device_of(run["context"]))
    return lines + [""] + (found or [f"No variant is more than {limit:.2f} times as fast as the default: keep it."])


def measured(suite, axes, rows, output):
    """Runs the program; it must have been built."""
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [ROOT / "build/bench/bench" / suite.program, f"--benchmark_filter={filter_of(suite, axes, rows)}",
               f"--benchmark_out={output}", "--benchmark_out_format=json"]
    done = subprocess.run([str(one) for one in command], check=False, env={**os.environ, "FARPOINT_TUNE": "1"})
    if done.returncode not in (0, 1):  # 1: some rows failed, which are named and left out
        raise OSError(f"{suite.program} ended with exit code {done.returncode}")


def main():
    parser = argparse.ArgumentParser(prog="./dev tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", choices=sorted(SUITES), metavar="SUITE")
    parser.add_argument("--list", action="store_true", help="print the axes of each suite")
    parser.add_argument("--program", action="store_true", help="print the program of the suite, and do nothing")
    parser.add_argument("--axis", help="one axis; all by default")
    parser.add_argument("--rows", default="", metavar="REGEX", help="rows to run, e.g. 1000000_k8")
    parser.add_argument("--limit", type=float, default=1.03, help="speed-up that a winner must exceed")
    parser.add_argument("--output", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--from", type=pathlib.Path, dest="run", metavar="RUN.json", help="a run that was made before")
    options = parser.parse_args()
    if options.list:
        for name, suite in SUITES.items():
            print(f"{name}: {', '.join(axis.name for axis in suite.axes)}")
        return 0
    if not options.suite:
        parser.error("name a suite")
    suite = SUITES[options.suite]
    if options.program:
        print(suite.program)
        return 0
    axes = [axis for axis in suite.axes if options.axis in (None, axis.name)]
    if not axes:
        parser.error(f"{options.suite} has no axis {options.axis}; it has {', '.join(axis.name for axis in suite.axes)}")
    path = options.run or options.output or KEPT / f"{options.suite}.json"
    try:
        if not options.run:
            measured(suite, axes, options.rows, path)
        print("\n".join(printed(suite, report.load(path, without_failed=True), axes, options.limit)))
    except (OSError, LookupError, report.BadRun) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
