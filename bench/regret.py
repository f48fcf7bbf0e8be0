#!/usr/bin/env python3
"""Prints what fps_selector gives away: of each row of a run of fps_kernels, its choice and the best kernel.

    bench/regret.py RUN.json [--limit 1.05] [--wrapper-limit 1.3]

Regret is the time of the choice over the time of the fastest other kernel, and 1 where no other is faster. The choice has been
measured twice, as "default" and forced by its name: the faster of the two counts, and their ratio shows the noise. A second
table compares the wrappers of compat/ with fps() on the same points. RUN.json is the file of --benchmark_out, or the one that
report.py keeps; rows that failed are named and left out. The exit status is 1 where a row is above a limit, and 2 where RUN.json
has no row of the suite. Needs Python 3.8.
"""

import argparse
import pathlib
import sys

import report

SUITE, WRAPPERS, DEFAULT = "fps_kernels", "fps_wrappers", "default"


def times_of(run, suite):
    """By case: the choice that the label of the default names, and the median of each variant in milliseconds."""
    found = {}
    for row in report.merged([row for row in run["benchmarks"] if row["suite"] == suite]):
        case = found.setdefault(row["case"], {"choice": "", "ms": {}})
        case["ms"][row["variant"]] = row["p50_us"] / 1000
        if row["variant"] == DEFAULT:
            case["choice"] = report.check_and_note(row)[1]
    return {case: one for case, one in found.items() if DEFAULT in one["ms"]}


def regrets(run):
    """Rows of the table, the largest regret first: (case, choice, its ms, best kernel, its ms, regret, noise)."""
    rows = []
    for case, one in times_of(run, SUITE).items():
        others = dict(one["ms"])
        default, twin = others.pop(DEFAULT), others.pop(one["choice"], None)
        chosen = default if twin is None else min(default, twin)
        noise = 1 if twin is None else max(default, twin) / chosen
        best = min(others, key=others.get) if others else one["choice"]
        if not others or others[best] >= chosen:
            rows.append((case, one["choice"], chosen, one["choice"], chosen, 1, noise))
        else:
            rows.append((case, one["choice"], chosen, best, others[best], chosen / others[best], noise))
    return sorted(rows, key=lambda row: -row[5])


def wrappers(run):
    """Rows of the table: (case, wrapper, ms, ms of fps(), ratio), the largest ratio first."""
    rows = [(case, variant, ms, one["ms"][DEFAULT], ms / one["ms"][DEFAULT])
            for case, one in times_of(run, WRAPPERS).items() for variant, ms in one["ms"].items() if variant != DEFAULT]
    return sorted(rows, key=lambda row: -row[4])


def number(milliseconds):
    return f"{milliseconds:.4f}" if milliseconds < 1 else f"{milliseconds:.3f}"


def tables(kernels, wrapped):
    lines = ["| row | chosen | ms | best | ms | regret | noise |", "|---|---|--:|---|--:|--:|--:|"]
    lines += [f"| {case} | {choice} | {number(chosen)} | {best} | {number(fastest)} | {regret:.2f} | {noise:.2f} |"
              for case, choice, chosen, best, fastest, regret, noise in kernels]
    if wrapped:
        lines += ["", "| row | wrapper | ms | fps() ms | ratio |", "|---|---|--:|--:|--:|"]
        lines += [f"| {case} | {variant} | {number(ms)} | {number(plain)} | {ratio:.2f} |"
                  for case, variant, ms, plain, ratio in wrapped]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("--limit", type=float, default=float("inf"), help="largest regret of a row")
    parser.add_argument("--wrapper-limit", type=float, default=float("inf"), help="largest ratio of a wrapper to fps()")
    options = parser.parse_args()
    try:
        run = report.load(options.run, without_failed=True)
    except report.BadRun as error:
        print(error, file=sys.stderr)
        return 2
    kernels, wrapped = regrets(run), wrappers(run)
    if not kernels:
        print(f"{options.run}: no row of {SUITE} with a default", file=sys.stderr)
        return 2
    print("\n".join(tables(kernels, wrapped)))
    above = [f"{row[0]}: regret {row[5]:.2f}" for row in kernels if row[5] > options.limit]
    above += [f"{row[0]}: {row[1]} {row[4]:.2f} times fps()" for row in wrapped if row[4] > options.wrapper_limit]
    for line in above:
        print(f"above the limit: {line}", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
