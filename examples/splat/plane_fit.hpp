// The surface at one point, from a plane through its neighbours: the same bits on host and device.
#pragma once

#include <farpoint/core/points.hpp>
#include <farpoint/geometry/symmetric3.hpp>

namespace farpoint_demo {

/// Fits the surface at points of a cloud, one at a time: the argument of a kernel, or called in a loop.
struct plane_fit {
  using place = farpoint::vec<double>;

  farpoint::point_view<float> cloud;
  std::int32_t const* points;      ///< `[points]`: indices in the cloud
  std::int32_t const* neighbours;  ///< `[points, k]`: indices in the cloud, the nearest first; -1 where there are fewer
  float const* distances;          ///< `[points, k]`: squared (m^2)
  int k;
  place eye;       ///< metres
  float* normals;  ///< `[points, 3]`, written
  float* radii;    ///< `[points]`, written

  /// Writes row i.
  FARPOINT_HD void operator()(std::size_t i) const noexcept {
    std::size_t const begin = i * static_cast<std::size_t>(k);
    std::int32_t const* const row = neighbours + begin;
    int count = 0;
    while (count < k && row[count] >= 0) ++count;
    place const normal = normal_of(row, count, to_eye(at(points[i])));
    float* const written = normals + 3 * i;
    for (int axis = 0; axis < 3; ++axis) written[axis] = static_cast<float>(normal[axis]);
    float const reach = count == 0 ? 0 : farpoint::sqrt_rn(distances[begin + static_cast<std::size_t>(count) - 1]);
    radii[i] = farpoint::mul_rn(radius_of_reach, reach);
  }

 private:
  // Part of the k-th neighbour's distance. A knot of 1,000,000 points, in 16 views of 768 px with k = 16, had four
  // pixels of holes with 0.8 and none from 0.85 on; from there on more and more stood out beyond the silhouette.
  static constexpr float radius_of_reach = 0.9F;

  FARPOINT_HD place at(std::int32_t index) const noexcept {
    auto const point = cloud[index];
    return {{point[0], point[1], point[2]}};
  }

  FARPOINT_HD static place minus(place const& a, place const& b) noexcept {
    return {{farpoint::sub_rn(a[0], b[0]), farpoint::sub_rn(a[1], b[1]), farpoint::sub_rn(a[2], b[2])}};
  }

  FARPOINT_HD static double dot(place const& a, place const& b) noexcept {
    return farpoint::fma_rn(a[2], b[2], farpoint::fma_rn(a[1], b[1], farpoint::mul_rn(a[0], b[0])));
  }

  // Of length 1.
  FARPOINT_HD place to_eye(place const& from) const noexcept {
    place ahead = minus(eye, from);
    double const length = farpoint::sqrt_rn(dot(ahead, ahead));
    for (int axis = 0; axis < 3; ++axis) ahead[axis] = farpoint::div_rn(ahead[axis], length);
    return ahead;
  }

  // Around their mean, times their number.
  FARPOINT_HD farpoint::symmetric3<double> covariance_of(std::int32_t const* row, int count) const noexcept {
    place mean{};
    for (int j = 0; j < count; ++j) {
      place const neighbour = at(row[j]);
      for (int axis = 0; axis < 3; ++axis) mean[axis] = farpoint::add_rn(mean[axis], neighbour[axis]);
    }
    for (int axis = 0; axis < 3; ++axis) mean[axis] = farpoint::div_rn(mean[axis], static_cast<double>(count));
    farpoint::symmetric3<double> sum;
    for (int j = 0; j < count; ++j) {
      place const d = minus(at(row[j]), mean);
      sum.xx = farpoint::fma_rn(d[0], d[0], sum.xx);
      sum.xy = farpoint::fma_rn(d[0], d[1], sum.xy);
      sum.xz = farpoint::fma_rn(d[0], d[2], sum.xz);
      sum.yy = farpoint::fma_rn(d[1], d[1], sum.yy);
      sum.yz = farpoint::fma_rn(d[1], d[2], sum.yz);
      sum.zz = farpoint::fma_rn(d[2], d[2], sum.zz);
    }
    return sum;
  }

  // Where neighbours span no plane (fewer than three, or all on one line), the line of sight.
  FARPOINT_HD place normal_of(std::int32_t const* row, int count, place const& ahead) const noexcept {
    constexpr double flat = 1e-12;  // of the longest axis, squared: the coordinates are floats
    if (count < 3) return ahead;
    auto const eigen = farpoint::eigen_of(covariance_of(row, count));
    if (!(eigen.values[1] > farpoint::mul_rn(flat, eigen.values[2]))) return ahead;
    place const& thinnest = eigen.vectors[0];
    return dot(thinnest, ahead) < 0 ? place{{-thinnest[0], -thinnest[1], -thinnest[2]}} : thinnest;
  }
};

}  // namespace farpoint_demo
