"""LAS files: read, written, broken, and exchanged with laspy.

test_las.py PROGRAM DOCS..."""
import csv
import random
import struct
import subprocess
import tempfile
import unittest
from typing import Any

import make_clouds
import make_las
from make_las import extra_value, las, record, variable_record
from program import WithFolder, main, program, run

try:
    import laspy
    import numpy
except ImportError:
    laspy = None
try:
    import lazrs
except ImportError:
    lazrs = None


def writes_laz():
    """True if the program was built with LASzip."""
    with tempfile.TemporaryDirectory() as folder:
        done = run('convert', 'none.ply', '-o', 'a.laz', cwd=folder)
    return 'writes no LAZ' not in done.stderr


HAS_LASZIP = writes_laz()

POINTS: list[dict[str, Any]] = [{'X': 100, 'Y': -200, 'Z': 300, 'intensity': 65535, 'returns': 1 | 2 << 3, 'classification': 2 | 1 << 7,
           'angle': -90, 'user': 7, 'source': 513, 'time': 1e9 + 0.125, 'rgb': (1, 65535, 300), 'nir': 9},
          {'X': -2147483648, 'Y': 2147483647, 'Z': 0, 'returns': 2 | 2 << 3, 'classification': 31}]
LONG: list[dict[str, Any]] = [{**POINTS[0], 'returns': 15 | 9 << 4, 'flags': 1 | 3 << 4 | 1 << 7, 'classification': 201, 'angle': -30000}, POINTS[1]]


