"""The charts of a run: the question of each, its rows, and the names of its series.

A run whose suite is not here gets a chart of all its cases, if no more than six variants and forty cases are in it.
"""

import re
from dataclasses import dataclass

import charts

# Suites without a chart: searches for constants, and parts of other rows.
NONE = ("tune", "fps_kernels", "fps_wrappers", "exchange", "index", "leaves")
MOST_CASES = 40
MILLISECONDS = "milliseconds (median)"


@dataclass(frozen=True)
class Question:
    """A chart. Series are pairs of a pattern of variants and a name, in which \\1 is the pattern's first group. The fastest of
    the variants that share a name counts."""
    name: str
    title: str
    suite: str  # a pattern
    cases: str  # a pattern, searched
    series: tuple
    along: str = ""  # the counter on the x axis of curves; of dots, none
    x_label: str = ""
    y: str = "p50_us"
    log_x: bool = True


FPS = (("graph", "farpoint"), ("pointnet2", "PointNet++'s kernel"), ("textbook", "textbook kernel"),
       ("pointnet2_ops", "pointnet2_ops"), ("openpcdet", "OpenPCDet"), ("mmcv", "mmcv"))
SCALE = (("farpoint", "farpoint"), ("textbook", "textbook kernel"))
HOST = ((r"threads_(\d+)", r"farpoint, threads: \1"), ("one_thread", "farpoint, threads: 1"), ("serial", "serial loop"),
        ("serial_hash", "serial hash table"))
VOXELIZE = (("graph", "farpoint"), ("published_graph", "hash table as published, order undefined"),
            ("cub_sort_graph", "CUB's sort by cell"), ("serial_hash", "hash table, one thread of the host"))
CUBQL = (r"cubql_\w+", "cuBQL, the fastest builder and list")
KNN = (("graph", "farpoint"), ("brute_force", "brute force"), (r"nanoflann_threads_(\d+)", r"nanoflann, \1 threads of the host"),
       CUBQL, ("mmcv", "mmcv"))
LAYERS = (("graph", "farpoint"), ("pointnet2_ops", "pointnet2_ops"), ("openpcdet", "OpenPCDet"), ("mmcv", "mmcv"))
KNN_HOST = ((r"farpoint_threads_(\d+)", r"farpoint, threads: \1"), (r"nanoflann_threads_(\d+)", r"nanoflann, threads: \1"),
            ("brute_force", "brute force"))
SCREEN = (("until_exact_graph", "farpoint, exact"), ("rounds_3_graph", "farpoint, three rounds"),
          ("rounds_3_area_1_graph", "farpoint, from the text's disc"), ("published_graph", "FastKNN by its text, approximate"),
          ("program_graph", "FastKNN by its program, approximate"), ("auto_splats_graph", "Auto Splats"))
FRAME = (("frame_graph", "whole frame"), ("frame_project_graph", "projection"), ("frame_search_graph", "projection and search"),
         ("frame_normals_graph", "normals"), ("frame_splats_graph", "picture"), ("frame_splat_lists_graph", "lists of splats by tile"))
HASH_MAP = (("farpoint", "farpoint"), ("linear", "linear probing, a thread per key"), ("published", "hash table as published"),
            ("cudax", "cudax (CCCL)"))
ORDERS = (("graph", "order of first occurrence"), ("report_graph", "with a report"), ("grid_order_graph", "order of the grid"),
          ("by_sort_graph", "by a sort"), ("grid_order_by_sort_graph", "order of the grid, by a sort"),
          ("report_by_table_graph", "with a report, by the table"))

