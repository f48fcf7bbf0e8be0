"""The sdist of the Python package has all that a build needs, and says what PyPI shows. Works in the folder $WORK."""

import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from scikit_build_core.build import build_sdist

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = pathlib.Path(os.environ.get("WORK", ROOT / "build/sdist")).resolve()


def sdist_of(folder, output):
    """The archive that the build backend makes of a folder: backends work in the current one."""
    before = pathlib.Path.cwd()
    os.chdir(folder)
    try:
        return output / build_sdist(str(output))
    finally:
        os.chdir(before)


def members(archive):
    """Names within the archive's only folder, and their bytes; None for what is no plain file."""
    with tarfile.open(archive) as tar:
        return {each.name.partition("/")[2]: tar.extractfile(each).read() if each.isreg() else None for each in tar.getmembers()}


class Sdist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        cls.archive = sdist_of(ROOT / "python", WORK / "first")
        cls.members = members(cls.archive)
        with tarfile.open(cls.archive) as tar:
            tar.extractall(WORK, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        cls.unpacked = WORK / cls.archive.name[:-len(".tar.gz")]

    def test_it_has_the_library_and_the_license(self):
        files = [path for folder in ("cmake", "include", "src") for path in (ROOT / folder).rglob("*") if path.is_file()]
        self.assertGreater(len(files), 200)
        for path in [*files, ROOT / "CMakeLists.txt"]:
            self.assertEqual(self.members.get(f"library/{path.relative_to(ROOT)}"), path.read_bytes(), path)
        self.assertEqual(self.members["LICENSE"], (ROOT / "LICENSE").read_bytes())

    def test_it_has_plain_files_of_sources_only(self):
        self.assertEqual([name for name, text in self.members.items() if text is None], [])
        self.assertEqual([name for name in self.members if re.search(r"\.(so|pyc|o)$|^tests/|(^|/)\.git", name)], [])

    def test_the_modules_are_those_of_the_checkout(self):
        package = ROOT / "python/farpoint"
        expected = {f"farpoint/{path.name}" for path in package.iterdir() if path.suffix in (".py", ".pyi", ".typed")}
        expected.add("farpoint/py.typed")
        self.assertEqual({name for name in self.members if name.startswith("farpoint/")}, expected)

    def test_what_it_says_of_itself(self):
        about = email.message_from_bytes(self.members["PKG-INFO"])
        self.assertEqual((about["Name"], about["License-Expression"], about["License-File"], about["Requires-Python"]),
                         ("farpoint", "Apache-2.0", "LICENSE", ">=3.9"))
        init = (ROOT / "python/farpoint/__init__.py").read_text(encoding="utf-8")
        self.assertIn(f'__version__ = "{about["Version"]}"', init)
        self.assertEqual(about["Description-Content-Type"], "text/markdown")
        versions = {text.rpartition(" ")[2] for text in about.get_all("Classifier") if "Python :: 3." in text}
        self.assertEqual(versions, {"3.9", "3.10", "3.11", "3.12", "3.13"})

    def test_its_page_leads_nowhere_that_pypi_has_not(self):
        page = email.message_from_bytes(self.members["PKG-INFO"]).get_payload()
        self.assertIn("# farpoint for Python", page)
        self.assertEqual(re.findall(r"\]\((?!https://|#)[^)]*\)|<img[^>]*>", page), [])

    def test_an_sdist_of_it_is_the_same(self):
        again = sdist_of(self.unpacked, WORK / "second")
        self.assertEqual(members(again), self.members)

    def test_it_is_configured_elsewhere(self):
        nanobind = subprocess.run([sys.executable, "-m", "nanobind", "--cmake_dir"], check=True, capture_output=True, text=True)
        command = ["cmake", "-S", self.unpacked, "-B", WORK / "build", "-DFARPOINT_CUDA=OFF", f"-DPython_EXECUTABLE={sys.executable}",
                   f"-Dnanobind_ROOT={nanobind.stdout.strip()}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("farpoint is compiled without CUDA", done.stdout)
        cache = (WORK / "build/CMakeCache.txt").read_text()
        self.assertIn(f"farpoint_SOURCE_DIR:STATIC={self.unpacked}/library\n", cache)


if __name__ == "__main__":
    unittest.main()
