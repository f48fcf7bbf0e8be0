/// @file
/// What puts points in the order of a curve fast, for fps() and for indices, on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Of fps(): points that a block should have, that a thread loads at a time, and that one finds the extent of.
inline constexpr index_t fps_order_points_per_block = 1024;
inline constexpr int fps_order_points_at_once = 4;
inline constexpr int fps_extent_items = 16;
/// Threads of a block of the kernels that find extents, keys and cells.
inline constexpr int fps_order_block_size = 256;
/// Multiprocessors that the shape of a sort is chosen for: workspace sizes must not depend on how many there are.
inline constexpr index_t fps_order_wave = 132;

/// Of an index. At most so many sorts after the first, each by cells of what was one cell before.
inline constexpr int bvh_levels = 4;
/// Leaves of points of a cell that may stay in the order of their indices; and the same for cells of a crowded cell:
/// few are that full, and each level costs time.
inline constexpr std::uint32_t bvh_run_leaves = 3, bvh_run_leaves_again = 8;
/// Points of a run that a warp handles at a time.
inline constexpr std::uint32_t bvh_piece_points = 256;
/// Points that a thread loads, and that it finds codes for, at a time; and keys of crowded cells that it looks at.
inline constexpr int bvh_points_at_once = 8, bvh_codes_at_once = 4, bvh_keys_at_once = 8;

}  // namespace detail
FARPOINT_END_NAMESPACE
