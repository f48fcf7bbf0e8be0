/// @file
/// A linear quadtree over the pixels of an image: a pyramid of counts, and the points in the Z-order of their pixels.
///
/// No pointers: node `code` of a level has the nodes 4 code to 4 code + 3 of the level below. Level 0 is the pixels;
/// a node of level l is an aligned square of 2^l x 2^l pixels; the root is the smallest that covers the image. The
/// lowest level with records is that of tiles, 4 x 4 pixels, whose record is a mask of their occupied pixels: the two
/// levels below, which would be 15 / 16 of the memory, are read from it.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/geometry/morton.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// A pixel's point.
struct quadtree_point {
  std::uint16_t x, y;   ///< column and row
  float depth;          ///< a number, or infinite
  std::uint32_t index;  ///< in the cloud
};

/// The largest width and height of an image, in pixels.
inline constexpr int quadtree_max_side = 8192;

/// The level of tiles: the lowest that has records. An image below 4 x 4 pixels is padded to one tile.
inline constexpr int quadtree_tile_level = 2;

/// Alignment of a tree's memory, in bytes.
inline constexpr std::size_t quadtree_alignment = 64;

/// The pixels [low, high] of an image, both corners included; none if high is below low on an axis.
struct pixel_box {
  vec<int, 2> low, high;
};

/// Positions [first, last) in the packed arrays.
struct quadtree_range {
  std::uint32_t first, last;
};

/// The depths [low, high] of some points; of none low is +inf and high is -inf.
struct quadtree_depths {
  float low, high;
};

/// A node, by its level and the Morton code of its place among the nodes of that level.
struct quadtree_node {
  std::uint32_t code;
  int level;

  /// Of any node but the root.
  FARPOINT_HD constexpr quadtree_node parent() const noexcept { return {code >> 2, level + 1}; }
  /// Child i, 0 to 3, of a node above level 0: x + 2 y of its place in the square.
  FARPOINT_HD constexpr quadtree_node child(int i) const noexcept {
    return {code << 2 | static_cast<std::uint32_t>(i), level - 1};
  }
  /// The square of the node; it may reach beyond the image.
  FARPOINT_HD constexpr pixel_box pixels() const noexcept {
    auto const cell = morton_decode_2d(code);
    int const x = static_cast<int>(cell[0] << level);
    int const y = static_cast<int>(cell[1] << level);
    int const reach = (1 << level) - 1;
    return {{{x, y}}, {{x + reach, y + reach}}};
  }

  friend FARPOINT_HD constexpr bool operator==(quadtree_node a, quadtree_node b) noexcept {
    return a.code == b.code && a.level == b.level;
  }
  friend FARPOINT_HD constexpr bool operator!=(quadtree_node a, quadtree_node b) noexcept { return !(a == b); }
};

/// What memory has of a node: 16 bytes, one load.
struct alignas(16) quadtree_record {
  std::uint32_t first;  ///< position of its first point; if it has none, where that would be
  std::uint32_t
      members;  ///< number of its points; of a tile a mask, bit (code of the pixel) % 16 for each occupied one
  quadtree_depths depths;
};

/// The arrays of a tree, in the memory of quadtree_layout.
struct quadtree_arrays {
  quadtree_record* records;
  std::uint32_t* pixels;   ///< `[capacity]`, Morton codes, ascending
  std::uint32_t* indices;  ///< `[capacity]`
  float* depths;           ///< `[capacity]`
};

/// How a tree lies in memory, for an image of width x height pixels and at most `capacity` points. With the root at
/// level s (2^s the larger side, rounded up to a power of two, at least 4), in bytes:
///
/// | from | what | bytes |
/// |---|---|---|
/// | 0 | records: three unused, then the root's, then level after level downwards | 16 (3 + (4^(s - 1) - 1) / 3) |
/// | records end | pixels | 4 capacity, rounded up to a multiple of 64 |
/// | pixels end | indices | the same |
/// | indices end | depths | the same |
///
/// The three unused records make the four children of a node one line of 64 bytes. Of the arrays only the first
/// count(root()) elements are ever written or read. Trivially copyable; O(1), constexpr, thread-safe.
class quadtree_layout {
 public:
  quadtree_layout() = default;
  FARPOINT_HD constexpr quadtree_layout(int width, int height, index_t capacity) noexcept
      : width_{width}, height_{height}, capacity_{capacity} {
    int const side = width > height ? width : height;
    while (top_ < 13 && 1 << top_ < side) ++top_;
  }

