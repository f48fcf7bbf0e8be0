// bounding_box: its corners against minima and maxima of each axis, its distance against the distance to its nearest
// point.
#include <farpoint/geometry/axis_distance.hpp>
#include <farpoint/geometry/bounding_box.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/for_each_value.hpp"
#include "../../support/random.hpp"

using farpoint::bounding_box;
using farpoint::box_distance2;
using farpoint::vec;
using farpoint_tests::for_each_value;
using farpoint_tests::random_source;

namespace {

template <class Scalar>
constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

/// A number in [-1, 1) times a power of two, small and large ones.
template <class Scalar>
Scalar number(random_source& random, int exponent) {
  return std::ldexp(static_cast<Scalar>(random.uniform() * 2 - 1), exponent);
}

template <class Scalar, int Dim>
vec<Scalar, Dim> point(random_source& random, int exponent) {
  vec<Scalar, Dim> p;
  for (int axis = 0; axis < Dim; ++axis) p[axis] = number<Scalar>(random, exponent);
  return p;
}

template <class Scalar, int Dim>
bool same(bounding_box<Scalar, Dim> const& a, bounding_box<Scalar, Dim> const& b) {
  bool equal = true;
  for (int axis = 0; axis < Dim; ++axis) equal = equal && a.low[axis] == b.low[axis] && a.high[axis] == b.high[axis];
  return equal;
}

template <class Scalar, int Dim>
void check_growth() {
  random_source random{Dim};
  for (int round = 0; round < 300; ++round) {
    std::vector<vec<Scalar, Dim>> points(static_cast<std::size_t>(1 + random.below(40)));
    for (auto& p : points) p = point<Scalar, Dim>(random, static_cast<int>(random.below(200)) - 100);
    auto whole = bounding_box<Scalar, Dim>::empty();
    bounding_box<Scalar, Dim> parts[2] = {whole, whole};
    for (std::size_t i = 0; i < points.size(); ++i) {
      whole.grow(points[i]);
      parts[i % 2].grow(points[i]);
    }
    CAPTURE(Dim, round);
    for (int axis = 0; axis < Dim; ++axis) {
      auto const [least, most] = std::minmax_element(
          points.begin(), points.end(), [axis](auto const& a, auto const& b) { return a[axis] < b[axis]; });
      REQUIRE(whole.low[axis] == (*least)[axis]);
      REQUIRE(whole.high[axis] == (*most)[axis]);
    }
    // Boxes of parts join in either order; an empty box adds nothing.
    auto joined = parts[1];
    joined.grow(parts[0]);
    joined.grow(bounding_box<Scalar, Dim>::empty());
    REQUIRE(same(joined, whole));
  }
}

template <class Scalar, int Dim>
void check_distances() {
  random_source random{77 + Dim};
  for (int round = 0; round < 3000; ++round) {
    auto box = bounding_box<Scalar, Dim>::empty();
    int const exponent = static_cast<int>(random.below(60)) - 30;
    auto const a = point<Scalar, Dim>(random, exponent);
    auto const b = point<Scalar, Dim>(random, exponent);
    box.grow(a);
    box.grow(b);
    auto const q = point<Scalar, Dim>(random, exponent + 1);
    vec<Scalar, Dim> nearest;
    for (int axis = 0; axis < Dim; ++axis) nearest[axis] = std::clamp(q[axis], box.low[axis], box.high[axis]);
    CAPTURE(Dim, round);
    // The nearest point's distance has the same roundings, so the same bits.
    REQUIRE(box.distance2(q) == farpoint::distance2(nearest, q));
    REQUIRE(box.distance2(q) == box_distance2(box.low, box.high, q));
    REQUIRE(box.distance2(q) <= farpoint::distance2(a, q));
    REQUIRE(box.distance2(q) <= farpoint::distance2(b, q));
    REQUIRE(box.distance2(nearest) == 0);
    // An axis at a time.
    Scalar sum = 0;
    for (int axis = 0; axis < Dim; ++axis) {
      sum = farpoint::detail::add_box_axis(sum, box.low[axis], box.high[axis], q[axis]);
    }
    REQUIRE(sum == box.distance2(q));
  }
}

template <class Scalar>
void check_all_dims() {
  for_each_value<1, 2, 3, 5>([](auto dim) {
    check_growth<Scalar, dim>();
    check_distances<Scalar, dim>();
  });
}

template <class Scalar>
void check_special_values() {
  constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  constexpr Scalar most = std::numeric_limits<Scalar>::max();
  using box_type = bounding_box<Scalar, 3>;
  auto box = box_type::empty();
  CHECK(box.distance2({{0, 0, 0}}) == infinity<Scalar>);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(box.low[axis] == infinity<Scalar>);
    CHECK(box.high[axis] == -infinity<Scalar>);
  }
  // A coordinate that is NaN is passed over, before others and after them.
  box.grow(vec<Scalar>{{nan, 1, nan}});
  box.grow(vec<Scalar>{{2, nan, nan}});
  CHECK(box.low[0] == 2);
  CHECK(box.high[1] == 1);
  CHECK(box.low[2] == infinity<Scalar>);
  CHECK(box.high[2] == -infinity<Scalar>);
  // As large as there are, and subnormal.
  auto huge = box_type::empty();
  huge.grow(vec<Scalar>{{-most, -most, -most}});
  huge.grow(vec<Scalar>{{most, most, most}});
  CHECK(huge.distance2({{most, 0, -most}}) == 0);
  CHECK(huge.distance2({{infinity<Scalar>, 0, 0}}) == infinity<Scalar>);
  auto tiny = box_type::empty();
  Scalar const small = std::numeric_limits<Scalar>::denorm_min();
  tiny.grow(vec<Scalar>{{-small, 0, 0}});
  tiny.grow(vec<Scalar>{{small, 0, 0}});
  CHECK(tiny.low[0] == -small);
  CHECK(tiny.high[0] == small);
  CHECK(tiny.distance2({{0, 0, 0}}) == 0);
  tiny.grow(vec<Scalar>{{-infinity<Scalar>, infinity<Scalar>, 0}});
  CHECK(tiny.low[0] == -infinity<Scalar>);
  CHECK(tiny.high[1] == infinity<Scalar>);
}

}  // namespace

TEST_CASE("bounding_box: minima and maxima of points, and of boxes; the distance of its nearest point",
          "[bounding_box]") {
  check_all_dims<float>();
  check_all_dims<double>();
}

TEST_CASE("bounding_box: nothing, NaN, infinite, huge and subnormal coordinates", "[bounding_box]") {
  check_special_values<float>();
  check_special_values<double>();
}

TEST_CASE("bounding_box: of the first axes of a point", "[bounding_box]") {
  auto box = bounding_box<float, 2>::empty();
  box.grow(vec<float, 5>{{1, 2, 9, 9, 9}});
  box.grow(vec<float, 3>{{-1, 3, 9}});
  CHECK(same(box, {{{-1, 2}}, {{1, 3}}}));
  static_assert(std::is_trivially_copyable_v<bounding_box<float, 2>> && std::is_aggregate_v<bounding_box<float, 2>>);
}
