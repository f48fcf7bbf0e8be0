"""scripts/make_site.py must find every page, lead links to what is there, and end at a warning."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import docs
import make_site as site
import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = """<doxygen><compounddef id="{id}" kind="file"><compoundname>{name}</compoundname>{inside}
<innernamespace refid="namespacefarpoint">farpoint</innernamespace><location file="farpoint/{path}"/></compounddef></doxygen>"""
MEMBER = '<memberdef kind="function" id="{name}"><name>{name}</name><location file="farpoint/{path}" line="1"/></memberdef>'


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def test_every_page_is_in_a_table_of_contents(self):
        entries = [entry.partition("</")[2].rstrip(">") or entry for listed in site.CONTENTS.values() for entry in listed]
        folders = tuple(entry.rstrip("*").rstrip("/") + "/" for entry in entries if entry.endswith("*") or entry in site.FOLDERS)
        for page in docs.pages(ROOT):
            name = page.relative_to(ROOT).with_suffix("").as_posix()
            if not name.startswith("bench/results/") and name != "docs/index":
                self.assertTrue(name in entries or name.startswith(folders), name)

    def test_pages_and_what_they_link_to(self):
        self.write("README.md", "[`a`](examples/01.cpp) [b](docs/other.md#here) [c](https://x.org) [x](bench/results/x/a.json) "
                                "[y](bench/results/x/none.json) `[d](examples/02.cpp)`\n```\n[e](examples/02.cpp)\n```\n")
        self.write("CONTRIBUTING.md", "[out](../out.txt)")
        self.write("docs/other.md", "[a](../bench/results/x/a.json)")
        for path in ("examples/01.cpp", "examples/02.cpp"):
            self.write(path, "int main() {}\n")
        self.write("bench/results/x/a.json", '{"benchmarks": []}')
        self.write("bench/results/x/none.json", "{}")
        self.write("bench/results/x/a.md", "a page of an earlier run\n")
        source = self.root / "site"
        site.copy_pages(self.root, source)
        copied = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
        self.assertEqual(copied, {"README.md", "CONTRIBUTING.md", "docs/other.md", "examples/01.cpp", "bench/results/x/a.json",
                                  "bench/results/x/none.json"})
        self.assertIn("[x](/measurements/x/a.md) [y](bench/results/x/none.json)", (source / "README.md").read_text())
        self.assertEqual((source / "docs/other.md").read_text(), "[a](/measurements/x/a.md)")

    def test_folders_list_their_pages(self):
        self.write("measurements/x/a.md", "# a\n")
        self.write("measurements/b.md", "# b\n")
        site.write_folders(self.root, self.root / "measurements", "All runs")
        page = (self.root / "measurements.md").read_text()
        self.assertTrue(page.startswith("# All runs\n"))
        self.assertIn("\n/measurements/b\n/measurements/x\n", page)
        self.assertIn("\n/measurements/x/a\n", (self.root / "measurements/x.md").read_text())

    def test_headers_have_what_they_declare(self):
        inner = "".join(f'<innerclass refid="{name}">farpoint::{name}</innerclass>' for name in ("list", "list::storage"))
        self.write("fps_8hpp.xml", FILE.format(id="fps_8hpp", name="fps.hpp", path="fps.hpp", inside=""))
        self.write("list_8hpp.xml", FILE.format(id="list_8hpp", name="list.hpp", path="container/list.hpp", inside=inner))
        self.write("none_8hpp.xml", FILE.format(id="none_8hpp", name="none.hpp", path="none.hpp", inside=""))
        members = MEMBER.format(name="fps", path="fps.hpp") + MEMBER.format(name="push", path="container/list.hpp")
        self.write("namespacefarpoint.xml", '<doxygen><compounddef id="namespacefarpoint" kind="namespace"><sectiondef kind="func">'
                                            f"{members}</sectiondef></compounddef></doxygen>")
        names = ("fps", "list", "none")
        self.write("index.xml", "".join(f'<compound refid="{name}_8hpp" kind="file"><name>{name}.hpp</name></compound>' for name in names))
        reference.write_pages(self.root, self.root / "reference")
        index = (self.root / "index.xml").read_text()
        self.assertIn("<name>farpoint/container/list.hpp</name>", index)
        fps = ElementTree.parse(self.root / "fps_8hpp.xml").getroot()
        self.assertEqual([name.text for name in fps.iterfind(".//memberdef/name")], ["fps"])
        self.assertIsNone(fps.find(".//innernamespace"))
        classes = ElementTree.parse(self.root / "list_8hpp.xml").getroot().findall(".//innerclass")
        self.assertEqual([name.text for name in classes], ["farpoint::list"])
        self.assertEqual(sorted(path.name for path in (self.root / "reference").iterdir()), ["container.md", "fps.md"])
        self.assertIn("```{doxygenfile} farpoint/fps.hpp\n", (self.root / "reference/fps.md").read_text())

    @unittest.skipUnless("FARPOINT_SPHINX" in os.environ, "FARPOINT_SPHINX does not name a sphinx-build")
    def test_warnings_are_errors(self):
        sphinx = os.environ["FARPOINT_SPHINX"]
        self.write("source/docs/other.md", "# Other\n\n## Here\n")
        sound = "# Site\n\n[a](other.md#here)\n\n```{toctree}\nother\n```\n"
        for wrong in (None, "#here)", "other.md#here", "\nother\n"):
            self.write("source/docs/index.md", sound.replace(wrong, {"#here)": "#there)", "other.md#here": "none.md",
                                                                    "\nother\n": "\n"}[wrong]) if wrong else sound)
            with self.subTest(wrong):
                if wrong:
                    with self.assertRaises(subprocess.CalledProcessError):
                        site.make_html(self.root / "source", self.root, sphinx)
                else:
                    site.make_html(self.root / "source", self.root, sphinx)
                    self.assertIn("Here", (self.root / "html/docs/other.html").read_text())


if __name__ == "__main__":
    unittest.main()
