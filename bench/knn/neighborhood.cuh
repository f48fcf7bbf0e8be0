/// @file
/// The made/... rows of farpoint_bench_knn_exact: functions that use neighbors.
#pragma once

#include "knn/row.hpp"

#include <farpoint/types/radius.hpp>

#include <cmath>

namespace farpoint_bench {

/// A ball that holds some k points of the cube.
inline farpoint::radius_params ball_of(knn_row const& row, farpoint::radius_order order) {
  farpoint::radius_params params;
  params.radius = std::cbrt(static_cast<double>(row.k) / (4.18879 * static_cast<double>(row.points)));
  params.max_neighbors = row.k;
  params.order = order;
  return params;
}

/// Registers mean_knn_distance(), estimate_normals(), interpolate(), radius() and radius_rows().
void register_neighborhood(bool flush_l2);

// Other libraries.
void register_mean_peers(knn_row const& row, bool flush_l2);
void register_ball_peers(knn_row const& row, bool flush_l2);
void register_radius_peers(knn_row const& row, bool flush_l2);

}  // namespace farpoint_bench
