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

/// Number of neighbors that are wrong. A list is right if its points are different ones, at the expected distances up
/// to rounding: others add in another order, and break ties otherwise.
/// @param xyz      `[points, 3]`
/// @param queries  `[queries, 3]`
/// @param found    `[queries, k]`
/// @param radius   lists of a search within a radius (m) may have fewer points
std::size_t mistakes_in(std::vector<std::int32_t> const& found, std::vector<float> const& xyz,
                        std::vector<float> const& queries, knn_lists const& expected, farpoint::index_t k,
                        double radius = std::numeric_limits<double>::infinity());

}  // namespace farpoint_bench
