#include "normals.hpp"

#include "parallel.hpp"
#include "plane_fit.hpp"

namespace farpoint_demo {

surface fit_surface(std::vector<point3> const& cloud, std::vector<std::int32_t> const& points,
                    neighbour_rows const& neighbours, vec3 const& eye, int threads) {
  surface fitted{std::vector<point3>(points.size()), std::vector<float>(points.size())};
  plane_fit const fit{farpoint::view_points(cloud),
                      points.data(),
                      neighbours.indices.data(),
                      neighbours.distances.data(),
                      static_cast<int>(neighbours.k),
                      {{eye[0], eye[1], eye[2]}},
                      reinterpret_cast<float*>(fitted.normals.data()),
                      fitted.radii.data()};
  for_each_index(points.size(), threads, fit);
  return fitted;
}

void turn_with_neighbours(std::vector<point3>& normals, std::vector<point3> const& cloud, view_search const& seen,
                          vec3 const& eye, int threads) {
  constexpr double grazing = 0.26;  // cos 75 degrees
  std::vector<std::int32_t> rank_of(cloud.size(), -1);
  for (std::size_t i = 0; i < seen.visible.size(); ++i) {
    rank_of[static_cast<std::size_t>(seen.visible[i])] = static_cast<std::int32_t>(i);
  }
  auto const before = normals;
  auto const facing = [&](std::size_t i) {
    return dot(to_vec3(before[i]), unit(eye - to_vec3(cloud[static_cast<std::size_t>(seen.visible[i])])));
  };
  for_each_index(seen.visible.size(), threads, [&](std::size_t i) {
    if (facing(i) > grazing) return;
    vec3 sum{};
    for (std::size_t j = 0; j < seen.neighbours.k && seen.neighbours.row(i)[j] >= 0; ++j) {
      auto const rank = static_cast<std::size_t>(rank_of[static_cast<std::size_t>(seen.neighbours.row(i)[j])]);
      // The closer a normal points to the eye, the more certain its side.
      sum = sum + facing(rank) * to_vec3(before[rank]);
    }
    if (dot(sum, to_vec3(before[i])) >= 0) return;
    for (float& coordinate : normals[i]) coordinate = -coordinate;
  });
}

std::vector<float> angles_between(std::vector<point3> const& a, std::vector<point3> const& b) {
  constexpr double degrees = 180 / 3.14159265358979323846;
  std::vector<float> angles(a.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    vec3 const u = to_vec3(a[i]);
    vec3 const v = to_vec3(b[i]);
    // Not acos, which cannot tell small angles apart.
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

}  // namespace farpoint_demo
