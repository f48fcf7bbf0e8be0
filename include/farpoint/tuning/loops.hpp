/// @file
/// Block sizes of kernels that do little work per item. They affect the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Threads per block of for_each_index(), of gather(), and of the counting of invalid offsets.
inline constexpr int loop_block_size = 256;

/// Threads per block of exclusive_scan(), and rows per thread.
inline constexpr int exclusive_scan_block_size = 128, exclusive_scan_items = 8;

/// Maximum number of offsets that every block of a one-block-per-cloud kernel of fps() checks by itself. Beyond it the
/// blocks would read more offsets than points.
inline constexpr index_t fps_max_offsets_looked_at = 2048;

}  // namespace detail
FARPOINT_END_NAMESPACE
