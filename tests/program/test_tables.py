"""./dev tables in its small form: what the tables hold against counts that do not come from farpoint.

    test_tables.py FARPOINT_TABLES SCRIPTS_TABLES_PY"""
import datetime
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

PROGRAM, SCRIPT = sys.argv[1:3]
MASK = (1 << 64) - 1


def rounded(value):
    """To float."""
    return struct.unpack('<f', struct.pack('<f', value))[0]


def splitmix(seed):
    state = seed
    while True:
        state = (state + 0x9e3779b97f4a7c15) & MASK
        z = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
        yield ((z ^ z >> 31) >> 11) * 2.0 ** -53


def sum_of_samples(clouds, points, samples):
    """Farthest point sampling, as it is written on a blackboard. Indices within each cloud."""
    numbers, total = splitmix(1), 0
    for _ in range(clouds):
        cloud = [tuple(rounded(next(numbers)) for _ in range(3)) for _ in range(points)]
        nearest, picked = [math.inf] * points, 0
        for sample in range(samples):
            if sample > 0:
                picked = max(range(points), key=lambda i: nearest[i])
            total += picked
            nearest = [min(d, math.dist(p, cloud[picked])) for d, p in zip(nearest, cloud)]
    return total


def ply(points):
    return ('ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n' %
            len(points)) + ''.join('%g %g %g\n' % p for p in points)


def check_fps(run):
    for row in run['fps'][:3]:
        expected = sum_of_samples(row['clouds'], row['points'], row['samples'])
        assert row['sum_of_indices'] == expected, (row, expected)
    assert [row['clouds'] for row in run['fps']] == [1, 2, 3, 4, 5, 6, 6]
    for row in run['coverage']['rows']:
        assert 0 < row['fps_m'] <= row['uniform_m'], row


def check_screen(run, ring):
    models = {one['model']: one for one in run['screen']['models']}
    assert set(models) == {'knot', 'waves', 'cloud', 'ring'}, set(models)
    assert models['ring']['visible'] == len(ring)  # far apart: none hides another
    for one in models.values():
        k = one['k']
        methods = {method['method']: method for method in one['methods'] if method['place'].startswith('host')}
        on_gpu = {method['method']: method for method in one['methods'] if method['place'] == 'GPU'}
        assert set(on_gpu) == (set(methods) | {'FastKNN, its program'} if run['gpu_used'] else set()), set(on_gpu)
        assert all(abs(on_gpu[name][key] - methods[name][key]) < 1e-4 for name in methods if name in on_gpu
                   for key in ('right_sets', 'normals_off_deg')), one['model']
        for counts in one['right']:
            assert len(counts) == k + 1 and sum(counts) == one['visible'], one['model']
        share = one['right'][2][k] / one['visible']
        assert math.isclose(methods['FastKNN, 3 rounds']['right_sets'], share, rel_tol=1e-4), one['model']
        assert methods['exact']['right_sets'] == 1
        assert all(row['most'] >= row['mean'] >= 0 for row in one['candidates'])
        # Auto Splats fit planes to larger sets, and their ball has the k nearest of all that the window shows.
        assert set(methods) == {'exact', 'FastKNN, 3 rounds', 'Auto Splats'}, set(methods)
        if one['visible'] > 100:
            assert methods['Auto Splats']['right_sets'] > 0.9, one['model']
            assert methods['Auto Splats']['normals_off_deg'] != methods['exact']['normals_off_deg'], one['model']
        for method in methods.values():
            assert method['splatting_ms'] > 0, method
            stages = sum(method[stage + '_ms'] for stage in ('projection', 'tree', 'search', 'normals', 'splatting'))
            assert math.isclose(stages, method['frame_ms'], rel_tol=1e-3), method
    rows = run['screen']['against_k']['rows']
    assert [row['k'] for row in rows] == [1, 16, 31] and all(min(row['ms'].values()) > 0 for row in rows), rows
    for name in ('knot', 'waves'):
        share = [counts[-1] / models[name]['visible'] for counts in models[name]['right']]
        assert share[0] > 0.8 and min(share[1:]) > 0.99, (name, share)


