/// @file
/// Tuning of the sort of points along a curve, for fps() and for indices, on a GPU. It affects the speed, never a
/// result.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// For fps(): points per thread of the kernel that computes extents, and threads per block of all kernels of the sort.
inline constexpr int fps_extent_items = 16;
inline constexpr int fps_order_block_size = 256;
/// Number of blocks of these kernels beyond which a cloud gets no other block.
inline constexpr index_t fps_order_max_blocks = 65536;

/// For an index: maximum number of sorts after the first, each by the cells inside former cells.
inline constexpr int bvh_levels = 4;
/// Number of leaves of points of one cell that may stay in index order, and for cells of a crowded cell: cells this
/// full are rare, and each level costs time.
inline constexpr std::uint32_t bvh_run_leaves = 3, bvh_run_leaves_again = 8;
/// Number of points of a run that a warp processes at a time.
inline constexpr std::uint32_t bvh_piece_points = 256;
/// Number of points that a thread loads, of points that it computes codes for, and of keys of crowded cells that it
/// reads, each at a time.
inline constexpr int bvh_points_at_once = 8, bvh_codes_at_once = 4, bvh_keys_at_once = 8;

}  // namespace detail
FARPOINT_END_NAMESPACE
