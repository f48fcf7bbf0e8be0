/// @file
/// Visits the points of a quadtree that are in a shape: a rectangle or a disc of pixels.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/spatial/quadtree_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The pixels of a rectangle.
struct quadtree_box {
  pixel_box box;

  FARPOINT_HD bool meets(pixel_box const& square) const noexcept {
    return square.low[0] <= box.high[0] && square.low[1] <= box.high[1] && box.low[0] <= square.high[0] &&
           box.low[1] <= square.high[1];
  }
  FARPOINT_HD bool holds(pixel_box const& square) const noexcept {
    return box.low[0] <= square.low[0] && box.low[1] <= square.low[1] && square.high[0] <= box.high[0] &&
           square.high[1] <= box.high[1];
  }
};

/// The pixels of a disc. Exact: rounding is monotonic, so no pixel of a square has a rounded distance below the
/// square's nearest point, or above its farthest corner.
struct quadtree_disc {
  vec<float, 2> center;
  float radius2;

  FARPOINT_HD bool meets(pixel_box const& square) const noexcept {
    return box_distance2(as_point(square.low), as_point(square.high), center) <= radius2;
  }
  FARPOINT_HD bool holds(pixel_box const& square) const noexcept {
    vec<float, 2> const low = as_point(square.low);
    vec<float, 2> const high = as_point(square.high);
    float sum = 0;
    for (int axis = 0; axis < 2; ++axis) {
      float const reach = max_number(sub_rn(high[axis], center[axis]), sub_rn(center[axis], low[axis]));
      sum = fma_rn(reach, reach, sum);
    }
    return sum <= radius2;
  }

 private:
  FARPOINT_HD static vec<float, 2> as_point(vec<int, 2> const& pixel) noexcept {
    return {{static_cast<float>(pixel[0]), static_cast<float>(pixel[1])}};
  }
};

/// Smallest node of at least a tile (4 x 4 pixels) that covers a rectangle.
FARPOINT_HD inline quadtree_node quadtree_node_around(pixel_box const& box) noexcept {
  quadtree_node low = quadtree_node_of(quadtree_tile_level, box.low[0], box.low[1]);
  std::uint32_t high = quadtree_node_of(quadtree_tile_level, box.high[0], box.high[1]).code;
  for (; low.code != high; high >>= 2) low = low.parent();
  return low;
}

/// Calls visit(position) for each point of a tile whose pixel is in the shape. Bits of `members` are pixels of the tile
/// in Morton order.
FARPOINT_CALLS_BACK
template <class Shape, class Visit>
FARPOINT_HD void visit_tile(quadtree_record const& tile, pixel_box const& square, Shape const& shape,
                            Visit& visit) noexcept {
  std::uint32_t position = tile.first;
  for (std::uint32_t left = tile.members; left != 0; left &= left - 1, ++position) {
    int const bit = lowest_bit(left);
    vec<int, 2> const pixel{
        {square.low[0] + (bit & 1) + (bit >> 1 & 2), square.low[1] + (bit >> 1 & 1) + (bit >> 2 & 2)}};
    if (shape.meets({pixel, pixel})) visit(position);
  }
}

/// Calls visit(position) for each point of a tree whose pixel is in a shape, depth first, from the smallest node around
/// the shape. No stack is needed, as codes of siblings follow one another: after a node comes the node of the next
/// code. If that code is a first child's (code % 4 == 0), the four siblings are done, and their parent's successor
/// comes next.
/// @param shape   has meets(square), true if the shape may contain a pixel of the square; and holds(square), true if it
///                contains all pixels of the square
/// @param around  rectangle of pixels that contains the shape's part of the image
FARPOINT_CALLS_BACK
template <class Tree, class Shape, class Visit>
FARPOINT_HD void for_each_in(Tree const& tree, Shape const& shape, pixel_box const& around, Visit& visit) noexcept {
  quadtree_node const start = quadtree_node_around(around);
  quadtree_node node = start;
  do {
    pixel_box const square = node.pixels();
    if (shape.meets(square)) {
      quadtree_record const record = tree.record_of(node);
      bool const is_tile = node.level == quadtree_tile_level;
      bool const is_inside = shape.holds(square);
      if (is_inside) {
        std::uint32_t const count = is_tile ? count_bits(record.members) : record.members;
        for (std::uint32_t i = 0; i < count; ++i) visit(record.first + i);
      } else if (is_tile) {
        visit_tile(record, square, shape, visit);
      } else if (record.members != 0) {
        node = node.child(0);
        continue;
      }
    }
    ++node.code;
    while (node.level < start.level && node.code % 4 == 0) node = node.parent();
  } while (node.level < start.level);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
