"""What configurations.py finds, and what it lets pass."""
import unittest

from configurations import differences


def entry(output, flags):
    return {'file': '/root/a.cpp', 'command': f'g++ {flags} -MD -MT a.o -o {output} -c /root/a.cpp'}


class Configurations(unittest.TestCase):
    def test_levels_of_optimisation_and_warnings_may_differ(self):
        self.assertEqual(differences([entry('src/CMakeFiles/farpoint.dir/a.cpp.o', '-O3 -Wall'),
                                      entry('tests/CMakeFiles/farpoint_fps_tests.dir/a.cpp.o', '-O1 -std=c++20')]), [])

    def test_what_changes_bodies(self):
        for flag in ('-DFARPOINT_NO_ISA_DISPATCH', '-DFARPOINT_FEW_INLINE', '-mavx2', '-mfma', '-ffast-math',
                     '-ffp-contract=off', '-fsanitize=address'):
            test = entry('tests/CMakeFiles/farpoint_fps_tests.dir/a.cpp.o', flag)
            self.assertEqual(differences([entry('src/CMakeFiles/farpoint.dir/a.cpp.o', ''), test]),
                             [f'tests/CMakeFiles/farpoint_fps_tests.dir/a.cpp.o: {flag}; the library: no flags'])
            self.assertEqual(differences([entry('src/CMakeFiles/farpoint.dir/a.cpp.o', flag), test]), [])

    def test_one_library(self):
        self.assertEqual(differences([]), ['the library is compiled in 0 configurations'])


if __name__ == '__main__':
    unittest.main()
