"""The program as a user meets it: what the pages say word for word, its exit codes, and files that are broken.

test_program.py PROGRAM DOCS..."""
import json
import os
import re
import shlex
import struct
import subprocess
from pathlib import Path

import make_clouds
from program import WithFolder, float32, largest_memory, main, pages, program, run


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
            if '|' in command:
                path = {'PATH': f'{program.parent}{os.pathsep}{quiet["PATH"]}'}
                done = subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=self.folder, env=quiet | path, text=True,
                                      capture_output=True, timeout=300, check=False)
            else:
                done = run(*shlex.split(command)[1:], cwd=self.folder, environment=quiet)
            self.assertEqual((done.returncode, done.stderr), (0, ''), command)
            self.assertTrue(done.stdout or '-o -' in command, command)
        for made in ('out.ply', 'SAMPLES/000001.npy', 'NORMALS/000002.pcd', 'VOXELS/000000.ply', 'voxels.csv',
                     'neighbors.npy', 'farpoint_splat.png', 'FOLDER_voxelize.html', 'normals.html',
                     'piped.las', 'scan.las', 'LAS/000000.las', 'clean.ply', 'clean.las', 'box.ply', 'rest.ply', 'all.ply', 'some.ply',
                     'even.ply'):
            self.assertTrue((self.folder / made).stat().st_size > 100, made)

    def test_help_and_man_page_name_every_command(self):
        manual = (Path(__file__).parents[2] / 'tools/farpoint/farpoint.1').read_text()
        page = pages[0].read_text()
        text = self.succeeds('--help')
        for command in ('info', 'fps', 'voxelize', 'knn', 'normals', 'convert', 'clean', 'crop', 'merge', 'sample', 'splat',
                        'bench', 'demo', 'completion'):
            self.assertRegex(text, rf'\n  {command} ')
            self.assertIn(f'.B {command}\n', manual)
            self.assertIn(f'| `{command}` |', page)
            own = self.succeeds(command, '--help')
            self.assertIn('Exit codes', own)
            if command not in ('bench', 'demo', 'completion'):
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
        summary = json.loads(self.succeeds('voxelize', 'scan.pcd', '--voxel-size', '4', '--max-voxels', 10, '--max-points',
                                           3, '--random-points', 7, '--order', 'grid', '--check', '--json'))['files'][0]
        self.assertEqual(summary['voxels'], 10)
        self.assertGreater(summary['dropped_points'], 0)
        self.assertGreater(summary['surplus_points'], 0)

    def test_neighbors(self):
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
        summary = json.loads(self.succeeds('voxelize', 'FOLDER', '--cpu', '--json'))
        self.assertEqual(summary['command'], 'voxelize')
        self.assertEqual([Path(one['file']).name for one in summary['files']], [f'{i:06}.bin' for i in range(3)])
        self.assertEqual(summary['averages']['points'], 2100)
        for one in summary['files']:
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
            contents.add('\n'.join(' '.join(f'{float32(float(word)):.7g}' for word in row[:3]) + ' ' + row[-2]
                                   for row in rows))
        self.assertEqual(len(contents), 1)
        # Back from what the program writes, too.
        for ending in ('ply', 'pcd', 'npy'):
            self.succeeds('fps', 'a.ply', '--samples', 300, '-o', f'all.{ending}')
            self.succeeds('fps', f'all.{ending}', '--samples', 50, '-o', 'out.csv')
            rows = (self.folder / 'out.csv').read_text().splitlines()[1:]
            self.assertEqual([row.split(',')[-2] for row in rows], [str(i) for i in range(50)])


class Failures(WithFolder):
    def test_wrong_usage(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        for wrong in ([], ['sample'], ['fps'], ['fps', 'a.ply', '--samples', '0'], ['fps', 'a.ply', '--sampels', '5'],
                      ['fps', 'a.ply', '--first', '10'], ['fps', 'a.ply', '-o', 'a.e57'], ['fps', 'a.ply', '-o', 'a.ply'],
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
            # Headers with another record length than the data has.
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
        summary = json.loads(done.stdout)
        self.assertEqual(len(summary['files']), 2)
        self.assertIn('velodyne_b.bin', summary['errors'][0]['file'])

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
                'doubles_ascii.ply': b'ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\n'
                                     b'property double y\nproperty double z\nend_header\n' % (size // 6)
                                     + b'1 1 1\n' * (size // 6)}.items():
            self.write(name, content)
            most = largest_memory('info', name, cwd=self.folder)
            self.assertLess(most - base, 8 * len(content) + (1 << 20), name)

    def test_backend(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        gpu = json.loads(self.succeeds('info', '--json'))['machine']['gpu']
        if gpu.startswith('none'):
            for command in ('fps', 'voxelize', 'knn', 'normals', 'splat'):
                self.fails(5, command, 'a.ply', '--backend', 'cuda')
        else:
            for command in ('fps', 'voxelize', 'knn', 'normals'):
                summary = json.loads(self.succeeds(command, 'a.ply', '--backend', 'cuda', '--check', '--json'))
                self.assertIn('cuda', summary['backend'])


if __name__ == '__main__':
    main()
