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
            self.assertEqual(dict(moment['figures'])['points'], str(cloud['points']))
        self.assertNotEqual(*(moment['figures'] for moment in scene['moments']))

    def test_page_of_a_folder_is_in_the_folder_of_results(self):
        self.write_sweeps(2)
        self.succeeds('fps', 'sweeps', '-n', '5', '--visualize', '-o', 'out')
        self.assertEqual(len(self.scene_of('out/sweeps_fps.html')['moments']), 2)
        told = json.loads(self.succeeds('fps', 'sweeps/', '--visualize', '--json'))
        self.assertEqual([one.get('page') for one in told['files']], ['sweeps_fps.html', None])

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
