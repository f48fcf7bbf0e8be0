#include "normals.hpp"

namespace farpoint_tools {

std::vector<float> angles_between(std::vector<point3> const& a, std::vector<point3> const& b) {
  constexpr double degrees = 180 / 3.14159265358979323846;
  std::vector<float> angles(a.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    vec3 const u = to_vec3(a[i]);
    vec3 const v = to_vec3(b[i]);
    // acos would lose the digits of small angles.
    angles[i] = static_cast<float>(degrees * std::atan2(length(cross(u, v)), std::fabs(dot(u, v))));
  }
  return angles;
}

spread spread_of(std::vector<float> const& values) {
  if (values.empty()) return {};
  double sum = 0;
  for (float const value : values) sum += value;
  double const mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (float const value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

}  // namespace farpoint_tools