  /// Width and height are 1 to quadtree_max_side, and the capacity is 0 to width x height. What follows needs that.
  FARPOINT_HD constexpr bool is_valid() const noexcept {
    return width_ >= 1 && height_ >= 1 && width_ <= quadtree_max_side && height_ <= quadtree_max_side &&
           capacity_ >= 0 && capacity_ <= index_t{width_} * height_;
  }
  FARPOINT_HD constexpr int width() const noexcept { return width_; }
  FARPOINT_HD constexpr int height() const noexcept { return height_; }
  FARPOINT_HD constexpr index_t capacity() const noexcept { return capacity_; }
  /// The level of the root.
  FARPOINT_HD constexpr int top() const noexcept { return top_; }
  FARPOINT_HD constexpr index_t record_count() const noexcept { return record_at({0, quadtree_tile_level - 1}); }
  /// Bytes of memory.
  FARPOINT_HD constexpr std::size_t size() const noexcept { return records_size() + 3 * array_size(); }

  /// The number of a node's record; level() from the tiles' to top().
  FARPOINT_HD constexpr std::uint32_t record_at(quadtree_node node) const noexcept {
    // (4^d - 1) / 3 nodes are above depth d: 1, 101, 10101, ...
    return 3 + (0x55555555u & ((1u << 2 * (top_ - node.level)) - 1)) + node.code;
  }

  /// @param memory  size() bytes, aligned to quadtree_alignment
  FARPOINT_HD quadtree_arrays cut(unsigned char* memory) const noexcept {
    unsigned char* const pixels = memory + records_size();
    return {reinterpret_cast<quadtree_record*>(memory), reinterpret_cast<std::uint32_t*>(pixels),
            reinterpret_cast<std::uint32_t*>(pixels + array_size()),
            reinterpret_cast<float*>(pixels + 2 * array_size())};
  }

 private:
  FARPOINT_HD constexpr std::size_t records_size() const noexcept {
    return static_cast<std::size_t>(record_count()) * sizeof(quadtree_record);
  }
  FARPOINT_HD constexpr std::size_t array_size() const noexcept {
    return (static_cast<std::size_t>(capacity_) * 4 + quadtree_alignment - 1) / quadtree_alignment * quadtree_alignment;
  }

  int width_ = 1;
  int height_ = 1;
  index_t capacity_ = 0;
  int top_ = quadtree_tile_level;
};

/// Bytes of memory of a tree, aligned to quadtree_alignment; 0 if an argument is out of bounds (see
/// quadtree_layout::is_valid()).
FARPOINT_HD constexpr std::size_t quadtree_bytes(int width, int height, index_t points) noexcept {
  quadtree_layout const layout{width, height, points};
  return layout.is_valid() ? layout.size() : 0;
}

namespace detail {

/// The pixels of a rectangle.
struct in_box {
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

/// The pixels of a disc. Exact: rounding is monotone, so a square's nearest point is not farther than any of its
/// pixels, and its farthest corner not nearer, bit by bit.
struct in_disc {
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

}  // namespace detail

/// The quadtree of an image with at most one point per pixel: a view of memory that build_quadtree() has filled.
/// Trivially copyable: pass it by value into kernels. Reading is thread-safe.
///
/// Points lie packed in the Morton order of their pixels (x the lower bit), so that those of a node follow one another.
/// Positions are those of the packed arrays; pixels and depths of points, and their indices in the cloud, are read
/// through them. A node is given by node_of(), root(), child() or parent(), and must be in the tree: other ones
/// (those in the padding are in it) are not checked for.
class quadtree_ref {
 public:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  quadtree_ref() = default;
  /// @param layout  valid
  /// @param memory  quadtree_layout::size() bytes, as the layout has it
  FARPOINT_HD quadtree_ref(quadtree_layout const& layout, unsigned char* memory) noexcept
      : layout_{layout}, arrays_{layout.cut(memory)} {}

  FARPOINT_HD int width() const noexcept { return layout_.width(); }
  FARPOINT_HD int height() const noexcept { return layout_.height(); }
  /// Levels from the pixels' to the root's: 3 to 14.
  FARPOINT_HD int levels() const noexcept { return layout_.top() + 1; }
  /// Points.
  FARPOINT_HD std::uint32_t size() const noexcept { return count(root()); }

  /// Where the tree lies, for whoever reads its arrays as a whole.
  FARPOINT_HD quadtree_arrays const& arrays() const noexcept { return arrays_; }
  FARPOINT_HD quadtree_layout const& layout() const noexcept { return layout_; }

  FARPOINT_HD quadtree_node root() const noexcept { return {0, layout_.top()}; }
  /// The node of a level, 0 to levels() - 1, that the pixel (x, y) is in; 0 <= x, y < 2^(levels() - 1).
  FARPOINT_HD static quadtree_node node_of(int level, int x, int y) noexcept {
    return {morton_encode(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) >> 2 * level, level};
  }

