/// @file
/// Linear quadtree over the pixels of an image: a pyramid of counts, and the points in the Z-order of their pixels.
///
/// No pointers: node `code` of a level has the children 4 code to 4 code + 3 in the level below. Level 0 consists of
/// pixels; a node of level l is an aligned square of 2^l x 2^l pixels; the root is the smallest such square that covers
/// the image. The lowest level with records is the level of tiles, 4 x 4 pixels: a tile's record contains a mask of its
/// occupied pixels, which replaces the two levels below and thus 15 / 16 of the memory.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/geometry/morton.hpp>
#include <farpoint/spatial/quadtree_layout.hpp>
#include <farpoint/spatial/quadtree_traversal.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Quadtree of an image with at most one point per pixel: a view of memory that build_quadtree() has filled. Trivially
/// copyable: pass it by value into kernels. Reading is thread-safe.
///
/// Points are packed in the Morton order of their pixels (x is the lower bit), so that the points of a node are
/// consecutive. A position is an index into the packed arrays, which contain the pixel, the depth and the index in the
/// cloud of each point. Nodes come from node_of(), root(), child() or parent(); they must be in the tree, padding
/// included, which is not checked.
class quadtree_ref {
 public:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  quadtree_ref() = default;
  /// @param layout  valid layout
  /// @param memory  quadtree_layout::size() bytes, filled according to the layout
  FARPOINT_HD quadtree_ref(quadtree_layout const& layout, unsigned char* memory) noexcept
      : layout_{layout}, arrays_{layout.cut(memory)} {}

  FARPOINT_HD int width() const noexcept { return layout_.width(); }
  FARPOINT_HD int height() const noexcept { return layout_.height(); }
  /// Number of levels, from the pixels to the root: 3 to 14.
  FARPOINT_HD int levels() const noexcept { return layout_.top() + 1; }
  /// Number of points.
  FARPOINT_HD std::uint32_t size() const noexcept { return count(root()); }

  /// Arrays of the tree, for code that reads them as a whole.
  FARPOINT_HD quadtree_arrays const& arrays() const noexcept { return arrays_; }
  FARPOINT_HD quadtree_layout const& layout() const noexcept { return layout_; }

  FARPOINT_HD quadtree_node root() const noexcept { return {0, layout_.top()}; }
  /// Node of a level, 0 to levels() - 1, that contains the pixel (x, y); 0 <= x, y < 2^(levels() - 1).
  FARPOINT_HD static quadtree_node node_of(int level, int x, int y) noexcept {
    return detail::quadtree_node_of(level, x, y);
  }

  /// Record of a node at or above the level of tiles. O(1), one load.
  FARPOINT_HD quadtree_record record_of(quadtree_node node) const noexcept {
    return arrays_.records[layout_.record_at(node)];
  }
  /// Number of points of a node. O(1), one load.
  FARPOINT_HD std::uint32_t count(quadtree_node node) const noexcept {
    quadtree_range const points = range(node);
    return points.last - points.first;
  }
  /// Positions of a node's points. O(1), one load.
  FARPOINT_HD quadtree_range range(quadtree_node node) const noexcept {
    if (node.level > quadtree_tile_level) {
      quadtree_record const record = record_of(node);
      return {record.first, record.first + record.members};
    }
    int const below = 2 * (quadtree_tile_level - node.level);
    quadtree_record const tile = record_of({node.code >> below, quadtree_tile_level});
    std::uint32_t const at = node.code << 2 * node.level & 15u;
    std::uint32_t const pixels = tile.members >> at & ((1u << (1 << 2 * node.level)) - 1);
    std::uint32_t const first = tile.first + detail::count_bits(tile.members & ((1u << at) - 1));
    return {first, first + detail::count_bits(pixels)};
  }
  /// Depth range of a node's points. O(1): one load, and below the level of tiles one more for each of up to four
  /// points.
  FARPOINT_HD quadtree_depths depth_range(quadtree_node node) const noexcept {
    if (node.level >= quadtree_tile_level) return record_of(node).depths;
    quadtree_depths depths{infinity, -infinity};
    quadtree_range const points = range(node);
    for (std::uint32_t i = points.first; i < points.last; ++i) {
      depths.low = min_number(depths.low, depth(i));
      depths.high = max_number(depths.high, depth(i));
    }
    return depths;
  }

  /// Morton code of a point's pixel; requires position < size(), as do the functions below.
  FARPOINT_HD std::uint32_t code(std::uint32_t position) const noexcept { return arrays_.pixels[position]; }
  /// Column and row of a point's pixel.
  FARPOINT_HD vec<int, 2> pixel(std::uint32_t position) const noexcept {
    auto const cell = morton_decode_2d(code(position));
    return {{static_cast<int>(cell[0]), static_cast<int>(cell[1])}};
  }
  /// Index of a point in the cloud.
  FARPOINT_HD std::uint32_t index(std::uint32_t position) const noexcept { return arrays_.indices[position]; }
  FARPOINT_HD float depth(std::uint32_t position) const noexcept { return arrays_.depths[position]; }

  /// Calls visit(position) once for each point whose pixel is within a disc, in packed order.
  ///
  /// Pixel (x, y) is at (x, y); it is within the disc if distance2() to the center is at most radius * radius, both
  /// rounded to float. The disc is empty if the center is not finite or the radius is negative or NaN; a radius of +inf
  /// covers all pixels.
  /// Complexity: proportional to the number of tiles at the disc's border and of points within; no stack, no recursion.
  /// @param center, radius  px
  /// @param visit  called with each position
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each_in_disc(vec<float, 2> const& center, float radius, Visit&& visit) const noexcept {
    if (!(radius >= 0) || !is_finite(center)) return;
    pixel_box around{{{0, 0}}, {{width() - 1, height() - 1}}};
    // Beyond this limit, rounding may exceed the margin of one pixel.
    constexpr float sure = 1 << 20;
    for (int axis = 0; axis < 2; ++axis) {
      if (!(radius <= sure && center[axis] >= -sure && center[axis] <= sure)) continue;
      float const low = max_number(center[axis] - radius - 1, 0.0f);
      float const high = min_number(center[axis] + radius + 1, static_cast<float>(around.high[axis]));
      if (!(low <= high)) return;
      around.low[axis] = static_cast<int>(low);
      around.high[axis] = static_cast<int>(high);
    }
    detail::for_each_in(*this, detail::quadtree_disc{center, fma_rn(radius, radius, 0.0f)}, around, visit);
  }

  /// Calls visit(position) once for each point whose pixel is in a rectangle, in packed order.
  ///
  /// The rectangle may extend beyond the image. Complexity: as for_each_in_disc().
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each_in_box(pixel_box box, Visit&& visit) const noexcept {
    vec<int, 2> const corner{{width() - 1, height() - 1}};
    for (int axis = 0; axis < 2; ++axis) {
      box.low[axis] = box.low[axis] < 0 ? 0 : box.low[axis];
      box.high[axis] = box.high[axis] > corner[axis] ? corner[axis] : box.high[axis];
      if (box.low[axis] > box.high[axis]) return;
    }
    detail::for_each_in(*this, detail::quadtree_box{box}, box, visit);
  }

 private:
  quadtree_layout layout_{};
  quadtree_arrays arrays_{};
};

FARPOINT_END_NAMESPACE
