#!/usr/bin/env python3
"""Makes the figures and pictures of docs/splats.md: what `farpoint splat` prints and draws, and nobody types in.

    scripts/splats.py PROGRAM           writes docs/splats/splats.json and the pictures; then run scripts/docs.py fill
    scripts/splats.py PROGRAM --check   fails where the program prints other figures of a small cloud than splats.json
                                        has: the renderer has changed then, and the page has to be made again

Figures are the same on every backend and machine, to the digit; times are not among them. Needs Python 3.8, and
Pillow where a picture is large.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import pictures

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/splats"
# The page's runs, and one that a test repeats.
RUNS = {"until_exact": ["--size", "512"], "one_round": ["--size", "512", "--rounds", "1", "--views", "1"],
        "small": ["--size", "256", "--points", "60000", "--views", "1"]}

ROW = re.compile(r"^ +(1|2|3|until exact) +([\d.]+) % +([\d.]+) +([\d.]+) +[\d.]+$", re.MULTILINE)
VIEW = re.compile(r"^ +([\d.]+) +(\d+) +(\d+) of (\d+) +([\d.]+) %$", re.MULTILINE)


def one(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise ValueError(f"the program did not print {pattern}:\n{text}")
    return found.group(1)


def figures(text):
    """The figures of a run, by what it printed."""
    rounds = [{"rounds": name, "right_sets_percent": right, "normals_off_deg": off, "deviation_deg": deviation}
              for name, right, off, deviation in ROW.findall(text)]
    views = [{"azimuth_deg": azimuth, "visible": int(visible), "holes": int(holes), "lines_of_sight": int(of),
              "flicker_percent": flicker} for azimuth, visible, holes, of, flicker in VIEW.findall(text)]
    if len(rounds) != 4 or not views:
        raise ValueError(f"the program did not print four rounds and a view:\n{text}")
    return {"points": int(one(r"^ *points +(\d+)$", text)), "visible": int(one(r"^ *visible +(\d+)$", text)),
            "k": int(one(r"^ *neighbors +(\d+)$", text)), "rounds": rounds, "views": views}


def run(program, name, folder):
    command = [program, "splat", "--output", folder / f"{name}.png", *RUNS[name]]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(options=" ".join(RUNS[name]), **figures(done.stdout))


def write(program, folder):
    made = {name: run(program, name, folder) for name in RUNS}
    for what in ("", "_error", "_views"):
        picture = folder / f"until_exact{what}.png"
        pictures.copy(picture, FOLDER / f"knot{what}.png")
    (FOLDER / "splats.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def check(program, folder):
    expected = json.loads((FOLDER / "splats.json").read_text(encoding="utf-8"))["small"]
    printed = run(program, "small", folder)
    if printed != expected:
        sys.exit(f"docs/splats/splats.json has\n{expected},\nand the program prints\n{printed}:\n"
                 "run scripts/splats.py, then scripts/docs.py fill")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="build/.../tools/farpoint/farpoint")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (check if options.check else write)(options.program, pathlib.Path(folder))


if __name__ == "__main__":
    main()