def check_quality(quality, run):
    models = {one['model']: one for one in quality['models']}
    assert list(models) == [one['model'] for one in run['screen']['models']]
    for one in run['screen']['models']:
        other = models[one['model']]
        assert (other['visible'], other['right']) == (one['visible'], one['right']), one['model']
        for row, counted in zip(other['candidates'], other['right']):
            assert 0 <= row['near_2k'] <= row['at_least_k'] <= 1, row
            # With all right neighbors, a set has k at least.
            assert row['at_least_k'] >= counted[-1] / one['visible'] - 1e-5 or one['visible'] < one['k'], row
        assert ('off_surface' in other) == (one['model'] == 'knot'), one['model']
    off = {row['neighbors']: row for row in models['knot']['off_surface']}
    assert len(off) == 5 and all(0 < row['mean_deg'] < 45 and 0 <= row['over_10_deg'] <= 1 for row in off.values()), off
    balls, nearest, exact = (off[name] for name in ('Auto Splats: 8 to 16 visible ones', 'Auto Splats, its 8 nearest', 'exact: 8 visible ones'))
    assert abs(nearest['mean_deg'] - exact['mean_deg']) < 0.1 * exact['mean_deg'] and balls != nearest, off


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        scans, out, pages = folder / 'scans', folder / 'out', folder / 'pages'
        scans.mkdir()
        # Each voxel of 0.2 m holds copies of one point, wherever the grid begins.
        for file, (places, copies) in enumerate(((7, 3), (12, 1))):
            (scans / f'{file}.ply').write_text(ply([(i, -2 * i, i / 2) for i in range(places)] * copies))
        ring = [(10 * math.cos(i / 2), 10 * math.sin(i / 2), 0) for i in range(12)]
        (folder / 'ring.ply').write_text(ply(ring))
        subprocess.run([PROGRAM, out, '--quick', '--scans', scans, folder / 'ring.ply'], check=True, timeout=300,
                       env={**os.environ, 'FARPOINT_COMMIT': 'abcdef012345'})
        subprocess.run([sys.executable, SCRIPT, out / 'tables.json', '--pages', pages], check=True, stdout=subprocess.DEVNULL)
        run = json.loads((out / 'tables.json').read_text())
        assert run['commit'] == 'abcdef012345'
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(run['date'].replace('Z', '+00:00'))
        assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=10), run['date']
        check_fps(run)
        voxels = run['voxelize']
        assert (voxels['files'], voxels['points'], voxels['voxels']) == (2, (21 + 12) / 2, (7 + 12) / 2), voxels
        check_screen(run, ring)
        quality = json.loads((out / 'quality.json').read_text())
        assert quality['commit'] == 'abcdef012345' and json.loads((pages / 'quality.json').read_text()) == quality
        check_quality(quality, run)
        subprocess.run([PROGRAM, folder / 'alone', '--quick', '--quality', '--threads', '1', folder / 'ring.ply'], check=True, timeout=300)
        assert [file.name for file in (folder / 'alone').iterdir()] == ['quality.json']
        assert json.loads((folder / 'alone/quality.json').read_text())['models'] == quality['models']
        page = (pages / 'README.md').read_text()
        for picture in ('coverage.png', 'knot.png', 'ring.png', 'against_k.svg', 'right.svg'):
            assert (pages / picture).stat().st_size > 500 and f']({picture})' in page, picture
        assert '- commit: abcdef012345' in page and f"- date: {run['date']}" in page
        assert '| 16.5 | 9.5 |' in page and '| knot: Auto Splats |' in page
        # Each method's picture, and its errors below.
        width, height = struct.unpack('>II', (out / 'ring.png').read_bytes()[16:24])
        assert width == 3 * 48 and height > 2 * 48, (width, height)
        wrong = subprocess.run([PROGRAM, out, '--quick', '--scans', folder / 'nowhere'], capture_output=True, text=True,
                               check=False)
        assert wrong.returncode == 2 and 'nowhere' in wrong.stderr and wrong.stderr.strip().splitlines()[-1].startswith('farpoint_tables: ')
        assert subprocess.run([PROGRAM, '--what'], capture_output=True, check=False).returncode == 1


if __name__ == '__main__':
    main()
