/// @file
/// How far a point's neighbours are: host backend.
#pragma once

#include <farpoint/detail/search/mean_distance.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
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
  if (result const checked = detail::check_mean_distance(points, k, means); !checked) return checked;
  exact method;
  method.exclude_self = true;
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    means[static_cast<std::size_t>(points.begin_of(b) + i)] = detail::mean_distance2(keys, count);
  };
  return detail::neighbours_on_host(exec, points, points, true, method, k, write, nullptr, workspace);
}

FARPOINT_END_NAMESPACE
