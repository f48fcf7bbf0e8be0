"""Features of the published programs for farthest point sampling, voxels and splats: the documented command of each, and the text and
files that it must make.

test_published.py PROGRAM DOCS/program.md"""
import json
import math
import re
import shlex
import struct
import unittest

import make_clouds
from program import WithFolder, main, pages, run


class Published(WithFolder):
    def setUp(self):
        super().setUp()
        make_clouds.make(self.folder)

    def documented(self, command):
        """Runs a command that docs/program.md shows, word for word."""
        lines = [line for block in re.findall(r'^```sh\n(.*?)^```', pages[0].read_text(), re.M | re.S) for line in block.splitlines()]
        self.assertIn(command, lines)
        done = run(*shlex.split(command)[1:], cwd=self.folder, environment={})
        self.assertEqual((done.returncode, done.stderr), (0, ''), command)
        return done.stdout

    def summary(self, command):
        """The figures of a documented command, as JSON."""
        self.documented(command)
        return json.loads(self.succeeds(*shlex.split(command)[1:], '--json'))

    def scene(self, name):
        page = (self.folder / name).read_text()
        return json.loads(re.search(r'<script id="scene" type="application/json">(.*?)</script>', page)[1])

    def points_of(self, name):
        """x, y, z of a written .ply of floats."""
        header, body = (self.folder / name).read_bytes().split(b'end_header\n')
        kinds = {'float': 'f', 'double': 'd', 'uchar': 'B', 'ushort': 'H', 'int': 'i', 'uint': 'I'}
        row = '<' + ''.join(kinds[kind] for kind in re.findall(r'property (\w+) \w+', header.decode()))
        return [values[:3] for values in struct.iter_unpack(row, body)]

    def test_averages_and_speed_up_of_a_folder(self):
        printed = self.documented('farpoint voxelize FOLDER --cpu')
        self.assertRegex(printed, r'mean of 3 files\n +points +2100\n')
        for name in ('1 thread (ms)', 'all threads (ms)', 'speed-up over 1 thread'):
            self.assertIn(name, printed)
        summary = self.summary('farpoint voxelize FOLDER --cpu')
        for one in summary['files']:
            fast = one.get('time_ms', one['all_threads_ms'])
            self.assertTrue(math.isclose(one['speedup_over_one_thread'], one['one_thread_ms'] / fast, rel_tol=1e-6), one)
        for key in ('one_thread_ms', 'speedup_over_one_thread'):
            mean = sum(one[key] for one in summary['files']) / 3
            self.assertTrue(math.isclose(summary['averages'][key], mean, rel_tol=1e-6), summary)

    def test_machine_files_points_and_times(self):
        printed = self.documented('farpoint voxelize FOLDER --cpu --verbose')
        for needed in (r'processor +\S', r'GPU +\S', r'000000\.bin +2000 ', r'000001\.bin +2100 ', r'000002\.bin +2200 ', 'mean of 3 files'):
            self.assertRegex(printed, needed)

    def test_played_frame_after_frame(self):
        self.documented('farpoint voxelize FOLDER --cpu --visualize')
        scene = self.scene('FOLDER_voxelize.html')
        self.assertEqual([moment['name'] for moment in scene['moments']], ['000000.bin', '000001.bin', '000002.bin'])
        self.assertEqual([cloud['name'] for cloud in scene['clouds']], ['Input', 'Voxels'] * 3)
        self.assertEqual([cloud['points'] for cloud in scene['clouds'][::2]], [2000, 2100, 2200])
        self.assertTrue(all(cloud.get('cubes') for cloud in scene['clouds'][1::2]), [list(cloud) for cloud in scene['clouds']])

    def test_grid_of_540_by_540_by_40(self):
        summary = self.summary('farpoint voxelize FOLDER --voxel-size 0.2 --range -54,-54,-5,54,54,3 --max-points 10 --max-voxels 160000 --cpu')
        for one, points in zip(summary['files'], (2000, 2100, 2200)):
            self.assertEqual((one['dims'], one['points']), ([540, 540, 40], points))
            self.assertTrue(0 < one['voxels'] < points - one['outside'] + 1)
            self.assertEqual((one['dropped_points'], one['surplus_points']), (0, 0))

    def test_random_first_point(self):
        self.documented('farpoint fps scan.pcd --samples 1000 --random-first 7 -o random.ply')
        found = self.points_of('random.ply')
        cloud = [tuple(struct.unpack('<3f', struct.pack('<3f', *p[:3]))) for p in make_clouds.sphere(6000)]
        first = cloud.index(found[0])
        picked, nearest = [first], [math.inf] * len(cloud)
        while len(picked) < 12:
            nearest = [min(d, math.dist(p, cloud[picked[-1]])) for d, p in zip(nearest, cloud)]
            picked.append(max(range(len(cloud)), key=nearest.__getitem__))
        self.assertEqual(found[:12], [cloud[i] for i in picked])
        starts = {tuple(self.points_of(f'{seed}.ply')[0]) for seed in range(8)
                  if self.succeeds('fps', 'scan.pcd', '-n', 1, '--random-first', seed, '-o', f'{seed}.ply')}
        self.assertTrue(len(starts) > 5, starts)

    def test_points_near_the_origin(self):
        self.documented('farpoint fps scan.pcd --samples 1000 --origin-skip --check -o skipped.ply')
        self.assertEqual(len(self.points_of('skipped.ply')), 1000)

    def test_splats_that_turn(self):
        self.documented('farpoint splat model.ply --views 1 --visualize')
        scene = self.scene('farpoint_splat.html')
        [cloud] = scene['clouds']
        self.assertEqual(cloud['points'], 4000)
        self.assertEqual(set(cloud['splats']), {'normal', 'tangent', 'along', 'across'})
        self.assertIn('Error of normal', [one['name'] for one in cloud['attributes']])

    def test_stages_right_neighbors_and_errors_of_splats(self):
        printed = self.documented('farpoint splat model.ply')
        self.assertRegex(printed, r'projection +index +search +normals +splats +frame \(ms\)')
        rows = re.findall(r'^ +(1|2|3|until exact) +([\d.]+) % +([\d.]+) +([\d.]+) +([\d.]+)$', printed, re.M)
        self.assertEqual([row[0] for row in rows], ['1', '2', '3', 'until exact'])
        right = [float(row[1]) for row in rows]
        self.assertEqual(right[3], 100)
        self.assertTrue(right[0] <= right[1] and min(right[1:]) > 98, right)
        self.assertTrue(all(0 < float(row[2]) < 45 and float(row[3]) > 0 for row in rows), rows)
        # Steadiness of neighboring views, for eight views.
        self.assertEqual(len(re.findall(r'^ +[\d.]+ +\d+ +- +[\d.]+ %$', printed, re.M)), 8)
        for name in ('farpoint_splat.png', 'farpoint_splat_error.png', 'farpoint_splat_views.png'):
            self.assertEqual((self.folder / name).read_bytes()[:8], b'\x89PNG\r\n\x1a\n')


