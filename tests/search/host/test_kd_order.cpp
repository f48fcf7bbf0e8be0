// kd_order against the definition: each node's points sorted, and cut.
#include <farpoint/host/kd_order.hpp>
#include <farpoint/point_bvh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/random.hpp"
#include "../../support/test_scale.hpp"
#include "../index_problem.hpp"

using namespace farpoint_tests;
using farpoint::index_t;

namespace {

constexpr index_t leaf = 8;

template <class Scalar>
using points = std::vector<farpoint::vec<Scalar, 3>>;
using leaves_of_indices = std::vector<std::vector<std::uint32_t>>;

/// Clouds that an index may stumble over.
template <class Scalar>
points<Scalar> make_points(std::uint64_t seed) {
  random_source random{seed};
  auto const kind = random.below(7);
  points<Scalar> made(static_cast<std::size_t>(random.below(random.below(4) == 0 ? 9000 : 150)));
  Scalar const huge = std::numeric_limits<Scalar>::max();
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      Scalar const even = static_cast<Scalar>(random.uniform()) - Scalar(0.5);
      Scalar& x = made[i][axis];
      x = even;
      if (kind == 1) x = 3;                                                          // coincident
      if (kind == 2) x = std::copysign(static_cast<Scalar>(random.below(3)), even);  // a lattice, two zeros
      if (kind == 3) x = i % 2 == 0 ? Scalar(0.25) : even;                           // half in a heap
      if (kind == 4) x = even * huge * 2;                                            // edges that overflow
      if (kind == 5) x = axis == 1 ? static_cast<Scalar>(i) : Scalar(0);             // sorted, on a line
      if (kind == 6) x = static_cast<Scalar>(axis == 0 ? i % 64 : i / 64 % 64);      // row by row
    }
  }
  return made;
}

template <class Scalar>
struct indexed {
  farpoint::vec<Scalar, 3> at;
  std::uint32_t index;
};

/// The leaves by the definition, each a set of indices.
template <class Scalar>
void cut_in_leaves(std::vector<indexed<Scalar>> node, leaves_of_indices& leaves) {
  int longest = 0;
  Scalar length = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const less = [axis](auto const& a, auto const& b) { return a.at[axis] < b.at[axis]; };
    auto const ends = std::minmax_element(node.begin(), node.end(), less);
    Scalar const edge = node.empty() ? 0 : ends.second->at[axis] / 2 - ends.first->at[axis] / 2;
    if (edge > length) std::tie(longest, length) = std::pair{axis, edge};
  }
  std::sort(node.begin(), node.end(), [longest](auto const& a, auto const& b) {
    auto const place = [longest](auto const& p) {
      return std::tuple{p.at[longest], p.at[longest] == 0 && !std::signbit(p.at[longest]), p.index};
    };
    return place(a) < place(b);
  });
  if (node.size() <= static_cast<std::size_t>(leaf)) {
    leaves.emplace_back();
    for (auto const& p : node) leaves.back().push_back(p.index);
    std::sort(leaves.back().begin(), leaves.back().end());
    return;
  }
  std::size_t half = leaf;
  while (2 * half < node.size()) half *= 2;
  auto const middle = node.begin() + static_cast<std::ptrdiff_t>(half);
  cut_in_leaves<Scalar>({node.begin(), middle}, leaves);
  cut_in_leaves<Scalar>({middle, node.end()}, leaves);
}

template <class Scalar>
leaves_of_indices expected_leaves(points<Scalar> const& cloud) {
  std::vector<indexed<Scalar>> all;
  for (std::size_t i = 0; i < cloud.size(); ++i) all.push_back({cloud[i], static_cast<std::uint32_t>(i)});
  leaves_of_indices leaves;
  cut_in_leaves<Scalar>(all, leaves);
  return leaves;
}

