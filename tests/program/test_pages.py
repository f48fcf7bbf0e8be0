"""Pages that --visualize writes: what they hold, for a file and for a folder.

test_pages.py PROGRAM DOCS/program.md"""
import json
import re

import make_clouds
from program import WithFolder, main, run


class Pages(WithFolder):
    def scene_of(self, name):
        page = (self.folder / name).read_text()
        return json.loads(re.search(r'<script id="scene" type="application/json">(.*?)</script>', page)[1])

    def title_of(self, name):
        return re.search('<title>(.*?)</title>', (self.folder / name).read_text())[1]

    def write_sweeps(self, count):
        (self.folder / 'sweeps').mkdir()
        for i in range(count):
            self.write(f'sweeps/{i}.ply', make_clouds.ply(make_clouds.sphere(8 + i)))

    def test_page(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(10)))
        for command in ('fps', 'voxelize', 'knn', 'normals'):
            done = run(command, 'a.ply', '--visualize', cwd=self.folder, environment={})
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertTrue(self.title_of(f'a_{command}.html').startswith('a.ply: '))
            self.assertEqual(self.scene_of(f'a_{command}.html')['moments'], [])
        (self.folder / 'b_fps.html').mkdir()
        self.write('b.ply', make_clouds.ply(make_clouds.sphere(10)))
        self.fails(3, 'fps', 'b.ply', '--visualize', names='b_fps.html')

    def test_names_and_numbers(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(1234)))
        self.succeeds('fps', 'a.ply', '-n', 1111, '--visualize')
        self.assertEqual(self.title_of('a_fps.html'), 'a.ply: 1,111 farthest point samples')
        scene = self.scene_of('a_fps.html')
        self.assertEqual([cloud['name'] for cloud in scene['clouds']], ['Input', 'Samples'])
        self.assertEqual(dict(scene['figures'])['Points'], '1,234')
        self.assertEqual([(one['name'], one['unit']) for one in scene['clouds'][1]['attributes']],
                         [('Intensity', ''), ('Index', ''), ('Distance', 'm')])
        self.succeeds('knn', 'a.ply', '--visualize')
        scene = self.scene_of('a_knn.html')
        self.assertEqual([(one['name'], one['unit']) for one in scene['clouds'][0]['attributes']],
                         [('Intensity', ''), ('Neighbors', ''), ('Mean distance', 'm'), ('Farthest distance', 'm')])
        self.assertEqual((len(scene['clouds']), scene['colorBy']), (1, 'Mean distance'))

    def test_voxels_are_cubes(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(500)))
        self.succeeds('voxelize', 'a.ply', '--voxel-size', '2,3,4', '--visualize')
        points, voxels = self.scene_of('a_voxelize.html')['clouds']
        self.assertIsNone(points['cubes'])
        self.assertEqual((voxels['cubes']['size'], voxels['cubes']['lower']), ([2, 3, 4], [-10, -12, -12]))
        names = [voxels['attributes'][place]['name'] for place in voxels['cubes']['cells']]
        self.assertEqual(names, ['Voxel x', 'Voxel y', 'Voxel z'])

    def test_normals_are_splats(self):
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(500)))
        self.succeeds('normals', 'a.ply', '--visualize', '-o', 'normals.ply')
        [cloud] = self.scene_of('normals.html')['clouds']
        names = {part: cloud['attributes'][place]['name'] for part, place in cloud['splats'].items()}
        self.assertEqual(names, {'normal': 'Normal', 'tangent': "Splat's long axis", 'along': "Splat's long half axis",
                                 'across': "Splat's short half axis"})
        kinds = [cloud['attributes'][place]['kind'] for place in cloud['splats'].values()]
        self.assertEqual(kinds, ['direction', 'direction', 'number', 'number'])
        # 16 of 500 neighbors on a sphere of 10 m fill a cap of 3.6 m; no splat is larger than a 64th of the reach.
        radii = cloud['attributes'][cloud['splats']['along']]['range']
        self.assertTrue(0 < radii['low'] <= radii['high'] < 10.1 / 64, radii)
        header = (self.folder / 'normals.ply').read_bytes().split(b'end_header')[0]
        self.assertNotIn(b'plat', header)  # not in files
        # Of a file with normals: how far they are off.
        self.succeeds('normals', 'normals.ply', '--visualize', '-k', '8')
        [cloud] = self.scene_of('normals_normals.html')['clouds']
        [angle] = [one for one in cloud['attributes'] if one['name'] == 'Angle to the input']
        self.assertEqual(angle['unit'], 'degrees')
        self.assertTrue(0 <= angle['range']['low'] < angle['range']['high'] < 90, angle['range'])

    def test_page_of_splats(self):
        summary = self.succeeds('splat', '--points', 3000, '--views', 1, '--size', 64, '--visualize', '-o', 'knot.png')
        self.assertIn('knot.html', summary)
        self.assertEqual(self.title_of('knot.html'), 'Knot: splats from 16 neighbors')
        scene = self.scene_of('knot.html')
        [cloud] = scene['clouds']
        self.assertEqual((cloud['points'], cloud['splats'] is not None, scene['up']), (3000, True, [0, 0, 1]))
        self.assertIn('Error of normal', [one['name'] for one in cloud['attributes']])
        visible = int(dict(scene['figures'])['Visible in the first view'].replace(',', ''))
        self.assertTrue(0 < visible < 3000, visible)
        self.write('a.ply', make_clouds.ply(make_clouds.sphere(500)))
        self.succeeds('splat', 'a.ply', '--up=-y', '--views', 1, '--size', 64, '--visualize')
        self.assertEqual(self.scene_of('farpoint_splat.html')['up'], [0, -1, 0])

    def test_folder(self):
        self.write_sweeps(3)
        self.write('sweeps/1.ply', b'ply\nbroken')
        done = run('voxelize', 'sweeps', '--voxel-size', '0.5', '--visualize', cwd=self.folder, environment={})
        self.assertEqual((done.returncode, done.stderr.count('\n')), (2, 1), done)
        self.assertIn('sweeps_voxelize.html', done.stdout)
        self.assertEqual(self.title_of('sweeps_voxelize.html'), 'sweeps, 2 files: voxels of 0.5 m')
        scene = self.scene_of('sweeps_voxelize.html')
        self.assertEqual([moment['name'] for moment in scene['moments']], ['0.ply', '2.ply'])
        places = [(cloud['moment'], cloud['series'], cloud['name']) for cloud in scene['clouds']]
        self.assertEqual(places, [(0, 0, 'Input'), (0, 1, 'Voxels'), (1, 0, 'Input'), (1, 1, 'Voxels')])
        for moment, cloud in zip(scene['moments'], scene['clouds'][::2]):
            figures = dict(moment['figures'])
            self.assertEqual((figures['Points'], figures['Voxel size']), (str(cloud['points']), '0.5 x 0.5 x 0.5 m'))
            self.assertRegex(figures['Time'], r'^[0-9.]+ ms$')
        self.assertNotEqual(*(moment['figures'] for moment in scene['moments']))

    def test_page_of_a_folder_is_in_the_folder_of_results(self):
        self.write_sweeps(2)
        self.succeeds('fps', 'sweeps', '-n', '5', '--visualize', '-o', 'out')
        self.assertEqual(len(self.scene_of('out/sweeps_fps.html')['moments']), 2)
        summary = json.loads(self.succeeds('fps', 'sweeps/', '--visualize', '--json'))
        self.assertEqual([one.get('page') for one in summary['files']], ['sweeps_fps.html', None])

    def test_page_of_a_folder_that_cannot_be_written(self):
        self.write_sweeps(2)
        (self.folder / 'sweeps_knn.html').mkdir()
        done = run('knn', 'sweeps', '--visualize', cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count('\n')), (3, 1), done)
        self.assertIn('mean of 2 files', done.stdout)

    def test_long_sequence_is_thinned_out(self):
        self.write_sweeps(9)
        names = {}
        for points in (40, 100, 100000):
            self.succeeds('normals', 'sweeps', '--visualize', '--page-points', points)
            scene = self.scene_of('sweeps_normals.html')
            names[points] = [moment['name'] for moment in scene['moments']]
            step = len(names[points]) > 1 and int(names[points][1][0])
            self.assertEqual(names[points], [f'{i}.ply' for i in range(0, 9, step or 9)])
            shown = sum(cloud['points'] for cloud in scene['clouds'])
            self.assertTrue(shown <= points or len(names[points]) == 1, (shown, points))
            self.assertEqual(f'(one in {step} shown)' in self.title_of('sweeps_normals.html'), step > 1)
        self.assertEqual(len(names[100000]), 9)
        self.assertTrue(len(names[40]) < len(names[100]) < 9, names)


if __name__ == '__main__':
    main()