class Tables(unittest.TestCase):
    """docs/tables: published figures, and measured ones next to each."""

    folder = pages[0].parent / 'tables'

    def setUp(self):
        self.page = (self.folder / 'README.md').read_text()
        self.published = json.loads((self.folder / 'published.json').read_text())

    def test_each_published_figure_is_there(self):
        self.assertEqual(set(self.published), {'fps', 'voxelize', 'stages', 'against_k', 'right', 'candidates', 'normals'})
        for name, one in self.published.items():
            self.assertIn(f'Published: {one["source"]}.', self.page, name)
            for row in one['rows']:
                self.assertIn('| ' + ' | '.join(row) + ' |', self.page, name)

    def test_figures_stand_beside_them(self):
        parts = re.split(r'^## ', self.page, flags=re.M)[1:]
        for title, least in (('fps: serial', 2), ('voxelize: averages', 2), ('knn in screen space: stages', 2), ('Right neighbors', 2),
                             ('Candidates', 2), ('Normals', 3), ('fps and uniform', 1)):
            [part] = [part for part in parts if part.startswith(title)]
            self.assertTrue(part.count('|---') >= least, title)
        for picture in ('coverage.png', 'against_k.svg', 'right.svg', 'knot.png', 'waves.png', 'cloud.png'):
            self.assertIn(f']({picture})', self.page)
            self.assertTrue((self.folder / picture).stat().st_size > 1000)
        chart = (self.folder / 'against_k.svg').read_text()
        self.assertIn(self.published['against_k']['series'], chart)
        self.assertIn('Dragon, published, after 3', (self.folder / 'right.svg').read_text())


if __name__ == '__main__':
    main()
