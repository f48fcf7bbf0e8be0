/// @file
/// How an image is divided into tiles and chunks for the index of its visible points, and what the kernel that builds
/// it takes.
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

/// Points that are sorted together begin with a group of leaves of their own.
inline constexpr std::uint32_t screen_group_points = point_bvh_width * point_bvh_width;

/// Places of whole groups.
FARPOINT_HD constexpr std::uint32_t screen_slots(std::uint32_t places) noexcept {
  return divide_up(places, screen_group_points) * screen_group_points;
}

/// With gaps between packets, a quarter more at most.
FARPOINT_HD constexpr std::uint32_t most_slots_of(std::uint32_t points) noexcept {
  return screen_slots(points + points / 4);
}

/// How an image is divided.
struct screen_tiling {
  int level;            ///< a tile has 2^level x 2^level pixels, of all layers
  std::uint32_t tiles;  ///< of the padded square, in Morton order

  FARPOINT_HD std::uint32_t chunks_of_layer() const noexcept { return 1u << 2 * (level - screen_chunk_level); }

  /// As many tiles as there can be.
  static screen_tiling finest(std::int32_t width, std::int32_t height) noexcept {
    return of(width, height, 0, 0, std::numeric_limits<index_t>::max());
  }

  /// @param points    that can be visible
  /// @param enough    points of a tile, in the mean, that leave nothing to be gained by larger ones
  /// @param parallel  tiles that keep the device busy
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

/// Places in the index, at most: there are gaps between packets, and groups that are filled in part, one for each
/// chunk.
inline index_t most_screen_slots(std::int32_t width, std::int32_t height, int layers, index_t points) noexcept {
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
  point_bvh_arrays<scalar> index;  ///< of one cloud, whose points have their indices in `clouds`
  std::uint64_t* index_tiles;      ///< `[tiling.tiles]`, zero
  std::uint32_t* ticket;           ///< zero
  std::uint32_t* tiles_done;       ///< zero; null: the upper boxes are made by a kernel of their own
};

}  // namespace detail
FARPOINT_END_NAMESPACE
