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

    def test_params(self):
        (self.root / "fps.cuh").write_text("""
            namespace a { struct b {
              // int in_a_comment(int a, int b, int c, int d, int e, int f, int g);
              template <class T, class = std::enable_if_t<(sizeof(T) > 4)>>
              FARPOINT_HD __launch_bounds__(1, 2) void six(map<int, int> a, T (*b)(int, int), int c = min(1, 2), int d,
                                                           array<T, (2 > 1)> e, int f) const noexcept {
                seven_arguments(1, 2, 3, 4, 5, 6, 7);
              }
              b(int a, int b) : a_{f(a, b, 1, 2, 3, 4, 5)}, b_(g(a, b, 1, 2, 3, 4, 5)) {}
              static constexpr int c = call(1, 2, 3, 4, 5, 6, 7);
              auto seven(int a, int b, int c,
                         int d, int e, int f, std::array<int, 3> const& g) -> int;
              void operator()(int, int, int, int, int, int, int, int) const {}
            }; }
        """)
        self.assertEqual(layers.long_parameter_lists(self.root),
                         ["params: fps.cuh:11 seven 7", "params: fps.cuh:13 operator() 8"])


if __name__ == "__main__":
    unittest.main()
