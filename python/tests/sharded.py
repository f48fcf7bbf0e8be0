"""Calls on ranks compared with one call for the whole cloud: what each rank checks, whatever connects it with the others."""

import functools

import numpy as np

import farpoint

#: The calls of one process. One thread each, as there are many ranks.
fps, knn, voxelize = (functools.partial(each, threads=1) for each in (farpoint.fps, farpoint.knn, farpoint.voxelize))
BOX = (-6, -6, -6, 6, 6, 6)


def whole_clouds(ranks):
    """Name, the cloud, and the numbers of points of each rank's part."""
    rng = np.random.default_rng(7)
    random = rng.uniform(-7, 7, (1500, 5)).astype(np.float32)
    ties = rng.integers(-3, 4, (900, 3)).astype(np.float64) / 2  # 343 positions: many duplicates and ties
    broken = rng.uniform(-5, 5, (700, 3)).astype(np.float32)
    broken[rng.integers(0, 700, 90), rng.integers(0, 3, 90)] = rng.choice([np.nan, np.inf, -np.inf], 90)
    tiles = random[np.argsort(random[:, 0])]
    return [("random", random, uneven(len(random), ranks)),
            ("ties", ties, uneven(len(ties), ranks)),
            ("not finite", broken, uneven(len(broken), ranks)),
            ("tiles", tiles, even(len(tiles), ranks)),
            ("all on the last rank", random[:300], [0] * (ranks - 1) + [300]),
            ("one place", np.ones((200, 3), np.float32), even(200, ranks)),
            ("no finite point", np.full((40, 3), np.nan, np.float32), even(40, ranks)),
            ("one point", random[:1], [0] * (ranks - 1) + [1]),
            ("no point", np.zeros((0, 3), np.float32), [0] * ranks)]


def even(points, ranks):
    return [points * (r + 1) // ranks - points * r // ranks for r in range(ranks)]


def uneven(points, ranks):
    """Of several parts the second is empty."""
    weights = np.array([1 + 3 * r if r != 1 else 0 for r in range(ranks)])
    lengths = points * weights // weights.sum()
    lengths[-1] += points - lengths.sum()
    return lengths.tolist()


def same(found, expected, what):
    assert found.dtype == expected.dtype and found.shape == expected.shape, (what, found.dtype, found.shape, expected.shape)
    # Bits, also of NaN.
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes(), what


def check_fps(call, mine, whole, what):
    xyz, part = whole[:, :3], mine[:, :3]
    expected = fps(xyz, 150, return_distances=True)
    for one, other in zip(call.fps(part, 150, return_distances=True), expected):
        same(one, other, f"fps, {what}")
    same(call.fps(part, 20, index_dtype="int32"), expected[0][:20].astype(np.int32), what)
    if len(whole) < 2:
        return
    rules = dict(stop_below=0.4, first=len(whole) - 1)
    same(call.fps(part, 90, **rules), fps(xyz, 90, **rules), f"fps with a first sample, {what}")
    same(call.fps(part, 9, seed=4), fps(xyz, 9, seed=4), f"fps with a seed, {what}")
    chosen = [0, -1, len(whole) - 1]
    same(call.fps(part, 30, chosen=chosen), fps(xyz, 30, chosen=chosen), f"fps with chosen points, {what}")


def check_searches(call, mine, whole, lengths, rank, what):
    xyz, part = whole[:, :3], mine[:, :3]
    rows = slice(sum(lengths[:rank]), sum(lengths[:rank + 1]))
    for name, rules in (("knn", {}), ("knn without itself", {"exclude_self": True}), ("knn within", {"max_radius": 0.7})):
        for one, other in zip(call.knn(part, 6, **rules), knn(xyz, 6, **rules)):
            same(one, other[rows], f"{name}, {what}")
    queries = np.random.default_rng(100 + rank).uniform(-8, 8, (3 * rank, 3)).astype(xyz.dtype)  # none on the first rank
    for one, other in zip(call.knn(part, 3, queries, index_dtype="int32"), knn(xyz, 3, queries, index_dtype="int32")):
        same(one, other, f"knn of queries, {what}")
    index = farpoint.PointIndex(xyz, threads=1)
    for rules in ({}, {"order": "index"}, {"exclusive": True}):
        for one, other in zip(call.radius(part, 1.0, max_neighbors=9, **rules), index.radius(1.0, xyz, 9, **rules)):
            same(one, other[rows], f"radius {rules}, {what}")
    for one, other in zip(call.radius(part, 2.0, queries, max_neighbors=4), index.radius(2.0, queries, 4)):
        same(one, other, f"radius of queries, {what}")


def check_voxels(call, mine, whole, what):
    wide = whole.dtype == np.float64
    rows = {"outputs": ("coords", "num_points", "max", "first", "centroid"), "dtype": "float32"} if wide else {}
    for rules in ({}, {"max_points": 3, "max_voxels": 40, "columns": "zyx"}, {"outputs": ("coords", "num_points", "centroid")}):
        rules = {**rows, **rules}
        expected = voxelize(whole, 1.5, BOX, **rules)
        own = call.voxelize(mine, 1.5, BOX, **rules)
        numbers = own.pop("numbers")
        assert own["voxel_count"].tolist() == [len(numbers)] and (np.diff(numbers) > 0).all()
        for name in set(own) - {"voxel_count"}:
            same(own[name], expected[name][numbers], f"{name} {rules}, {what}")
        assert set(own) == set(rules.get("outputs") or {*expected} - {"point_voxel", "voxel_offsets"}) | {"voxel_count"}
        everything = call.voxelize(mine, 1.5, BOX, gather=True, **rules)
        assert set(everything) == set(own)
        for name, array in everything.items():
            same(array, expected[name], f"{name} of all ranks {rules}, {what}")


def check_all(call, rank, ranks, only=None):
    """All functions, of all clouds, on one rank."""
    for what, whole, lengths in whole_clouds(ranks):
        if only is not None and what not in only:
            continue
        mine = whole[sum(lengths[:rank]):sum(lengths[:rank + 1])]
        check_fps(call, mine, whole, what)
        check_searches(call, mine, whole, lengths, rank, what)
        check_voxels(call, mine, whole, what)
