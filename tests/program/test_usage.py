"""What the program says to programs, to shells, and to those who mistype.

test_usage.py PROGRAM DOCS..."""
import json
import re
import shutil
import subprocess
from pathlib import Path

import make_clouds
from program import WithFolder, main, pages, program

COMPLETIONS = Path(__file__).parents[2] / 'tools/farpoint/completions'
TYPES = {'string': str, 'integer': int, 'number': (int, float), 'object': dict, 'array': list, 'null': type(None)}


def faults(value, schema, root, place='$'):
    """Where a value differs from a JSON schema; only the keywords that ours has."""
    unknown = set(schema) - {'$schema', '$defs', '$ref', 'title', 'description', 'type', 'enum', 'required', 'properties',
                             'patternProperties', 'additionalProperties', 'items', 'minItems', 'maxItems'}
    assert not unknown, unknown
    if '$ref' in schema:
        return faults(value, root['$defs'][schema['$ref'].rsplit('/', 1)[1]], root, place)
    types = schema.get('type', [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, TYPES[name]) for name in types) or isinstance(value, bool):
        return [f'{place}: {value!r} is not {types}']
    found = []
    if 'enum' in schema and value not in schema['enum']:
        found.append(f'{place}: {value!r} is not one of {schema["enum"]}')
    if isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            found.append(f'{place}: {len(value)} items')
        for i, item in enumerate(value):
            found += faults(item, schema['items'], root, f'{place}[{i}]')
    if isinstance(value, dict):
        found += [f'{place}: no {name}' for name in schema.get('required', ()) if name not in value]
        for name, item in value.items():
            fitting = [schema['properties'][name]] if name in schema.get('properties', {}) else []
            fitting += [one for pattern, one in schema.get('patternProperties', {}).items() if re.search(pattern, name)]
            more = schema.get('additionalProperties', True)
            if not fitting and isinstance(more, dict):
                fitting = [more]
            if not fitting and more is False:
                found.append(f'{place}: unexpected {name}')
            for one in fitting:
                found += faults(item, one, root, f'{place}.{name}')
    return found


class Json(WithFolder):
    def test_all_commands_have_one_shape(self):
        make_clouds.make(self.folder)
        self.write('all.ply', b'ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty float y\nproperty float z\n'
                              b'property uchar red\nproperty float gap\nend_header\n0 0 0 1 nan\n1 nan 0 2 nan\n')
        schema = json.loads((pages[0].parent / 'farpoint.schema.json').read_text())
        used = set()
        for command in (['info'], ['info', 'FOLDER'], ['info', 'all.ply', '--stats'], ['info', 'scan.pcd', '--stats'],
                        ['fps', 'FOLDER', '--cpu', '-n', 50], ['fps', 'scan.pcd', '--check'],
                        ['voxelize', 'scan.pcd', '--range', '-5,-5,-5,5,5,5', '--max-voxels', 9, '--max-points', 2],
                        ['voxelize', 'FOLDER'], ['knn', 'scan.pcd'], ['normals', 'scan.pcd', '--repeat', 2],
                        ['convert', 'scan.pcd', '-o', 'a.ply'], ['clean', 'scan.pcd'], ['clean', 'scan.pcd', '--radius', 1],
                        ['crop', 'scan.pcd', '--ball', '0,0,0,1'], ['merge', 'scan.pcd', 'FOLDER'],
                        ['sample', 'scan.pcd', '-n', 5], ['sample', 'scan.pcd', '--voxel-size', 1], ['bench', 'model.ply'],
                        ['voxelize', 'all.ply']):
            summary = json.loads(self.succeeds(*command, '--json'), parse_constant=self.fail)
            self.assertEqual(faults(summary, schema, schema), [], command)
            self.assertEqual(summary['command'], command[0])
            for one in summary['files']:
                used |= set(one)
        (self.folder / 'FOLDER/bad.ply').write_bytes(b'ply\n')
        summary = json.loads(self.fails(2, 'info', 'FOLDER', '--json').stdout)
        self.assertEqual((faults(summary, schema, schema), len(summary['errors'])), ([], 1))
        # The schema has nothing that no command says.
        unused = set(schema['$defs']['file']['properties']) - used - {'input', 'page'}
        self.assertEqual(unused, set())

    def test_the_schema_refuses(self):
        schema = json.loads((pages[0].parent / 'farpoint.schema.json').read_text())
        summary = json.loads(self.succeeds('info', '--json'))
        for change in ({'files': [{'points': '5'}]}, {'files': [{'dims': [1, 2]}]}, {'files': [{'x': {'min': 1}}]},
                       {'command': 'fly'}, {'more': 1}, {'averages': {'a': 'b'}}):
            self.assertEqual(len(faults({**summary, **change}, schema, schema)), 1, change)