template <class Scalar, int Guesses>
void check_order(points<Scalar> const& cloud, leaves_of_indices const& expected) {
  CAPTURE(cloud.size(), Guesses, sizeof(Scalar));
  using point = farpoint::detail::kd_point<Scalar>;
  std::vector<point> sorted;
  for (std::size_t i = 0; i < cloud.size(); ++i) sorted.push_back({cloud[i], static_cast<std::uint32_t>(i)});
  farpoint::detail::kd_order<Scalar, leaf, Guesses>::sort(sorted.data(), static_cast<index_t>(sorted.size()));
  bool kept = true;
  for (point const& p : sorted) {
    auto const& original = cloud[p.index()];
    auto const at = p.at();
    for (int axis = 0; axis < 3; ++axis) {
      kept = kept && at[axis] == original[axis] && std::signbit(at[axis]) == std::signbit(original[axis]);
    }
  }
  CHECK(kept);
  std::size_t place = 0;
  bool same = true;
  for (auto const& wanted : expected) {
    std::vector<std::uint32_t> got;
    for (std::size_t i = 0; i < wanted.size() && place < sorted.size(); ++i) got.push_back(sorted[place++].index());
    std::sort(got.begin(), got.end());
    same = same && got == wanted;
  }
  CHECK(same);
  CHECK(place == sorted.size());
}

template <class Scalar>
void check_orders() {
  for_each_seed(rounds(300), [](std::uint64_t seed) {
    auto const cloud = make_points<Scalar>(seed);
    auto const expected = expected_leaves(cloud);
    check_order<Scalar, 24>(cloud, expected);
    // As where guess after guess is bad.
    check_order<Scalar, 0>(cloud, expected);
    check_order<Scalar, 1>(cloud, expected);
  });
}

/// Indices leaf by leaf.
template <class Scalar>
std::vector<std::uint32_t> order_of(std::vector<std::array<Scalar, 3>> const& cloud, int threads) {
  farpoint::host_exec const exec{threads};
  farpoint::batch const points{farpoint::view_points(cloud)};
  farpoint::host_scratch const memory{point_bvh_bytes(exec, points)};
  farpoint::point_bvh<Scalar> built;
  REQUIRE(build_point_bvh(exec, points, memory, built));
  std::vector<std::uint32_t> order;
  built[0].for_each([&](std::uint32_t index, auto const&) { order.push_back(index); });
  return order;
}

using doubles = std::vector<std::array<double, 3>>;

enum class double_cloud { even, lattice, utm, with_nan, far_first, far_clusters, far_middle, sentinel };
constexpr double_cloud all_double_clouds[] = {
    double_cloud::even,      double_cloud::lattice,      double_cloud::utm,        double_cloud::with_nan,
    double_cloud::far_first, double_cloud::far_clusters, double_cloud::far_middle, double_cloud::sentinel};

doubles make_doubles(double_cloud which, std::size_t size) {
  random_source random{31};
  doubles cloud(size);
  for (auto& p : cloud) {
    bool const is_far = random.below(2) == 0;
    for (auto& x : p) {
      x = static_cast<double>(random.uniform());
      if (which == double_cloud::lattice) x = static_cast<double>(random.below(9)) * 0.1;
      if (which == double_cloud::utm) x = 5.4e6 + 1e-3 * static_cast<double>(random.below(1000000));
      if (which == double_cloud::far_clusters && is_far) x += 1e9;
    }
    if (which == double_cloud::with_nan && is_far) p[1] = std::numeric_limits<double>::quiet_NaN();
  }
  if (which == double_cloud::far_first) cloud[0] = {1e12, -1e12, 1e12};
  if (which == double_cloud::far_middle) cloud[size / 2] = {1e12, -1e12, 1e12};
  // Far away along one axis, along which floats are equal.
  if (which == double_cloud::sentinel) cloud[size / 2] = {0.5, 1e9, 0.5};
  return cloud;
}

