#!/usr/bin/env python3
"""Makes a page of tables and plots of each run that bench/results keeps.

    bench/pages.py DIR

Writes DIR/<gpu or processor>/<name>.md, with the run and its plots in the same folder, DIR/<gpu>/history.md: the releases that
bench/history keeps, and DIR/<gpu>/roofline.md: how near to the limits of bench/limits.json each row is. `./dev docs` puts them into the site. Needs Python 3.8, and nothing else.
"""

import json
import pathlib
import sys

import history
import report
import roofline
import stress_report


def kind_of(path):
    """Kind of a JSON of bench/results: "suite", "stress", or None for a file that has no page."""
    run = json.loads(path.read_text(encoding="utf-8"))
    if "benchmarks" in run:
        return "suite"
    return "stress" if "now" in run else None


def kept(results):
    """The runs that have a page, with their kinds."""
    kinds = {path: kind_of(path) for path in sorted(results.glob("*/*.json"))}
    return {path: kind for path, kind in kinds.items() if kind}


def write_pages(results, pages):
    """Writes the page of each run; returns the paths of pages and plots."""
    written = []
    for path, kind in kept(results).items():
        folder = pages / path.parent.name
        if kind == "suite":
            written += report.write_page(report.load(path), path, folder)
        else:
            written += stress_report.write_page(path, folder)
    return written


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[0])
    written = write_pages(report.RESULTS, folder) + history.write_pages(history.HISTORY, folder)
    written += roofline.write_pages(report.RESULTS, folder)
    pages = sum(path.suffix == ".md" for path in written)
    print(f"{pages} pages of results and {len(written) - pages} plots in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
