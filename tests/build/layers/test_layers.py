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
        self.build(pathlib.Path(self.folder.name))

    def build(self, root):
        self.root = root
        self.add("core/config.hpp")
        self.add("detail/search/knn.hpp", "core/config.hpp")
        self.add("fps.hpp", "core/config.hpp")

    def add(self, header, *includes, lines=0):
        path = self.root / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"#include <farpoint/{i}>\n" for i in includes) + "//\n" * lines)

    def kinds(self):
        return [breach.split(":")[0] for breach in layers.breaches(self.root)]

    # What is added to the house, and what is wrong with it then.
    ADDED = {
        "sound": ([("detail/screen/host.hpp", "detail/search/knn.hpp")], []),
        "up": ([("core/math.hpp", "fps.hpp")], ["up"]),
        "siblings": ([("detail/fps/host.hpp", "detail/search/knn.hpp")], ["sibling"]),
        "siblings that stand on one another do so one way": (
            [("detail/screen/host.hpp",), ("detail/search/knn.hpp", "detail/screen/host.hpp")], ["up"]),
        "cycle": ([("core/a.hpp", "core/b.hpp"), ("core/b.hpp", "core/c.hpp"), ("core/c.hpp", "core/a.hpp")],
                  ["cycle"]),
        "dangling": ([("fps.cuh", "core/nowhere.hpp")], ["dangling"]),
        "unknown folder": ([("util/misc.hpp",)], ["unknown"]),
        "unknown kind of file": ([("core/misc.inl",)], ["unknown"]),
    }

    def test_includes(self):
        for name, (headers, kinds) in self.ADDED.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.build(pathlib.Path(folder))
                for header in headers:
                    self.add(*header)
                self.assertEqual(self.kinds(), kinds)

    def test_up_in_quotes_and_with_spaces(self):
        (self.root / "core/math.hpp").write_text('#  include "farpoint/fps.hpp"\n')
        self.assertEqual(self.kinds(), ["up"])

    def test_up_from_the_own_folder(self):
        (self.root / "core/math.hpp").write_text('#include "config.hpp"\n#include "../fps.hpp"\n')
        self.assertEqual(self.kinds(), ["up"])

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
              FARPOINT_HD __launch_bounds__(1, 2) void six(int a, T (*b)(int, int), int c = min(1, 2), int d,
                                                           T const* e, Scalar f, array<T*, (2 > 1)> no_number,
                                                           map<int, int> const& nor_this) const noexcept {
                seven_arguments(1, 2, 3, 4, 5, 6, 7);
              }
              b(int a, int b) : a_{f(a, b, 1, 2, 3, 4, 5)}, b_(g(a, b, 1, 2, 3, 4, 5)) {}
              static constexpr int c = call(1, 2, 3, 4, 5, 6, 7);
              auto seven(bool a, unsigned b, std::uint64_t c,
                         const double d, index_t const& e, typename Points::scalar f, foo<int> const* g) -> int;
              template <class T> T seven_of_one_type(T a, T b, T const& c, T d, T e, T f, Word g);
              void operator()(int, int, int, int, int, int, std::size_t, float*) const {}
              void structs(a, a const&, b, T, span<int>, result&, index_span, batch<int>) const;
            }; }
        """)
        self.assertEqual(layers.long_parameter_lists(self.root),
                         ["params: fps.cuh:12 seven 7", "params: fps.cuh:14 seven_of_one_type 7",
                          "params: fps.cuh:15 operator() 8"])

    def test_params_that_are_given(self):
        self.add("compat/three_nn.hpp")
        (self.root / "compat/three_nn.hpp").write_text("void seven(int, int, int, int, int, int, float*);")
        self.assertEqual(layers.long_parameter_lists(self.root), [])

    DRAWING = """## The tree
```
include/farpoint/
    fps   .hpp: first/second
    types/   what they take
{}
    detail/       one folder an algorithm
        fps/  voxelize/  hash_map/  gather/  subset/  know nothing of one another
        bvh/ < search/ < screen/ < splat/        each stands on the one before
    runtime/      a library
    search/       consumers
    scale/        large clouds
    splat/        frames
    subset/       parts
    reference/    plain
    interop/      adapters
    compat/       stand-ins
src/              the library
```
## The rule
```
{}
     < detail/bvh < detail/search < detail/screen < detail/splat;  detail/{{fps, voxelize, hash_map, gather, subset}}
     < runtime < public functions < search < scale < splat < subset < reference, interop, compat
```
"""
    FOLDERS = "".join(f"    {name}/\n" for name in layers.ORDER[:layers.ORDER.index("types")])
    RULE = " < ".join(layers.ORDER[:layers.ORDER.index("types") + 1])

    def drawing(self, folders=FOLDERS, rule=RULE):
        return layers.false_drawing(self.DRAWING.format(folders, rule))

    def test_true_drawing(self):
        self.assertEqual(self.drawing(), [])

    def test_drawing_without_a_layer(self):
        self.assertEqual(self.drawing(folders=self.FOLDERS.replace("    grid/\n", "")),
                         ["drawing: grid is not in the tree"])

    def test_drawing_with_a_folder_too_many(self):
        self.assertEqual(self.drawing(folders=self.FOLDERS + "    util/   all else\n"),
                         ["drawing: util in the tree is no layer"])

    def test_drawing_in_another_order(self):
        self.assertEqual(self.drawing(rule=self.RULE.replace("warp < block", "block < warp")),
                         ["drawing: the rule is not in the order of layers.py"])

    def test_no_drawing(self):
        self.assertEqual(len(layers.false_drawing("")), len(layers.ORDER))


if __name__ == "__main__":
    unittest.main()
