/// @file
/// The made/... rows of farpoint_bench_knn_exact: functions that use neighbours.
#pragma once

namespace farpoint_bench {

/// Registers mean_knn_distance(), estimate_normals(), interpolate(), radius() and radius_rows().
void register_neighbourhood(bool flush_l2);

}  // namespace farpoint_bench
