// Arithmetic with points and directions.
#pragma once

#include <array>
#include <cmath>

namespace farpoint_tools {

using vec3 = std::array<double, 3>;

inline vec3 operator+(vec3 const& a, vec3 const& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline vec3 operator-(vec3 const& a, vec3 const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline vec3 operator*(double factor, vec3 const& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
inline double dot(vec3 const& a, vec3 const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline vec3 cross(vec3 const& a, vec3 const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(vec3 const& a) {
  return std::sqrt(dot(a, a));
}
/// `a` scaled to length 1. `a` must not be zero.
inline vec3 unit(vec3 const& a) {
  return (1 / length(a)) * a;
}
inline vec3 to_vec3(std::array<float, 3> const& a) {
  return {a[0], a[1], a[2]};
}

}  // namespace farpoint_tools