class Mistakes(WithFolder):
    def test_did_you_mean(self):
        for command, message in ((['fpss'], 'unknown command "fpss"; did you mean fps?'),
                                 (['voxlise'], 'did you mean voxelize?'), (['nromals', 'x.ply'], 'did you mean normals?'),
                                 (['fps', 'a.ply', '--smaples', '3'], 'did you mean --samples?'),
                                 (['clean', 'a.ply', '--radios=3'], 'did you mean --radius?')):
            self.fails(1, *command, names=message)
        for command in (['frobnicate'], ['fps', 'a.ply', '--frobnicate']):
            self.assertNotIn('did you mean', self.fails(1, *command).stderr)

    def test_a_file_instead_of_a_command(self):
        self.write('scan', b'')
        for name in ('scan.pcd', './scan', 'scan', '.', '/none/scan.las'):
            self.fails(1, name, names=f'"{name}" is no command; "farpoint info {name}" says what a file holds')


class Completion(WithFolder):
    def complete(self, *words):
        """What bash would offer for the last of the words."""
        script = ('source "$1"; shift; COMP_WORDS=(farpoint "$@"); COMP_CWORD=$#; compopt() { :; }; _farpoint; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(['bash', '-c', script, 'bash', str(COMPLETIONS / 'farpoint.bash'), *words], check=True,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, '')
        return done.stdout.split()

    def test_files_are_those_that_the_program_prints(self):
        for shell, name in (('bash', 'farpoint.bash'), ('zsh', '_farpoint'), ('fish', 'farpoint.fish')):
            self.assertEqual((COMPLETIONS / name).read_text(), self.succeeds('completion', shell),
                             f'farpoint completion {shell} > tools/farpoint/completions/{name}')
            if shutil.which(shell):
                subprocess.run([shell, '-n', str(COMPLETIONS / name)], check=True, timeout=60)
        self.fails(1, 'completion', 'csh')

    def test_every_option_is_there(self):
        texts = [(COMPLETIONS / name).read_text() for name in ('farpoint.bash', '_farpoint', 'farpoint.fish')]
        for command in re.findall(r'^  ([a-z]+)  ', self.succeeds('--help'), re.M):
            for option in re.findall(r'^ +(?:-[a-z],)?--([a-z-]+)', self.succeeds(command, '--help'), re.M):
                for text in texts:
                    self.assertRegex(text, rf'(--|-l ){option}\b', command)

    def test_bash(self):
        self.assertEqual(self.complete('vox'), ['voxelize'])
        self.assertEqual(self.complete('fps', '--sam'), ['--samples'])
        self.assertEqual(self.complete('fps', 'a.ply', '--backend', ''), ['auto', 'host', 'cuda'])
        self.assertEqual(self.complete('convert', 'a.ply', '--to', 'l'), ['las', 'laz'])
        self.assertEqual(self.complete('completion', 'f'), ['fish'])
        self.assertEqual(self.complete('fps', 'scan'), [])  # names of files
        self.assertIn('complete -F _farpoint farpoint', (COMPLETIONS / 'farpoint.bash').read_text())
        self.assertTrue(program.name == 'farpoint')


if __name__ == '__main__':
    main()
