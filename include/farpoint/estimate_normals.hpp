/// @file
/// Normals and curvature from neighbours: host backend.
#pragma once

#include <farpoint/knn.hpp>
#include <farpoint/spatial/symmetric3.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Where estimate_normals() writes, in the memory space of the execution: a row for each point of the view; those that
/// ragged offsets leave out are not written.
template <class Scalar = float>
struct normals_output {
  span<Scalar> normals;          ///< `[points, 3]`: unit length; (0, 0, 0) where there is none
  span<Scalar> curvatures = {};  ///< `[points]`, optional: smallest eigenvalue / sum of all, 0 to 1/3
};

/// What estimate_normals() takes.
struct normals_params {
  index_t k = 16;                                               ///< neighbours, the point itself among them; 3 to 1,024
  double max_radius = std::numeric_limits<double>::infinity();  ///< metres
  vec<double, 3> viewpoint = {{0, 0, 0}};                       ///< normals point to its side (m)
};

namespace detail {

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

/// The same, compiled for several processors.
template <class Points>
struct normals_work {
  using scalar = typename Points::scalar;
  using function = normal_and_curvature<scalar> (*)(Points const&, index_t, neighbour_key<scalar> const*, int,
                                                    vec<double, 3> const&) noexcept;

  FARPOINT_ALWAYS_INLINE static normal_and_curvature<scalar> run(Points const& cloud, index_t i,
                                                                 neighbour_key<scalar> const* keys, int count,
                                                                 vec<double, 3> const& viewpoint) noexcept {
    return normal_of(cloud, cloud[i], keys, count, viewpoint);
  }
};

}  // namespace detail

/// The normal of the surface around each point: the direction in which its k nearest points vary least, on the side of
/// the viewpoint; and the surface's curvature there (Pauly et al. 2002).
///
/// Points with fewer than three neighbours (themselves among them), with neighbours on one line, or that are not
/// finite, have the normal (0, 0, 0) and the curvature 0. The same bits on every backend.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param params     how many neighbours, and where the viewpoint is
/// @param output     see normals_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
template <class Points>
result estimate_normals(host_exec exec, batch<Points> const& points, normals_params const& params,
                        normals_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  index_t const rows = points.points().size();
  if (params.k < 3 || params.k > max_neighbours) return detail::reject("estimate_normals: k is not 3 to 1,024");
  if (!(params.max_radius >= 0)) return detail::reject("estimate_normals: max_radius is negative or NaN");
  if (!is_finite(params.viewpoint)) return detail::reject("estimate_normals: the viewpoint is not finite");
  if (!detail::holds(static_cast<index_t>(output.normals.size()), rows, 3)) {
    return detail::reject("estimate_normals: output.normals is smaller than points x 3");
  }
  if (!detail::is_absent_or_holds(static_cast<index_t>(output.curvatures.size()), rows, 1)) {
    return detail::reject("estimate_normals: output.curvatures is smaller than the number of points");
  }
  typename detail::normals_work<Points>::function normal_of_point = nullptr;
  detail::for_this_processor<detail::normals_work<Points>>(normal_of_point);
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    auto const found = normal_of_point(points[b], i, keys, count, params.viewpoint);
    auto const row = static_cast<std::size_t>(points.begin_of(b) + i);
    for (int k = 0; k < 3; ++k) output.normals[3 * row + static_cast<std::size_t>(k)] = found.normal[k];
    if (!output.curvatures.empty()) output.curvatures[row] = found.curvature;
  };
  exact method;
  method.max_radius = params.max_radius;
  return detail::neighbours_on_host(exec, points, points, true, method, params.k, write, nullptr, workspace);
}

FARPOINT_END_NAMESPACE
