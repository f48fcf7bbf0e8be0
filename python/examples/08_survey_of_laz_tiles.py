"""Samples a survey whose tiles are .las or .laz files, and keeps the points of one tile with enough neighbors: no more than a tile is in
memory at once, and the results are those of one call on all points.

    python 08_survey_of_laz_tiles.py TILE.laz ... [--samples 1000] [--radius 1]

Needs laspy, with lazrs for .laz.
"""

import argparse

import numpy as np

import farpoint.tiles

try:
    import laspy
except ImportError as error:
    raise SystemExit('this example reads files by laspy: pip install "laspy[lazrs]"') from error


def size_of(path):
    """Number of points, from a file's header."""
    with laspy.open(path) as file:
        return file.header.point_count


def survey_of(paths):
    """float64: no digit of a map's coordinates is lost."""
    return farpoint.tiles.Tiles([lambda path=path: laspy.read(path).xyz for path in paths], sizes=[size_of(path) for path in paths],
                                dtype="float64")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--radius", type=float, default=1.0)
    options = parser.parse_args(arguments)

    survey = survey_of(options.paths)
    print(f"{len(survey)} tiles, {survey.points} points")
    picks, distances = survey.fps(min(options.samples, survey.points), return_distances=True)
    print(f"{len(picks)} samples, the last {np.sqrt(distances[-1]):.3f} m from the others; {survey.reads} reads of tiles so far")
    samples = survey.take(picks)

    kept = survey.read(0)[survey.count(options.radius, tile=0) > 3]  # neighbors in other tiles count, too
    print(f"{len(kept)} of {survey.sizes[0]} points of the first tile have 3 others within {options.radius} m")
    return samples, kept


if __name__ == "__main__":
    main()
