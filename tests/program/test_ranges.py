"""Ranges, grids and double coordinates by the program.

test_ranges.py PROGRAM DOCS..."""
import json
import re

import make_clouds
from program import WithFolder, float32, float64, main


class Ranges(WithFolder):
    """--range is half open: [low, high)."""

    def summary(self, *arguments):
        return json.loads(self.succeeds('voxelize', *arguments, '--json', '--check'))['files'][0]

    def test_grids_of_detectors(self):
        self.write('a.ply', make_clouds.ply([(0, 0, 0, 0)]))
        for size, corners, cells, grid in (
                ('0.16,0.16,4', '0,-39.68,-3,69.12,39.68,1', None, [432, 496, 1]),  # PointPillars
                ('0.05,0.05,0.1', '0,-40,-3,70.4,40,1', None, [1408, 1600, 40]),  # SECOND
                ('0.2', '-54,-54,-5,54,54,3', None, [540, 540, 40]),  # the published voxelizer
                ('0.075,0.075,0.2', '-54,-54,-5,54,54,3', None, [1440, 1440, 40]),
                # The sparse shape of CenterPoint and BEVFusion has one layer more than the range.
                ('0.075,0.075,0.2', '-54,-54,-5,54,54,3', '1440,1440,41', [1440, 1440, 41]),
                ('0.1,0.1,0.2', '-51.2,-51.2,-5,51.2,51.2,3', None, [1024, 1024, 40]),
                # Within a thousandth of a voxel, the size divides the range; beyond it, the number is rounded up.
                ('1', '0,0,0,10.0009,9.9991,1', None, [10, 10, 1]),
                ('1', '0,0,0,10.0011,9.9989,0.3', None, [11, 10, 1]),
                ('3', '0,0,0,10,3,3', None, [4, 1, 1])):
            options = ['--cells', cells] if cells else []
            summary = self.summary('a.ply', '--voxel-size', size, '--range', corners, *options)
            self.assertEqual(summary['dims'], grid, (size, corners))
        summary = self.summary('a.ply', '--range', '0,0,-3,64,64,1', '--cells', '128,128,1')
        self.assertEqual((summary['dims'], summary['voxel_size']), ([128, 128, 1], [0.5, 0.5, 4]))

    def test_points_at_the_corners(self):
        def triple(axis, own, other):
            return [own if a == axis else other for a in range(3)]

        def text(*values):
            return ','.join(map(str, values))

        for low, high, size in ((0, 10, 2.5), (-39.68, 39.68, 0.16), (-54, 54, 0.075), (0, 76.8, 0.32), (0, 10, 3),
                                (-3, 1, 4), (0.7, 2.1, 0.7)):
            for kind, ply in ((float32, lambda points: make_clouds.ply([(*point, 0) for point in points])),
                              (float64, make_clouds.ply_doubles)):
                inside = [kind(low), kind(low, 1), kind((low + high) / 2)]
                outside = [kind(low, -1), kind(high), kind(high, 1), kind(high) + kind(size) / 4,
                           kind(high) + kind(size) / 2, kind(1e9), kind(-1e9)]
                for axis in range(3):
                    self.write('a.ply', ply([triple(axis, value, 0.5) for value in inside + outside]))
                    summary = self.summary('a.ply', '--voxel-size', text(*triple(axis, size, 1)), '-o', 'a.csv',
                                           '--range', text(*triple(axis, low, 0), *triple(axis, high, 1)))
                    self.assertEqual(summary['outside'], len(outside), (low, high, size, kind, axis))
                    rows = [row.split(',') for row in (self.folder / 'a.csv').read_text().splitlines()[1:]]
                    self.assertEqual(sum(int(row[3]) for row in rows), len(inside))
                    for row in rows:
                        self.assertTrue(kind(low) <= float(row[axis]) < kind(high), row)
        # The largest float below the upper corner is inside, unless its quotient is rounded up to the grid's size.
        for low, high, size, expected in ((0, 10, 2.5, 0), (0, 76.8, 0.32, 0), (-76.8, 76.8, 0.32, 1)):
            self.write('a.ply', make_clouds.ply([(float32(high, -1), 0, 0, 0)]))
            summary = self.summary('a.ply', '--voxel-size', f'{size},1,1', '--range', f'{low},0,0,{high},1,1')
            self.assertEqual(summary['outside'], expected)

    def test_seven_points_on_a_line(self):
        line = [float32(x) for x in (0, 5, 9.99, 10, 10.05, 10.5, 10.99)]
        self.write('line.ply', make_clouds.ply([(x, 0, 0, 0) for x in line]))
        summary = self.summary('line.ply', '--voxel-size', '3', '--range', '0,0,0,10,3,3', '-o', 'line.csv')
        self.assertEqual((summary['outside'], summary['voxels']), (4, 3))
        rows = (self.folder / 'line.csv').read_text().splitlines()[1:]
        self.assertEqual([row.split(',')[0] for row in rows], ['0', '5', '9.99'])

    def test_pillars_have_no_points_above_them(self):
        cloud = [(abs(x) * 6.9, y * 3.9, z * 2.6 / 10, i) for x, y, z, i in make_clouds.sphere(5000)]
        self.write('scan.ply', make_clouds.ply(cloud))
        summary = self.summary('scan.ply', '--voxel-size', '0.16,0.16,4', '--range', '0,-39.68,-3,69.12,39.68,1',
                               '-o', 'v.csv')
        self.assertEqual(summary['outside'], sum(1 for point in cloud if point[2] >= 1))
        self.assertGreater(summary['outside'], 500)
        for row in (self.folder / 'v.csv').read_text().splitlines()[1:]:
            self.assertEqual(row.split(',')[6], '0')

    def test_files_of_a_folder_share_a_grid(self):
        (self.folder / 'F').mkdir()
        shared = (3.3, -2.2, 1.1, 0)
        for i, corner in enumerate(((0, 0, 0, 0), (-7, -20, -3, 0), (40, 5, 9, 0))):
            self.write(f'F/{i}.ply', make_clouds.ply([corner, shared]))
        text = self.succeeds('voxelize', 'F', '-o', 'V', '--to', 'csv')
        places = {tuple((self.folder / f'V/{i}.csv').read_text().splitlines()[2].split(',')[4:7]) for i in range(3)}
        self.assertEqual(len(places), 1, places)
        self.assertRegex(text, r'voxel size \(m\) +\d')
        self.assertRegex(text, r"grid's lower corner \(m\) +-7 -20 -3\n")
        # The corners are at multiples of the size.
        summary = self.summary('F/0.ply', '--voxel-size', '0.8')
        self.assertEqual(summary['origin'][0], 0)
        self.assertEqual([round(value / 0.8, 9) for value in summary['origin']], [0, -3, 0])
        self.assertEqual(self.summary('F/1.ply', '--voxel-size', '0.001')['voxels'], 2)

    def test_what_is_no_range(self):
        self.write('a.ply', make_clouds.ply([(0, 0, 0, 0)]))
        for options, message in (
                (['--range', '0,0,0,-1,1,1'], '--range: the upper x (-1) must be finite and greater than the lower x (0)'),
                (['--range', '0,0,0,1,1,inf'], '--range: the upper z (inf)'),
                (['--range', '0,0,0,1,1,1', '--cells', '0,1,1'], '--cells 0'),
                (['--cells', '1,1,1'], '--range'),
                (['--range', '0,0,0,1e9,1,1', '--voxel-size', '0.1'], '2^31 voxels'),
                (['--range', '0,0,0,1e6,1e6,1e8', '--voxel-size', '0.1'], '2^63 voxels')):
            self.fails(1, 'voxelize', 'a.ply', *options, names=message)


