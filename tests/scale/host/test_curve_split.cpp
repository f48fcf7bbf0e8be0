// Exact splitting along Hilbert's curve with ranks that are threads: parts of the same size, which follow one another.
#include <farpoint/scale/stream/curve/reach.hpp>
#include <farpoint/scale/stream/curve/split.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../knn_shard_problem.hpp"

#include <set>
#include <stdexcept>
#include <tuple>

using namespace farpoint_tests;

namespace {

/// A finite point: its key, its rank, its index there, and its part.
struct placed_point {
  std::uint64_t key;
  std::size_t rank;
  std::uint64_t index;
  std::uint32_t part;

  friend bool operator<(placed_point const& a, placed_point const& b) {
    return std::tie(a.key, a.rank, a.index) < std::tie(b.key, b.rank, b.index);
  }
};

/// Catch's checks are for one thread.
void require(bool is_right, char const* what) {
  if (!is_right) throw std::runtime_error{what};
}

/// @param cuts  `[ranks + 1]`
/// @param look  look(reach) is called by the first rank, with the curve_reach that it has found
template <class Coord, class Look>
std::vector<placed_point> split(packed_points<Coord> const& cloud, std::vector<index_t> const& cuts, Look const& look) {
  auto const ranks = static_cast<int>(cuts.size()) - 1;
  std::vector<std::vector<placed_point>> found(cuts.size() - 1);
  farpoint::thread_ranks group{ranks};
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    packed_points<Coord> const mine{cloud.begin() + cuts[rank], cloud.begin() + cuts[rank + 1]};
    auto const points = view_of(mine);
    farpoint::detail::workspace_cutter size;
    farpoint::detail::curve_memory<Coord> const sized{size, ranks, points.size()};
    host_array<unsigned char> const workspace{size.used()};
    farpoint::detail::workspace_cutter cutter{workspace.data()};
    farpoint::detail::curve_memory<Coord> const memory{cutter, ranks, points.size()};
    farpoint::thread_communicator communicator{group, number};
    farpoint::detail::curve_split<farpoint::host_exec, farpoint::thread_communicator, Coord> splitting{
        farpoint::host_exec{1}, communicator, memory};
    require(splitting.run(points, points, false) && workspace.intact(), "the split");
    for (index_t i = 0; i < points.size(); ++i) {
      auto const at = static_cast<std::uint64_t>(i);
      bool const finite = is_finite(points[i]);
      require((memory.keys[i] == farpoint::detail::no_curve_key) == !finite, "a key");
      if (finite) found[rank].push_back({memory.keys[i], rank, at, splitting.borders().part_of(memory.keys[i], at)});
    }
    auto const borders = splitting.borders();
    if (number == 0) look(farpoint::detail::curve_reach<Coord>{memory.frame, borders.keys, borders.count});
  });
  std::vector<placed_point> all;
  for (auto const& of_rank : found) all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

template <class Coord>
std::vector<placed_point> split(packed_points<Coord> const& cloud, std::vector<index_t> const& cuts) {
  return split(cloud, cuts, [](auto const&) {});
}

/// @param cuts  `[ranks + 1]`
template <class Coord>
void check_split(packed_points<Coord> const& cloud, std::vector<index_t> const& cuts) {
  auto points = split(cloud, cuts);
  std::sort(points.begin(), points.end());
  std::size_t const ranks = cuts.size() - 1;
  std::vector<std::uint32_t> parts;
  std::vector<std::uint32_t> expected;
  for (std::size_t part = 0; part < ranks; ++part) {
    expected.resize(points.size() * (part + 1) / ranks, static_cast<std::uint32_t>(part));
  }
  for (auto const& point : points) parts.push_back(point.part);
  CHECK(parts == expected);
}

