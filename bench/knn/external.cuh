/// @file
/// Rows of knn() for queries that are not the points. Needs nvcc.
#pragma once

namespace farpoint_bench {

/// Registers the rows `external/...`.
void register_external(bool flush_l2);

}  // namespace farpoint_bench
