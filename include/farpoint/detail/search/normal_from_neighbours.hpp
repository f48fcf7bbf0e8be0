/// @file
/// The normal of the surface that some neighbours lie on, the same on host and device.
#pragma once

#include <farpoint/detail/search/check.hpp>
#include <farpoint/geometry/symmetric3.hpp>
#include <farpoint/types/estimate_normals.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// What estimate_normals() is asked for, checked without reading the arrays.
template <class Scalar>
result check_normals(index_t points, normals_params const& params, normals_output<Scalar> const& output) noexcept {
  if (params.k < 3 || params.k > max_neighbours) return reject("estimate_normals: k is not 3 to 1,024");
  if (!(params.max_radius >= 0)) return reject("estimate_normals: max_radius is negative or NaN");
  if (!is_finite(params.viewpoint)) return reject("estimate_normals: the viewpoint is not finite");
  if (!holds(static_cast<index_t>(output.normals.size()), points, 3)) {
    return reject("estimate_normals: output.normals is smaller than points x 3");
  }
  if (!is_absent_or_holds(static_cast<index_t>(output.curvatures.size()), points, 1)) {
    return reject("estimate_normals: output.curvatures is smaller than the number of points");
  }
  return {};
}

/// Covariance of the neighbours in a list, times their number, around their mean, in coordinates relative to the point.
template <class Points, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto covariance_of(Points const& cloud, typename Points::point const& p,
                                                      Key const* keys, int count) noexcept {
  using scalar = typename Points::scalar;
  vec<scalar, 3> mean{};
  for (int j = 0; j < count; ++j) {
    auto const q = cloud[keys[j].index()];
    for (int k = 0; k < 3; ++k) mean[k] = add_rn(mean[k], sub_rn(q[k], p[k]));
  }
  for (int k = 0; k < 3; ++k) mean[k] = div_rn(mean[k], static_cast<scalar>(count));
  symmetric3<scalar> sum;
  for (int j = 0; j < count; ++j) {
    auto const q = cloud[keys[j].index()];
    vec<scalar, 3> d{};
    for (int k = 0; k < 3; ++k) d[k] = sub_rn(sub_rn(q[k], p[k]), mean[k]);
    sum.xx = fma_rn(d[0], d[0], sum.xx);
    sum.xy = fma_rn(d[0], d[1], sum.xy);
    sum.xz = fma_rn(d[0], d[2], sum.xz);
    sum.yy = fma_rn(d[1], d[1], sum.yy);
    sum.yz = fma_rn(d[1], d[2], sum.yz);
    sum.zz = fma_rn(d[2], d[2], sum.zz);
  }
  return sum;
}

/// The middle eigenvalue of what is no plane, as a part of the sum of all; some rounding errors.
template <class Scalar>
inline constexpr Scalar flat_below = 8 * std::numeric_limits<Scalar>::epsilon();
template <class Scalar>
inline constexpr Scalar largest_number = std::numeric_limits<Scalar>::max();

template <class Scalar>
struct normal_and_curvature {
  vec<Scalar, 3> normal{};
  Scalar curvature = 0;
};

/// The direction in which the neighbours of p vary least.
template <class Points, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto normal_of(Points const& cloud, typename Points::point const& p, Key const* keys,
                                                  int count, vec<double, 3> const& viewpoint) noexcept {
  using scalar = typename Points::scalar;
  normal_and_curvature<scalar> answer;
  if (count < 3) return answer;
  auto const eigen = eigen_of(covariance_of(cloud, p, keys, count));
  scalar const sum = add_rn(add_rn(eigen.values[0], eigen.values[1]), eigen.values[2]);
  // Neighbours on one line, or all equal, have no plane; what is left of it then is rounding.
  bool const is_flat = eigen.values[1] > mul_rn(sum, flat_below<scalar>);
  if (!is_flat || !(sum <= largest_number<scalar>)) return answer;
  scalar const lowest = eigen.values[0] > 0 ? eigen.values[0] : scalar(0);
  answer.curvature = div_rn(lowest, sum);
  answer.normal = eigen.vectors[0];
  scalar facing = 0;
  for (int k = 0; k < 3; ++k) {
    facing = fma_rn(answer.normal[k], sub_rn(static_cast<scalar>(viewpoint[k]), p[k]), facing);
  }
  if (facing < 0) {
    for (int k = 0; k < 3; ++k) answer.normal[k] = -answer.normal[k];
  }
  return answer;
}

/// Writes row `row` of the output.
template <class Scalar>
FARPOINT_HD void write_normal(normals_output<Scalar> const& output, index_t row,
                              normal_and_curvature<Scalar> const& found) noexcept {
  auto const at = static_cast<std::size_t>(row);
  for (int k = 0; k < 3; ++k) output.normals[3 * at + static_cast<std::size_t>(k)] = found.normal[k];
  if (!output.curvatures.empty()) output.curvatures[at] = found.curvature;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