std::vector<index_t> random_cuts(random_source& random, int ranks, index_t n) {
  std::vector<index_t> cuts{0, n};
  for (int more = 1; more < ranks; ++more) cuts.push_back(random.below(n + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace

TEST_CASE("curve_split: parts of random clouds have the same size, and follow one another", "[shard][curve]") {
  for_each_seed(rounds(200), [](std::uint64_t seed) {
    random_source random{seed + 77};
    auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
    auto const cloud = packed<float>(make_cloud(which, static_cast<std::size_t>(random.below(600)), seed));
    auto const ranks = 1 + static_cast<int>(random.below(7));
    check_split(cloud, random_cuts(random, ranks, static_cast<index_t>(cloud.size())));
  });
}

TEST_CASE("curve_split: on more ranks, digits are shorter", "[shard][curve]") {
  for (shape const which : {shape::cube, shape::all_equal, shape::duplicates}) {
    for (int const ranks : {9, 20}) {
      random_source random{5};
      check_split(packed<double>(make_cloud(which, 3000, 9)), random_cuts(random, ranks, 3000));
    }
  }
}

TEST_CASE("curve_split: a border between equal points", "[shard][curve]") {
  // A quarter of the points coincide, spread over all ranks.
  random_source random{8};
  auto cloud = packed<float>(make_cloud(shape::cube, 20000, 4));
  for (auto& point : cloud) {
    if (random.below(4) == 0) point = {0.5f, 0.5f, 0.5f};
  }
  for (int const ranks : {2, 3, 5}) check_split(cloud, random_cuts(random, ranks, 20000));
}

/// Checks that may_own() is true for every owner of a point within the distance.
/// @return number of queries and owners for which may_own() is false
template <class Coord>
int check_reach(packed_points<Coord> const& cloud, std::vector<index_t> const& cuts, random_source& random) {
  struct question {
    std::size_t query;
    std::size_t point;  ///< farthest
    std::vector<char> answers;
  };
  std::vector<question> asked;
  auto const view = view_of(cloud);
  for (int i = 0; i < 50 && !cloud.empty(); ++i) {
    auto const any = [&] { return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(cloud.size()))); };
    question const one{any(), any(), {}};
    auto const at = [&](std::size_t index) { return is_finite(view[static_cast<index_t>(index)]); };
    if (at(one.query) && at(one.point)) asked.push_back(one);
  }
  auto const distance = [&](std::size_t a, std::size_t b) {
    return farpoint::distance2(view[static_cast<index_t>(a)], view[static_cast<index_t>(b)]);
  };
  auto const ranks = static_cast<int>(cuts.size()) - 1;
  auto const points = split(cloud, cuts, [&](auto const& reach) {
    for (auto& one : asked) {
      for (int owner = 0; owner < ranks; ++owner) {
        auto const query = view[static_cast<index_t>(one.query)];
        one.answers.push_back(reach.may_own(owner, query, distance(one.query, one.point)) ? 1 : 0);
      }
    }
  });
  int wrong = 0;
  int none = 0;
  for (auto const& one : asked) {
    for (auto const& p : points) {
      auto const at = static_cast<std::size_t>(cuts[p.rank]) + p.index;
      if (distance(one.query, at) <= distance(one.query, one.point) && one.answers[p.part] == 0) ++wrong;
    }
    none += static_cast<int>(std::count(one.answers.begin(), one.answers.end(), 0));
  }
  CHECK(wrong == 0);
  return none;
}

template <class Coord>
void check_reach_of(std::uint64_t seed) {
  random_source random{seed + 99};
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto const cloud = packed<Coord>(make_cloud(which, static_cast<std::size_t>(random.below(600)), seed));
  auto const ranks = 1 + static_cast<int>(random.below(7));
  check_reach(cloud, random_cuts(random, ranks, static_cast<index_t>(cloud.size())), random);
}

TEST_CASE("curve_reach: no owner of near points is left out", "[shard][curve]") {
  for_each_seed(rounds(200), [](std::uint64_t seed) { check_reach_of<float>(seed); });
  random_source random{6};
  auto const cloud = packed<float>(make_cloud(shape::cube, 5000, 4));
  CHECK(check_reach(cloud, random_cuts(random, 7, 5000), random) > 10);
}

NUMBERS_TEST_CASE("curve_reach: double coordinates", "[shard][curve][numbers]") {
  for_each_seed(rounds(100), [](std::uint64_t seed) { check_reach_of<double>(seed); });
}

TEST_CASE("curve_split: a point far away from all others leaves them their places", "[shard][curve]") {
  auto cloud = packed<float>(make_cloud(shape::cube, 5000, 4));
  cloud[1234] = {1e4f, -1e4f, 1e4f};
  auto const points = split(cloud, {0, 2000, 5000});
  std::set<std::uint64_t> keys;
  for (auto const& point : points) keys.insert(point.key);
  CHECK(keys.size() > 4000);
  check_split(cloud, {0, 2000, 5000});
}
