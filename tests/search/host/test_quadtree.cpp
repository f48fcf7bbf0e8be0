// spatial/quadtree: its invariants on images of many shapes, and discs and rectangles against all points.
#include <farpoint/quadtree.hpp>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using farpoint::pixel_box;
using farpoint::quadtree_depths;
using farpoint::quadtree_layout;
using farpoint::quadtree_node;
using farpoint::quadtree_point;
using farpoint::quadtree_range;
using farpoint::quadtree_record;
using farpoint::quadtree_ref;
using farpoint::status;
using farpoint_tests::random_source;

namespace {

using u32 = std::uint32_t;
constexpr float infinity = std::numeric_limits<float>::infinity();

static_assert(std::is_trivially_copyable_v<quadtree_ref> && std::is_trivially_copyable_v<quadtree_layout>);
static_assert(sizeof(quadtree_record) == 16);

/// The layout as documented.
static_assert(farpoint::quadtree_bytes(1, 1, 0) == 16 * 4);
static_assert(farpoint::quadtree_bytes(4, 3, 12) == 16 * 4 + 3 * 64);
static_assert(farpoint::quadtree_bytes(5, 1, 5) == 16 * 8 + 3 * 64);
static_assert(farpoint::quadtree_bytes(1024, 768, 17) == 16 * (3 + 87381) + 3 * 128);
static_assert(farpoint::quadtree_bytes(8192, 1, 0) == 16 * (3 + 5592405));
static_assert(farpoint::quadtree_bytes(8193, 1, 0) == 0 && farpoint::quadtree_bytes(1, 8193, 0) == 0);
static_assert(farpoint::quadtree_bytes(0, 1, 0) == 0 && farpoint::quadtree_bytes(1, -1, 0) == 0);
static_assert(farpoint::quadtree_bytes(2, 2, 5) == 0 && farpoint::quadtree_bytes(2, 2, -1) == 0);

/// Memory of a tree; what is in it beforehand is not zeros.
class tree_memory {
 public:
  explicit tree_memory(std::size_t size) : lines_(size / sizeof(line) + 1), size_{size} {
    for (auto& each : lines_) each.fill(0xab);
  }
  farpoint::bytes get() { return {lines_.front().data(), size_}; }

 private:
  struct alignas(farpoint::quadtree_alignment) line : std::array<unsigned char, farpoint::quadtree_alignment> {};
  std::vector<line> lines_;
  std::size_t size_;
};

struct image {
  int width, height;
  std::vector<quadtree_point> points;
  tree_memory memory;
  quadtree_ref tree;