  /// Points of a node. O(1), one load.
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
  /// The depths of a node's points. O(1): one load, and below the tiles one more for each of up to four points.
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

  /// The Morton code of a point's pixel; position < size(), here and below.
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
  /// Pixel (x, y) is at (x, y); it is within if distance2() to the center is not above radius * radius, both rounded to
  /// float. A center that is not finite, or a radius that is negative or NaN, has no pixels; a radius of +inf has all.
  /// Complexity: proportional to the tiles at the disc's border and the points within; no stack, no recursion.
  /// @param center, radius  px
  /// @param visit  called with the position of each
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each_in_disc(vec<float, 2> const& center, float radius, Visit&& visit) const noexcept {
    if (!(radius >= 0) || !is_finite(center)) return;
    pixel_box around{{{0, 0}}, {{width() - 1, height() - 1}}};
    // Beyond, rounding may be by more than the pixel that is left for it.
    constexpr float sure = 1 << 20;
    for (int axis = 0; axis < 2; ++axis) {
      if (!(radius <= sure && center[axis] >= -sure && center[axis] <= sure)) continue;
      float const low = max_number(center[axis] - radius - 1, 0.0f);
      float const high = min_number(center[axis] + radius + 1, static_cast<float>(around.high[axis]));
      if (!(low <= high)) return;
      around.low[axis] = static_cast<int>(low);
      around.high[axis] = static_cast<int>(high);
    }
    for_each_in(detail::in_disc{center, fma_rn(radius, radius, 0.0f)}, around, visit);
  }

  /// Calls visit(position) once for each point whose pixel is in a rectangle, in packed order.
  ///
  /// The rectangle may reach beyond the image. Complexity: as for_each_in_disc().
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each_in_box(pixel_box box, Visit&& visit) const noexcept {
    vec<int, 2> const corner{{width() - 1, height() - 1}};
    for (int axis = 0; axis < 2; ++axis) {
      box.low[axis] = box.low[axis] < 0 ? 0 : box.low[axis];
      box.high[axis] = box.high[axis] > corner[axis] ? corner[axis] : box.high[axis];
      if (box.low[axis] > box.high[axis]) return;
    }
    for_each_in(detail::in_box{box}, box, visit);
  }

 private:
  FARPOINT_HD quadtree_record record_of(quadtree_node node) const noexcept {
    return arrays_.records[layout_.record_at(node)];
  }

  /// The smallest node that covers a rectangle, a tile at least.
  FARPOINT_HD static quadtree_node node_around(pixel_box const& box) noexcept {
    quadtree_node low = node_of(quadtree_tile_level, box.low[0], box.low[1]);
    std::uint32_t high = node_of(quadtree_tile_level, box.high[0], box.high[1]).code;
    for (; low.code != high; high >>= 2) low = low.parent();
    return low;
  }

  /// Depth first, from the smallest node around the shape. A node's code says where to go on, so no stack is needed:
  /// to the next code, and up as long as that is a first child, which has been through with its parent.
  FARPOINT_CALLS_BACK
  template <class Shape, class Visit>
  FARPOINT_HD void for_each_in(Shape const& shape, pixel_box const& around, Visit& visit) const noexcept {
    quadtree_node const start = node_around(around);
    quadtree_node node = start;
    do {
      pixel_box const square = node.pixels();
      if (shape.meets(square)) {
        quadtree_record const record = record_of(node);
        bool const is_tile = node.level == quadtree_tile_level;
        bool const is_inside = shape.holds(square);
        if (is_inside) {
          std::uint32_t const count = is_tile ? detail::count_bits(record.members) : record.members;
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

  FARPOINT_CALLS_BACK
  template <class Shape, class Visit>
  FARPOINT_HD static void visit_tile(quadtree_record const& tile, pixel_box const& square, Shape const& shape,
                                     Visit& visit) noexcept {
    std::uint32_t position = tile.first;
    for (std::uint32_t left = tile.members; left != 0; left &= left - 1, ++position) {
      int const bit = detail::lowest_bit(left);
      vec<int, 2> const pixel{
          {square.low[0] + (bit & 1) + (bit >> 1 & 2), square.low[1] + (bit >> 1 & 1) + (bit >> 2 & 2)}};
      if (shape.meets({pixel, pixel})) visit(position);
    }
  }

  quadtree_layout layout_{};
  quadtree_arrays arrays_{};
};

FARPOINT_END_NAMESPACE
