#!/usr/bin/env python3
"""Makes the pages of docs/tables from what farpoint_tables has measured: no figure is typed in.

    scripts/tables.py TABLES.json [--pages DIR]

Writes DIR/README.md, DIR/against_k.svg and DIR/right.svg, and copies quality.json and the pictures from the folder of the JSON: large
ones with fewer colors, which needs Pillow. Reads published figures from docs/tables/published.json. Needs Python 3.8.
"""

import argparse
import json
import pathlib
import re
import sys

import pictures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import charts

ROOT = pathlib.Path(__file__).resolve().parent.parent


def number(value):
    return f"{value:,.0f}" if value >= 1000 or float(value).is_integer() else f"{value:.3g}"


def table(head, rows):
    """Markdown; the first column to the left, the others to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def published_part(one):
    """A published table, word for word, below its source."""
    return [f'Published: {one["source"]}.', ""] + table(one["head"], one["rows"]) + ([one["note"], ""] if "note" in one else [])


def svg(run, published):
    """Time against k of all methods, and as published."""
    against_k = run["screen"]["against_k"]
    series = {name: [(row["k"], row["ms"][name]) for row in against_k["rows"]] for name in against_k["rows"][0]["ms"]}
    printed = published["against_k"]
    series[printed["series"]] = list(zip(map(int, printed["head"][1:]), map(float, printed["rows"][0][1:])))
    machine = run["machine"]
    context = [machine["gpu" if against_k["place"] == "GPU" else "processor"], run.get("date", "")[:10],
            f'commit {run["commit"]}' if "commit" in run else ""]
    return charts.curves(f'knn in screen space: time against k, {against_k["model"]}', ", ".join(one for one in context if one),
                         "neighbors (k)", "milliseconds", series, log_x=False)


def histogram(quality, published):
    """Shares of rows by their right neighbors, after each round: of the first model, and of the first published one."""
    one, printed = quality["models"][0], published["right"]
    series = {}
    for rounds, counts in enumerate(one["right"], 1):
        series[f'{one["model"]}, after {rounds}'] = [100 * count / one["visible"] for count in counts]
    model = printed["head"][1]
    shares = {int(row[0]): [100 * float(share) for share in row[1].split(" / ")] for row in printed["rows"]}
    for rounds in range(3):
        series[f"{model}, published, after {rounds + 1}"] = [shares[right][rounds] if right in shares else None
                                                             for right in range(one["k"] + 1)]
    return charts.bars(f'Right neighbors of {one["k"]} after one, two and three rounds', f'commit {quality["commit"]}; published: GTX 970',
                       "right neighbors", "% of the rows", list(range(one["k"] + 1)), series)


def fps_part(run, published):
    places = list(run["fps"][0]["ms"])
    rows = []
    for row in run["fps"]:
        serial, best = row["ms"]["serial loop"], min(row["ms"].values())
        rows.append([f'{row["clouds"]} x {number(row["points"])} -> {number(row["samples"])}'] +
                    [number(row["ms"][place]) for place in places] + [number(serial / best)])
    lines = ["## fps: serial and parallel", "",
             "Milliseconds, random points in a cube. The serial loop is the textbook's: a pass over all points for each sample. All",
             "have the same indices.", ""]
    lines += table(["clouds x points -> samples"] + places + ["serial / best"], rows) + published_part(published["fps"])
    lines += ["## fps and uniform sampling", "",
              f'A simulated sweep of {number(run["coverage"]["points"])} points: the largest distance from any point to the nearest sample, in meters.', ""]
    lines += table(["samples", "fps", "uniform"], [[number(row["samples"]), number(row["fps_m"]), number(row["uniform_m"])]
                                                   for row in run["coverage"]["rows"]])
    return lines + [f'![Samples by fps, and uniform ones]({run["coverage"]["picture"]})', ""]


def voxel_part(run, published):
    part = run["voxelize"]
    lines = ["## voxelize: averages", "",
             f'{part["files"]} clouds ({part["clouds"]}), voxels of {part["edge_m"]} m, means of all files; all with the same bits.', ""]
    speed_up = part["ms"]["serial loop"] / min(part["ms"].values())
    lines += table(["points", "voxels"] + [f"{place}, ms" for place in part["ms"]] + ["serial / best"],
                   [[number(part["points"]), number(part["voxels"])] + [number(ms) for ms in part["ms"].values()] + [number(speed_up)]])
    return lines + published_part(published["voxelize"])


STAGES = ("projection", "tree", "search", "normals", "splatting", "frame")


def stages_part(models):
    """A table for each backend: the host, then the GPU if the run has one."""
    lines = []
    for place in dict.fromkeys(method["place"] for one in models for method in one["methods"]):
        rows = [[f'{one["model"]}, {number(one["visible"])} visible: {method["method"]}'] + [number(method[f"{stage}_ms"]) for stage in STAGES]
                for one in models for method in one["methods"] if method["place"] == place]
        lines += table([place] + list(STAGES), rows)
    return lines


def screen_part(run, published, quality):
    models = run["screen"]["models"]
    lines = ["## knn in screen space: stages", "",
             f'Milliseconds, {models[0]["side_px"]} x {models[0]["side_px"]} pixels, k = {models[0]["k"]}.',
             "\"FastKNN, 3 rounds\" is farpoint's search; \"FastKNN, its program\" reimplements the thesis's CUDA kernel. Auto Splats scale a",
             "radius in eight passes until its ball holds between k and 2 k points, and fit the plane to the whole ball. The tree is a part of the search",
             "where its column has 0.",
             ""]
    lines += stages_part(models) + published_part(published["stages"])
    lines += ["## Time against k", "", "![Time against k](against_k.svg)", ""] + published_part(published["against_k"])
    lines += ["## Right neighbors", "", "Share of the rows with 0 to 8 right neighbors after one, two and three rounds.", ""]
    rows = []
    for one in models:
        for rounds, counts in enumerate(one["right"], 1):
            rows.append([f'{one["model"]}, {rounds}'] + [f'{100 * count / one["visible"]:.2f} %' for count in counts])
    lines += table(["model, rounds"] + [str(right) for right in range(models[0]["k"] + 1)], rows)
    lines += ["![Histogram of right neighbors](right.svg)", ""] + published_part(published["right"])
    k = quality["models"][0]["k"]
    lines += ["## Candidates", "", "Size of the last round's candidate set. A round aims at 2 k candidates; a set is large enough with k.", ""]
    lines += table(["model", "rounds", "mean", "deviation", "most", f"{k} or more", f"{k} to {4 * k}"],
                   [[one["model"], number(row["rounds"]), number(row["mean"]), number(row["deviation"]), number(row["most"]),
                     f'{100 * row["at_least_k"]:.2f} %', f'{100 * row["near_2k"]:.1f} %']
                    for one in quality["models"] for row in one["candidates"]])
    lines += published_part(published["candidates"])
    lines += ["## Normals", "", "Degrees off the normals of the k nearest neighbors in the whole cloud.", ""]
    # Results of a method do not depend on the backend, and the last backend has all methods.
    lines += table(["model and method", "right sets", "mean", "deviation"],
                   [[f'{one["model"]}: {method["method"]}', f'{100 * method["right_sets"]:.2f} %', number(method["normals_off_deg"]),
                     number(method["normals_deviation_deg"])] for one in models for method in one["methods"]
                    if method["place"] == one["methods"][-1]["place"]])
    lines += published_part(published["normals"])
    lines += surface_part(quality)
    for one in models:
        lines += [f'![{one["model"]}: exact, FastKNN and Auto Splats; below, how far normals are off]({one["picture"]})', ""]
    return lines


def surface_part(quality):
    """Errors against surfaces that are known: which of the reference and the pictures is at fault."""
    lines = []
    for one in quality["models"]:
        if "off_surface" not in one:
            continue
        reference, *methods = one["off_surface"]
        exact = methods[0]
        lines += ["Pictures of Auto Splats have fewer specks, and the pictures are right: the reference above is at fault, whose planes go through",
                  f'{one["k"]} points only. The normals of the {one["model"]}\'s surface are known. Degrees off them, of {number(one["visible"])} visible points '
                  f'of {number(one["points"])}:', ""]
        lines += table([f'{one["model"]}: neighbors of the plane', "mean", "deviation", "more than 10 degrees off"],
                       [[row["neighbors"], f'{row["mean_deg"]:.2f}', f'{row["deviation_deg"]:.2f}', f'{100 * row["over_10_deg"]:.2f} %']
                        for row in one["off_surface"]])
        lines += ["Auto Splats fit planes to more points; with the nearest ones of each ball alone they are `exact`, and `exact` of 12 points is better than both.",
                  f'The reference itself is {reference["mean_deg"] / exact["mean_deg"]:.1f} times as far off the surface as the normals of `exact` '
                  "that it judges.", ""]
    return lines


def page(run, published, quality):
    machine = run["machine"]
    lines = ["# Published tables, measured here", "",
             "Written by `./dev tables` from the JSON of a run; do not edit. Published figures stand below, word for word, with their source",
              "(`published.json`).",
             "", f'- load of the machine when the run began: {run["load"]:.2f}; other work makes times longer', f'- processor: {machine["processor"]}, {machine["threads"]} threads',
             f'- GPU: {machine["gpu"] if run["gpu_used"] else "not used"}']
    # Early runs have no driver, commit or date.
    known = [(name, source[key]) for name, source, key in (("driver", machine, "driver"), ("commit", run, "commit"), ("date", run, "date")) if key in source]
    lines += [f"- {name}: {value}" for name, value in known]
    lines += [f'- histogram, candidates and errors off a known surface: commit {quality["commit"]}, from `quality.json`; they have no times, '
              "and are the same on every machine", ""]
    if run["quick"]:
        lines += ["**A quick run, of small sizes: its times have no meaning.**", ""]
    return "\n".join(lines + fps_part(run, published) + voxel_part(run, published) + screen_part(run, published, quality)).rstrip() + "\n"


def machine_of(run):
    """The folder of results, as bench/report.py names it: by the GPU or the processor."""
    name = run["machine"]["gpu" if run["gpu_used"] else "processor"]
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def texts(root, run, quality=None):
    """The files that a run, the figures of quality and the published figures make, by name."""
    published = json.loads((root / "docs/tables/published.json").read_text(encoding="utf-8"))
    if quality is None:
        quality = json.loads((root / "docs/tables/quality.json").read_text(encoding="utf-8"))
    return {"README.md": page(run, published, quality), "against_k.svg": svg(run, published), "right.svg": histogram(quality, published)}


def write_pages(source, folder):
    run = json.loads(source.read_text(encoding="utf-8"))
    quality = json.loads((source.parent / "quality.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(ROOT, run, quality).items():
        (folder / name).write_text(text, encoding="utf-8")
    if source.parent.resolve() == folder.resolve():
        return
    (folder / "quality.json").write_text(json.dumps(quality, indent=1) + "\n", encoding="utf-8")
    for picture in [run["coverage"]["picture"]] + [one["picture"] for one in run["screen"]["models"]]:
        pictures.copy(source.parent / picture, folder / picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, metavar="TABLES.json")
    parser.add_argument("--pages", type=pathlib.Path, default=ROOT / "docs/tables", metavar="DIR")
    parser.add_argument("--machine", action="store_true", help="only print the name of the run's folder of results")
    options = parser.parse_args()
    if options.machine:
        print(machine_of(json.loads(options.source.read_text(encoding="utf-8"))))
        return
    write_pages(options.source, options.pages)
    print((options.pages / "README.md").read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
