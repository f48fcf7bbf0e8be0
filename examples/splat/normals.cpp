#include "normals.hpp"

#include <farpoint/spatial/symmetric3.hpp>

#include <algorithm>

#include "parallel.hpp"

namespace farpoint_demo {

namespace {

// Around their mean, times their number; {} for fewer than three.
farpoint::symmetric3<double> covariance_of(std::vector<vec3> const& places) {
  farpoint::symmetric3<double> sum;
  if (places.size() < 3) return sum;
  vec3 mean{};
  for (vec3 const& place : places) mean = mean + place;
  mean = (1 / static_cast<double>(places.size())) * mean;
  for (vec3 const& place : places) {
    vec3 const d = place - mean;
    sum.xx += d[0] * d[0];
    sum.xy += d[0] * d[1];
    sum.xz += d[0] * d[2];
    sum.yy += d[1] * d[1];
    sum.yz += d[1] * d[2];
    sum.zz += d[2] * d[2];
  }
  return sum;
}

vec3 fit_normal(std::vector<vec3> const& places, vec3 const& to_eye) {
  constexpr double flat = 1e-6;  // of the longest axis: the coordinates are floats
  auto const eigen = farpoint::eigen_of(covariance_of(places));
  if (!(eigen.values[1] > flat * flat * eigen.values[2])) return to_eye;
  auto const& thinnest = eigen.vectors[0];
  vec3 const normal{thinnest[0], thinnest[1], thinnest[2]};
  return dot(normal, to_eye) < 0 ? -1 * normal : normal;
}

}  // namespace

std::vector<point3> fit_normals(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible,
                                neighbour_rows const& neighbours, vec3 const& eye, int threads) {
  std::vector<point3> normals(visible.size());
  for_each_index(visible.size(), threads, [&](std::size_t i) {
    std::vector<vec3> places;
    for (std::size_t j = 0; j < neighbours.k && neighbours.row(i)[j] >= 0; ++j) {
      places.push_back(to_vec3(cloud[static_cast<std::size_t>(neighbours.row(i)[j])]));
    }
    vec3 const here = to_vec3(cloud[static_cast<std::size_t>(visible[i])]);
    vec3 const normal = fit_normal(places, unit(eye - here));
    for (std::size_t axis = 0; axis < 3; ++axis) normals[i][axis] = static_cast<float>(normal[axis]);
  });
  return normals;
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
      // The more a normal looks at the eye, the surer is its side.
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
    // Not acos: it sees no difference between small angles.
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