class Las(WithFolder):
    def rows(self, file):
        """Columns by their names, in doubles."""
        self.succeeds('knn', file, '-k', 1, '-o', 'rows.csv')
        with open(self.folder / 'rows.csv', encoding='ascii') as lines:
            rows = list(csv.reader(lines))
        return {name: [float(row[c]) for row in rows[1:]] for c, name in enumerate(rows[0])
                if name not in ('neighbors', 'mean_distance', 'farthest_distance')}

    def write_again(self, file, to='again.las'):
        self.succeeds('knn', file, '-k', 1, '-o', to)
        return (self.folder / to).read_bytes()

    def test_all_formats(self):
        scale, offset = (0.01, 0.001, 1e-7), (0.0, 5e6, -12.5)
        for point_format in make_las.record_bytes:
            points = POINTS if point_format < 6 else LONG
            for minor in ((0, 1, 2, 3, 4) if point_format < 6 else (4,)):
                self.write('a.las', las([record(point_format, p) for p in points], point_format, minor, scale, offset))
                found = self.rows('a.las')
                for axis, name in enumerate('xyz'):
                    expected = [p[name.upper()] * scale[axis] + offset[axis] for p in points]
                    self.assertEqual(found[name], expected, (point_format, minor))
                self.assertEqual(found['intensity'], [65535, 0])
                self.assertEqual(found['point_source_id'], [513, 0])
                self.assertEqual(found['user_data'], [7, 0])
                if point_format < 6:
                    self.assertEqual(found['classification'], [2, 31])
                    self.assertEqual((found['return_number'], found['number_of_returns']), ([1, 2], [2, 2]))
                    self.assertEqual((found['withheld'], found['scan_angle_rank']), ([1, 0], [-90, 0]))
                else:
                    self.assertEqual(found['classification'], [201, 31])
                    self.assertEqual((found['return_number'], found['number_of_returns']), ([15, 2], [9, 1]))
                    self.assertEqual((found['scanner_channel'], found['synthetic']), ([3, 0], [1, 0]))
                    self.assertEqual((found['edge_of_flight_line'], found['scan_angle']), ([1, 0], [-30000, 0]))
                self.assertEqual('gps_time' in found, point_format not in (0, 2))
                if 'gps_time' in found:
                    self.assertEqual(found['gps_time'], [1e9 + 0.125, 0])
                has_color = point_format in (2, 3, 7, 8)
                self.assertEqual([found.get(c) for c in ('red', 'green', 'blue')],
                                 [[1, 0], [65535, 0], [300, 0]] if has_color else [None] * 3)
                self.assertEqual(found.get('nir'), [9, 0] if point_format == 8 else None)
                # Values of zeros only are unknown.
                self.assertNotIn('key_point', found)

    def test_extra_values(self):
        variable = [variable_record(b'LASF_Spec', 4, extra_value(b'range', 10) + extra_value(b'', 0, 3) +
                                    extra_value(b'height', 4, 24, 0.5, 100) + extra_value(b'pair', 13))]
        extra = struct.pack('<d3xhHH', 1 / 3, -3, 5, 6)
        self.write('a.las', las([record(1, POINTS[0], extra)] * 2, 1, variable=variable))
        found = self.rows('a.las')
        self.assertEqual((found['range'], found['height']), ([1 / 3] * 2, [98.5] * 2))
        self.assertEqual((found['pair_0'], found['pair_1']), ([5, 5], [6, 6]))
        self.write_again('a.las')
        self.assertEqual(self.rows('again.las'), found)

    def test_points_come_back(self):
        wkt = b'PROJCS["somewhere"]\0'
        for point_format, encoding in ((0, 0), (1, 1), (2, 0), (3, 0), (6, 17), (7, 17), (8, 16)):
            points = [{**p, 'X': p['X'] + i} for i, p in enumerate((POINTS if point_format < 6 else LONG) * 5) if p['X'] > 0]
            records = [record(point_format, p) for p in points]
            self.write('a.las', las(records, point_format, 4 if point_format > 5 else 2, (0.0007, 0.01, 0.3), (1e6, 2e6, 3),
                                    [variable_record(b'LASF_Projection', 2112, wkt)], encoding=encoding))
            again = self.write_again('a.las')
            self.assertEqual(self.rows('again.las'), self.rows('a.las'))
            self.assertEqual((again[104], struct.unpack_from('<H', again, 6)[0]), (point_format, encoding))
            self.assertIn(variable_record(b'LASF_Projection', 2112, wkt), again)
            first, length = struct.unpack_from('<I', again, 96)[0], struct.unpack_from('<H', again, 105)[0]
            base = make_las.record_bytes[point_format]
            self.assertEqual([again[first + i * length:first + i * length + base] for i in range(len(records))], records)

    def test_values_that_need_version_1_4(self):
        self.write('a.las', las([record(6, {**POINTS[0], 'classification': 40})] * 2, 6, 4))
        again = self.write_again('a.las')
        self.assertEqual((again[25], again[104]), (4, 6))
        self.assertEqual(struct.unpack_from('<I', again, 107)[0], 0)
        self.assertEqual(struct.unpack_from('<Q', again, 247)[0], 2)

    def test_bounds_and_returns(self):
        again = self.write_again(self.write('a.las', las([record(1, p) for p in POINTS], 1)))
        self.assertEqual(struct.unpack_from('<6d', again, 179),
                         (1.0, -2147483648 * 0.01, 2147483647 * 0.01, -2.0, 3.0, 0.0))
        self.assertEqual(struct.unpack_from('<5I', again, 111), (1, 1, 0, 0, 0))

    def test_coordinates_of_other_files(self):
        # Decimals of doubles, and floats that 32 bits can have, lose nothing.
        source = random.Random(3)
        decimals = [(636001 + source.randrange(10**5) * 0.001, source.randrange(10**6) * 0.01, source.randrange(100))
                    for _ in range(100)]
        decimals = [tuple(round(v / 0.001) * 0.001 for v in p[:2]) + p[2:] for p in decimals]
        for name, points in (('decimals', decimals), ('binary', [(i / 1024, -i / 4096, i * 0.5) for i in range(-99, 99)])):
            self.write('a.ply', make_clouds.ply_doubles(points))
            self.write_again('a.ply', 'b.las')
            found = self.rows('b.las')
            self.assertEqual(list(zip(found['x'], found['y'], found['z'])), [tuple(map(float, p)) for p in points], name)
            self.assertEqual(found['t'], [1.7e9 + i / 8 for i in range(len(points))])
        # Millimeters, as text has them: 692345.294 is not 692345294 * 0.001.
        points = [(692345 + source.randrange(10**5) / 1000, 5336012 + source.randrange(10**5) / 1000, 512 + source.randrange(10**5) / 1000)
                  for _ in range(1000)]
        self.write('a.ply', make_clouds.ply_doubles(points))
        written = self.write_again('a.ply', 'b.las')
        self.assertEqual(struct.unpack_from('<3d', written, 131), (0.001, 0.001, 0.001))
        found = self.rows('b.las')
        self.assertEqual(list(zip(found['x'], found['y'])), [p[:2] for p in points])
        for point, again in zip(points, found['z']):
            self.assertAlmostEqual(point[2], again, delta=1.2e-13)
        # Others keep 31 bits of the extent or more.
        points = make_clouds.utm(500)
        self.write('a.ply', make_clouds.ply_doubles(points))
        self.write_again('a.ply', 'b.las')
        found = self.rows('b.las')
        for point, again in zip(points, zip(found['x'], found['y'], found['z'])):
            for a, b in zip(point, again):
                self.assertLess(abs(a - b), 0.51e-7)

    def test_columns_of_other_files(self):
        # An intensity in [0, 1] is no LAS intensity: it is an extra value and keeps its bits.
        cloud = make_clouds.sphere(50)
        self.write('a.ply', make_clouds.ply(cloud))
        self.write_again('a.ply', 'b.las')
        found = self.rows('b.las')
        self.assertNotIn('intensity', found)
        self.assertEqual([struct.unpack('<f', struct.pack('<f', v))[0] for v in found['intensity_2']], [p[3] for p in cloud])
        header = b'ply\nformat ascii 1.0\nelement vertex 2\n' + b''.join(
            b'property %s\n' % p for p in (b'float x', b'float y', b'float z', b'uchar red', b'uchar green', b'uchar blue',
                                           b'float intensity')) + b'end_header\n'
        self.write('c.ply', header + b'0 0 0 0 128 255 7\n1 1 1 0 2 3 65535\n')
        again = self.write_again('c.ply', 'd.las')
        first = struct.unpack_from('<I', again, 96)[0]
        self.assertEqual(struct.unpack_from('<3H', again, first + 20), (0, 128 * 257, 65535))
        found = self.rows('d.las')
        self.assertEqual((found['red'], found['green'], found['intensity']), ([0, 0], [128, 2], [7, 65535]))

    def test_what_las_cannot_have(self):
        self.write('a.ply', make_clouds.ply([(1, 2, 3, 0), (float('nan'), 2, 3, 0)]))
        self.fails(2, 'knn', 'a.ply', '-o', 'b.las', names='b.las: a LAS file has finite points only; 1 of 2')
        self.assertFalse((self.folder / 'b.las').exists())

    def test_broken_files(self):
        points = [record(0, {'X': i, 'Y': 2 * i, 'Z': 3 * i}) for i in range(10)]
        extra = [variable_record(b'LASF_Spec', 4, extra_value(b'far', 10))]
        good = las(points)
        bad = {
            'magic': (las(points, magic=b'LASX'), '"LASF" at the start, found "LASX"'),
            'short': (good[:226], 'a LAS header of 227 bytes or more, found 226 bytes'),
            'major': (las(points, major=2), 'LAS version 1.0 to 1.4, found 2.2'),
            'minor': (las(points, minor=5), 'LAS version 1.0 to 1.4, found 1.5'),
            'compressed': (las(points, point_format=128), 'found none' if HAS_LASZIP else 'found compressed LAZ points, which this build'),
            'early': (las(points, point_format=64), 'LAZ points of a released LASzip'),
            'format': (las(points, point_format=11), 'a LAS point format of 0 to 10, found 11'),
            'length': (las(points, record_length=19), '20 bytes or more for LAS point format 0, found 19'),
            'length_0': (las(points, record_length=0), '20 bytes or more for LAS point format 0, found 0'),
            'header_size': (las(points, header_size=226), 'found a header size of 226'),
            'header_beyond': (las(points, header_size=65535), 'found a header size of 65535'),
            'header_of_14': (las(points, minor=4, header_size=227), 'LAS 1.4 header of 375 to'),
            'first_point': (las(points, first_point=2**32 - 1), 'found an offset of 4294967295'),
            'first_point_0': (las(points, first_point=0), 'found an offset of 0'),
            'cut': (good[:-1], '10 LAS points of 20 bytes, found 199 bytes, room for 9'),
            'claim': (las(points, points=2**32 - 1), '4294967295 LAS points of 20 bytes, found 200 bytes'),
            'claim_14': (las(points, minor=4, points_of_14=2**64 - 1), '18446744073709551615 LAS points of 20 bytes'),
            'overflow_14': (las(points, minor=4, points_of_14=2**62 + 10), '4611686018427387914 LAS points of 20'),
            'none': (las([]), 'a valid file of no points'),
            'scale': (las(points, scale=(1, 0, 1)), 'a LAS scale of y that is finite and not 0, found 0'),
            'scale_nan': (las(points, scale=(1, 1, float('nan'))), 'a LAS scale of z'),
            'offset': (las(points, offset=(float('inf'), 0, 0)), 'a finite LAS offset of x, found inf'),
            'records': (las(points, records=1), '1 variable-length LAS records from byte 227 to 227'),
            'many_records': (las(points, records=2**32 - 1), '4294967295 variable-length LAS records'),
            'record': (las(points, variable=[variable_record(b'a', 1, b'')[:20] + b'\xff\xff' + b'\0' * 32]), 'record 0'),
            'extra': (las(points, variable=extra), 'extra LAS values within records of 20 bytes, found "far" at byte 20'),
            'extra_type': (las(points, variable=[variable_record(b'LASF_Spec', 4, extra_value(b'odd', 31))]),
                           'a LAS type of 0 to 30 for "odd", found 31'),
            'extended': (las(points, minor=4, extended=1, first_extended=2**63), 'found an offset of 9223372036854775808'),
            'extended_cut': (las(points, minor=4, extended=1, first_extended=570), '1 variable-length LAS records from byte 570 to 575, found record 0'),
        }
        for name, (content, message) in bad.items():
            self.write(f'{name}.las', content)
            self.fails(2, 'info', f'{name}.las', names=f'{name}.las: expected ')
            self.fails(2, 'info', f'{name}.las', names=message)
        self.write('scan', good)
        self.assertRegex(self.succeeds('info', 'scan', '--format', 'las'), r'points +10\n')