/// True if the points of a cloud are put in order as floats.
bool is_sorted_as_floats(doubles const& cloud) {
  using namespace farpoint::detail;
  auto const view = farpoint::view_points(cloud);
  std::vector<kd_point<double>> sorted(cloud.size());
  kd_parts::part part{};
  kd_phases<std::decay_t<decltype(view)>, leaf> phases{view, sorted.data(), kd_parts{&part, 1}};
  for (std::uint32_t units = phases.units(); units != 0; units = phases.next()) phases.work(0, [](index_t) {});
  return phases.coarse_points() != nullptr;
}

}  // namespace

TEST_CASE("kd_order: each leaf has the points of the definition", "[knn][kd_order]") {
  check_orders<float>();
}

TEST_CASE("kd_order: of doubles", "[knn][kd_order][numbers]") {
  check_orders<double>();
}

TEST_CASE("kd_order: points at one place go into leaves in the order of their indices", "[knn][kd_order]") {
  std::vector<farpoint::detail::kd_point<float>> sorted;
  for (std::uint32_t i = 0; i < 1000; ++i) sorted.push_back({{{1, 2, 3}}, 999 - i});
  farpoint::detail::kd_order<float, leaf>::sort(sorted.data(), 1000);
  bool same = true;
  for (std::uint32_t i = 0; i < 1000; ++i) same = same && sorted[i].index() / leaf == i / leaf;
  CHECK(same);
}

TEST_CASE("kd_order: a BVH on the host is the same for any number of threads", "[knn][kd_order]") {
  for (bool const lattice : {false, true}) {
    random_source random{7};
    auto const cloud = random_points(random, 30000, lattice);
    auto const alone = order_of(cloud, 1);
    for (int const threads : {2, 3, 5, 16}) {
      CAPTURE(threads, lattice);
      CHECK(order_of(cloud, threads) == alone);
    }
  }
}

TEST_CASE("kd_order: a BVH of doubles has each finite point once, in an order that no number of threads changes",
          "[knn][kd_order]") {
  for (double_cloud const which : all_double_clouds) {
    CAPTURE(static_cast<int>(which));
    auto const cloud = make_doubles(which, 30000);
    auto const alone = order_of(cloud, 1);
    for (int const threads : {2, 3, 5, 16}) {
      CAPTURE(threads);
      CHECK(order_of(cloud, threads) == alone);
    }
    std::vector<std::uint32_t> finite;
    for (std::uint32_t i = 0; i < cloud.size(); ++i) {
      if (!std::isnan(cloud[i][1])) finite.push_back(i);
    }
    auto sorted = alone;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == finite);
  }
}

TEST_CASE("kd_order: doubles are sorted as floats unless these do not tell them apart", "[knn][kd_order]") {
  for (double_cloud const which : all_double_clouds) {
    CAPTURE(static_cast<int>(which));
    bool const is_apart = which < double_cloud::far_clusters;
    CHECK(is_sorted_as_floats(make_doubles(which, 5000)) == is_apart);
  }
  // Duplicates need no order, and neither do points whose squared distance underflows.
  CHECK(is_sorted_as_floats(doubles(5000, {1, 2, 3})));
  doubles close(5000);
  for (std::size_t i = 0; i < close.size(); ++i) close[i] = {1e-200 * static_cast<double>(i), 0, 0};
  CHECK(is_sorted_as_floats(close));
  for (auto& p : close) p[0] *= 1e150;
  CHECK_FALSE(is_sorted_as_floats(close));
}

TEST_CASE("kd_order: clouds of doubles of any kind, sizes around those of groups of leaves", "[knn][kd_order]") {
  for_each_seed(rounds(100), [](std::uint64_t seed) {
    auto const points = make_points<double>(seed);
    doubles cloud;
    for (auto const& p : points) cloud.push_back({p[0], p[1], p[2]});
    auto order = order_of(cloud, 1 + static_cast<int>(seed % 4));
    std::sort(order.begin(), order.end());
    bool same = order.size() == cloud.size();
    for (std::size_t i = 0; i < order.size(); ++i) same = same && order[i] == i;
    CHECK(same);
  });
}
