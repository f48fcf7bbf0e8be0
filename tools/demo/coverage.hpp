// How well the first k samples cover a cloud.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_tools {

/// For each of `counts`: the largest distance (m) from a finite point to the nearest of the first `counts[i]` samples.
///
/// Measured directly, not from the distances that fps() reports. O(points * samples) on `threads` threads.
/// @param samples  indices of finite points
/// @param counts   ascending, from 1 to samples.size()
std::vector<double> coverage_radii(std::vector<std::array<float, 3>> const& points,
                                   std::vector<std::int64_t> const& samples, std::vector<std::size_t> const& counts,
                                   int threads);

}  // namespace farpoint_tools
