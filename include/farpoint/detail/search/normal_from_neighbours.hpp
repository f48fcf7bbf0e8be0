/// @file
/// Surface normal and curvature from a list of neighbours, the same on host and device.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/symmetric3.hpp>
#include <farpoint/types/estimate_normals.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sum of (x - mean) (x - mean)^T over the neighbours x of p. Computed relative to p, which far from the
/// origin keeps the bits that the differences need.
/// @param keys  `keys[j].index()` is the j-th neighbour
template <class Points, class Keys>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto covariance_of(Points const& cloud, typename Points::point const& p,
                                                      Keys const& keys, int count) noexcept {
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

/// Neighbours whose middle eigenvalue is at most this part of the sum lie on a line, within rounding.
template <class Scalar>
inline constexpr Scalar flat_below = 8 * std::numeric_limits<Scalar>::epsilon();
template <class Scalar>
inline constexpr Scalar largest_number = std::numeric_limits<Scalar>::max();

template <class Scalar>
struct normal_and_curvature {
  vec<Scalar, 3> normal{};
  Scalar curvature = 0;
};

/// The axes along which the neighbours of p vary, and whether they span a plane.
template <class Scalar>
struct neighbour_plane {
  eigen3<Scalar> eigen{};
  normal_and_curvature<Scalar> across;  ///< zero where they span none
};

template <class Points, class Keys>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto plane_of(Points const& cloud, typename Points::point const& p, Keys const& keys,
                                                 int count, vec<double, 3> const& viewpoint) noexcept {
  using scalar = typename Points::scalar;
  neighbour_plane<scalar> plane;
  if (count < 3) return plane;
  plane.eigen = eigen_of(covariance_of(cloud, p, keys, count));
  auto const& eigen = plane.eigen;
  scalar const sum = add_rn(add_rn(eigen.values[0], eigen.values[1]), eigen.values[2]);
  // Neighbours on a line or at one point span no plane: the result would be rounding noise.
  bool const is_flat = eigen.values[1] > mul_rn(sum, flat_below<scalar>);
  if (!is_flat || !(sum <= largest_number<scalar>)) return plane;
  auto& answer = plane.across;
  scalar const lowest = larger(scalar(0), eigen.values[0]);
  answer.curvature = div_rn(lowest, sum);
  answer.normal = eigen.vectors[0];
  scalar facing = 0;
  for (int k = 0; k < 3; ++k) {
    facing = fma_rn(answer.normal[k], sub_rn(static_cast<scalar>(viewpoint[k]), p[k]), facing);
  }
  if (facing < 0) {
    for (int k = 0; k < 3; ++k) answer.normal[k] = -answer.normal[k];
  }
  return plane;
}

/// The direction in which the neighbours of p vary least, facing the viewpoint; zero where it is not defined.
template <class Points, class Keys>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto normal_of(Points const& cloud, typename Points::point const& p,
                                                  Keys const& keys, int count,
                                                  vec<double, 3> const& viewpoint) noexcept {
  return plane_of(cloud, p, keys, count, viewpoint).across;
}

/// Writes a row of the output.
template <class Scalar>
FARPOINT_HD void write_normal(normals_output<Scalar> const& output, index_t row,
                              normal_and_curvature<Scalar> const& found) noexcept {
  auto const at = static_cast<std::size_t>(row);
  for (int k = 0; k < 3; ++k) output.normals[3 * at + static_cast<std::size_t>(k)] = found.normal[k];
  if (!output.curvatures.empty()) output.curvatures[at] = found.curvature;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
