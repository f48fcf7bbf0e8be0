/// @file
/// How far a point's neighbours are: host backend.
#pragma once

#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The mean of the squared distances in a list, added in its order; +inf for an empty one.
template <class Key>
FARPOINT_HD auto mean_distance2(Key const* keys, int count) noexcept {
  using scalar = decltype(keys->distance2());
  if (count == 0) return point_index_ref<scalar>::infinity;
  scalar sum = 0;
  for (int j = 0; j < count; ++j) sum = add_rn(sum, keys[j].distance2());
  return div_rn(sum, static_cast<scalar>(count));
}

}  // namespace detail

/// Mean squared distance (m^2) from each point to its k nearest others: with k = 3 what 3D Gaussian splatting (Kerbl et
/// al. 2023) starts the size of a splat from, and a measure of outliers.
///
/// A point itself is left out by index, so a duplicate counts as a neighbour at distance 0. Where there are fewer than
/// k others the mean is of those; +inf where there is none, and for points that are not finite. The same bits on every
/// backend: distances are added in ascending order.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param k          1 to 1,024
/// @param means      one for each point of the view; those that ragged offsets leave out are not written
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
template <class Points>
result mean_knn_distance(host_exec exec, batch<Points> const& points, index_t k, span<typename Points::scalar> means,
                         bytes workspace) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  if (k < 1 || k > max_neighbours) return detail::reject("mean_knn_distance: k is not between 1 and 1,024");
  if (static_cast<index_t>(means.size()) < points.points().size()) {
    return detail::reject("mean_knn_distance: fewer means than points");
  }
  exact method;
  method.exclude_self = true;
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    means[static_cast<std::size_t>(points.begin_of(b) + i)] = detail::mean_distance2(keys, count);
  };
  return detail::neighbours_on_host(exec, points, points, true, method, k, write, nullptr, workspace);
}

FARPOINT_END_NAMESPACE
