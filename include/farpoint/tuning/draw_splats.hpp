/// @file
/// What makes draw_splats() fast. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The default choice; see knn_screen_selector. None of these has been tuned yet: the splats of 140,000 visible points
/// in 1024 x 1024 pixels have boxes of some 25 pixels.
struct draw_splats_selector {
  static constexpr int block_size = 256;
  /// Blocks that a multiprocessor is given.
  static constexpr int blocks_per_multiprocessor = 8;
  /// Lanes of a warp that draw a splat together, a power of two: more compute what all of its pixels have in common,
  /// fewer wait longer for memory.
  static constexpr unsigned lanes = 8;
  /// A splat whose box has more pixels is drawn by all lanes of the warp.
  static constexpr std::uint32_t large = 512;
};

namespace detail {

/// Splats, and pixels, that a thread of the host must have to be worth its start.
inline constexpr index_t splats_of_thread = 256, pixels_of_thread = 32768;

}  // namespace detail
FARPOINT_END_NAMESPACE
