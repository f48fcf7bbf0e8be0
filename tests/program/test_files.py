"""Files that the program writes: read back, complete or not there, under the right names.

test_files.py PROGRAM DOCS..."""
import json
import os
import signal
import struct
import subprocess
import time

import make_clouds
from program import WithFolder, float32, largest_memory, limit_files, main, pages, program, run


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
        for command in (['fps', 'a.ply', '-n', 100], ['knn', 'autzen.xyz.bin', '-k', 4], ['voxelize', 'a.ply'],
                        ['normals', 'a.ply']):
            for name in ('q.bin', 'q.xyz.bin', 'velodyne.bin'):
                self.succeeds(*command, '-o', name)
                self.succeeds(*command, '-o', 'q.csv')
                expected = (self.folder / 'q.csv').read_text().splitlines()
                summary = json.loads(self.succeeds('info', name, '--json'))['files'][0]
                self.assertEqual(summary['points'], len(expected) - 1)
                described = json.loads((self.folder / f'{name}.json').read_text())
                self.assertEqual(described, {'points': len(expected) - 1, 'dtype': '<f4',
                                             'columns': expected[0].split(',')})
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
            for command, own in (('fps', ['index', 'distance']),
                                 ('knn', ['neighbors', 'mean_distance', 'farthest_distance']),
                                 ('normals', ['nx', 'ny', 'nz', 'curvature']),
                                 ('voxelize', ['points', 'voxel_x', 'voxel_y', 'voxel_z'])):
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
        commands = [(['fps', 'a.ply', '-o', f'out.{ending}'], [f'out.{ending}'])
                    for ending in ('ply', 'pcd', 'npy', 'csv', 'bin')]
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
            self.assertRegex(done.stderr, r'^farpoint: [a-z_.]+: cannot be written: File too large\n$', command)
            for name in names:
                self.assertEqual((self.folder / name).read_bytes(), b'old', command)
            self.assertEqual(self.temporary(), [])
        done = run('fps', 'DIR', '-o', 'OUT', cwd=self.folder, before=limit_files)
        self.assertEqual((done.returncode, os.listdir(self.folder / 'OUT')), (3, []))
        if os.path.exists('/dev/full'):
            os.symlink('/dev/full', self.folder / 'full.ply')
            self.fails(3, 'fps', 'a.ply', '-o', 'full.ply', names='full.ply: cannot be written: No space left on device')
            self.assertTrue((self.folder / 'full.ply').is_symlink())

    def test_a_signal_leaves_the_old_file_or_the_new_one(self):
        self.write('big.ply', make_clouds.ply(make_clouds.sphere(1000) * 300))
        for name, number in (('big_normals.html', signal.SIGINT), ('out.csv', signal.SIGTERM)):
            command = ['normals', 'big.ply', '-k', '3', *(['--visualize'] if name.endswith('html') else ['-o', name])]
            self.succeeds(*command)
            complete = (self.folder / name).read_bytes()
            kept = 0
            for _ in range(20):
                self.write(name, b'old')
                started = subprocess.Popen([str(program), *command], cwd=self.folder, env={}, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                while started.poll() is None and not self.temporary():
                    time.sleep(0.0002)
                started.send_signal(number)
                started.wait(60)
                self.assertIn(started.returncode, (0, -number))
                content = (self.folder / name).read_bytes()
                self.assertTrue(content in (b'old', complete), f'{name}: {len(content)} bytes')
                self.assertEqual(self.temporary(), [])
                if content == b'old':
                    self.assertEqual(started.returncode, -number)
                    kept += 1
                    break
            self.assertGreater(kept, 0, name)

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
        for command in (['knn', 'a.ply', '--indices', 'a.txt'], ['splat', 'a.ply', '-o', 'x.jpg'],
                        ['demo', 'a.ply', '-o', 'x.jpg'], ['demo', 'a.ply', '--voxel-picture', 'x.bmp'],
                        ['demo', 'a.ply', '--indices', 'x.npy'], ['fps', 'a.ply', '-o', 'x.txt']):
            self.fails(1, *command, names=f'{command[-1]}: expected a name that ends in')
            self.assertFalse((self.folder / command[-1]).exists())

    def test_no_name(self):
        for command in (['fps', 'a.ply', '-o'], ['voxelize', 'a.ply', '-o'], ['knn', 'a.ply', '--indices'],
                        ['demo', 'a.ply', '--indices'], ['splat', 'a.ply', '-o']):
            self.fails(1, *command, '', names='expected a name')

    def test_exit_code_of_a_picture(self):
        for command in (['demo', 'a.ply', '-o', 'none/x.png'],
                        ['splat', 'a.ply', '--views', 1, '--size', 64, '-o', 'none/x.png']):
            self.fails(3, *command, names='none/x.png: cannot be written: No such file or directory')

    def test_the_limit_of_compressed_files(self):
        base = largest_memory('info', 'a.ply', cwd=self.folder)
        self.write('small.pcd', make_clouds.compressed_zeros(100001))
        self.assertRegex(self.succeeds('info', 'small.pcd'), rf'points +{(8 + 264 * 100001) // 16}\n')
        self.assertLess(largest_memory('info', 'small.pcd', cwd=self.folder) - base, 8 * 264 * 100001)
        content = make_clouds.compressed_zeros(300001)
        self.write('large.pcd', content)
        self.fails(2, 'info', 'large.pcd', names='large.pcd: expected compressed data that unpacks to 67108864 bytes')
        self.assertLess(largest_memory('info', 'large.pcd', cwd=self.folder) - base, 8 * len(content) + (1 << 20))
        page = pages[0].read_text()
        self.assertIn('64 MiB', page)

    def test_missing_files(self):
        self.assertEqual(self.fails(3, 'info', 'nofile.bin').stderr, 'farpoint: nofile.bin: no such file\n')


if __name__ == '__main__':
    main()
