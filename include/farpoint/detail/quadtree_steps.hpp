/// @file
/// The steps that a quadtree is built by, one node or one point each. Those of a level are independent of one another,
/// but for add_to_tile().
#pragma once

#include <farpoint/spatial/quadtree.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A pixel's point.
struct quadtree_point {
  std::uint16_t x, y;   ///< column and row
  float depth;          ///< a number, or infinite
  std::uint32_t index;  ///< in the cloud
};

namespace detail {

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

/// Where a point goes, once its tile has been placed.
FARPOINT_HD inline std::uint32_t position_in(quadtree_record const& tile, std::uint32_t code) noexcept {
  return tile.first + count_bits(tile.members & (bit_of_pixel(code) - 1));
}

}  // namespace detail
FARPOINT_END_NAMESPACE
