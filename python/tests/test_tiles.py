"""farpoint.tiles: results equal to a single call for the whole cloud, whichever tiles are read."""

import pathlib
import re
import runpy

import numpy as np
import pytest

import farpoint
import farpoint.tiles

RNG = np.random.default_rng(3)
RANDOM = RNG.uniform(-5, 5, (1200, 4)).astype(np.float32)
TIES = RNG.integers(-3, 4, (500, 3)).astype(np.float64) / 2
BROKEN = RNG.uniform(-5, 5, (400, 3))
BROKEN[RNG.integers(0, 400, 40), RNG.integers(0, 3, 40)] = RNG.choice([np.nan, np.inf], 40)
UTM = RANDOM[:, :3].astype(np.float64) + [450_000, 5_400_000, 100]
CLOUDS = {"random": RANDOM, "sorted": RANDOM[np.argsort(RANDOM[:, 0])], "ties": TIES, "not finite": BROKEN, "UTM": UTM,
          "one point": RANDOM[:1], "no point": RANDOM[:0]}


def parts_of(cloud):
    """Tiles of any size: an empty one, one point, and the rest."""
    n = len(cloud)
    return np.split(cloud, sorted({0, min(1, n), n // 3, n // 2, n // 2}))


@pytest.fixture(params=CLOUDS)
def cloud(request):
    return CLOUDS[request.param]


def test_searches_equal_one_call(cloud):
    parts = parts_of(cloud)
    tiles = farpoint.tiles.Tiles(parts)
    points = np.ascontiguousarray(cloud[:, :3], tiles.dtype)
    queries = points[::3] + tiles.dtype.type(0.01)
    for found, expected in zip(tiles.knn(6, queries), farpoint.knn(points, 6, queries)):
        np.testing.assert_array_equal(found, expected)
    for exclude in (False, True):
        rows = [tiles.knn(5, tile=t, exclude_self=exclude) for t in range(len(tiles))]
        expected = farpoint.knn(points, 5, exclude_self=exclude)
        np.testing.assert_array_equal(np.concatenate([row.indices for row in rows]), expected.indices)
        np.testing.assert_array_equal(np.concatenate([row.distances for row in rows]), expected.distances)
    index = farpoint.PointIndex(points)
    for order in ("nearest", "index"):
        found = tiles.radius(1.0, queries, max_neighbors=4, order=order)
        expected = index.radius(1.0, queries, max_neighbors=4, order=order)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(tiles.count(1.0, queries), np.diff(farpoint.radius(points, 1.0, queries).offsets))


def test_samples_equal_one_call(cloud, tmp_path):
    tiles = farpoint.tiles.Tiles([lambda part=part: part for part in parts_of(cloud)])
    points = np.ascontiguousarray(cloud[:, :3], tiles.dtype)
    for options in ({}, {"stop_below": 1.0}) + (({"first": 1}, {"seed": 5}) if len(points) > 1 else ()):
        found, distances = tiles.fps(60, return_distances=True, **options)
        expected, expected_distances = farpoint.fps(points, 60, return_distances=True, **options)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(distances, expected_distances)
    if len(points) > 0:
        nearest = np.memmap(tmp_path / "nearest", tiles.dtype, "w+", shape=len(points))
        picks = tiles.fps(min(20, np.isfinite(points).all(1).sum()), nearest=nearest)
        np.testing.assert_array_equal(tiles.take(picks), points[picks])


def test_far_tiles_are_not_read():
    reads = []

    def read(number):
        reads.append(number)
        return np.random.default_rng(number).random((300, 3), np.float32) + np.float32([number, 0, 0])

    tiles = farpoint.tiles.Tiles([lambda number=number: read(number) for number in range(7)], sizes=[300] * 7, dtype="float32")
    assert reads == list(range(7)) and tiles.reads == 7 and tiles.points == 2100 and len(tiles) == 7
    reads.clear()
    tiles.knn(4, tile=3)
    assert set(reads) == {2, 3, 4}
    reads.clear()
    tiles.count(0.2, np.float32([[5.5, 0.5, 0.5]]))
    assert reads == [5]


def test_an_exception_ends_the_call():
    class Unreadable(Exception):
        pass

    broken = []

    def read():
        if broken:
            raise Unreadable("the disk is gone")
        return RANDOM[:100]

    tiles = farpoint.tiles.Tiles([read, RANDOM[100:200]])
    broken.append(True)
    for call in (lambda: tiles.knn(3, RANDOM[:9, :3]), lambda: tiles.count(1.0, RANDOM[:9, :3]), lambda: tiles.fps(9)):
        with pytest.raises(Unreadable, match="the disk is gone"):
            call()
    broken.clear()
    assert len(tiles.fps(9)) == 9


def test_wrong_arguments():
    tiles = farpoint.tiles.Tiles([RANDOM[:50]])
    for call, sentence in (
            (lambda: farpoint.tiles.Tiles([RANDOM[:, :2]]), "tile 0 has the shape"),
            (lambda: farpoint.tiles.Tiles([RANDOM], sizes=[1, 2]), "2 sizes of 1 tiles"),
            (lambda: farpoint.tiles.Tiles([RANDOM], sizes=[7]), "tile 0 has 1200 points, and had 7"),
            (lambda: farpoint.tiles.Tiles([RANDOM], dtype="int32"), "float32 or float64"),
            (lambda: tiles.knn(3), "either queries or a tile"),
            (lambda: tiles.knn(3, RANDOM[:5, :3], tile=0), "either queries or a tile"),
            (lambda: tiles.knn(3, RANDOM[:5]), "must be .M, 3."),
            (lambda: tiles.knn(3, RANDOM[:5, :3], exclude_self=True), "exclude_self"),
            (lambda: tiles.knn(0, tile=0), "k is not between"),
            (lambda: tiles.knn(2000, tile=0), "k is not between"),
            (lambda: tiles.radius(-1, tile=0, max_neighbors=3), "radius"),
            (lambda: tiles.radius(1, tile=0, max_neighbors=3, order="far"), "order"),
            (lambda: tiles.radius(1, tile=0, max_neighbors=-1), "max_neighbors is not between"),
            (lambda: tiles.fps(-1), "samples is negative"),
            (lambda: tiles.fps(3, first=50), "params.first"),
            (lambda: tiles.fps(3, nearest=np.empty(9, np.float32)), "nearest"),
            (lambda: farpoint.tiles.Tiles([np.ma.array(RANDOM[:9], mask=True)]), "tile 0 is a masked array"),
            (lambda: tiles.knn(3, np.ma.array(RANDOM[:5, :3])), "queries is a masked array"),
            (lambda: tiles.knn(3, list(np.ma.array(RANDOM[:5, :3]))), "queries is a masked array"),
            (lambda: tiles.take([0.5]), "integers"),
            (lambda: tiles.take([50]), "none of the cloud")):
        with pytest.raises(ValueError, match=sentence):
            call()
    with pytest.raises(IndexError):
        tiles.knn(3, tile=1)


def test_indices_of_any_integer_type():
    tiles = farpoint.tiles.Tiles([RANDOM[:50], RANDOM[50:90]])
    for indices in ([], np.array([3, 60], np.uint8), np.array([89, 0], np.uint64)):
        np.testing.assert_array_equal(tiles.take(indices), RANDOM[np.array(indices, int), :3])


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    page = pathlib.Path(__file__).parents[2] / "docs/python.md"
    if not page.exists():
        pytest.skip("there is no docs/python.md beside the tests")
    monkeypatch.chdir(tmp_path)
    for number, part in enumerate(np.array_split(RANDOM, 4)):
        np.save(f"tile_{number}.npy", part)
    [code] = [block for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
              if "farpoint.tiles" in block]
    names = {}
    exec(compile(code, "docs/python.md", "exec"), names)
    np.testing.assert_array_equal(names["picks"], farpoint.fps(RANDOM[:, :3], 1000))
    np.testing.assert_array_equal(names["samples"], RANDOM[names["picks"], :3])


def test_a_survey_of_laz_tiles(tmp_path):
    laspy = pytest.importorskip("laspy", reason="laspy is not installed: the example of .laz is not run")
    pytest.importorskip("lazrs", reason="lazrs is not installed: the example of .laz is not run")
    example = pathlib.Path(__file__).parent.parent / "examples/08_survey_of_laz_tiles.py"
    if not example.exists():
        pytest.skip("there are no examples beside the tests")
    clouds, paths = [], []
    for number in range(3):
        header = laspy.LasHeader(point_format=3, version="1.2")
        header.scales, header.offsets = [0.001] * 3, [500_000, 5_400_000, 0]
        tile = laspy.LasData(header)
        tile.xyz = np.random.default_rng(number).random((800, 3)).round(3) * [20, 20, 2] + header.offsets + [20 * number, 0, 0]
        paths.append(str(tmp_path / f"{number}.laz"))
        tile.write(paths[-1])
        clouds.append(laspy.read(paths[-1]).xyz)
    samples, kept = runpy.run_path(str(example))["main"]([*paths, "--samples", "100"])
    survey = np.concatenate(clouds)
    np.testing.assert_array_equal(samples, survey[farpoint.fps(survey, 100)])
    counts = np.diff(farpoint.radius(survey, 1.0, clouds[0]).offsets)
    np.testing.assert_array_equal(kept, clouds[0][counts > 3])
