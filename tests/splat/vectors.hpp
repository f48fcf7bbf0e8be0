// Vectors in double precision, for oracles.
#pragma once

#include <cmath>

#include "../support/clouds.hpp"

namespace farpoint_tests {

inline double dot(xyz const& a, xyz const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline xyz cross(xyz const& a, xyz const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline xyz scaled(double factor, xyz const& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
inline xyz unit(xyz const& a) {
  return scaled(1 / std::sqrt(dot(a, a)), a);
}

}  // namespace farpoint_tests
