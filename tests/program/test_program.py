"""The program as a user meets it: what the pages say word for word, its exit codes, and files that are broken.

test_program.py PROGRAM DOCS..."""
import json
import os
import re
import resource
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import make_clouds

program = Path(sys.argv[1]).resolve()
pages = [Path(page).resolve() for page in sys.argv[2:]]


def run(*arguments, cwd, environment=None, before=None):
    return subprocess.run([str(program), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300,
                          env=environment, stdin=subprocess.DEVNULL, preexec_fn=before)


def float32(value, steps=0):
    """The nearest float, or the one that is some floats above it."""
    bits = struct.unpack('<i', struct.pack('<f', value))[0]
    return struct.unpack('<f', struct.pack('<i', bits + (steps if bits >= 0 else -steps)))[0] if value else steps * 2.0**-149


def float64(value, steps=0):
    bits = struct.unpack('<q', struct.pack('<d', value))[0]
    return struct.unpack('<d', struct.pack('<q', bits + (steps if bits >= 0 else -steps)))[0] if value else steps * 5e-324


def limit_files():
    """No file of more than 2,000 bytes: as on a full disk, a write fails halfway."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


# Linux counts what a process had before it became another program: a small one starts it.
launcher = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
_, _, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(usage.ru_maxrss * 1024)
"""


def largest_memory(*arguments, cwd):
    """Bytes that the program had at most."""
    command = [sys.executable, '-I', '-S', '-c', launcher, str(program), *arguments]
    return int(subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout)


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def succeeds(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ''), arguments)
        return done.stdout

    def fails(self, code, *arguments, names=None):
        """One line on stderr, which names the file."""
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, (arguments, done))
        self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
        self.assertTrue(done.stderr.startswith('farpoint: '), done.stderr)
        if names is not None:
            self.assertIn(names, done.stderr)
        return done


