"""All packages have the version of the headers and the description of CMakeLists.txt."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import versions

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(path, pattern):
    """The group of the pattern in a file; a sentence unless it is there once."""
    matches = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return matches[0] if len(matches) == 1 else f"{path}: {len(matches)} matches"


class Versions(unittest.TestCase):
    def test_all_are_the_headers(self):
        for path in {copy[0] for copy in versions.COPIES}:
            text = (ROOT / path).read_text(encoding="utf-8")
            self.assertEqual(versions.replaced(text, path, versions.of(ROOT)), text, path)
            self.assertNotEqual(versions.replaced(text, path, ("3", "21", "4")), text, path)
        # Conan's recipe reads the header.
        conan = (ROOT / "packaging/conan/conanfile.py").read_text(encoding="utf-8")
        pattern = re.search(r're\.findall\(r"(.+?)", text\)', conan).group(1)
        self.assertEqual(tuple(re.findall(pattern, (ROOT / versions.SOURCE).read_text(encoding="utf-8"))), versions.of(ROOT))

    def test_another_version_is_written(self):
        page = "`farpoint/0.1.0`, `libfarpoint0.1`, `libfarpoint.so.0.1`, `find_package(farpoint 0.1)`, CUDA 12.3\n"
        self.assertEqual(versions.replaced(page, "docs/install.md", ("1", "20", "3")),
                         "`farpoint/1.20.3`, `libfarpoint1.20`, `libfarpoint.so.1.20`, `find_package(farpoint 1.20)`, CUDA 12.3\n")
        with self.assertRaises(KeyError):
            versions.replaced("cff-version: 1.2.0\n", "CITATION.cff", ("1", "20", "3"))

    def test_what_a_release_has(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / versions.SOURCE).parent.mkdir(parents=True)
            (root / versions.SOURCE).write_text("".join(f"#define FARPOINT_VERSION_{part} 2\n" for part in versions.PARTS))
            (root / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 2.2.2\ndate-released: 2026-12-01\n")
            for changelog, reasons in (
                    ("## [2.2.2] - 2026-12-01\n", []),
                    ("## [Unreleased]\n\n## [2.2.1] - 2026-12-01\n", ['CHANGELOG.md has no section "## [2.2.2] - YYYY-MM-DD"']),
                    ("## [2.2.2] - 2026-12-02\n", ["CHANGELOG.md has 2026-12-02, CITATION.cff 2026-12-01"])):
                (root / "CHANGELOG.md").write_text(changelog)
                self.assertEqual(versions.not_ready(root), reasons)

    def test_all_have_one_description(self):
        description = found("CMakeLists.txt", r'^  DESCRIPTION "(.+)"$')
        self.assertTrue(description.startswith("Point-cloud sampling, "), description)
        for path, pattern in (("package.xml", r"<description>(.+)\.</description>"),
                              ("README.md", r"^# farpoint\n\n(.+)\.$"),
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
