/// @file
/// Nodes of a linear quadtree over the pixels of an image, and its memory layout.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/morton.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Point of a pixel.
struct quadtree_point {
  std::uint16_t x, y;   ///< column and row
  float depth;          ///< not NaN; may be infinite
  std::uint32_t index;  ///< index in the cloud
};

/// Maximum width and height of an image, in pixels.
inline constexpr int quadtree_max_side = 8192;

/// Level of tiles, the lowest with records. An image below 4 x 4 pixels is padded to one tile.
inline constexpr int quadtree_tile_level = 2;

/// Alignment of a tree's memory, in bytes.
inline constexpr std::size_t quadtree_alignment = 64;

/// Pixels [low, high] of an image, both corners included; empty if high is below low on an axis.
struct pixel_box {
  vec<int, 2> low, high;
};

/// Positions [first, last) in the packed arrays.
struct quadtree_range {
  std::uint32_t first, last;
};

/// Depth range [low, high] of points; without points low is +inf and high is -inf.
struct quadtree_depths {
  float low, high;
};

/// Node: its level, and the Morton code of its position in the grid of that level's nodes.
struct quadtree_node {
  std::uint32_t code;
  int level;

  /// Parent of any node but the root.
  FARPOINT_HD constexpr quadtree_node parent() const noexcept { return {code >> 2, level + 1}; }
  /// Child i, 0 to 3, of a node above level 0; i is x + 2 y of the child's position in the square.
  FARPOINT_HD constexpr quadtree_node child(int i) const noexcept {
    return {code << 2 | static_cast<std::uint32_t>(i), level - 1};
  }
  /// Square of the node; it may extend beyond the image.
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

/// Record of a node: 16 bytes, one load.
struct alignas(16) quadtree_record {
  std::uint32_t first;  ///< position of its first point; if it has none, the position where one would be
  std::uint32_t
      members;  ///< number of its points; of a tile a mask, bit (code of the pixel) % 16 for each occupied one
  quadtree_depths depths;
};

/// Arrays of a tree, in the memory of quadtree_layout.
struct quadtree_arrays {
  quadtree_record* records;
  std::uint32_t* pixels;   ///< `[capacity]`, Morton codes, ascending
  std::uint32_t* indices;  ///< `[capacity]`
  float* depths;           ///< `[capacity]`
};

/// Memory layout of a tree for an image of width x height pixels and at most `capacity` points. The root is at level s,
/// where 2^s is the larger side, rounded up to a power of two, at least 4. In bytes:
///
/// | from | what | bytes |
/// |---|---|---|
/// | 0 | records: three unused, then the root's, then level after level downwards | 16 (3 + (4^(s - 1) - 1) / 3) |
/// | records end | pixels | 4 capacity, rounded up to a multiple of 64 |
/// | pixels end | indices | the same |
/// | indices end | depths | the same |
///
/// The three unused records align the four children of a node to one line of 64 bytes. Only the first count(root())
/// elements of the arrays are ever written or read. Trivially copyable; O(1), constexpr, thread-safe.
class quadtree_layout {
 public:
  quadtree_layout() = default;
  FARPOINT_HD constexpr quadtree_layout(int width, int height, index_t capacity) noexcept
      : width_{width}, height_{height}, capacity_{capacity} {
    int const side = width > height ? width : height;
    while (top_ < 13 && 1 << top_ < side) ++top_;
  }

  /// True if width and height are 1 to quadtree_max_side, and capacity is 0 to width * height. The members below
  /// require this.
  FARPOINT_HD constexpr bool is_valid() const noexcept {
    return width_ >= 1 && height_ >= 1 && width_ <= quadtree_max_side && height_ <= quadtree_max_side &&
           capacity_ >= 0 && capacity_ <= index_t{width_} * height_;
  }
  FARPOINT_HD constexpr int width() const noexcept { return width_; }
  FARPOINT_HD constexpr int height() const noexcept { return height_; }
  FARPOINT_HD constexpr index_t capacity() const noexcept { return capacity_; }
  /// Level of the root.
  FARPOINT_HD constexpr int top() const noexcept { return top_; }
  FARPOINT_HD constexpr index_t record_count() const noexcept { return record_at({0, quadtree_tile_level - 1}); }
  /// Size of the memory in bytes.
  FARPOINT_HD constexpr std::size_t size() const noexcept { return records_size() + 3 * array_size(); }

  /// Index of a node's record; node.level is between quadtree_tile_level and top().
  FARPOINT_HD constexpr std::uint32_t record_at(quadtree_node node) const noexcept {
    // There are (4^d - 1) / 3 nodes above depth d: 1, 101, 10101, ... in binary.
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
    return detail::divide_up(static_cast<std::size_t>(capacity_) * 4, quadtree_alignment) * quadtree_alignment;
  }

  int width_ = 1;
  int height_ = 1;
  index_t capacity_ = 0;
  int top_ = quadtree_tile_level;
};

/// Size of a tree's memory in bytes, aligned to quadtree_alignment; 0 if an argument is out of bounds (see
/// quadtree_layout::is_valid()).
FARPOINT_HD constexpr std::size_t quadtree_bytes(int width, int height, index_t points) noexcept {
  quadtree_layout const layout{width, height, points};
  return layout.is_valid() ? layout.size() : 0;
}

namespace detail {

/// Node of a level that contains the pixel (x, y).
FARPOINT_HD constexpr quadtree_node quadtree_node_of(int level, int x, int y) noexcept {
  return {morton_encode(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) >> 2 * level, level};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
