/// @file
/// Surface normal and curvature from a list of neighbors, the same on host and device.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/symmetric3.hpp>
#include <farpoint/types/estimate_normals.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<Scalar, 3> difference(vec<Scalar, 3> const& a,
                                                             vec<Scalar, 3> const& b) noexcept {
  return {{sub_rn(a[0], b[0]), sub_rn(a[1], b[1]), sub_rn(a[2], b[2])}};
}

/// The offsets from p to its neighbors, read from the cloud in each for_each(). Relative to p sums keep, far from the
/// origin, the bits that the differences need.
/// @param keys  `keys[j].index()` is the j-th neighbor
template <class Points, class Keys>
struct neighbor_offsets {
  using scalar = typename Points::scalar;

  Points cloud;
  typename Points::point p;
  Keys const& keys;
  int count;

  /// Calls `visit(offset)` for each neighbor, in the order of the keys.
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void for_each(Visit const& visit) const noexcept {
    for (int j = 0; j < count; ++j) visit(difference(cloud[keys[j].index()], p));
  }
};

/// The offsets to at most Capacity neighbors, read once and then held in registers.
template <class Scalar, int Capacity>
struct held_offsets {
  using scalar = Scalar;

  vec<scalar, 3> at[std::size_t{Capacity}];
  int count;

  /// @param found  `[count]`: neighbors of p
  template <class Points>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static held_offsets of(Points const& cloud, typename Points::point const& p,
                                                            index_t const (&found)[std::size_t{Capacity}],
                                                            int count) noexcept {
    held_offsets held{{}, count};
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      if (j < count) held.at[j] = difference(cloud[found[j]], p);
    }
    return held;
  }

  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void for_each(Visit const& visit) const noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      if (j < count) visit(at[j]);
    }
  }
};

/// Sum of (d - mean) (d - mean)^T over the offsets d, of which there is at least one.
template <class Offsets>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto covariance_of(Offsets const& offsets) noexcept {
  using scalar = typename Offsets::scalar;
  vec<scalar, 3> mean{};
  offsets.for_each([&mean](vec<scalar, 3> const& offset) {
    for (int k = 0; k < 3; ++k) mean[k] = add_rn(mean[k], offset[k]);
  });
  for (int k = 0; k < 3; ++k) mean[k] = div_rn(mean[k], static_cast<scalar>(offsets.count));
  symmetric3<scalar> sum;
  offsets.for_each([&](vec<scalar, 3> const& offset) {
    auto const d = difference(offset, mean);
    sum.xx = fma_rn(d[0], d[0], sum.xx);
    sum.xy = fma_rn(d[0], d[1], sum.xy);
    sum.xz = fma_rn(d[0], d[2], sum.xz);
    sum.yy = fma_rn(d[1], d[1], sum.yy);
    sum.yz = fma_rn(d[1], d[2], sum.yz);
    sum.zz = fma_rn(d[2], d[2], sum.zz);
  });
  return sum;
}

/// Neighbors whose middle eigenvalue is at most this part of the sum lie on a line, within rounding.
template <class Scalar>
inline constexpr Scalar flat_below = 8 * std::numeric_limits<Scalar>::epsilon();
template <class Scalar>
inline constexpr Scalar largest_number = std::numeric_limits<Scalar>::max();

template <class Scalar>
struct normal_and_curvature {
  vec<Scalar, 3> normal{};
  Scalar curvature = 0;
};

/// The axes along which the neighbors of p vary, and whether they span a plane.
template <class Scalar>
struct neighbor_plane {
  eigen3<Scalar> eigen{};
  normal_and_curvature<Scalar> across;  ///< zero where they span none
};

/// @param scatter  covariance_of() the offsets of at least three neighbors
template <class Point, class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE neighbor_plane<Scalar> plane_of(Point const& p, symmetric3<Scalar> const& scatter,
                                                                   vec<double, 3> const& viewpoint) noexcept {
  using scalar = Scalar;
  neighbor_plane<scalar> plane;
  plane.eigen = eigen_of(scatter);
  auto const& eigen = plane.eigen;
  scalar const sum = add_rn(add_rn(eigen.values[0], eigen.values[1]), eigen.values[2]);
  // Neighbors on a line or at one point span no plane: the result would be rounding noise.
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

template <class Point, class Offsets>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto plane_of(Point const& p, Offsets const& offsets,
                                                 vec<double, 3> const& viewpoint) noexcept {
  using plane_type = neighbor_plane<typename Offsets::scalar>;
  return offsets.count < 3 ? plane_type{} : plane_of(p, covariance_of(offsets), viewpoint);
}

/// A row of estimate_normals().
template <class Scalar>
struct normal_row {
  normal_and_curvature<Scalar> across;
  symmetric3<Scalar> covariance{};
};

/// The matrix divided by `count`; zeros if an element is not finite, because NaNs differ between processors.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE symmetric3<Scalar> divided(symmetric3<Scalar> const& sum, int count) noexcept {
  auto const n = static_cast<Scalar>(count);
  symmetric3<Scalar> const mean{div_rn(sum.xx, n), div_rn(sum.xy, n), div_rn(sum.xz, n),
                                div_rn(sum.yy, n), div_rn(sum.yz, n), div_rn(sum.zz, n)};
  vec<Scalar, 6> const elements{{mean.xx, mean.xy, mean.xz, mean.yy, mean.yz, mean.zz}};
  return is_finite(elements) ? mean : symmetric3<Scalar>{};
}

/// The parts of a row that an output takes, and the side that normals face.
struct normal_request {
  vec<double, 3> viewpoint;
  bool normals;  ///< or curvatures
  bool covariances;

  template <class Scalar>
  static normal_request of(normals_params const& params, normals_output<Scalar> const& output) noexcept {
    return {params.viewpoint, !output.normals.empty() || !output.curvatures.empty(), !output.covariances.empty()};
  }
};

/// The direction in which the neighbors of p vary least, facing the viewpoint, and their covariance; zero where they
/// are not defined or not requested.
template <class Points, class Keys>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto normal_of(Points const& cloud, typename Points::point const& p,
                                                  Keys const& keys, int count, normal_request const& request) noexcept {
  normal_row<typename Points::scalar> row;
  if (count < 1) return row;
  auto const scatter = covariance_of(neighbor_offsets<Points, Keys>{cloud, p, keys, count});
  if (request.covariances) row.covariance = divided(scatter, count);
  if (request.normals && count >= 3) row.across = plane_of(p, scatter, request.viewpoint).across;
  return row;
}

/// Writes a row of the output.
template <class Scalar>
FARPOINT_HD void write_normal(normals_output<Scalar> const& output, index_t row,
                              normal_row<Scalar> const& found) noexcept {
  auto const at = static_cast<std::size_t>(row);
  if (!output.normals.empty()) {
    for (int k = 0; k < 3; ++k) output.normals[3 * at + static_cast<std::size_t>(k)] = found.across.normal[k];
  }
  if (!output.curvatures.empty()) output.curvatures[at] = found.across.curvature;
  if (output.covariances.empty()) return;
  auto const& m = found.covariance;
  Scalar const elements[] = {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
  for (std::size_t k = 0; k < 6; ++k) output.covariances[6 * at + k] = elements[k];
}

}  // namespace detail
FARPOINT_END_NAMESPACE
