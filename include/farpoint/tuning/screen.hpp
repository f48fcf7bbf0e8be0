/// @file
/// What makes work in screen space fast: knn(), project(), draw_splats(). Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The default choice of knn() in screen space. Derive a struct from it, hide what you want to change, and pass it as
/// the first template argument.
struct knn_screen_selector {
  /// Threads of a block that draws or numbers points, in whole warps.
  static constexpr int block_size = 256;
  /// Threads of a block of the approximate search.
  static constexpr int search_block_size = 128;
  /// Blocks that a multiprocessor is given: what keeps enough loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;
  /// The exact search indexes the points of a tile of pixels together: 64 x 64 of them, or more where that leaves fewer
  /// than so many points to a tile, in the mean, and more than so many tiles.
  static constexpr index_t tile_points = 256;
  static constexpr index_t tiles = 256;
  /// Points with gaps between them, at most, of which one block makes the upper boxes when the last tile is done: more
  /// are worth a launch.
  static constexpr index_t upper_slots = index_t{1} << 20;
};

/// The default choice of draw_splats(), to be changed in the same way.
struct draw_splats_selector {
  /// Threads of a block that looks at splats one by one. The image is drawn by blocks of a thread for each of 16 x 16
  /// pixels.
  static constexpr int block_size = 256;
};

namespace detail {

/// A block that builds a quadtree has a square of 2^5 x 2^5 pixels: a thread has four of them, a warp an eighth of the
/// square.
inline constexpr int quadtree_block_level = 5;
inline constexpr int quadtree_block_size = 256, quadtree_upper_block_size = 1024;

/// A block that indexes visible points looks at, and sorts at least, a chunk of 2^6 x 2^6 pixels of one layer at a
/// time.
inline constexpr int screen_chunk_level = 6;
inline constexpr int screen_index_threads = 512, screen_index_items = 8;

/// A step from a point to the next is a jump if its square is at least so many times the usual one's. h200, 140,510 and
/// 458,946 points in 1024 x 1024 pixels, ms: 0.176, 0.382; 8: 0.227, 0.435; none is a jump: 0.243, 0.470. Where that
/// makes too many jumps, only larger steps are, up to so many times the usual one, and then none.
inline constexpr float screen_usual_to_jump = 12 * 12, screen_most_to_jump = 1e6f;

/// Points that a thread looks at, one after another, when the visible ones are numbered.
inline constexpr int screen_number_items = 4;

/// Longest list that a thread of the approximate search keeps in registers, and bytes for longer ones.
inline constexpr index_t screen_most_in_registers = 32, screen_list_bytes = index_t{64} << 20;

/// A row of up to so many neighbours is read once, and their offsets stay in registers. h200, normals of 458,947 rows
/// of 8, us: 66; read whenever they are needed: 120.
inline constexpr int most_held_neighbours = 8;

/// Splats of a tile of an image that are kept in shared memory at a time, and words of 32 splats of a patch each, in
/// which a thread remembers which ones its pixel meets.
inline constexpr int splat_tile_slots = 512, splat_remembered = 4;

/// Splats, and pixels, that a thread of the host must have to be worth its start.
inline constexpr index_t splats_of_thread = 256, pixels_of_thread = 32768;

}  // namespace detail
FARPOINT_END_NAMESPACE
