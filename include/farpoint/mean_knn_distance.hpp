/// @file
/// The mean squared distance to the k nearest points: host backend.
#pragma once

#include <farpoint/detail/search/mean_distance.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Computes the mean squared distance (m^2) of each point to its k nearest others: a measure of outliers, and with k =
/// 3 the initial size of splats in 3D Gaussian splatting (Kerbl et al. 2023).
///
/// A point is excluded from its own neighbours by index, so a duplicate is a neighbour at distance 0. With fewer than k
/// others, the mean is of those; with none, and for a point that is not finite, it is +inf. The same bits on every
/// backend: distances are added in ascending order.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param k          neighbours of a point, 1 to 1,024
/// @param means      `[points]`: one for each point of the view; those of points in no cloud are not written
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @param report     optional, see knn_report; overwritten. Where offsets are wrong, all means are +inf
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
/// Complexity: as knn(). Thread-safe: concurrent calls must not share means or workspace.
template <class Points>
result mean_knn_distance(host_exec exec, batch<Points> const& points, index_t k, span<typename Points::scalar> means,
                         bytes workspace, knn_report* report = nullptr) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  if (result const checked = detail::check_mean_distance(points.points().size(), k, means); !checked) return checked;
  exact method;
  method.exclude_self = true;
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    means[static_cast<std::size_t>(points.begin_of(b) + i)] = detail::mean_distance2(keys, count);
  };
  auto const leave_empty = [&](index_t row) {
    means[static_cast<std::size_t>(row)] = detail::no_distance<typename Points::scalar>;
  };
  detail::list_consumer const consumer{write, leave_empty};
  return detail::neighbours_on_host(exec, points, points, true, method, k, consumer, report, workspace);
}

FARPOINT_END_NAMESPACE