  image(int w, int h, std::vector<quadtree_point> some)
      : width{w},
        height{h},
        points{std::move(some)},
        memory{farpoint::quadtree_bytes(w, h, static_cast<farpoint::index_t>(points.size()))} {
    auto const built = farpoint::build_quadtree({}, w, h, {points.data(), points.size()}, memory.get(), tree);
    INFO(built.reason);
    REQUIRE(built.code == status::ok);
  }
};

/// Points at every pixel (share 1) or at some, in random order, with random depths, -0 and infinity among them.
std::vector<quadtree_point> random_points(random_source& random, int width, int height, float share) {
  std::vector<quadtree_point> points;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!(random.uniform() < share)) continue;
      std::int64_t const kind = random.below(16);
      float const depth = kind == 0 ? -0.0f : kind == 1 ? 0.0f : kind == 2 ? infinity : random.uniform() * 100 - 5;
      points.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), depth, 0});
    }
  }
  for (std::size_t i = points.size(); i > 1; --i) {
    std::swap(points[i - 1], points[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].index = static_cast<u32>(7 * i + 3);
  return points;
}

/// Packed order, by a sort.
std::vector<quadtree_point> sorted_by_code(std::vector<quadtree_point> points) {
  auto const code = [](quadtree_point const& p) { return farpoint::morton_encode<u32>(p.x, p.y); };
  std::sort(points.begin(), points.end(), [&code](auto const& a, auto const& b) { return code(a) < code(b); });
  return points;
}

void check_packed(image const& made) {
  quadtree_ref const& tree = made.tree;
  auto const expected = sorted_by_code(made.points);
  REQUIRE(tree.size() == expected.size());
  for (u32 i = 0; i < tree.size(); ++i) {
    auto const& point = expected[i];
    bool const same = tree.pixel(i)[0] == point.x && tree.pixel(i)[1] == point.y && tree.index(i) == point.index &&
                      tree.depth(i) == point.depth;
    if (!same) FAIL("packed point " << i << " is not that of pixel " << point.x << ", " << point.y);
  }
}

/// Points and depths of a node, from all of the points.
struct summary {
  u32 count = 0;
  quadtree_depths depths{infinity, -infinity};

  void add(u32 points, quadtree_depths const& more) {
    count += points;
    depths = {std::min(depths.low, more.low), std::max(depths.high, more.high)};
  }
};

/// Every node of every level, against a grid of each level that is made without the tree.
void check_nodes(quadtree_ref const& tree, std::vector<quadtree_point> const& points) {
  int const top = tree.levels() - 1;
  for (int level = 0; level <= top; ++level) {
    std::vector<summary> nodes(std::size_t{1} << 2 * (top - level));
    for (auto const& p : points) {
      nodes[farpoint::morton_encode<u32>(p.x >> level, p.y >> level)].add(1, {p.depth, p.depth});
    }
    u32 position = 0;
    u32 wrong = 0;
    for (u32 code = 0; code < nodes.size(); ++code) {
      quadtree_node const node{code, level};
      quadtree_range const range = tree.range(node);
      quadtree_depths const depths = tree.depth_range(node);
      wrong += range.first != position || tree.count(node) != nodes[code].count ||
               range.last - range.first != nodes[code].count || depths.low != nodes[code].depths.low ||
               depths.high != nodes[code].depths.high;
      position = range.last;
    }
    INFO("level " << level);
    REQUIRE(wrong == 0);
    REQUIRE(position == points.size());
  }
}

void check_families(quadtree_ref const& tree) {
  int const top = tree.levels() - 1;
  for (int level = 1; level <= top; ++level) {
    u32 wrong = 0;
    for (u32 code = 0; code < u32{1} << 2 * (top - level); ++code) {
      quadtree_node const node{code, level};
      summary sum;
      u32 first = tree.range(node).first;
      for (int i = 0; i < 4; ++i) {
        quadtree_node const child = node.child(i);
        wrong += child.parent() != node || tree.range(child).first != first;
        first = tree.range(child).last;
        sum.add(tree.count(child), tree.depth_range(child));
      }
      quadtree_depths const depths = tree.depth_range(node);
      wrong += sum.count != tree.count(node) || first != tree.range(node).last || sum.depths.low != depths.low ||
               sum.depths.high != depths.high;
    }
    INFO("level " << level);
    REQUIRE(wrong == 0);
  }
}

void check_tree(image const& made) {
  check_packed(made);
  check_nodes(made.tree, made.points);
  check_families(made.tree);
}

template <class Inside>
std::vector<u32> all_inside(quadtree_ref const& tree, Inside const& inside) {
  std::vector<u32> positions;
  for (u32 i = 0; i < tree.size(); ++i) {
    if (inside(tree.pixel(i))) positions.push_back(i);
  }
  return positions;
}

std::size_t check_disc(quadtree_ref const& tree, float x, float y, float radius) {
  CAPTURE(x, y, radius);
  std::vector<u32> visited;
  tree.for_each_in_disc({{x, y}}, radius, [&visited](u32 position) { visited.push_back(position); });
  farpoint::vec<float, 2> const center{{x, y}};
  auto const expected = all_inside(tree, [&](farpoint::vec<int, 2> const& pixel) {
    farpoint::vec<float, 2> const at{{static_cast<float>(pixel[0]), static_cast<float>(pixel[1])}};
    return radius >= 0 && farpoint::is_finite(center) && farpoint::distance2(at, center) <= radius * radius;
  });
  REQUIRE((visited == expected));
  return visited.size();
}

std::size_t check_box(quadtree_ref const& tree, pixel_box const& box) {
  CAPTURE(box.low[0], box.low[1], box.high[0], box.high[1]);
  std::vector<u32> visited;
  tree.for_each_in_box(box, [&visited](u32 position) { visited.push_back(position); });
  auto const expected = all_inside(tree, [&](farpoint::vec<int, 2> const& pixel) {
    return box.low[0] <= pixel[0] && pixel[0] <= box.high[0] && box.low[1] <= pixel[1] && pixel[1] <= box.high[1];
  });
  REQUIRE((visited == expected));
  return visited.size();
}

/// Centers on pixels, between them, outside; radii from nothing to beyond the image.
void check_random_shapes(random_source& random, image const& made, std::uint64_t count) {
  for (std::uint64_t round = 0; round < farpoint_tests::rounds(count); ++round) {
    auto const coordinate = [&random](int side) {
      float const at = (random.uniform() * 1.5f - 0.25f) * static_cast<float>(side);
      return random.below(2) == 0 ? std::floor(at) : at;
    };
    float const side = static_cast<float>(std::max(made.width, made.height));
    float const radius = std::exp2(random.uniform() * 14 - 2);
    float const whole = random.below(2) == 0 ? std::floor(radius) : radius;
    check_disc(made.tree, coordinate(made.width), coordinate(made.height), std::min(whole, 1.5f * side));

    auto const corner = [&random](int of) { return static_cast<int>(random.below(2 * of)) - of / 2; };
    int const x = corner(made.width);
    int const y = corner(made.height);
    check_box(made.tree, {{{x, y}}, {{x + corner(made.width), y + corner(made.height)}}});
  }
}

}  // namespace

