"""Tests of configurations.py, which compares the flags of a program's objects with those of the library that it links."""
import unittest

from configurations import differences

NINJA = ['build src/libfarpoint.a: CXX_STATIC_LIBRARY_LINKER__farpoint_Release src/a.cpp.o || order',
         'build tests/fps: CXX_EXECUTABLE_LINKER__fps_Release tests/b.cpp.o | src/libfarpoint.a tests/libcatch.a',
         'build tests/libcatch.a: CXX_STATIC_LIBRARY_LINKER__catch_Release tests/catch.cpp.o',
         'build tests/device: CUDA_EXECUTABLE_LINKER__device_Release tests/c.cu.o']


def entry(output, flags, headers='-I/root/include'):
    return {'file': '/root/a.cpp', 'command': f'g++ {flags} {headers} -MD -MT a.o -o {output} -c /root/a.cpp'}


def found(*entries):
    return differences(entries, NINJA, '/root/include')


class Configurations(unittest.TestCase):
    def test_levels_of_optimization_and_warnings_may_differ(self):
        self.assertEqual(found(entry('src/a.cpp.o', '-O3 -Wall'), entry('tests/b.cpp.o', '-O1 -std=c++20')), [])

    def test_what_changes_bodies(self):
        for flag in ('-DFARPOINT_NO_ISA_DISPATCH', '-DFARPOINT_FEW_INLINE', '-mavx2', '-mfma', '-ffast-math',
                     '-ffp-contract=off', '-fsanitize=address'):
            test = entry('tests/b.cpp.o', flag)
            flags, objects = zip(*sorted([(flag, 'tests/b.cpp.o'), ('no flags', 'src/a.cpp.o')]))
            self.assertEqual(found(entry('src/a.cpp.o', ''), test),
                             [f'tests/fps: {flags[0]} ({objects[0]}); {flags[1]} ({objects[1]})'])
            self.assertEqual(found(entry('src/a.cpp.o', flag), test), [])

    def test_flags_for_the_host_compiler_of_nvcc(self):
        library = entry('src/a.cpp.o', '-mfma')
        self.assertEqual(found(library, entry('tests/b.cpp.o', '-Xcompiler=-Wall,-mfma', '-isystem /root/include')), [])
        self.assertEqual(len(found(library, entry('tests/b.cpp.o', '-Xcompiler=-Wall,-mavx2'))), 1)

    def test_programs_that_do_not_link_the_library(self):
        self.assertEqual(found(entry('src/a.cpp.o', ''), entry('tests/c.cu.o', '-mfma')), [])

    def test_objects_without_the_headers(self):
        self.assertEqual(found(entry('tests/b.cpp.o', '-mfma'), entry('tests/catch.cpp.o', '', '')), [])


if __name__ == '__main__':
    unittest.main()