class Doubles(WithFolder):
    """UTM coordinates, which float would round."""

    def setUp(self):
        super().setUp()
        self.cloud = make_clouds.utm(1500)
        self.write('utm.ply', make_clouds.ply_doubles(self.cloud))
        self.write('utm.npy', make_clouds.npy_doubles(self.cloud))

    def rows(self, name):
        """Returns column names and rows of a file, converted to CSV by the program's knn."""
        if not name.endswith('.csv'):
            self.succeeds('knn', name, '-k', 1, '-o', 'rows.csv')
            name = 'rows.csv'
        lines = (self.folder / name).read_text().splitlines()
        return lines[0].split(','), [tuple(map(float, line.split(','))) for line in lines[1:]]

    def test_coordinates_come_out_as_they_came_in(self):
        for source in ('utm.ply', 'utm.npy'):
            for ending in ('ply', 'pcd', 'npy', 'csv', 'bin'):
                for command in (['fps', '-n', 1500], ['knn', '-k', 3], ['normals', '-k', 5],
                                ['voxelize', '--voxel-size', 0.001]):
                    self.succeeds(command[0], source, *command[1:], '--check', '-o', f'out.{ending}')
                    names, rows = self.rows(f'out.{ending}')
                    self.assertEqual({row[:3] for row in rows}, set(self.cloud), (source, ending, command))
        # Other columns keep double precision, too: 1.7e9 s plus eighths are not floats.
        names, rows = self.rows('utm.ply')
        self.assertEqual({row[names.index('t')] for row in rows}, {1.7e9 + i / 8 for i in range(1500)})
        self.succeeds('voxelize', 'utm.ply', '--voxel-size', 0.001, '-o', 'v.csv')
        names, rows = self.rows('v.csv')
        self.assertEqual({row[names.index('t')] for row in rows}, {1.7e9 + i / 8 for i in range(1500)})

    def test_ascii(self):
        for ending in ('ply', 'pcd'):
            self.succeeds('knn', 'utm.ply', '-k', 1, '--ascii', '-o', f'out.{ending}')
            self.assertEqual([row[:3] for row in self.rows(f'out.{ending}')[1]], self.cloud)

    def test_answers_are_those_of_doubles(self):
        # Points at a spacing of 0.1 m, where adjacent floats differ by 0.5 m: as floats, points coincide.
        self.write('line.ply', make_clouds.ply_doubles([(636001 + i * 0.1, 5848935 + i * 0.1, 0) for i in range(50)]))
        summary = json.loads(self.succeeds('knn', 'line.ply', '-k', 1, '--check', '--json'))['files'][0]
        self.assertAlmostEqual(summary['mean_distance_m'], 0.1 * 2**0.5, 6)
        summary = json.loads(self.succeeds('fps', 'line.ply', '-n', 50, '--check', '--json'))['files'][0]
        self.assertAlmostEqual(summary['spacing_m'], 0.1 * 2**0.5, 6)
        summary = json.loads(self.succeeds('voxelize', 'line.ply', '--voxel-size', 0.1, '--check', '--json', '--range',
                                           '636000.95,5848934.95,0,636005.95,5848939.95,1'))['files'][0]
        self.assertEqual(summary['voxels'], 50)
        self.assertEqual(summary['outside'], 0)

    def test_info_has_all_digits(self):
        text = self.succeeds('info', 'utm.ply')
        for axis in range(3):
            values = [point[axis] for point in self.cloud]
            self.assertIn(f'{min(values)!r} to {max(values)!r}', text)
        self.assertRegex(text, r'coordinates +float64\n')
        self.write('f.ply', make_clouds.ply([(float32(0.1), 16777216, float32(1234.5678), 0)]))
        text = self.succeeds('info', 'f.ply')
        self.assertIn('0.1 to 0.1\n', text)
        self.assertIn('1234.5677 to 1234.5677\n', text)

    def test_page_says_how_far_off_its_coordinates_are(self):
        self.succeeds('normals', 'utm.ply', '--visualize', '-o', 'n.ply')
        page = (self.folder / 'n.html').read_text()
        errors = re.search(r'<script id="end" type="application/json">(.*?)</script>', page)
        scene = json.loads(re.search(r'<script id="scene" type="application/json">(.*?)</script>', page)[1])
        for cloud in scene['clouds']:
            self.assertEqual(cloud['low'], [min(point[axis] for point in self.cloud) for axis in range(3)])
            self.assertEqual(cloud['high'], [max(point[axis] for point in self.cloud) for axis in range(3)])
        for error in json.loads(errors[1]):
            self.assertTrue(0 < error < 1e-5, error)  # for 0 the page has another message


if __name__ == '__main__':
    main()
