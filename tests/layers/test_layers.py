#!/usr/bin/env python3
"""layers.py must see what it is there to see: each rule broken once, in a small house of its own."""
import pathlib
import tempfile
import unittest

import layers


class LayersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.add("core/config.hpp")
        self.add("detail/search/knn.hpp", "core/config.hpp")
        self.add("fps.hpp", "core/config.hpp")

    def add(self, header, *includes, lines=0):
        path = self.root / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"#include <farpoint/{i}>\n" for i in includes) + "//\n" * lines)

    def kinds(self):
        return [breach.split(":")[0] for breach in layers.breaches(self.root)]

    def test_sound(self):
        self.add("detail/screen/host.hpp", "detail/search/knn.hpp")
        self.assertEqual(self.kinds(), [])

    def test_up(self):
        self.add("core/math.hpp", "fps.hpp")
        self.assertEqual(self.kinds(), ["up"])

    def test_up_in_quotes_and_with_spaces(self):
        (self.root / "core/math.hpp").write_text('#  include "farpoint/fps.hpp"\n')
        self.assertEqual(self.kinds(), ["up"])

    def test_siblings(self):
        self.add("detail/fps/host.hpp", "detail/search/knn.hpp")
        self.assertEqual(self.kinds(), ["sibling"])

    def test_siblings_that_stand_on_one_another_do_so_one_way(self):
        self.add("detail/screen/host.hpp")
        self.add("detail/search/knn.hpp", "detail/screen/host.hpp")
        self.assertEqual(self.kinds(), ["up"])

    def test_dangling(self):
        self.add("fps.cuh", "core/nowhere.hpp")
        self.assertEqual(self.kinds(), ["dangling"])

    def test_unknown_folder(self):
        self.add("util/misc.hpp")
        self.assertEqual(self.kinds(), ["unknown"])

    def test_no_headers(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(len(layers.breaches(pathlib.Path(empty))), 1)

    def test_crowded(self):
        for i in range(layers.MOST_HEADERS):
            self.add(f"core/part_{i}.hpp")
        self.assertEqual(self.kinds(), ["crowded"])

    def test_long(self):
        self.add("fps.cuh", lines=layers.MOST_LINES)
        self.assertEqual(self.kinds(), [])
        self.add("fps.cuh", lines=layers.MOST_LINES + 1)
        self.assertEqual(self.kinds(), ["long"])


if __name__ == "__main__":
    unittest.main()