TEST_CASE("a quadtree of images of many shapes", "[spatial][quadtree]") {
  constexpr int shapes[][2] = {{1, 1},  {2, 1},  {1, 3},   {4, 4},   {5, 4},    {3, 9},     {16, 16},  {17, 16},
                               {1, 64}, {65, 1}, {33, 70}, {100, 7}, {129, 64}, {256, 256}, {640, 48}, {31, 500}};
  std::uint64_t seed = 100;
  for (auto const& shape : shapes) {
    for (float const share : {0.0f, 0.01f, 0.3f, 0.95f, 1.0f}) {
      CAPTURE(shape[0], shape[1], share, ++seed);
      random_source random{seed};
      image const made{shape[0], shape[1], random_points(random, shape[0], shape[1], share)};
      check_tree(made);
      check_random_shapes(random, made, 20);
    }
  }
}

TEST_CASE("a quadtree of random images", "[spatial][quadtree]") {
  for (std::uint64_t seed = 1; seed <= farpoint_tests::rounds(60); ++seed) {
    random_source random{seed};
    int const width = 1 + static_cast<int>(random.below(200));
    int const height = 1 + static_cast<int>(random.below(200));
    float const share = random.uniform();
    CAPTURE(seed, width, height, share);
    image const made{width, height, random_points(random, width, height, share * share)};
    check_tree(made);
    check_random_shapes(random, made, 30);
  }
}

TEST_CASE("a quadtree of the longest images", "[spatial][quadtree]") {
  for (bool const is_wide : {true, false}) {
    int const width = is_wide ? 8192 : 1;
    int const height = is_wide ? 1 : 8192;
    CAPTURE(is_wide);
    random_source random{5};
    image const made{width, height, random_points(random, width, height, 0.5f)};
    CHECK(made.tree.levels() == 14);
    check_packed(made);
    check_random_shapes(random, made, 50);
    // All nodes, at the levels that are soon gone through.
    for (int level = 0; level < 14; ++level) {
      u32 position = 0;
      for (int at = 0; at < 8192; at += 1 << level) {
        quadtree_range const range = made.tree.range(quadtree_ref::node_of(level, is_wide ? at : 0, is_wide ? 0 : at));
        auto const inside =
            static_cast<u32>(std::count_if(made.points.begin(), made.points.end(), [=](quadtree_point const& p) {
              return (p.x + p.y) >> level == at >> level;
            }));
        if (level >= 5) REQUIRE(range.last - range.first == inside);
        if (range.first != position) FAIL("level " << level << ", pixel " << at);
        position = range.last;
      }
      REQUIRE(position == made.points.size());
    }
  }
}

TEST_CASE("a quadtree of the largest image: the corners of it", "[spatial][quadtree]") {
  image const made{
      8192, 8192, {{0, 0, 1, 0}, {8191, 8191, 2, 1}, {8191, 0, 3, 2}, {0, 8191, 4, 3}, {4096, 4095, 5, 4}}};
  check_packed(made);
  CHECK(made.tree.count({0, 12}) == 1);
  CHECK(made.tree.count({1, 12}) == 2);
  CHECK(made.tree.depth_range({1, 12}).low == 3);
  CHECK(made.tree.depth_range({1, 12}).high == 5);
  CHECK(made.tree.range({3, 12}).first == 4);
  CHECK(check_disc(made.tree, 4096, 4096, 1) == 1);
  CHECK(check_disc(made.tree, 4096, 4096, 5793) == 5);
  CHECK(check_disc(made.tree, 8191, 8191, 0) == 1);
  CHECK(check_box(made.tree, {{{1, 0}}, {{8191, 8190}}}) == 2);
}

