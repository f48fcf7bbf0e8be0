"""What scripts/wheel.py calls a fault."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / 'scripts'))
import wheel


class Faults(unittest.TestCase):
    def found(self, name, needed=(), machine_code=(), wanted=()):
        return list(wheel.faults(name, needed, machine_code, wanted))

    def test_one_wheel_for_later_versions(self):
        self.assertEqual(self.found('farpoint-0.1.0-cp312-abi3-linux_x86_64.whl'), [])
        self.assertEqual(self.found('farpoint-0.1.0-cp311-cp311-linux_x86_64.whl'), [])
        self.assertEqual(self.found('farpoint-0.1.0-cp313-cp313-linux_x86_64.whl'), ['it is for cp313 alone: its ABI is cp313'])

    def test_nothing_that_a_driver_brings(self):
        usual = ['libstdc++.so.6', 'libm.so.6', 'libgcc_s.so.1', 'libc.so.6', 'ld-linux-x86-64.so.2', 'libdl.so.2', 'librt.so.1']
        self.assertEqual(self.found('farpoint-0.1.0-cp312-abi3-linux_x86_64.whl', usual), [])
        for library in ('libcuda.so.1', 'libcudart.so.13', 'libfarpoint.so.0.1', 'libtorch.so'):
            self.assertEqual(self.found('farpoint-0.1.0-cp312-abi3-linux_x86_64.whl', usual + [library]), [f'it needs {library}'])

    def test_size(self):
        name = 'farpoint_cpu-0.1.0-cp312-abi3-manylinux_2_34_x86_64.whl'
        self.assertEqual(list(wheel.faults(name, (), (), (), 0.99, 1)), [])
        self.assertEqual(list(wheel.faults(name, (), (), (), 1.25, 1)), ['it has 1.25 MB, not 1 at most'])

    def test_every_gpu(self):
        found = self.found('farpoint-0.1.0-cp312-abi3-linux_x86_64.whl', (), (75, 90), (75, 80, 90, 120))
        self.assertEqual(found, ['it has no code for sm_80', 'it has no code for sm_120'])


if __name__ == '__main__':
    unittest.main()
