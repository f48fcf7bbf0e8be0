/// @file
/// Division of an image into tiles and chunks for the index of its visible points, and arguments of the kernel that
/// builds it.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/detail/screen/number_points.cuh>
#include <farpoint/detail/screen/packet_places.hpp>
#include <farpoint/tuning/screen.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr std::uint32_t screen_chunk_points = screen_index_threads * screen_index_items;
static_assert(screen_chunk_points == 1u << 2 * screen_chunk_level,
              "farpoint: a chunk of pixels must be screen_index_threads x screen_index_items");
static_assert(screen_index_items == point_bvh_width,
              "farpoint: screen_index_items must be point_bvh_width, a leaf per thread");

/// Number of points of a group of leaves. Points that are sorted together begin a new group.
inline constexpr std::uint32_t screen_group_points = point_bvh_width * point_bvh_width;

/// Number of slots of whole groups that hold `places` slots.
FARPOINT_HD constexpr std::uint32_t screen_slots(std::uint32_t places) noexcept {
  return divide_up(places, screen_group_points) * screen_group_points;
}

/// Maximum number of slots of points that are sorted together: gaps between packets add at most a quarter.
FARPOINT_HD constexpr std::uint32_t max_slots_of(std::uint32_t points) noexcept {
  return screen_slots(points + points / 4);
}

/// Division of an image into tiles.
struct screen_tiling {
  int level;            ///< a tile has 2^level x 2^level pixels, of all layers
  std::uint32_t tiles;  ///< number of tiles of the padded square, in Morton order

  FARPOINT_HD std::uint32_t chunks_of_layer() const noexcept { return 1u << 2 * (level - screen_chunk_level); }

  /// Returns the tiling with the most tiles.
  static screen_tiling finest(std::int32_t width, std::int32_t height) noexcept {
    return of(width, height, 0, 0, std::numeric_limits<index_t>::max());
  }

  /// @param points    maximum number of visible points
  /// @param enough    mean number of points of a tile above which larger tiles gain nothing
  /// @param parallel  number of tiles that keep the device busy
  static screen_tiling of(std::int32_t width, std::int32_t height, index_t points, index_t enough,
                          index_t parallel) noexcept {
    int top = screen_chunk_level;
    while (1 << top < width || 1 << top < height) ++top;
    int level = screen_chunk_level;
    auto const tiles = [&] { return index_t{1} << 2 * (top - level); };
    while (tiles() > parallel && (points << 2 * level) < enough * width * height) ++level;
    return {level, static_cast<std::uint32_t>(tiles())};
  }
};

/// Maximum number of slots in the index. Packets have gaps between them, and each chunk may end with a partly filled
/// group.
inline index_t max_screen_slots(std::int32_t width, std::int32_t height, int layers, index_t points) noexcept {
  constexpr index_t side = 1 << screen_chunk_level;
  index_t const chunks = divide_up(index_t{width}, side) * divide_up(index_t{height}, side) * layers;
  index_t const slots = points + points / 4 + (screen_group_points - 1) * smaller(points, chunks);
  return divide_up(slots, index_t{screen_group_points}) * screen_group_points;
}

template <class Points>
struct screen_index_args : number_args<Points> {
  using scalar = typename Points::scalar;

  std::int32_t width;
  std::int32_t height;
  screen_tiling tiling;
  point_bvh_arrays<scalar> index;  ///< index of one cloud; its points have their indices in `clouds`
  std::uint64_t* index_tiles;      ///< `[tiling.tiles]`, zero-initialized
  std::uint32_t* ticket;           ///< zero-initialized
  std::uint32_t* tiles_done;       ///< zero-initialized; null if a separate kernel makes the upper boxes
};

}  // namespace detail
FARPOINT_END_NAMESPACE
