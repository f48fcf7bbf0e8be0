// Selectors that force searches with and without an index.
#pragma once

#include <farpoint/tuning/knn.hpp>

namespace farpoint_tests {

/// Every search builds an index.
struct always_index : farpoint::knn_selector {
  static constexpr farpoint::index_t scan_self = 0;
  static constexpr farpoint::index_t scan_others = 0;
};
/// Every search that can do without an index does, with 32 queries to a warp; by default several lanes share a query of
/// small problems.
struct always_scan : farpoint::knn_selector {
  static constexpr farpoint::index_t scan_self = farpoint::index_t{1} << 62;
  static constexpr farpoint::index_t scan_others = farpoint::index_t{1} << 62;
  static constexpr farpoint::index_t scan_lanes = 1;
  static constexpr farpoint::index_t scan_lanes_by_index = 1;
};

}  // namespace farpoint_tests
