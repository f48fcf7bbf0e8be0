/// @file
/// The rows of farpoint_bench_calls: batches, doubles and small calls, as users have them.
#pragma once

namespace farpoint_bench {

/// fps() of small, ragged and continued calls, and of doubles.
void register_fps_calls(bool flush_l2);
/// knn() and radius() of small and ragged calls, and of doubles.
void register_neighbor_calls(bool flush_l2);
/// knn(), radius() and interpolate() of batches of small clouds, with and without an index.
void register_small_cloud_calls(bool flush_l2);
/// radius(), interpolate() and gather() in the sizes of PointNet++, and other libraries.
void register_pointnet_calls(bool flush_l2);

}  // namespace farpoint_bench
