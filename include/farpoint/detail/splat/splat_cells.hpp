/// @file
/// Cells of an image, which list the splats for its tiles, and the stored form of a splat. Host and device share the
/// code.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/splat/splat_shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A tile has 2^4 x 2^4 pixels. A cell of level l has 2^l x 2^l tiles, up to one cell for an image of 8,192 x 8,192
/// pixels.
inline constexpr int splat_tile_level = 4;
inline constexpr int splat_tile_side = 1 << splat_tile_level;
inline constexpr int splat_tile_pixels = splat_tile_side * splat_tile_side;
inline constexpr int splat_cell_levels = 13 - splat_tile_level + 1;
/// Maximum number of cells that list a splat.
inline constexpr int splat_most_cells = 4;

/// Pyramid of cells over an image. A splat is listed in its cells of the lowest level at which its box meets at
/// most 2 x 2 cells. So the lists hold at most four entries per splat, of any size, and a tile finds all splats that
/// may cover it in one cell of each level.
struct splat_cells {
  std::int32_t tiles[2];
  std::int32_t levels;
  std::int32_t count;
  std::int32_t first[splat_cell_levels];  ///< number of cells of the levels below

  static splat_cells of(index_t width, index_t height) noexcept {
    auto const side = index_t{splat_tile_side};
    splat_cells cells{};
    cells.tiles[0] = static_cast<std::int32_t>(divide_up(width, side));
    cells.tiles[1] = static_cast<std::int32_t>(divide_up(height, side));
    for (bool is_top = false; !is_top && cells.levels < splat_cell_levels; ++cells.levels) {
      cells.first[cells.levels] = cells.count;
      std::int32_t const columns = cells.columns(cells.levels);
      std::int32_t const rows = ((cells.tiles[1] - 1) >> cells.levels) + 1;
      cells.count += columns * rows;
      is_top = columns == 1 && rows == 1;
    }
    return cells;
  }

  FARPOINT_HD std::int32_t columns(int level) const noexcept { return ((tiles[0] - 1) >> level) + 1; }
  FARPOINT_HD std::int32_t cell(int level, std::int32_t x, std::int32_t y) const noexcept {
    return first[level] + y * columns(level) + x;
  }
  /// Returns the cell of a level that contains a tile.
  FARPOINT_HD std::int32_t cell_of_tile(int level, std::int32_t x, std::int32_t y) const noexcept {
    return cell(level, x >> level, y >> level);
  }

  /// Calls `visit(i, cell)` for each cell of a box; i is below splat_most_cells and differs between the cells.
  template <class Visit>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void each_cell(splat_box const& box, Visit const& visit) const noexcept {
    if (box.is_empty()) return;
    std::int32_t low[2], high[2];  // both inclusive
    for (int axis = 0; axis < 2; ++axis) {
      low[axis] = box.low[axis] >> splat_tile_level;
      high[axis] = (box.high[axis] - 1) >> splat_tile_level;
    }
    int level = 0;
    for (; high[0] - low[0] > 1 || high[1] - low[1] > 1; ++level) {
      for (int axis = 0; axis < 2; ++axis) {
        low[axis] >>= 1;
        high[axis] >>= 1;
      }
    }
    FARPOINT_UNROLL
    for (int i = 0; i < splat_most_cells; ++i) {
      std::int32_t const x = low[0] + i % 2;
      std::int32_t const y = low[1] + i / 2;
      if (x <= high[0] && y <= high[1]) visit(i, cell(level, x, y));
    }
  }
};

/// Four words that are loaded and stored together.
struct alignas(16) splat_words {
  std::uint32_t word[4];
};

/// Stored form of a splat, computed once, in two sectors of 32 bytes.
struct alignas(32) splat_record {
  splat_words head;      ///< box and color, in halves of words
  splat_words parts[3];  ///< bits of the numbers of a splat_form

  FARPOINT_HD FARPOINT_ALWAYS_INLINE static splat_words head_of(splat_box const& box,
                                                                std::uint32_t const (&color)[3]) noexcept {
    auto const pair = [](std::int32_t low, std::int32_t high) {
      return static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16;
    };
    return {{pair(box.low[0], box.low[1]), pair(box.high[0], box.high[1]), color[0] | color[1] << 16, color[2]}};
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static splat_box box_of(splat_words const& head) noexcept {
    auto const half = [](std::uint32_t word) { return static_cast<std::int32_t>(word & 0xffffu); };
    return {{half(head.word[0]), half(head.word[0] >> 16)}, {half(head.word[1]), half(head.word[1] >> 16)}};
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void set_form(splat_form const& form) noexcept {
    auto const words = [](float a, float b, float c, float d) {
      return splat_words{{float_bits(a), float_bits(b), float_bits(c), float_bits(d)}};
    };
    parts[0] = words(form.u[0], form.u[1], form.v[0], form.v[1]);
    parts[1] = words(form.n[0], form.n[1], form.place[0], form.place[1]);
    parts[2] = words(form.center_depth, form.reach, 0, 0);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE splat_form form() const noexcept { return form_of(parts[0], parts[1], parts[2]); }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static splat_form form_of(splat_words const& axes, splat_words const& place,
                                                               splat_words const& depth) noexcept {
    auto const number = [](splat_words const& words, int i) { return float_of_bits(words.word[i]); };
    return {{number(axes, 0), number(axes, 1)},
            {number(axes, 2), number(axes, 3)},
            {number(place, 0), number(place, 1)},
            number(depth, 0),
            number(depth, 1),
            {{number(place, 2), number(place, 3)}}};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
