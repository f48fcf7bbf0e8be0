#!/usr/bin/env python3
"""Makes the pages of docs/tables from what farpoint_tables has measured: no figure is typed in, but for KNOT_OFF_SURFACE.

    scripts/tables.py TABLES.json [--pages DIR]

Writes DIR/README.md and DIR/against_k.svg, and copies the pictures from the folder of the JSON: large ones with fewer
colors, which needs Pillow. Reads published figures from docs/tables/published.json. Needs Python 3.8.
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


def svg(run):
    """Time against k of all methods."""
    against_k = run["screen"]["against_k"]
    series = {name: [(row["k"], row["ms"][name]) for row in against_k["rows"]] for name in against_k["rows"][0]["ms"]}
    machine = run["machine"]
    context = [machine["gpu" if against_k["place"] == "GPU" else "processor"], run.get("date", "")[:10],
            f'commit {run["commit"]}' if "commit" in run else ""]
    return charts.curves(f'knn in screen space: time against k, {against_k["model"]}', ", ".join(one for one in context if one),
                         "neighbors (k)", "milliseconds", series, log_x=False, log_y=False)


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


# Against the surface's own normals (torus_knot::normal_at()): the same on every machine, so that no run measures them again.
# tests/splat/host/test_knot_normals.cpp checks their order on a smaller cloud.
KNOT_OFF_SURFACE = [["the reference: 8 of the whole cloud", "2.61", "1.73", "0.44 %"],
                    ["exact: 8 visible ones", "2.17", "1.36", "0.08 %"],
                    ["Auto Splats: 8 to 16 visible ones", "1.56", "1.05", "0.02 %"],
                    ["Auto Splats, its 8 nearest", "2.17", "1.36", "0.08 %"],
                    ["exact, k = 12", "1.39", "0.81", "0.00 %"]]


def screen_part(run, published):
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
    lines += table(["model, rounds"] + [str(right) for right in range(models[0]["k"] + 1)], rows) + published_part(published["right"])
    lines += ["## Candidates", "", "Size of the last round's candidate set.", ""]
    lines += table(["model", "rounds", "mean", "deviation", "most"],
                   [[one["model"], number(row["rounds"]), number(row["mean"]), number(row["deviation"]), number(row["most"])]
                    for one in models for row in one["candidates"]])
    lines += ["## Normals", "", "Degrees off the normals of the k nearest neighbors in the whole cloud.", ""]
    # Results of a method do not depend on the backend, and the last backend has all methods.
    lines += table(["model and method", "right sets", "mean", "deviation"],
                   [[f'{one["model"]}: {method["method"]}', f'{100 * method["right_sets"]:.2f} %', number(method["normals_off_deg"]),
                     number(method["normals_deviation_deg"])] for one in models for method in one["methods"]
                    if method["place"] == one["methods"][-1]["place"]])
    lines += published_part(published["normals"])
    lines += ["Pictures of Auto Splats have fewer specks, and the pictures are right: the reference above is at fault, whose planes go through 8",
              "points only. The normals of the knot's surface are known. Degrees off them, of the 189,229 visible points of 300,000 with 0.5 mm of noise:", ""]
    lines += table(["knot: neighbors of the plane", "mean", "deviation", "more than 10 degrees off"], KNOT_OFF_SURFACE)
    lines += ["Auto Splats fit to 11.5 points on average; cut to its 8 nearest it is `exact`, and `exact` of 12 points has no normal that far off.",
              "The reference itself is farther off the surface than the results that it judges.", ""]
    for one in models:
        lines += [f'![{one["model"]}: exact, FastKNN and Auto Splats; below, how far normals are off]({one["picture"]})', ""]
    return lines


def page(run, published):
    machine = run["machine"]
    lines = ["# Published tables, measured here", "",
             "Written by `./dev tables` from the JSON of a run; do not edit. Published figures stand below, word for word, with their source",
             "(`published.json`).",
             "", f'- load of the machine when the run began: {run["load"]:.2f}; other work makes times longer', f'- processor: {machine["processor"]}, {machine["threads"]} threads',
             f'- GPU: {machine["gpu"] if run["gpu_used"] else "not used"}']
    # Early runs have no driver, commit or date.
    known = [(name, source[key]) for name, source, key in (("driver", machine, "driver"), ("commit", run, "commit"), ("date", run, "date")) if key in source]
    lines += [f"- {name}: {value}" for name, value in known] + [""]
    if run["quick"]:
        lines += ["**A quick run, of small sizes: its times have no meaning.**", ""]
    return "\n".join(lines + fps_part(run, published) + voxel_part(run, published) + screen_part(run, published)).rstrip() + "\n"


def machine_of(run):
    """The folder of results, as bench/report.py names it: by the GPU or the processor."""
    name = run["machine"]["gpu" if run["gpu_used"] else "processor"]
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def texts(root, run):
    """The files that a run and the published figures make, by name."""
    published = json.loads((root / "docs/tables/published.json").read_text(encoding="utf-8"))
    return {"README.md": page(run, published), "against_k.svg": svg(run)}


def write_pages(source, folder):
    run = json.loads(source.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(ROOT, run).items():
        (folder / name).write_text(text, encoding="utf-8")
    for picture in [run["coverage"]["picture"]] + [one["picture"] for one in run["screen"]["models"]]:
        if source.parent.resolve() != folder.resolve():
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