class WithoutLASzip(WithFolder):
    @unittest.skipIf(HAS_LASZIP, 'this build has LASzip')
    def test_refused(self):
        """Before anything is read, computed or written, with what to do."""
        self.write('a.laz', las([record(0, POINTS[0])], point_format=128))
        self.fails(2, 'info', 'a.laz', names='install LASzip 3 (liblaszip-dev) and rebuild, or convert by "laszip -i IN.laz -o OUT.las" or laspy[lazrs]')
        (self.folder / 'in').mkdir()
        self.write('in/a.las', las([record(0, POINTS[0])]))
        for arguments in (('in/a.las', '-o', 'b.laz'), ('in', '--to', 'laz', '-o', 'out'), ('in/a.las', '--to', 'laz', '-o', '-')):
            self.fails(1, 'convert', *arguments, names='this build writes no LAZ: install LASzip 3 (liblaszip-dev)')
        self.assertFalse((self.folder / 'b.laz').exists())
        # The name says nothing: a file whose points are not compressed is read.
        self.write('a.laz', las([record(0, POINTS[0])]))
        self.assertRegex(self.succeeds('info', 'a.laz'), r'points +1\n')


@unittest.skipUnless(HAS_LASZIP, 'this build has no LASzip')
class LASzip(WithFolder):
    wkt = variable_record(b'LASF_Projection', 2112, b'PROJCS["somewhere"]\0')

    def make(self, point_format, count=40):
        points = POINTS if point_format < 6 else LONG
        rows = [record(point_format, {**p, 'Y': i * i, 'intensity': i}, struct.pack('<d', i / 7))
                for i, p in enumerate(points * (count // 2))]
        return las(rows, point_format, 4 if point_format > 5 else 2, (0.0007, 0.01, 0.3), (1e6, 2e6, 3),
                   [self.wkt, variable_record(b'LASF_Spec', 4, extra_value(b'range', 10))], encoding=17 if point_format > 5 else 1)

    def convert(self, source, to):
        self.succeeds('convert', source, '-o', to)
        return (self.folder / to).read_bytes()

    def test_round_trips(self):
        for point_format in make_las.record_bytes:
            self.write('a.las', self.make(point_format, 2000))
            direct = self.convert('a.las', 'direct.las')
            packed = self.convert('a.las', 'b.laz')
            self.assertLess(len(packed), len(direct) // 2, point_format)
            self.assertEqual(self.convert('b.laz', 'c.las'), direct, point_format)
            self.assertEqual(self.convert('b.laz', 'd.laz'), packed, point_format)
            # All columns, in a format that has nothing of LAS.
            self.assertEqual(self.convert('b.laz', 'b.ply'), self.convert('a.las', 'a.ply'), point_format)
            self.assertIn(self.wkt, packed)
            self.assertEqual((packed[104], packed[25]), (direct[104] | 128, direct[25]))
            self.assertIn(f'point format {direct[104]}, compressed', self.succeeds('info', 'b.laz'))

    def test_names_and_streams(self):
        packed = self.convert(self.write('a.las', self.make(1)), 'b.laz')
        direct = self.convert('a.las', 'direct.las')
        # The content of a file decides, not its name.
        self.write('packed.las', packed)
        self.assertEqual(self.convert('packed.las', 'c.las'), direct)
        self.write('plain.laz', self.make(1))
        self.assertEqual(self.convert('plain.laz', 'd.las'), direct)

        def pipe(*arguments, given):
            done = subprocess.run([str(program), *arguments], cwd=self.folder, input=given, capture_output=True, check=True)
            self.assertEqual(done.stderr, b'')
            return done.stdout
        self.assertEqual(pipe('convert', '-', '-o', '-', '--to', 'las', given=packed), direct)
        self.assertEqual(pipe('convert', '-', '-o', '-', '--to', 'laz', given=direct), packed)
        self.assertEqual(pipe('convert', '-', '--format', 'las', '-o', '-', '--to', 'laz', given=packed), packed)

    def test_folders(self):
        (self.folder / 'in').mkdir()
        for name, point_format in (('a.las', 0), ('b.las', 3), ('c.las', 7)):
            self.write(f'in/{name}', self.make(point_format))
        self.succeeds('convert', 'in', '-o', 'packed', '--to', 'laz')
        self.succeeds('convert', 'packed', '-o', 'out', '--to', 'las')
        self.succeeds('convert', 'in', '-o', 'direct', '--to', 'las')
        self.assertEqual(sorted(f.name for f in (self.folder / 'packed').iterdir()), ['a.laz', 'b.laz', 'c.laz'])
        for name in ('a.las', 'b.las', 'c.las'):
            self.assertEqual((self.folder / 'out' / name).read_bytes(), (self.folder / 'direct' / name).read_bytes())
        # Other commands read them, and files of one projection are merged.
        self.succeeds('merge', 'packed', 'in', '-o', 'all.laz')
        self.assertRegex(self.succeeds('info', 'all.laz'), r'points +240\n')

    def test_what_las_cannot_have(self):
        self.write('a.ply', make_clouds.ply([(1, 2, 3, 0), (float('nan'), 2, 3, 0)]))
        self.fails(2, 'convert', 'a.ply', '-o', 'b.laz', names='b.laz: a LAS file has finite points only; 1 of 2')

    def test_broken_files(self):
        for point_format in (0, 3, 6, 8):
            good = self.convert(self.write('a.las', self.make(point_format)), 'b.laz')
            table = struct.unpack_from('<Q', good, struct.unpack_from('<I', good, 96)[0])[0]
            for size in [*range(0, table, max(1, table // 12)), table - 1, table, table + 7]:
                self.write('cut.laz', good[:size])
                self.fails(2, 'info', 'cut.laz', names='cut.laz: expected ')
            source = random.Random(point_format)
            for _ in range(15):
                bad = bytearray(good)
                for _ in range(3):
                    bad[source.randrange(len(bad))] = source.choice((0, 1, 127, 255, source.randrange(256)))
                self.write('mutated.laz', bad)
                done = run('convert', 'mutated.laz', '-o', 'out.ply', cwd=self.folder)
                self.assertIn(done.returncode, (0, 2), done)
                self.assertEqual(done.stderr.count('\n'), done.returncode // 2, done.stderr)


@unittest.skipUnless(HAS_LASZIP and laspy and lazrs, 'laspy[lazrs] is not installed, or this build has no LASzip')
class Lazrs(WithFolder):
    """A second implementation of LAZ, in Rust."""

    def test_exchange(self):
        source = numpy.random.default_rng(4)
        # lazrs gives waveforms of formats 4 and 5 a version that LASzip refuses.
        for point_format in make_las.record_bytes:
            header = laspy.LasHeader(point_format=point_format, version='1.4' if point_format > 5 else '1.3')
            header.scales, header.offsets = [0.01, 0.001, 0.00025], [636000, 5848000, -1.5]
            header.add_extra_dim(laspy.ExtraBytesParams('amplitude', type=numpy.float64))
            data = laspy.LasData(header)
            data.points = laspy.ScaleAwarePointRecord.zeros(60000, header=header)
            data.points.array.view(numpy.uint8)[:] = source.integers(0, 256, data.points.array.nbytes, numpy.uint8)
            data.points.array['amplitude'] = source.random(60000)
            for backend in (laspy.LazBackend.Lazrs, laspy.LazBackend.LazrsParallel):
                data.write(self.folder / 'a.laz', do_compress=True, laz_backend=backend)
                data.write(self.folder / 'a.las')
                self.succeeds('convert', 'a.laz', '-o', 'from_laz.las')
                self.succeeds('convert', 'a.las', '-o', 'from_las.las')
                self.assertEqual((self.folder / 'from_laz.las').read_bytes(), (self.folder / 'from_las.las').read_bytes(), point_format)
                self.succeeds('convert', 'a.las', '-o', 'ours.laz')
                ours, plain = (laspy.read(self.folder / f) for f in ('ours.laz', 'from_las.las'))
                self.assertEqual(ours.points.array.tobytes(), plain.points.array.tobytes(), point_format)
                self.assertEqual(ours.header.point_format.id, plain.header.point_format.id)


@unittest.skipIf(laspy is None, 'laspy is not installed')
class Laspy(WithFolder):
    def make(self, point_format, version, seed):
        source = numpy.random.default_rng(seed)
        header = laspy.LasHeader(point_format=point_format, version=version)
        header.scales, header.offsets = [0.01, 0.001, 0.00025], [636000, 5848000, -1.5]
        header.add_extra_dim(laspy.ExtraBytesParams('amplitude', type=numpy.float64))
        data = laspy.LasData(header)
        data.points = laspy.ScaleAwarePointRecord.zeros(1000, header=header)
        for name in data.point_format.dimension_names:
            info = data.point_format.dimension_by_name(name)
            if info.kind == laspy.point.dims.DimensionKind.FloatingPoint:
                data[name] = source.random(1000) * 1e9
            else:
                most = 2**info.num_bits - 1 if info.kind != laspy.point.dims.DimensionKind.SignedInteger else 2**(info.num_bits - 1) - 1
                data[name] = source.integers(0 if most < 2**30 else -most, most, 1000, endpoint=True)
        data.write(self.folder / 'a.las')
        return data

    def test_exchange(self):
        for point_format, version in ((0, '1.2'), (1, '1.2'), (2, '1.3'), (3, '1.4'), (6, '1.4'), (7, '1.4'), (8, '1.4')):
            data = self.make(point_format, version, point_format)
            self.succeeds('knn', 'a.las', '-k', 1, '-o', 'b.las')
            again = laspy.read(self.folder / 'b.las')
            self.assertEqual(again.header.point_format.id, point_format)
            for axis in 'xyz':
                self.assertTrue(numpy.array_equal(numpy.asarray(data[axis]), numpy.asarray(again[axis])))
            for name in data.point_format.dimension_names:
                self.assertTrue(numpy.array_equal(numpy.asarray(data[name]), numpy.asarray(again[name])), name)
            self.assertTrue(numpy.array_equal(again.header.mins, numpy.asarray(again.xyz).min(0)))
            self.assertTrue(numpy.array_equal(again.header.maxs, numpy.asarray(again.xyz).max(0)))
            # The coordinates of other formats, as doubles.
            self.succeeds('knn', 'a.las', '-k', 1, '-o', 'b.npy')
            rows = numpy.load(self.folder / 'b.npy')
            self.assertTrue(numpy.array_equal(rows[:, :3], numpy.asarray(data.xyz)))

    def test_written_from_floats(self):
        cloud = make_clouds.sphere(200)
        self.write('a.ply', make_clouds.ply(cloud))
        self.succeeds('normals', 'a.ply', '-o', 'b.las')
        self.succeeds('normals', 'a.ply', '-o', 'b.npy')
        rows, data = numpy.load(self.folder / 'b.npy'), laspy.read(self.folder / 'b.las')
        self.assertLess(numpy.abs(data.xyz - rows[:, :3]).max(), 1e-8)
        for c, name in enumerate(('intensity_2', 'nx', 'ny', 'nz', 'curvature'), 3):
            self.assertTrue(numpy.array_equal(data[name], rows[:, c]), name)


if __name__ == '__main__':
    main()
