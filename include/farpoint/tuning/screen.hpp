/// @file
/// Tuning of work in screen space: knn(), project(), draw_splats(). It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Default choice of knn() in screen space. To change it, derive a struct, hide members, and pass it as the first
/// template argument.
struct knn_screen_selector {
  /// Threads per block that draws or numbers points, in whole warps.
  static constexpr int block_size = 256;
  /// Threads per block of the approximate search.
  static constexpr int search_block_size = 128;
  /// Blocks per multiprocessor: enough to keep loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;
  /// The exact search indexes the points of a tile of pixels together. A tile has 64 x 64 pixels; its side doubles
  /// while tiles have a mean of fewer than tile_points points and number more than `tiles`.
  static constexpr index_t tile_points = 256;
  static constexpr index_t tiles = 256;
  /// Maximum number of points, gaps included, for which one block builds the upper boxes after the last tile; more
  /// justify a separate launch.
  static constexpr index_t upper_slots = index_t{1} << 20;
};

/// Default choice of draw_splats(), changed in the same way.
struct draw_splats_selector {
  /// Threads per block of the kernels with one splat per thread. The image is drawn by blocks of 16 x 16 threads, one
  /// per pixel.
  static constexpr int block_size = 256;
};

namespace detail {

/// Level of the square of 2^5 x 2^5 pixels that a block of a quadtree build processes: four pixels per thread, an
/// eighth of the square per warp.
inline constexpr int quadtree_block_level = 5;
inline constexpr int quadtree_block_size = 256, quadtree_upper_block_size = 1024;

/// Level of the chunks of 2^6 x 2^6 pixels of one layer in which a block that indexes visible points reads, and at
/// least sorts, pixels.
inline constexpr int screen_chunk_level = 6;
inline constexpr int screen_index_threads = 512, screen_index_items = 8;

/// Squared step between consecutive points, relative to the usual one, from which a step counts as a jump. h200,
/// 140,510 and 458,946 points in 1024 x 1024 pixels, ms: 0.176, 0.382; 8: 0.227, 0.435; no jumps: 0.243, 0.470. If
/// there are too many jumps, the limit grows up to the second value, beyond which no step is a jump.
inline constexpr float screen_usual_to_jump = 12 * 12, screen_max_to_jump = 1e6f;

/// Number of points that a thread processes in turn when visible points are numbered.
inline constexpr int screen_number_items = 4;

/// Maximum length of a list that a thread of the approximate search keeps in registers, and bytes for longer lists.
inline constexpr index_t screen_max_in_registers = 32, screen_list_bytes = index_t{64} << 20;

/// Maximum number of neighbors of a row that is read once, so that their offsets stay in registers. h200, normals of
/// 458,947 rows of 8, us: 66; read whenever needed: 120.
inline constexpr int max_held_neighbors = 8;

/// Number of splats of an image tile in shared memory at a time, and number of 32-splat words per patch in which a
/// thread remembers the splats that its pixel meets.
inline constexpr int splat_tile_slots = 512, splat_remembered = 4;

/// Minimum numbers of splats and of pixels per host thread.
inline constexpr index_t splats_of_thread = 256, pixels_of_thread = 32768;

}  // namespace detail
FARPOINT_END_NAMESPACE
