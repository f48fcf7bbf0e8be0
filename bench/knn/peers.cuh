/// @file
/// knn() by other libraries. Needs nvcc.
#pragma once

#include "knn/expected.hpp"
#include "support/peer_row.cuh"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace farpoint_bench {

/// Returns the number of mistakes: entries at an unexpected distance, and lists that repeat a point. Distances are
/// compared up to rounding, and indices not at all: other libraries add in another order, and break ties differently.
/// @param xyz       `[points, 3]` (m)
/// @param queries   `[queries, 3]` (m)
/// @param found     `[queries, k]`: nearest first; negative where there is no neighbor
/// @param expected  lists of knn() on the host
/// @param radius    search radius of both (m)
std::size_t mistakes_in(std::vector<std::int32_t> const& found, std::vector<float> const& xyz,
                        std::vector<float> const& queries, knn_lists const& expected, farpoint::index_t k,
                        double radius = std::numeric_limits<double>::infinity());

}  // namespace farpoint_bench
