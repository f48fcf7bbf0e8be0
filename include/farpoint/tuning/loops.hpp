/// @file
/// Sizes of the blocks of kernels that do little for each item. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Threads of a block of for_each_index(), gather(), and the counting of wrong offsets.
inline constexpr int loop_block_size = 256;

/// The same of exclusive_scan(), and rows that a thread scans.
inline constexpr int exclusive_scan_block_size = 128, exclusive_scan_items = 8;

/// Every block of a kernel of fps() that has a block a cloud looks at the offsets, up to so many. Of more they would
/// read more than points.
inline constexpr index_t fps_most_offsets_looked_at = 2048;

}  // namespace detail
FARPOINT_END_NAMESPACE
