"""All packages have the version of the headers and the description of CMakeLists.txt."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(path, pattern):
    """What the pattern's group is in a file; a sentence if it is not there once."""
    matches = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return matches[0] if len(matches) == 1 else f"{path}: {len(matches)} matches"


class Versions(unittest.TestCase):
    def test_all_are_the_headers(self):
        config = "include/farpoint/core/config.hpp"
        parts = [found(config, rf"^#define FARPOINT_VERSION_{part} (\d+)$") for part in ("MAJOR", "MINOR", "PATCH")]
        version = ".".join(parts)
        for path, pattern in (("CMakeLists.txt", r"^  VERSION ([\d.]+)$"),
                              ("package.xml", r"<version>([\d.]+)</version>"),
                              ("packaging/vcpkg/ports/farpoint/vcpkg.json", r'"version": "([\d.]+)"'),
                              ("python/farpoint/__init__.py", r'^__version__ = "([\d.]+)"$')):
            self.assertEqual(found(path, pattern), version, path)
        # Two versions in one process do not mix, and conanfile.py reads CMakeLists.txt.
        self.assertEqual(found(config, r"INLINE_NAMESPACE (v\w+_\d+)$"), f"v{parts[0]}_{parts[1]}")
        conan = (ROOT / "packaging/conan/conanfile.py").read_text(encoding="utf-8")
        pattern = re.search(r're\.search\(r"(.+?)", text\)', conan).group(1)
        self.assertEqual(re.search(pattern, (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1), version)
    def test_all_have_one_description(self):
        description = found("CMakeLists.txt", r'^  DESCRIPTION "(.+)"$')
        self.assertTrue(description.startswith("Farthest point sampling, "), description)
        for path, pattern in (("package.xml", r"<description>(.+)\.</description>"),
                              ("packaging/vcpkg/ports/farpoint/vcpkg.json", r'^  "description": "(.+)"'),
                              ("packaging/conan/conanfile.py", r'^    description = "(.+)"$'),
                              ("python/pyproject.toml", r'^description = "(.+)"$'),
                              ("docs/Doxyfile", r'^PROJECT_BRIEF +=  *"(.+)"$')):
            self.assertEqual(found(path, pattern), description, path)
        # Debian's is broken into lines.
        about = found("cmake/package.cmake", r'(?s)set\(farpoint_about\s+"(.+?)\.')
        self.assertEqual(" ".join(about.split()), description)


if __name__ == "__main__":
    unittest.main()
