/// @file
/// The steps of building a quadtree, each for one node or one point. Steps of a level are independent of one another,
/// but for add_to_tile().
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/spatial/quadtree.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// Checks the memory of a tree, of which `needed` bytes are used.
inline result check_quadtree_memory(bytes memory, std::size_t needed) noexcept {
  if (memory.size() < needed) {
    return too_small(FARPOINT_TOO_SMALL("build_quadtree", "memory", "quadtree_bytes"), needed, memory.size());
  }
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % quadtree_alignment != 0) {
    return reject("memory: not aligned to 64 bytes");
  }
  return {};
}

FARPOINT_HD inline quadtree_record empty_record() noexcept {
  return {0, 0, {quadtree_ref::infinity, -quadtree_ref::infinity}};
}

FARPOINT_HD inline quadtree_depths join(quadtree_depths const& a, quadtree_depths const& b) noexcept {
  return {min_number(a.low, b.low), max_number(a.high, b.high)};
}

FARPOINT_HD inline std::uint32_t bit_of_pixel(std::uint32_t code) noexcept {
  return 1u << (code & 15u);
}

/// Adds a point to its tile; false if its pixel is taken.
FARPOINT_HD inline bool add_to_tile(quadtree_record& tile, std::uint32_t code, float depth) noexcept {
  if ((tile.members & bit_of_pixel(code)) != 0) return false;
  // -0 becomes +0: which of the two is the lower would depend on the order of the points.
  float const ordered = add_rn(depth, 0.0f);
  tile.members |= bit_of_pixel(code);
  tile.depths = join(tile.depths, {ordered, ordered});
  return true;
}

/// Number of the points of a node of this level.
FARPOINT_HD inline std::uint32_t members_at(int level, quadtree_record const& record) noexcept {
  return level == quadtree_tile_level ? count_bits(record.members) : record.members;
}

/// Bottom-up: the record of a node above the tiles, from its children's.
FARPOINT_HD inline quadtree_record sum_of_children(quadtree_record const* children, int level) noexcept {
  quadtree_record sum = empty_record();
  for (int i = 0; i < 4; ++i) {
    sum.members += members_at(level - 1, children[i]);
    sum.depths = join(sum.depths, children[i].depths);
  }
  return sum;
}

/// Top-down: where the points of the children of a node begin.
FARPOINT_HD inline void place_children(quadtree_record const& parent, quadtree_record* children, int level) noexcept {
  std::uint32_t first = parent.first;
  for (int i = 0; i < 4; ++i) {
    children[i].first = first;
    first += members_at(level - 1, children[i]);
  }
}

/// Position of a point in the tree. The tile's `first` must be set.
FARPOINT_HD inline std::uint32_t position_in(quadtree_record const& tile, std::uint32_t code) noexcept {
  return tile.first + count_bits(tile.members & (bit_of_pixel(code) - 1));
}

inline std::uint32_t pixel_code(quadtree_point const& point) noexcept {
  return morton_encode<std::uint32_t>(point.x, point.y);
}

/// The tiles' masks and depths; false if a pixel has two points.
inline bool fill_tiles(quadtree_layout const& layout, quadtree_arrays const& arrays,
                       span<quadtree_point const> points) noexcept {
  for (index_t i = 0; i < layout.record_count(); ++i) arrays.records[i] = empty_record();
  quadtree_record* const tiles = arrays.records + layout.record_at({0, quadtree_tile_level});
  for (quadtree_point const& point : points) {
    std::uint32_t const code = pixel_code(point);
    if (!add_to_tile(tiles[code >> 2 * quadtree_tile_level], code, point.depth)) return false;
  }
  return true;
}

/// Counts and depths from the tiles up, then starts from the root down.
inline void fill_levels(quadtree_layout const& layout, quadtree_arrays const& arrays) noexcept {
  auto const nodes = [&layout](int level) { return std::uint32_t{1} << 2 * (layout.top() - level); };
  auto const children = [&](std::uint32_t code, int level) {
    return arrays.records + layout.record_at(quadtree_node{code, level}.child(0));
  };
  for (int level = quadtree_tile_level + 1; level <= layout.top(); ++level) {
    quadtree_record* const records = arrays.records + layout.record_at({0, level});
    for (std::uint32_t code = 0; code < nodes(level); ++code) {
      records[code] = sum_of_children(children(code, level), level);
    }
  }
  for (int level = layout.top(); level > quadtree_tile_level; --level) {
    quadtree_record const* const records = arrays.records + layout.record_at({0, level});
    for (std::uint32_t code = 0; code < nodes(level); ++code) {
      place_children(records[code], children(code, level), level);
    }
  }
}

inline void pack_points(quadtree_layout const& layout, quadtree_arrays const& arrays,
                        span<quadtree_point const> points) noexcept {
  quadtree_record const* const tiles = arrays.records + layout.record_at({0, quadtree_tile_level});
  for (quadtree_point const& point : points) {
    std::uint32_t const code = pixel_code(point);
    std::uint32_t const position = position_in(tiles[code >> 2 * quadtree_tile_level], code);
    arrays.pixels[position] = code;
    arrays.indices[position] = point.index;
    arrays.depths[position] = point.depth;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