class Pages(WithFolder):
    def test_commands_word_for_word(self):
        commands = []
        for page in pages:
            for block in re.findall(r'^```sh\n(.*?)^```', page.read_text(), re.M | re.S):
                commands += [line for line in block.splitlines() if line.startswith('farpoint ')]
        for needed in ('farpoint voxelize FOLDER --cpu', 'farpoint voxelize FOLDER --cpu --visualize', 'farpoint fps scan.pcd --samples 4096 -o out.ply',
                       'farpoint splat model.ply'):
            self.assertIn(needed, commands)
        make_clouds.make(self.folder)
        # No browser is to be opened by a test.
        quiet = {name: value for name, value in os.environ.items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY')}
        for command in commands:
            done = run(*shlex.split(command)[1:], cwd=self.folder, environment=quiet)
            self.assertEqual((done.returncode, done.stderr), (0, ''), command)
            self.assertTrue(done.stdout, command)
        for made in ('out.ply', 'SAMPLES/000001.npy', 'NORMALS/000002.pcd', 'VOXELS/000000.ply', 'voxels.csv',
                     'neighbours.npy', 'farpoint_splat.png', '000000_voxelize.html', 'normals.html'):
            self.assertTrue((self.folder / made).stat().st_size > 100, made)

    def test_help_and_man_page_name_every_command(self):
        manual = (Path(__file__).parents[2] / 'tools/farpoint/farpoint.1').read_text()
        page = pages[0].read_text()
        text = self.succeeds('--help')
        for command in ('info', 'fps', 'voxelize', 'knn', 'normals', 'splat', 'bench', 'demo'):
            self.assertRegex(text, rf'\n  {command} ')
            self.assertIn(f'.B {command}\n', manual)
            self.assertIn(f'| `{command}` |', page)
            own = self.succeeds(command, '--help')
            self.assertIn('Exit codes', own)
            if command in ('fps', 'voxelize', 'knn', 'normals', 'splat'):
                self.assertIn('Example', own)
                for option in set(re.findall(r'(--[a-z-]+)', own)) - {'--help', '--verbose', '--json'}:
                    if command != 'splat':
                        self.assertIn(option.replace('-', '\\-'), manual)


class Answers(WithFolder):
    def setUp(self):
        super().setUp()
        make_clouds.make(self.folder)

    def test_samples_are_points_of_the_cloud(self):
        self.succeeds('fps', 'scan.pcd', '--samples', 100, '--check', '-o', 'out.csv')
        lines = (self.folder / 'out.csv').read_text().splitlines()
        self.assertEqual(lines[0], 'x,y,z,intensity,index,distance')
        self.assertEqual(len(lines), 101)
        cloud = make_clouds.sphere(6000)
        last = float('inf')
        for line in lines[1:]:
            values = [float(word) for word in line.split(',')]
            self.assertEqual(struct.unpack('<4f', struct.pack('<4f', *values[:4])), cloud[int(values[4])])
            self.assertLessEqual(values[5], last)
            last = values[5]

    def test_voxels_hold_all_points(self):
        self.succeeds('voxelize', 'FOLDER', '--voxel-size', '2', '--check', '-o', 'VOXELS', '--to', 'csv')
        for i in range(3):
            rows = (self.folder / 'VOXELS' / f'{i:06}.csv').read_text().splitlines()
            self.assertEqual(rows[0], 'x,y,z,points,voxel_x,voxel_y,voxel_z,intensity')
            self.assertEqual(sum(int(row.split(',')[3]) for row in rows[1:]), 2000 + 100 * i)

    def test_capacities(self):
        told = json.loads(self.succeeds('voxelize', 'scan.pcd', '--voxel-size', '4', '--max-voxels', 10, '--max-points',
                                        3, '--random-points', 7, '--order', 'grid', '--check', '--json'))['files'][0]
        self.assertEqual(told['voxels'], 10)
        self.assertGreater(told['dropped_points'], 0)
        self.assertGreater(told['surplus_points'], 0)

    def test_neighbours(self):
        self.succeeds('knn', 'scan.pcd', '-k', 3, '--with-self', '--indices', 'n.npy', '--check')
        content = (self.folder / 'n.npy').read_bytes()
        self.assertIn(b"'<i4'", content[:128])
        rows = struct.unpack('<18000i', content[-72000:])
        self.assertEqual(list(rows[::3]), list(range(6000)))

    def test_normals_of_a_sphere(self):
        self.succeeds('normals', 'scan.pcd', '--check', '-o', 'n.csv')
        for row in (self.folder / 'n.csv').read_text().splitlines()[1::100]:
            x, y, z, _, nx, ny, nz, _ = map(float, row.split(','))
            self.assertLess((x * nx + y * ny + z * nz) / 10, -0.9)  # towards the middle, where the viewpoint is

    def test_json_and_means(self):
        told = json.loads(self.succeeds('voxelize', 'FOLDER', '--cpu', '--json'))
        self.assertEqual(told['command'], 'voxelize')
        self.assertEqual([Path(one['file']).name for one in told['files']], [f'{i:06}.bin' for i in range(3)])
        self.assertEqual(told['averages']['points'], 2100)
        for one in told['files']:
            self.assertGreater(one['one_thread_ms'], 0)
            self.assertGreater(one['all_threads_ms'], 0)

    def test_a_line_for_each_file(self):
        text = self.succeeds('voxelize', 'FOLDER', '--cpu', '--verbose')
        for i in range(3):
            self.assertRegex(text, rf'\n{i:06}\.bin +{2000 + 100 * i} ')
        self.assertRegex(text, r'\nmean of 3 files +2100 ')
        self.assertNotIn('000001.bin', self.succeeds('voxelize', 'FOLDER', '--cpu'))

    def test_all_formats_are_one_cloud(self):
        cloud = make_clouds.sphere(300)
        files = [self.write('a.ply', make_clouds.ply(cloud)),
                 self.write('b.ply', make_clouds.ply(cloud, 'binary_big_endian')),
                 self.write('c.ply', make_clouds.ply(cloud, 'ascii')),
                 self.write('d.pcd', make_clouds.pcd(cloud)),
                 self.write('e.pcd', make_clouds.pcd(cloud, 'ascii')),
                 self.write('f.npy', make_clouds.npy(cloud)),
                 self.write('velodyne.bin', make_clouds.kitti(cloud)),
                 self.write('g.obj', make_clouds.obj(cloud))]
        contents = set()
        for file in files:
            self.succeeds('fps', file, '--samples', 50, '-o', 'out.csv')
            rows = [row.split(',') for row in (self.folder / 'out.csv').read_text().splitlines()[1:]]
            # The texts of .obj are doubles.
            contents.add('\n'.join(' '.join(f'{float32(float(v)):.7g}' for v in row[:3]) + ' ' + row[-2] for row in rows))
        self.assertEqual(len(contents), 1)
        # Back from what the program writes, too.
        for ending in ('ply', 'pcd', 'npy'):
            self.succeeds('fps', 'a.ply', '--samples', 300, '-o', f'all.{ending}')
            self.succeeds('fps', f'all.{ending}', '--samples', 50, '-o', 'out.csv')
            rows = (self.folder / 'out.csv').read_text().splitlines()[1:]
            self.assertEqual([row.split(',')[-2] for row in rows], [str(i) for i in range(50)])


class Ranges(WithFolder):
    """--range is half open: [low, high)."""

    def told(self, *arguments):
        return json.loads(self.succeeds('voxelize', *arguments, '--json', '--check'))['files'][0]

    def test_grids_of_detectors(self):
        self.write('a.ply', make_clouds.ply([(0, 0, 0, 0)]))
        for size, corners, cells, grid in (
                ('0.16,0.16,4', '0,-39.68,-3,69.12,39.68,1', None, '432 x 496 x 1'),  # PointPillars
                ('0.05,0.05,0.1', '0,-40,-3,70.4,40,1', None, '1408 x 1600 x 40'),  # SECOND
                ('0.2', '-54,-54,-5,54,54,3', None, '540 x 540 x 40'),  # the published voxelizer
                ('0.075,0.075,0.2', '-54,-54,-5,54,54,3', None, '1440 x 1440 x 40'),
                # The sparse shape of CenterPoint and BEVFusion has one layer more than the range.
                ('0.075,0.075,0.2', '-54,-54,-5,54,54,3', '1440,1440,41', '1440 x 1440 x 41'),
                ('0.1,0.1,0.2', '-51.2,-51.2,-5,51.2,51.2,3', None, '1024 x 1024 x 40'),
                # Within a thousandth of a voxel, the size divides the range; beyond it, the number is rounded up.
                ('1', '0,0,0,10.0009,9.9991,1', None, '10 x 10 x 1'),
                ('1', '0,0,0,10.0011,9.9989,0.3', None, '11 x 10 x 1'),
                ('3', '0,0,0,10,3,3', None, '4 x 1 x 1')):
            options = ['--cells', cells] if cells else []
            told = self.told('a.ply', '--voxel-size', size, '--range', corners, *options)
            self.assertEqual(told['dims'], grid, (size, corners))
        told = self.told('a.ply', '--range', '0,0,-3,64,64,1', '--cells', '128,128,1')
        self.assertEqual((told['dims'], told['voxel_size']), ('128 x 128 x 1', '0.5 0.5 4'))

    def test_points_at_the_corners(self):
        for low, high, size in ((0, 10, 2.5), (-39.68, 39.68, 0.16), (-54, 54, 0.075), (0, 76.8, 0.32), (0, 10, 3), (-3, 1, 4),
                                (0.7, 2.1, 0.7)):
            for kind, write in ((float32, lambda points: make_clouds.ply([(*p, 0) for p in points])),
                                (float64, make_clouds.ply_doubles)):
                inside = [kind(low), kind(low, 1), kind((low + high) / 2)]
                outside = [kind(low, -1), kind(high), kind(high, 1), kind(high) + kind(size) / 4, kind(high) + kind(size) / 2,
                           kind(1e9), kind(-1e9)]
                for axis in range(3):
                    at = lambda value: tuple(value if a == axis else 0.5 for a in range(3))
                    corners = ','.join(str(low if a == axis else 0) for a in range(3)) + ',' + ','.join(
                        str(high if a == axis else 1) for a in range(3))
                    sizes = ','.join(str(size if a == axis else 1) for a in range(3))
                    self.write('a.ply', write([at(value) for value in inside + outside]))
                    told = self.told('a.ply', '--voxel-size', sizes, '--range', corners, '-o', 'a.csv')
                    self.assertEqual(told['outside'], len(outside), (low, high, size, kind, axis))
                    rows = [row.split(',') for row in (self.folder / 'a.csv').read_text().splitlines()[1:]]
                    self.assertEqual(sum(int(row[3]) for row in rows), len(inside))
                    for row in rows:
                        self.assertTrue(kind(low) <= float(row[axis]) < kind(high), row)
        # The last number below the upper corner is inside, but where division rounds it up to the corner.
        for low, high, size, expected in ((0, 10, 2.5, 0), (0, 76.8, 0.32, 0), (-76.8, 76.8, 0.32, 1)):
            self.write('a.ply', make_clouds.ply([(float32(high, -1), 0, 0, 0)]))
            told = self.told('a.ply', '--voxel-size', f'{size},1,1', '--range', f'{low},0,0,{high},1,1')
            self.assertEqual(told['outside'], expected)

    def test_seven_points_on_a_line(self):
        line = [float32(x) for x in (0, 5, 9.99, 10, 10.05, 10.5, 10.99)]
        self.write('line.ply', make_clouds.ply([(x, 0, 0, 0) for x in line]))
        told = self.told('line.ply', '--voxel-size', '3', '--range', '0,0,0,10,3,3', '-o', 'line.csv', '--random-points', 1)
        self.assertEqual((told['outside'], told['voxels']), (4, 3))
        rows = (self.folder / 'line.csv').read_text().splitlines()[1:]
        self.assertEqual([row.split(',')[0] for row in rows], ['0', '5', '9.99'])

    def test_pillars_have_no_points_above_them(self):
        cloud = [(abs(x) * 6.9, y * 3.9, z * 2.6 / 10, i) for x, y, z, i in make_clouds.sphere(5000)]
        self.write('scan.ply', make_clouds.ply(cloud))
        told = self.told('scan.ply', '--voxel-size', '0.16,0.16,4', '--range', '0,-39.68,-3,69.12,39.68,1', '-o', 'v.csv')
        self.assertEqual(told['outside'], sum(1 for point in cloud if point[2] >= 1))
        self.assertGreater(told['outside'], 500)
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
        told = self.told('F/0.ply', '--voxel-size', '0.8')
        self.assertEqual(told['origin'].split()[0], '0')
        self.assertEqual([round(float(word) / 0.8, 9) for word in told['origin'].split()], [0, -3, 0])
        self.assertEqual(self.told('F/1.ply', '--voxel-size', '0.001')['voxels'], 2)

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
    """Coordinates that floats would change: UTM."""

    def setUp(self):
        super().setUp()
        self.cloud = make_clouds.utm(1500)
        self.write('utm.ply', make_clouds.ply_doubles(self.cloud))
        self.write('utm.npy', make_clouds.npy_doubles(self.cloud))

    def rows(self, name):
        """Rows of a file, by way of the program's CSV of one neighbour."""
        if not name.endswith('.csv'):
            self.succeeds('knn', name, '-k', 1, '-o', 'rows.csv')
            name = 'rows.csv'
        lines = (self.folder / name).read_text().splitlines()
        return lines[0].split(','), [tuple(map(float, line.split(','))) for line in lines[1:]]

    def test_coordinates_come_out_as_they_came_in(self):
        for source in ('utm.ply', 'utm.npy'):
            for ending in ('ply', 'pcd', 'npy', 'csv', 'bin'):
                for command in (['fps', '-n', 1500], ['knn', '-k', 3], ['normals', '-k', 5], ['voxelize', '--voxel-size', 0.001]):
                    self.succeeds(command[0], source, *command[1:], '--check', '-o', f'out.{ending}')
                    names, rows = self.rows(f'out.{ending}')
                    self.assertEqual({row[:3] for row in rows}, set(self.cloud), (source, ending, command))
        # Other columns of doubles, too: 1.7e9 s and some eighths are no floats.
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
        # 0.1 m apart where floats are 0.5 m apart: as floats, points coincide.
        self.write('line.ply', make_clouds.ply_doubles([(636001 + i * 0.1, 5848935 + i * 0.1, 0) for i in range(50)]))
        told = json.loads(self.succeeds('knn', 'line.ply', '-k', 1, '--check', '--json'))['files'][0]
        self.assertAlmostEqual(told['mean_distance_m'], 0.1 * 2**0.5, 6)
        told = json.loads(self.succeeds('fps', 'line.ply', '-n', 50, '--check', '--json'))['files'][0]
        self.assertAlmostEqual(told['spacing_m'], 0.1 * 2**0.5, 6)
        told = json.loads(self.succeeds('voxelize', 'line.ply', '--voxel-size', 0.1, '--range', '636000.95,5848934.95,0,636005.95,5848939.95,1',
                                        '--check', '--json'))['files'][0]
        self.assertEqual(told['voxels'], 50)
        self.assertEqual(told['outside'], 0)

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
        errors = re.search(r'<script id="end" type="application/json">(.*?)</script>', (self.folder / 'n.html').read_text())
        for error in json.loads(errors[1]):
            self.assertTrue(0 < error < 1e-5, error)  # "exactly those of the files" is for 0


class Files(WithFolder):
    def setUp(self):
        super().setUp()
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(500)))

    def csv_names(self, name):
        self.succeeds('knn', name, '-k', 1, '-o', 'names.csv')
        return (self.folder / 'names.csv').read_text().splitlines()[0].split(',')

    def test_bin_is_read_back(self):
        cloud = make_clouds.sphere(110)
        self.write('autzen.xyz.bin', b''.join(struct.pack('<3f', *point[:3]) for point in cloud))
        for command in (['fps', 'a.ply', '-n', 100], ['knn', 'autzen.xyz.bin', '-k', 4], ['voxelize', 'a.ply'], ['normals', 'a.ply']):
            for name in ('q.bin', 'q.xyz.bin', 'velodyne.bin'):
                self.succeeds(*command, '-o', name)
                self.succeeds(*command, '-o', 'q.csv')
                expected = (self.folder / 'q.csv').read_text().splitlines()
                told = json.loads(self.succeeds('info', name, '--json'))['files'][0]
                self.assertEqual(told['points'], len(expected) - 1)
                described = json.loads((self.folder / f'{name}.json').read_text())
                self.assertEqual(described, {'points': len(expected) - 1, 'dtype': '<f4', 'columns': expected[0].split(',')})
                values = (self.folder / name).read_bytes()
                self.assertEqual(len(values), 4 * described['points'] * len(described['columns']))
                first = struct.unpack_from(f'<{len(described["columns"])}f', values)
                self.assertEqual(first, tuple(float32(float(word)) for word in expected[1].split(',')))
        # Another program's file of the name is not read with our description.
        self.write('q.bin', make_clouds.kitti(cloud))
        self.fails(2, 'info', 'q.bin', names='q.bin.json says (remove it')
        self.assertIn('KITTI', self.succeeds('info', 'q.bin', '--format', 'kitti'))

    def test_columns_are_replaced(self):
        for ending in ('ply', 'pcd', 'bin', 'csv'):
            for command, own in (('fps', ['index', 'distance']), ('knn', ['neighbours', 'mean_distance', 'farthest_distance']),
                                 ('normals', ['nx', 'ny', 'nz', 'curvature']), ('voxelize', ['points', 'voxel_x', 'voxel_y', 'voxel_z'])):
                first = 'one.ply' if ending == 'csv' else f'one.{ending}'
                self.succeeds(command, 'a.ply', '-o', first)
                self.succeeds(command, first, '-o', f'two.{ending}')
                names = self.csv_names(f'two.{ending}') if ending != 'csv' else (
                    (self.folder / 'two.csv').read_text().splitlines()[0].split(','))
                for name in own:
                    self.assertEqual(names.count(name), 1, names)
                self.assertEqual(len(names), len(set(names)), names)
                self.assertFalse([name for name in names if name.endswith('_2')], names)
        self.succeeds('fps', 'a.ply', '-n', 50, '-o', 'one.ply')
        self.succeeds('fps', 'one.ply', '-n', 20, '-o', 'two.csv')
        for i, row in enumerate((self.folder / 'two.csv').read_text().splitlines()[1:]):
            self.assertEqual(row.split(',')[-2], str(i))  # of one.ply, not of a.ply

    def temporary(self):
        return [name for name in os.listdir(self.folder) if name.endswith('.tmp')]

    def test_what_cannot_be_written_leaves_the_old_file(self):
        (self.folder / 'DIR').mkdir()
        self.write('DIR/b.ply', make_clouds.ply(make_clouds.sphere(500)))
        commands = [(['fps', 'a.ply', '-o', f'out.{ending}'], [f'out.{ending}']) for ending in ('ply', 'pcd', 'npy', 'csv', 'bin')]
        commands += [(['knn', 'a.ply', '--indices', 'out.npy'], ['out.npy']),
                     (['normals', 'a.ply', '--visualize'], ['a_normals.html']),
                     (['demo', 'a.ply', '-o', 'out.png'], ['out.png', 'out_voxels.png']),
                     (['demo', 'a.ply', '--samples', 490, '--indices', 'out.txt', '-o', 'full.png'], ['out.txt']),
                     (['splat', 'a.ply', '--views', 1, '--size', 64, '-o', 'out.png'], ['out.png'])]
        for command, names in commands:
            for name in names:
                self.write(name, b'old')
            done = run(*command, cwd=self.folder, environment={}, before=limit_files)
            self.assertEqual(done.returncode, 3, (command, done))
            self.assertRegex(done.stderr, r'^farpoint: [a-z_.]+: cannot be written: File too large\n$')
            for name in names:
                self.assertEqual((self.folder / name).read_bytes(), b'old', command)
            self.assertEqual(self.temporary(), [])
        done = run('fps', 'DIR', '-o', 'OUT', cwd=self.folder, before=limit_files)
        self.assertEqual((done.returncode, os.listdir(self.folder / 'OUT')), (3, []))
        if os.path.exists('/dev/full'):
            os.symlink('/dev/full', self.folder / 'full.ply')
            self.fails(3, 'fps', 'a.ply', '-o', 'full.ply', names='full.ply: cannot be written: No space left on device')
            self.assertTrue((self.folder / 'full.ply').is_symlink())

    def test_a_signal_leaves_the_old_file(self):
        self.write('big.ply', make_clouds.ply(make_clouds.sphere(1000) * 300))
        caught = 0
        for name, number in (('big_normals.html', signal.SIGINT), ('out.csv', signal.SIGTERM)):
            options = ['--visualize'] if name.endswith('html') else ['-o', name]
            for _ in range(8):
                self.write(name, b'old')
                started = subprocess.Popen([str(program), 'normals', 'big.ply', '-k', '3', *options], cwd=self.folder, env={},
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                while started.poll() is None and not self.temporary():
                    time.sleep(0.0002)
                if started.poll() is None:
                    started.send_signal(signal.SIGSTOP)
                    time.sleep(0.05)
                    hit = bool(self.temporary())
                    started.send_signal(number)
                    started.send_signal(signal.SIGCONT)
                    started.wait(60)
                    if hit:
                        caught += 1
                        self.assertEqual(started.returncode, -number)
                        self.assertEqual((self.folder / name).read_bytes(), b'old')
                self.assertEqual(self.temporary(), [])
                if caught:
                    break
            self.assertGreater(caught, 0, name)
            caught = 0

    def test_indices_of_a_folder(self):
        make_clouds.make(self.folder)
        self.succeeds('knn', 'FOLDER', '-k', 3, '--with-self', '--indices', 'I', '-o', 'O', '--to', 'npy')
        self.assertEqual(sorted(os.listdir(self.folder / 'I')), [f'{i:06}.npy' for i in range(3)])
        for i in range(3):
            rows = struct.unpack(f'<{3 * (2000 + 100 * i)}i', (self.folder / f'I/{i:06}.npy').read_bytes()[128:])
            self.assertEqual(list(rows[::3]), list(range(2000 + 100 * i)))
        self.fails(1, 'knn', 'FOLDER', '--indices', 'X', '-o', 'X', '--to', 'npy', names='would be written twice')
        self.fails(1, 'knn', 'a.ply', '--indices', 'x.npy', '-o', './x.npy', names='would be written twice')
        # Two inputs of one name.
        self.write('FOLDER/000001.ply', make_clouds.ply(make_clouds.sphere(10)))
        self.fails(1, 'fps', 'FOLDER', '-o', 'P', names='000001.ply: would be written twice')

    def test_names_that_promise_another_format(self):
        for command in (['knn', 'a.ply', '--indices', 'a.txt'], ['splat', 'a.ply', '-o', 'x.jpg'], ['demo', 'a.ply', '-o', 'x.jpg'],
                        ['demo', 'a.ply', '--voxel-picture', 'x.bmp'], ['demo', 'a.ply', '--indices', 'x.npy'],
                        ['fps', 'a.ply', '-o', 'x.txt']):
            self.fails(1, *command, names=f'{command[-1]}: expected a name that ends in')
            self.assertFalse((self.folder / command[-1]).exists())

    def test_exit_code_of_a_picture(self):
        for command in (['demo', 'a.ply', '-o', 'none/x.png'], ['splat', 'a.ply', '--views', 1, '--size', 64, '-o', 'none/x.png']):
            self.fails(3, *command, names='none/x.png: cannot be written: No such file or directory')

    def test_the_limit_of_compressed_files(self):
        base = largest_memory('info', 'a.ply', cwd=self.folder)
        self.write('small.pcd', make_clouds.compressed_zeros(100001))
        self.assertIn(f'points           {(8 + 264 * 100001) // 16}'.split()[1], self.succeeds('info', 'small.pcd'))
        self.assertLess(largest_memory('info', 'small.pcd', cwd=self.folder) - base, 8 * 264 * 100001)
        content = make_clouds.compressed_zeros(300001)
        self.write('large.pcd', content)
        self.fails(2, 'info', 'large.pcd', names='large.pcd: expected compressed data that unpacks to 67108864 bytes at most')
        self.assertLess(largest_memory('info', 'large.pcd', cwd=self.folder) - base, 8 * len(content) + (1 << 20))
        page = pages[0].read_text()
        self.assertIn('64 MiB', page)

    def test_missing_files(self):
        self.assertEqual(self.fails(3, 'info', 'nofile.bin').stderr, 'farpoint: nofile.bin: no such file\n')


class Failures(WithFolder):
    def test_wrong_usage(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        for wrong in ([], ['sample'], ['fps'], ['fps', 'a.ply', '--samples', '0'], ['fps', 'a.ply', '--sampels', '5'],
                      ['fps', 'a.ply', '--first', '10'], ['fps', 'a.ply', '-o', 'a.las'], ['fps', 'a.ply', '-o', 'a.ply'],
                      ['voxelize', 'a.ply', '--voxel-size', '1,2'], ['voxelize', 'a.ply', '--voxel-size', '-1'],
                      ['voxelize', 'a.ply', '--voxel-size', 'nan'], ['voxelize', 'a.ply', '--range', '0,0,0,1,1,0'],
                      ['voxelize', 'a.ply', '--voxel-size', '1e-30'], ['knn', 'a.ply', '-k', '1025'],
                      ['normals', 'a.ply', '--viewpoint', '1,2,x'], ['knn', 'a.ply', '--backend', 'gpu']):
            self.fails(1, *wrong)

    def test_what_cannot_be_read_or_written(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        (self.folder / 'empty').mkdir()
        (self.folder / 'directory.ply').mkdir()
        os.mkfifo(self.folder / 'pipe.ply')
        for command in ('info', 'fps', 'voxelize', 'knn', 'normals', 'bench'):
            for name in ('missing.ply', 'empty', 'directory.ply', 'pipe.ply', '/dev/zero'):
                self.fails(3, command, name, names=name)
        self.fails(3, 'fps', 'a.ply', '-o', 'none/out.ply', names='none/out.ply')
        for command in ('splat', 'demo'):
            self.fails(3, command, 'pipe.ply', names='pipe.ply')

    def test_what_is_no_cloud(self):
        cloud = make_clouds.sphere(100)
        claim = 4_000_000_000
        noise = bytes((i * 7919 + 13) % 251 for i in range(4096))
        nan = float('nan')
        bad = {
            'empty.ply': b'', 'empty.bin': b'', 'empty.pcd': b'', 'empty.npy': b'', 'empty.obj': b'',
            'noise.ply': noise, 'noise.pcd': noise, 'noise.npy': noise, 'noise.obj': noise, 'noise.bin': noise[:4001],
            'short.ply': make_clouds.ply(cloud)[:-1], 'short.pcd': make_clouds.pcd(cloud)[:-1],
            'short.npy': make_clouds.npy(cloud)[:-1], 'short_velodyne.bin': make_clouds.kitti(cloud)[:-1],
            'rows.ply': make_clouds.ply(cloud, 'ascii')[:-30], 'rows.pcd': make_clouds.pcd(cloud, 'ascii')[:-30],
            'claim.ply': make_clouds.ply(cloud, claim=claim), 'claim.pcd': make_clouds.pcd(cloud, claim=claim),
            'claim_ascii.ply': make_clouds.ply(cloud, 'ascii', claim), 'claim.npy': make_clouds.npy(cloud, claim),
            'claim_ascii.pcd': make_clouds.pcd(cloud, 'ascii', claim),
            'compressed.pcd': make_clouds.pcd(cloud, 'binary_compressed'),
            'compressed_claim.pcd': make_clouds.pcd(cloud, 'binary_compressed', claim),
            # Records of another length than those that are there.
            'stride.pcd': make_clouds.pcd(cloud).replace(b'SIZE 4 4 4 4', b'SIZE 8 4 4 4'),
            'stride.npy': make_clouds.npy(cloud).replace(b"'<f4'", b"'<f8'"),
            'stride.ply': make_clouds.ply(cloud).replace(b'property float x', b'property double x'),
            'nan.ply': make_clouds.ply([(nan, nan, nan, 0)]), 'scan.las': b'LASF',
        }
        for name, content in bad.items():
            self.write(name, content)
            self.fails(2, 'fps', name, names=name)
        for command in ('info', 'voxelize', 'knn', 'normals', 'splat', 'demo', 'bench'):
            self.fails(2, command, 'claim.pcd', names='claim.pcd')

    def test_files_of_a_folder_after_a_bad_one(self):
        (self.folder / 'sweeps').mkdir()
        cloud = make_clouds.sphere(100)
        for name in ('velodyne_a.bin', 'velodyne_c.bin'):
            self.write(f'sweeps/{name}', make_clouds.kitti(cloud))
        self.write('sweeps/velodyne_b.bin', make_clouds.kitti(cloud)[:-1])
        done = self.fails(2, 'fps', 'sweeps', '--json', names='velodyne_b.bin')
        told = json.loads(done.stdout)
        self.assertEqual(len(told['files']), 2)
        self.assertIn('velodyne_b.bin', told['errors'][0]['file'])

    def test_a_name_cannot_forge_a_line(self):
        self.write('a\nb\x1b.ply', b'noise')
        self.fails(2, 'fps', 'a\nb\x1b.ply', names='a?b?.ply')

    def test_memory_stays_below_eight_times_the_file(self):
        cloud = make_clouds.sphere(1000) * 260
        few = self.write('few.ply', make_clouds.ply(cloud[:10]))
        base = largest_memory('info', few, cwd=self.folder)
        size = len(make_clouds.ply(cloud))
        for name, content in {
                'claim.ply': make_clouds.ply(cloud, claim=4_000_000_000),
                'claim_ascii.ply': make_clouds.ply(cloud[:100000], 'ascii', 4_000_000_000),
                'claim.pcd': make_clouds.pcd(cloud, claim=4_000_000_000),
                'good.ply': make_clouds.ply(cloud), 'good.pcd': make_clouds.pcd(cloud), 'good.npy': make_clouds.npy(cloud),
                'fields.pcd': b'FIELDS' + b' a' * (size // 2) + b'\n', 'words.pcd': b'SIZE' + b' 4' * (size // 2) + b'\n',
                'elements.ply': b'ply\nformat ascii 1.0\n' + b'element a 0\n' * (size // 12),
                'damaged.pcd': make_clouds.pcd([], 'binary_compressed', 88 * size // 16)
                + struct.pack('<II', size, 88 * size // 16 * 16) + b'\0' * size,
                'ones.obj': b'v 1 1 1\n' * (size // 8),
                'doubles.ply': make_clouds.ply_doubles([(1, 2, 3)] * (size // 32)),
                'doubles_ascii.ply': b'ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\n'
                                     b'property double z\nend_header\n' % (size // 6) + b'1 1 1\n' * (size // 6)}.items():
            self.write(name, content)
            most = largest_memory('info', name, cwd=self.folder)
            self.assertLess(most - base, 8 * len(content) + (1 << 20), name)

    def test_page(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        for command in ('fps', 'voxelize', 'knn', 'normals'):
            done = run(command, 'a.ply', '--visualize', cwd=self.folder, environment={})
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            page = (self.folder / f'a_{command}.html').read_text()
            self.assertIn('a.ply', page)
        (self.folder / 'b_fps.html').mkdir()
        self.write('b.ply', make_clouds.ply(make_clouds.sphere(10)))
        self.fails(3, 'fps', 'b.ply', '--visualize', names='b_fps.html')

    def test_backend(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        gpu = json.loads(self.succeeds('info', '--json'))['gpu']
        if gpu.startswith('none'):
            for command in ('fps', 'voxelize', 'knn', 'normals', 'splat'):
                self.fails(5, command, 'a.ply', '--backend', 'cuda')
        else:
            for command in ('fps', 'voxelize', 'knn', 'normals'):
                told = json.loads(self.succeeds(command, 'a.ply', '--backend', 'cuda', '--check', '--json'))
                self.assertIn('cuda', told['backend'])


if __name__ == '__main__':
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=sys.argv[:1])