QUESTIONS = (
    Question("fps", "fps(): clouds x points -> samples", "fps", "", FPS),
    Question("fps-points", "fps(): 1,024 samples of a cloud that grows", "scale", "_to_1024/", SCALE, "n", "points"),
    Question("fps-samples", "fps(): more samples of 131,072 points", "scale", "^1x131072_", SCALE, "samples", "samples"),
    Question("fps-host", "fps() on the host: clouds x points -> samples", "fps_host", "", HOST),
    Question("voxelize-points", "voxelize(): a uniform cloud that grows", "voxelize", r"^\d+/uniform$", VOXELIZE, "n", "points"),
    Question("voxelize-clouds", "voxelize(): clouds of other shapes", "voxelize", r"^\d+/(?!uniform)", VOXELIZE),
    Question("voxelize-orders", "voxelize(): what an order and a report cost", "voxelize", r"^\d+/", ORDERS),
    Question("voxelize-edge", "voxelize(): ten sweeps in larger voxels", "axes", "_voxel_", VOXELIZE, "voxel_size",
             "edge of a voxel (m)"),
    Question("voxelize-kept", "voxelize(): a street, more points kept of a voxel", "axes", "_most_", VOXELIZE, "max_points",
             "points that a voxel keeps, at most"),
    Question("voxelize-spread", "voxelize(): 200,000 points, spread over fewer voxels", "axes", "_spread/", VOXELIZE),
    Question("voxelize-host", "voxelize() on the host", "voxelize_host", "", HOST),
    Question("knn-points", "knn(): 8 neighbors in a cube of more points, index included", "knn_exact", r"^\d+_k8/cube$", KNN,
             "n", "points"),
    Question("knn-k", "knn(): more neighbors of 1,000,000 points in a cube, index included", "knn_exact",
             r"^1000000_k\d+/cube$", KNN, "k", "neighbors (k)"),
    Question("knn-clouds", "knn(): 8 neighbors of 1,000,000 points, index included", "knn_exact", "^1000000_k8/", KNN),
    Question("knn-queries", "knn(): 8 neighbors of other points as queries, the index given", "external", "_k8/",
             (("graph", "farpoint"), ("graph_no_workspace", "farpoint, no workspace"), CUBQL, ("mmcv", "mmcv"))),
    Question("pointnet", "Layers of PointNet++: clouds x points, queries", "calls", "^(ball_query|interpolate|gather)/", LAYERS),
    Question("radius-k", "radius(): a ball of k of 1,000,000 points in a cube, index included", "made", r"_k\d+/cube$",
             (("ball_query", "ball query"), ("radius_nearest", "nearest first"), ("radius_rows", "rows of all")), "k",
             "points of a ball, at most (k)"),
    Question("neighborhoods", "Functions of neighborhoods, 1,000,000 points, index included", "made", "",
             (("mean_knn_distance", "mean_knn_distance()"), ("interpolate", "interpolate()"),
              ("estimate_normals", "estimate_normals()"))),
    Question("knn-host", "knn() on the host: 8 neighbors", "knn_host", "_k8/", KNN_HOST),
    Question("knn-host-k", "knn() on the host: more neighbors of 100,000 points in a cube", "knn_host",
             r"^100000_k\d+/cube$", KNN_HOST, "k", "neighbors (k)"),
    Question("queries", "knn() on the host: other points as queries, one thread", "queries", "",
             (("farpoint_threads_1", "farpoint"), ("farpoint_no_workspace_threads_1", "farpoint, no workspace"),
              ("one_by_one", "farpoint, one by one"), ("nanoflann_threads_1", "nanoflann"))),
    Question("screen-k", "knn() in screen space: more neighbors, 170,000 points, 1024 x 1024 pixels", "knn_screen",
             r"^1024x1024/170000/k\d+$", SCREEN, "k", "neighbors (k)", log_x=False),
    Question("screen-points", "knn() in screen space: 8 neighbors of more points, 1024 x 1024 pixels", "knn_screen",
             r"^1024x1024/\d+/k8$", SCREEN, "n", "points"),
    Question("frame", "A frame of splats, and its stages: 1024 x 1024 pixels, k = 8", "knn_screen", r"^1024x1024/\d+/k8$",
             FRAME, "n", "points"),
    Question("hash-map-insert", "hash map: insertion of keys and values", "hash_map", "^(axes/)?insert/", HASH_MAP,
             y="keys_per_second"),
    Question("hash-map-find", "hash map: search for values", "hash_map", "^(axes/)?find/", HASH_MAP, y="keys_per_second"),
    Question("sort", "radix_sort(): more keys of 32 bits with values", "sort", r"^\d+/bits32$",
             (("farpoint", "farpoint"), ("cub", "cub::DeviceRadixSort")), "n", "keys"),
    Question("library", "Calls of the compiled library on host memory", "library", "",
             (("1_thread", "one caller"), ("8_threads", "eight callers at once"))),
    Question("ranks", "Calls on ranks", r"\w+_shard", "", (("one_gpu", "one GPU"), (r"gpus_(\d+)", r"\1 GPUs"))),
    Question("host-threads", "Calls on 100,000 points on the host by more threads", "host_threads", "/100000$", HOST),
)


