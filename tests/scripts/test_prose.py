"""scripts/prose.py: phrases of comments, docstrings and pages, their lines and rates, and the list of exceptions."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "prose.py"
LIST = "scripts/prose_exceptions.txt"
SOUND = "/// Returns the radius of the sphere in meters.\n"
BAD = "/// What the caller wants.\n"  # two phrases


class Prose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write(LIST, "")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), *arguments], cwd=self.root, universal_newlines=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def found(self, path, text):
        """Lines and phrases that are found in one file."""
        self.write(path, text)
        code, lines = self.run_script(path)
        self.assertEqual(code, 0)
        found = [line.split(":", 3)[:3] for line in lines[:-1]]
        self.assertTrue(all(name == path for name, _, _ in found), found)
        return [(int(line), phrase.split("'")[1]) for _, line, phrase in found]

    def test_comments_of_cpp(self):
        text = ('// A line.\n'
                'auto url = "https://what.is/told";  // of the page\n'  # the string is none
                'auto raw = R"(// What it wants)"; char quote = \'"\';  // told\n'
                '/* What follows\n   is anew. */\n'
                'int i;\n'
                '/// The first sentence. What follows\n/// is apart.\n'
                '///\n/// @param place  where the result goes\n'
                '/// `What` stands between backticks.\n'
                '/// ``fps()`` of a cloud.\n'
                'int what = 1;  // Is it what was expected?\n')
        # Line numbers are the paragraph's; the name of a parameter is text, too.
        self.assertEqual(self.found("src/a.cpp", text),
                         [(2, "of"), (3, "told"), (4, "What"), (4, "anew"), (7, "What"), (7, "apart"), (10, "place")])

    def test_comments_of_javascript(self):
        text = 'const url = "https://what.is/told";\n/** What it wants. */\nconst i = 1; // of the page\n'
        self.assertEqual(self.found("tools/a.js", text), [(2, "What"), (2, "wants"), (3, "of")])

    def test_trailing_comments(self):
        # The second line continues the first, and the third does not.
        text = "int x;  ///< size. Of\n        ///< an edge\n// Of it\nint y;  // told\nint z;  // told\n"
        self.assertEqual(self.found("src/a.hpp", text), [(1, "Of"), (3, "Of"), (4, "told"), (5, "told")])

    def test_code_of_a_comment(self):
        self.assertEqual(self.found("src/a.hpp", "/// Adds.\n/// @code\n/// told();\n/// @endcode\n/// Of it.\n"),
                         [(5, "Of")])

    def test_docstrings_and_comments_of_python(self):
        text = ('#!/usr/bin/env place\n'
                '"""Of the module."""\n'
                'def f():\n    """Adds.\n\n    >>> told()\n\n    What follows.\n    """\n'
                'def g(x):\n    """Adds.\n\n    x : int\n        Of it, is None.\n\n    - a\n      of b\n    """\n'
                '    return "# told"  # beside it\n')
        self.assertEqual(sorted(self.found("python/a.py", text)), [(2, "Of"), (8, "What"), (14, "Of"), (19, "beside")])

    def test_comments_of_shell_and_cmake(self):
        text = '#!/bin/sh\n# What it does.\necho "# told" \'# anew\' a#place  # told\n'
        self.assertEqual(self.found("scripts/a.sh", text), [(2, "What"), (3, "told")])
        self.assertEqual(self.found("CMakeLists.txt", text), [(2, "What"), (3, "told")])

    def test_pages(self):
        text = ("# What is a voxel?\n\nA sentence. Of a\nlist.\n\n- What\n  is anew.\n1. Those.\n\n| Of | what |\n"
                "```cpp\n// What\n```\n<!-- told -->\nIn place, instead of the place.\n")
        self.assertEqual(self.found("docs/a.md", text),
                         [(3, "Of"), (6, "What"), (6, "anew"), (8, "Those"), (15, "place")])

    def test_other_files_have_no_comments(self):
        self.assertEqual(self.found("docs/a.svg", "# What\n// What\n"), [])
        self.assertEqual(self.found("src/empty.cpp", ""), [])
        self.assertEqual(self.found("python/empty.py", ""), [])

    def test_rates_of_folders(self):
        self.write("src/a.cpp", BAD + SOUND * 2)
        self.write("include/farpoint/b.hpp", SOUND)
        self.write("README.md", "One two three.\n")
        self.write("bench/results/c.md", "What it wants.\n")
        code, lines = self.run_script()
        self.assertEqual(code, 0)
        self.assertEqual(lines[-3:], ["  0.0 per 1,000 words of .: 0 in 3", "  0.0 per 1,000 words of include: 0 in 8",
                                      "100.0 per 1,000 words of src: 2 in 20"])
        self.assertEqual(len(lines), 5)

    def test_check_of_short_files(self):
        self.write("src/a.cpp", BAD)
        self.assertEqual(self.run_script("--check"), (0, []))
        self.write("src/a.cpp", BAD + "// told\n")
        code, lines = self.run_script("--check")
        self.assertEqual((code, len(lines)), (1, 3))
        self.assertTrue(lines[0].startswith("src/a.cpp:1: "), lines)

    def test_check_of_long_files(self):
        # 3 phrases in 1,000 words pass, and 4 in 1,001 do not.
        words = "// word\n\n" * 997
        self.write("src/a.cpp", words + "// told\n\n" * 3)
        self.assertEqual(self.run_script("--check")[0], 0)
        self.write("src/a.cpp", words + "// told\n\n" * 4)
        self.assertEqual(self.run_script("--check")[0], 1)

    def test_list_shrinks(self):
        self.write("src/bad.cpp", BAD * 2)
        self.write("src/good.cpp", SOUND)
        self.write(LIST, "src/bad.cpp\n")
        self.assertEqual(self.run_script("--check"), (0, []))
        self.write(LIST, "src/bad.cpp\nsrc/good.cpp\nsrc/removed.cpp\n")
        code, lines = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertEqual([line.split()[1] for line in lines], ["src/good.cpp", "src/removed.cpp"])
        self.assertEqual(self.run_script("--shrink"), (0, []))
        self.assertEqual((self.root / LIST).read_text(encoding="utf-8"), "src/bad.cpp\n")
        # A file that begins to fail is not added.
        self.write("src/good.cpp", BAD * 2)
        self.assertEqual(self.run_script("--shrink"), (0, []))
        self.assertEqual((self.root / LIST).read_text(encoding="utf-8"), "src/bad.cpp\n")
        self.assertEqual(self.run_script("--check")[0], 1)

    def test_wrong_arguments(self):
        for arguments in (("--chekc",), ("--check", "src"), ("--check", "--shrink")):
            code, lines = self.run_script(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("scripts/prose.py --check", "".join(lines))


if __name__ == "__main__":
    unittest.main()
