"""Commands that change which points there are, text, and pipes.

test_edit.py PROGRAM DOCS..."""
import csv
import json
import math
import random
import statistics
import struct
import subprocess

import make_clouds
from program import WithFolder, main, program


class Edit(WithFolder):
    def rows(self, name):
        with open(self.folder / name, encoding='ascii') as lines:
            rows = list(csv.reader(lines))
        return rows[0], [tuple(map(float, row)) for row in rows[1:]]

    def output(self, *arguments):
        """Rows that a command writes."""
        self.succeeds(*arguments, '-o', 'out.csv')
        return self.rows('out.csv')[1]

    def cloud(self, points=400, name='a.ply'):
        """Points near a plane and some far from it, as a file of doubles."""
        source = random.Random(7)
        made = [(source.uniform(0, 10), source.uniform(0, 10), source.gauss(0, 0.02)) for _ in range(points)]
        made += [(source.uniform(0, 10), source.uniform(0, 10), source.uniform(3, 30)) for _ in range(points // 40)]
        source.shuffle(made)
        self.write(name, make_clouds.ply_doubles(made))
        return made

    def summary(self, *arguments):
        return json.loads(self.succeeds(*arguments, '--json'))['files'][0]

    def test_convert(self):
        cloud = self.cloud(100)
        for ending in ('ply', 'pcd', 'npy', 'bin', 'csv'):
            self.succeeds('convert', 'a.ply', '-o', f'b.{ending}')
            rows = self.output('convert', f'b.{ending}')
            self.assertEqual([row[:3] for row in rows], cloud, ending)
            self.assertEqual([row[3] for row in rows], [1.7e9 + i / 8 for i in range(len(cloud))], ending)
        self.fails(1, 'convert', 'a.ply')

    def test_clean_by_distances(self):
        cloud = self.cloud()
        for k, deviations in ((16, 2), (3, 0.5)):
            means = [statistics.fmean(sorted(math.dist(p, q) for q in cloud)[1:k + 1]) for p in cloud]
            limit = statistics.fmean(means) + deviations * statistics.stdev(means)
            expected = [p for p, mean in zip(cloud, means) if mean <= limit]
            self.assertTrue(0 < len(expected) < len(cloud))
            rows = self.output('clean', 'a.ply', '-k', k, '--deviations', deviations)
            self.assertEqual([row[:3] for row in rows], expected)
        summary = self.summary('clean', 'a.ply', '-k', k, '--deviations', deviations)
        self.assertAlmostEqual(summary['limit_m'], limit, 9)
        self.assertEqual((summary['kept'], summary['outliers']), (len(expected), len(cloud) - len(expected)))

    def test_clean_by_radius(self):
        cloud = self.cloud()
        for radius, least in ((0.5, 2), (1, 5)):
            expected = [p for p in cloud if sum(math.dist(p, q) <= radius for q in cloud) - 1 >= least]
            self.assertTrue(0 < len(expected) < len(cloud))
            rows = self.output('clean', 'a.ply', '--radius', radius, '--min-points', least)
            self.assertEqual([row[:3] for row in rows], expected)
        self.fails(1, 'clean', 'a.ply', '--radius', 1, '-k', 3)
        self.fails(1, 'clean', 'a.ply', '--min-points', 3)

    def test_clean_removes_what_is_not_finite(self):
        nan = float('nan')
        self.write('n.ply', make_clouds.ply([(i, 0, 0, 0) for i in range(9)] + [(nan, 0, 0, 0)]))
        self.assertEqual(len(self.output('clean', 'n.ply', '-k', 2, '--deviations', 9)), 9)
        self.assertEqual(self.summary('clean', 'n.ply')['non_finite'], 1)
        self.write('one.ply', make_clouds.ply([(1, 2, 3, 0)]))
        self.assertEqual(len(self.output('clean', 'one.ply')), 1)

    def test_crop(self):
        cloud = self.cloud()
        low, high = (2, 3, -0.02), (7, 8, 0.015)
        box = ','.join(map(str, low + high))
        inside = [p for p in cloud if all(a <= v < b for a, v, b in zip(low, p, high))]
        self.assertEqual([row[:3] for row in self.output('crop', 'a.ply', '--range', box)], inside)
        rest = [p for p in cloud if p not in inside]
        self.assertEqual([row[:3] for row in self.output('crop', 'a.ply', '--range', box, '--outside')], rest)
        ball = [p for p in cloud if math.dist(p, (5, 5, 0)) <= 3]
        self.assertEqual([row[:3] for row in self.output('crop', 'a.ply', '--ball', '5,5,0,3')], ball)
        both = [p for p in cloud if p in inside and p in ball]
        self.assertEqual([row[:3] for row in self.output('crop', 'a.ply', '--range', box, '--ball', '5,5,0,3')], both)
        self.fails(2, 'crop', 'a.ply', '--ball', '99,99,99,1', '-o', 'none.ply', names='a.ply: none of its 410 points is left')
        self.fails(1, 'crop', 'a.ply')
        self.fails(1, 'crop', 'a.ply', '--range', '0,0,0,1,0,1', names='the upper y (0) must be greater than the lower y (0)')

    def test_merge(self):
        first, second = make_clouds.sphere(20), make_clouds.utm(30)
        (self.folder / 'F').mkdir()
        self.write('a.ply', make_clouds.ply(first))
        self.write('F/b.ply', make_clouds.ply_doubles(second))
        self.write('F/c.csv', b'x,y,z,ring,intensity\n1,2,3,7,0.5\n4,5,6,70000,1\n')
        self.succeeds('merge', 'a.ply', 'F', '-o', 'out.csv')
        names, rows = self.rows('out.csv')
        self.assertEqual(names, ['x', 'y', 'z', 'intensity', 't', 'ring'])
        self.assertEqual([row[:3] for row in rows], [p[:3] for p in first] + second + [(1, 2, 3), (4, 5, 6)])
        self.assertEqual([row[3] for row in rows[:20]], [p[3] for p in first])
        self.assertTrue(all(math.isnan(row[3]) for row in rows[20:50]))
        self.assertEqual([row[3:] for row in rows[50:]][1][0], 1)
        self.assertEqual([row[5] for row in rows], [0] * 50 + [7, 70000])
        self.assertEqual(self.summary('merge', 'a.ply', 'F')['inputs'], 3)
        self.fails(1, 'merge', 'a.ply', 'F', '-o', 'F/b.ply', names='F/b.ply: would overwrite an input')
        self.fails(3, 'merge', 'a.ply', 'missing.ply', names='missing.ply: no such file')

    def test_sample_at_random(self):
        cloud = self.cloud()
        rows = [row[:3] for row in self.output('sample', 'a.ply', '-n', 50, '--seed', 3)]
        places = [cloud.index(row) for row in rows]
        self.assertEqual((len(rows), places), (50, sorted(set(places))))
        self.assertEqual([row[:3] for row in self.output('sample', 'a.ply', '-n', 50, '--seed', 3)], rows)
        self.assertNotEqual([row[:3] for row in self.output('sample', 'a.ply', '-n', 50, '--seed', 4)], rows)
        self.assertEqual(len(self.output('sample', 'a.ply', '-n', 1000)), len(cloud))
        # Each point is as likely as another: 40 of 410 for 200 seeds, within 5 standard deviations.
        self.write('few.ply', make_clouds.ply([(i, 0, 0, 0) for i in range(10)]))
        counts = [0] * 10
        for seed in range(200):
            for row in self.output('sample', 'few.ply', '-n', 3, '--seed', seed):
                counts[int(row[0])] += 1
        self.assertTrue(all(abs(count - 60) < 5 * math.sqrt(200 * 0.3 * 0.7) for count in counts), counts)

    def test_sample_by_voxel(self):
        cloud = self.cloud()
        first = {}
        for point in cloud:
            first.setdefault(tuple(math.floor(v / 0.75) for v in point), point)
        self.assertEqual([row[:3] for row in self.output('sample', 'a.ply', '--voxel-size', 0.75)], list(first.values()))
        self.fails(1, 'sample', 'a.ply')
        self.fails(1, 'sample', 'a.ply', '--voxel-size', 1, '-n', 3)

    def test_samples_away_from_the_origin(self):
        source = random.Random(11)
        cloud = [(0.01, 0, 0, 0)] + [tuple(source.uniform(-0.1, 0.1) for _ in range(3)) + (0,) for _ in range(300)]
        cloud = [struct.unpack('<4f', struct.pack('<4f', *p)) for p in cloud]
        self.write('o.ply', make_clouds.ply(cloud))
        away = [i for i, p in enumerate(cloud) if i == 0 or sum(v * v for v in p[:3]) > 1e-3]
        self.assertTrue(len(away) < len(cloud))
        picked = [0]
        while len(picked) < 40:
            picked.append(max(away, key=lambda i: min(math.dist(cloud[i], cloud[j]) for j in picked)))
        rows = self.output('fps', 'o.ply', '-n', 40, '--origin-skip', '--check')
        self.assertEqual([int(row[4]) for row in rows], picked)
        self.assertEqual(len(self.output('fps', 'o.ply', '-n', 301, '--origin-skip')), len(away))
        self.fails(1, 'fps', 'o.ply', '--origin-skip', '--random-first', 1)

    def test_stats(self):
        cloud = self.cloud()
        summary = self.summary('info', 'a.ply', '--stats')
        for axis, name in enumerate('xyz'):
            values = [p[axis] for p in cloud]
            low, high = min(values), max(values)
            self.assertEqual((summary[name]['min'], summary[name]['max']), (low, high))
            self.assertEqual(summary[f'extent_{name}_m'], high - low)
            counts = [0] * 16
            for value in values:
                counts[min(int((value - low) / ((high - low) / 16)), 15)] += 1
            self.assertEqual(summary[f'histogram_{name}']['counts'], counts)
        nearest = [sorted(math.dist(p, q) for q in cloud)[1] for p in cloud]
        self.assertAlmostEqual(summary['spacing_m'], statistics.fmean(nearest), 9)
        self.assertAlmostEqual(summary['spacing_median_m'], sorted(nearest)[len(nearest) // 2], 9)
        edge = 10 * summary['spacing_m']
        squares = {(math.floor(p[0] / edge), math.floor(p[1] / edge)) for p in cloud}
        self.assertAlmostEqual(summary['density_per_m2'], len(cloud) / (len(squares) * edge * edge), 6)
        self.assertEqual(summary['column_t'], {'min': 1.7e9, 'max': 1.7e9 + (len(cloud) - 1) / 8, 'type': 'float64'})


class Text(WithFolder):
    def read(self, name, content, *options):
        self.write(name, content.encode())
        self.succeeds('convert', name, *options, '-o', 'out.csv')
        lines = (self.folder / 'out.csv').read_text().splitlines()
        return lines[0], lines[1:]

    def test_layouts(self):
        for name, content, names, rows in (
                ('a.xyz', '1 2 3\n4.5 -5 6e2', 'x,y,z', ['1,2,3', '4.5,-5,600']),
                ('a.txt', '# made by hand\n\n 1\t2  3 0.25\r\n', 'x,y,z,intensity', ['1,2,3,0.25']),
                ('a.csv', 'intensity, X;"Y";Z\n7,1,2,3\n', 'x,y,z,intensity', ['1,2,3,7']),
                ('a.pts', '2\n1 2 3 -2047 0 128 255\n4 5 6 7 1 2 3\n', 'x,y,z,intensity,red,green,blue',
                 ['1,2,3,-2047,0,128,255', '4,5,6,7,1,2,3']),
                ('b.pts', '1 2 3 1 2 300\n', 'x,y,z,column_3,column_4,column_5', ['1,2,3,1,2,300']),
                ('b.txt', '//X Y Z R G B nx\n1 2 3 4 5 6 0.5\n', 'x,y,z,red,green,blue,nx', ['1,2,3,4,5,6,0.5']),
                ('c.txt', '\ufeffx y z t\n1 2 nan 5000000000\n636001.123456789 0 0 1\n', 'x,y,z,t',
                 ['1,2,nan,5000000000', '636001.123456789,0,0,1'])):
            self.assertEqual(self.read(name, content), (names, rows), name)
        self.assertEqual(self.read('scan', '1 2 3\n', '--format', 'text'), ('x,y,z', ['1,2,3']))

    def test_errors_name_the_line(self):
        for content, message in (
                ('1 2 3\n\n4 5\n', 'expected 3 values in line 3, found 2: "4 5"'),
                ('1 2 3\n4 5 6 7\n', 'expected 3 values in line 2, found 4'),
                ('1 2 3\n4 five 6\n', 'expected a number as value 2 in line 2, found "five"'),
                ('1,2,3\n4,,6\n', 'expected a number as value 2 in line 2, found ""'),
                ('1 2\n', 'expected 3 to 1024 values in line 1, found "1 2"'),
                ('a b c\n1 2 3\n', 'expected numbers, or names with x, y and z, in line 1, found "a b c"'),
                ('x,y,z\n1,2,3,4\n', 'expected 3 values in line 2, a name each, found 4'),
                ('3\n1 2 3\n4 5 6\n', 'expected 3 points, as line 1 says, found 2'),
                ('x,y,z,t\n', 'expected at least one point'), ('# nothing\n', 'expected at least one point'),
                ('1 ' * 2000, 'expected 3 to 1024 values in line 1')):
            self.write('bad.txt', content.encode())
            self.fails(2, 'info', 'bad.txt', names='bad.txt: ' + message)

    def test_a_note_in_a_folder_is_no_cloud(self):
        (self.folder / 'F').mkdir()
        self.write('F/readme.txt', b'These are scans.\n')
        self.write('F/a.xyz', b'1 2 3\n')
        self.assertIn('mean of 1 files', self.succeeds('info', 'F'))


class Pipes(WithFolder):
    def pipe(self, content, *arguments):
        return subprocess.run([str(program), *map(str, arguments)], input=content, cwd=self.folder, capture_output=True,
                              timeout=300, check=False)

    def test_formats_of_standard_input(self):
        cloud = make_clouds.sphere(60)
        self.write('a.ply', make_clouds.ply(cloud))
        for to in ('ply', 'pcd', 'npy', 'csv', 'las'):
            first = self.pipe(b'', 'convert', 'a.ply', '-o', '-', '--to', to)
            self.assertEqual((first.returncode, first.stderr), (0, b''), to)
            self.succeeds('convert', 'a.ply', '-o', f'b.{to}')
            self.assertEqual(first.stdout, (self.folder / f'b.{to}').read_bytes())
            second = self.pipe(first.stdout, 'convert', '-', '-o', '-', '--to', 'csv')
            self.assertEqual((second.returncode, second.stderr), (0, b''), to)
            self.assertEqual(len(second.stdout.splitlines()), 61)
        raw = self.pipe(make_clouds.kitti(cloud), 'info', '-', '--format', 'kitti')
        self.assertRegex(raw.stdout.decode(), r'points +60\n')
        obj = self.pipe(make_clouds.obj(cloud), 'info', '-')
        self.assertRegex(obj.stdout.decode(), r'format +OBJ\n')

    def test_voxels_of_standard_input(self):
        cloud = make_clouds.ply(make_clouds.sphere(500))
        self.write('a.ply', cloud)
        self.succeeds('voxelize', 'a.ply', '-o', 'b.ply')
        self.assertEqual(self.pipe(cloud, 'voxelize', '-', '-o', '-').stdout, (self.folder / 'b.ply').read_bytes())

    def test_errors(self):
        for content, code, options, message in (
                (b'', 2, ['info', '-'], b'standard input: expected a point cloud, found an empty file'),
                (struct.pack('<4f', 1, 2, 3, 4), 2, ['info', '-'], b'--format says which'),
                (b'1 2 3\n4 5\n', 2, ['info', '-'], b'standard input: expected 3 values in line 2'),
                (b'1 2 3\n', 1, ['convert', '-', '-o', '-', '--json'], b'--json'),
                (b'1 2 3\n', 1, ['convert', '-', '-o', '-', '--verbose'], b'--verbose')):
            done = self.pipe(content, *options)
            self.assertEqual((done.returncode, done.stderr.count(b'\n')), (code, 1), done)
            self.assertIn(message, done.stderr)
        (self.folder / 'F').mkdir()
        self.write('F/a.xyz', b'1 2 3\n')
        self.fails(1, 'fps', 'F', '-o', '-', names='folder')


if __name__ == '__main__':
    main()
