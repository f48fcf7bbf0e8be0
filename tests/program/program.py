"""What the tests of the program share: running it in a folder of their own, and floats next to a number.

The tests are called as test_X.py PROGRAM DOCS..."""
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

program = Path(sys.argv[1]).resolve()
pages = [Path(page).resolve() for page in sys.argv[2:]]


def run(*arguments, cwd, environment=None, before=None):
    return subprocess.run([str(program), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300,
                          env=environment, stdin=subprocess.DEVNULL, preexec_fn=before, check=False)


def nth_after(value, steps, of_float, of_int):
    value = struct.unpack(of_float, struct.pack(of_float, value))[0]
    bits = struct.unpack(of_int, struct.pack(of_float, abs(value)))[0]
    steps = steps if value >= 0 else -steps
    # Below zero, from zero on, numbers mirror those above.
    found = struct.unpack(of_float, struct.pack(of_int, abs(bits + steps)))[0]
    return found if (value >= 0) == (bits + steps >= 0) else -found


def float32(value, steps=0):
    """The nearest float32, or the one that is `steps` floats above it."""
    return nth_after(value, steps, '<f', '<i')


def float64(value, steps=0):
    """The float64 that is `steps` numbers above a value."""
    return nth_after(value, steps, '<d', '<q')


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


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=sys.argv[:1])