TEST_CASE("nodes of a quadtree: pixels, parents, children", "[spatial][quadtree]") {
  random_source random{11};
  for (int round = 0; round < 5000; ++round) {
    int const x = static_cast<int>(random.below(8192));
    int const y = static_cast<int>(random.below(8192));
    for (int level = 0; level < 14; ++level) {
      quadtree_node const node = quadtree_ref::node_of(level, x, y);
      pixel_box const pixels = node.pixels();
      REQUIRE(pixels.low[0] == x >> level << level);
      REQUIRE(pixels.low[1] == y >> level << level);
      REQUIRE(pixels.high[0] == pixels.low[0] + (1 << level) - 1);
      REQUIRE(pixels.high[1] == pixels.low[1] + (1 << level) - 1);
      REQUIRE(node.parent() == quadtree_ref::node_of(level + 1, x, y));
      if (level > 0) {
        int const child = (x >> (level - 1) & 1) + 2 * (y >> (level - 1) & 1);
        REQUIRE(node.child(child) == quadtree_ref::node_of(level - 1, x, y));
      }
    }
  }
}

TEST_CASE("an empty quadtree", "[spatial][quadtree]") {
  image const made{37, 21, {}};
  CHECK(made.tree.size() == 0);
  CHECK(made.tree.levels() == 7);
  check_tree(made);
  CHECK(check_disc(made.tree, 3, 3, infinity) == 0);
  CHECK(check_box(made.tree, {{{0, 0}}, {{36, 20}}}) == 0);
  CHECK(made.tree.depth_range(made.tree.root()).low == infinity);
  CHECK(made.tree.depth_range(made.tree.root()).high == -infinity);
}

TEST_CASE("a quadtree of one point", "[spatial][quadtree]") {
  image const made{37, 21, {{36, 20, 2.5f, 77}}};
  check_tree(made);
  CHECK(made.tree.index(0) == 77);
  CHECK(check_disc(made.tree, 36, 20, 0) == 1);
  CHECK(check_disc(made.tree, 36, 19, 0.999f) == 0);
  CHECK(check_disc(made.tree, 36, 19, 1) == 1);
  CHECK(check_box(made.tree, {{{36, 20}}, {{36, 20}}}) == 1);
  CHECK(check_box(made.tree, {{{0, 0}}, {{35, 20}}}) == 0);
}

TEST_CASE("discs that are degenerate, huge or outside", "[spatial][quadtree]") {
  constexpr float largest = std::numeric_limits<float>::max();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float least = std::numeric_limits<float>::denorm_min();
  random_source random{21};
  image const made{90, 50, random_points(random, 90, 50, 0.6f)};
  auto const all = made.points.size();
  for (float const radius : {200.0f, 1e6f, 1e10f, 1e30f, largest, infinity}) {
    CHECK(check_disc(made.tree, 40, 20, radius) == all);
  }
  CHECK(check_disc(made.tree, largest, -largest, infinity) == all);
  CHECK(check_disc(made.tree, -1e9f, 1e9f, 1e9f) == 0);
  for (float const nothing : {-1.0f, -infinity, nan}) CHECK(check_disc(made.tree, 40, 20, nothing) == 0);
  CHECK(check_disc(made.tree, nan, 20, infinity) == 0);
  CHECK(check_disc(made.tree, 40, infinity, infinity) == 0);
  CHECK(check_disc(made.tree, 40.5f, 20, 0) == 0);
  // Squares below the smallest number are 0, as everywhere in distance2().
  for (float const radius : {0.0f, least, 1e-30f}) {
    for (int x = 30; x < 40; ++x) check_disc(made.tree, static_cast<float>(x), 20, radius);
    check_disc(made.tree, 1e-30f, least, radius);
  }
  // Distances at which a float does not resolve single pixels, and around the bound of the short cut.
  for (float const far : {1e5f, 1048575.0f, 1048576.0f, 1048640.0f, 1.6e7f, 4e7f, 1e9f, 3e12f}) {
    for (float const more : {-128.0f, -0.5f, 0.0f, 0.3f, 1.0f, 25.0f, 45.0f, 64.0f}) {
      check_disc(made.tree, far, 20, far + more);
      check_disc(made.tree, 45, -far, far + more);
      check_disc(made.tree, -far, far / 2, far * 1.118034f + more);
    }
  }
}

