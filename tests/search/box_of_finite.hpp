// The box around the finite points of a view, by comparisons alone.
#pragma once

#include <farpoint/geometry/bounding_box.hpp>

#include <cmath>

namespace farpoint_tests {

template <class View>
farpoint::bounding_box<typename View::scalar> box_of_finite(View const& points) {
  auto box = farpoint::bounding_box<typename View::scalar>::empty();
  for (farpoint::index_t i = 0; i < points.size(); ++i) {
    auto const p = points[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < box.low[axis]) box.low[axis] = p[axis];
      if (p[axis] > box.high[axis]) box.high[axis] = p[axis];
    }
  }
  return box;
}

template <class Scalar>
bool same_box(farpoint::bounding_box<Scalar> const& a, farpoint::bounding_box<Scalar> const& b) {
  bool same = true;
  for (int axis = 0; axis < 3; ++axis) same = same && a.low[axis] == b.low[axis] && a.high[axis] == b.high[axis];
  return same;
}

}  // namespace farpoint_tests