def series_of(question, variant):
    """The name of a variant in a chart, or None."""
    for pattern, name in question.series:
        match = re.fullmatch(pattern, variant)
        if match:
            return match.expand(name)
    return None


def chosen(question, rows):
    """[(name of the series, row)] of a chart, series by series in the order of the question."""
    found = [(series_of(question, row["variant"]), row) for row in rows
             if re.fullmatch(question.suite, row["suite"]) and re.search(question.cases, row["case"]) and "wrong" not in row]
    order = [pattern for pattern, _ in question.series]
    found = [(name, row) for name, row in found if name and (not question.along or question.along in row)]
    return sorted(found, key=lambda one: next(i for i, pattern in enumerate(order) if re.fullmatch(pattern, one[1]["variant"])))


def values_of(question, row):
    return row[question.y] / (1e9 if question.y == "keys_per_second" else 1000)


def drawn(question, rows, note, title_of):
    """The SVG of a question, or None where the rows do not answer it: a line needs two points."""
    found = chosen(question, rows)
    label = "G keys/s" if question.y == "keys_per_second" else MILLISECONDS
    series = {}
    for name, row in found:
        place = row.get(question.along, (row["suite"], row["case"]))
        known = series.setdefault(name, {}).get(place)
        if known is None or row["p50_us"] < known["p50_us"]:
            series[name][place] = row
    if question.along:
        lines = {name: [(x, values_of(question, row)) for x, row in places.items()] for name, places in series.items()}
        if len({x for points in lines.values() for x, _ in points}) < 2:
            return None
        return charts.curves(question.title, note, question.x_label, label, lines, log_x=question.log_x)
    several = len({row["suite"] for _, row in found}) > 1
    lines = {}
    for row in rows:
        place = (row["suite"], row["case"])
        values = {name: values_of(question, rows_of[place]) for name, rows_of in series.items() if place in rows_of}
        if values and place not in lines:
            lines[place] = ((f"{row['suite']}: " if several else "") + title_of(row), values)
    # Rates begin at zero; times of different workloads differ by decades.
    return charts.dots(question.title, note, label, list(lines.values()), log=label == MILLISECONDS) if lines else None


def question_of_all(suite, rows):
    """The default question of a suite, or None: every case, and the replayed graphs if it has some."""
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    variants = [one for one in variants if one.endswith("graph") or one.replace("_graph", "") + "_graph" not in variants]
    if suite in NONE or len(variants) > charts.MOST_SERIES or len({row["case"] for row in rows}) > MOST_CASES:
        return None
    return Question(suite, suite, re.escape(suite), "", tuple((re.escape(one), one.replace("_", " ")) for one in variants))


def of_run(rows, note, title_of):
    """{name: SVG} of all charts of a run's rows, one row for each variant of a case."""
    suites = dict.fromkeys(row["suite"] for row in rows)
    questions = [one for one in QUESTIONS if any(re.fullmatch(one.suite, suite) for suite in suites)]
    for suite in suites:
        if not any(re.fullmatch(one.suite, suite) for one in QUESTIONS):
            questions.append(question_of_all(suite, [row for row in rows if row["suite"] == suite]))
    made = {one.name: drawn(one, rows, note, title_of) for one in questions if one}
    return {name: chart for name, chart in made.items() if chart}