TEST_CASE("rectangles that are empty, huge or outside", "[spatial][quadtree]") {
  constexpr int most = std::numeric_limits<int>::max();
  constexpr int least = std::numeric_limits<int>::min();
  random_source random{22};
  image const made{90, 50, random_points(random, 90, 50, 0.6f)};
  CHECK(check_box(made.tree, {{{least, least}}, {{most, most}}}) == made.points.size());
  CHECK(check_box(made.tree, {{{90, 0}}, {{most, 49}}}) == 0);
  CHECK(check_box(made.tree, {{{0, least}}, {{89, -1}}}) == 0);
  CHECK(check_box(made.tree, {{{10, 10}}, {{9, 20}}}) == 0);
  CHECK(check_box(made.tree, {{{most, most}}, {{least, least}}}) == 0);
  check_box(made.tree, {{{31, 0}}, {{32, 49}}});
  check_box(made.tree, {{{0, 31}}, {{89, 32}}});
}

TEST_CASE("a quadtree does not depend on the order of the points", "[spatial][quadtree]") {
  random_source random{31};
  auto points = random_points(random, 60, 60, 0.4f);
  image const made{60, 60, points};
  std::reverse(points.begin(), points.end());
  image const other{60, 60, points};
  auto const bits = [](image const& of) {
    // The first records are unused, and what is behind the arrays' ends too.
    auto const* const records = reinterpret_cast<unsigned char const*>(of.tree.arrays().records);
    std::vector<unsigned char> all(records, records + 16 * of.tree.layout().record_count());
    for (u32 i = 0; i < of.tree.size(); ++i) {
      auto const* const depth = reinterpret_cast<unsigned char const*>(of.tree.arrays().depths + i);
      all.insert(all.end(), depth, depth + 4);
    }
    return all;
  };
  CHECK((bits(made) == bits(other)));
}

TEST_CASE("build_quadtree rejects what breaks its rules", "[spatial][quadtree]") {
  tree_memory memory{farpoint::quadtree_bytes(8, 4, 4)};
  quadtree_ref tree;
  auto const build = [&](int width, int height, std::vector<quadtree_point> const& points, farpoint::bytes where) {
    return farpoint::build_quadtree({}, width, height, {points.data(), points.size()}, where, tree).code;
  };
  CHECK(build(8, 4, {{7, 3, 1, 0}, {0, 0, 1, 1}}, memory.get()) == status::ok);
  CHECK(tree.size() == 2);
  CHECK(build(0, 4, {}, memory.get()) == status::bad_argument);
  CHECK(build(8, 8193, {}, memory.get()) == status::bad_argument);
  CHECK(build(1, 1, {{0, 0, 1, 0}, {0, 0, 1, 1}}, memory.get()) == status::bad_argument);
  CHECK(build(8, 4, {{8, 0, 1, 0}}, memory.get()) == status::bad_argument);
  CHECK(build(8, 4, {{0, 4, 1, 0}}, memory.get()) == status::bad_argument);
  CHECK(build(8, 4, {{0, 0, std::numeric_limits<float>::quiet_NaN(), 0}}, memory.get()) == status::bad_argument);
  CHECK(build(9, 4, {}, memory.get()) == status::workspace_too_small);
  CHECK(build(8, 4, {{0, 0, 1, 0}}, memory.get().first(128)) == status::workspace_too_small);
  CHECK(build(4, 4, {}, memory.get().subspan(16)) == status::bad_argument);
  CHECK(farpoint::build_quadtree({-1}, 8, 4, {}, memory.get(), tree).code == status::bad_argument);
  // The refused calls did not write the tree.
  CHECK(tree.size() == 2);
  CHECK(tree.index(1) == 0);
  CHECK(build(8, 4, {{5, 3, 1, 0}, {5, 3, 2, 1}}, memory.get()) == status::bad_argument);
}
