/// @file
/// Puts points into an order in which those close together follow one another.
#pragma once

#include <farpoint/detail/fps_host_bucket.hpp>
#include <farpoint/spatial/morton.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Sorts indices of points by the Morton code of their cells (first three axes, cubic cells over the bounding box).
/// A cell that holds more points than a bucket is sorted again by cells of its own: one stray point far away, or a
/// cloud that is dense in places, costs a pass and not the order. It decides the speed of what follows, never a result.
template <class Points>
class fps_host_order {
 public:
  using scalar = typename Points::scalar;
  static constexpr int axes = Points::dim < 3 ? Points::dim : 3;
  /// Memory that sort() needs besides the indices, in words for each of them.
  static constexpr index_t scratch_words = 3;

  /// @param order    `[count]`, indices of finite points
  /// @param scratch  `[3, count]`
  fps_host_order(Points const& cloud, std::uint32_t* order, std::uint32_t* scratch, index_t count) noexcept
      : cloud_{cloud}, order_{order}, codes_{scratch}, other_{scratch + count}, other_order_{scratch + 2 * count} {
    sort(0, count, most_levels);
  }

 private:
  static constexpr int bits_per_axis = axes == 1 ? 30 : 30 / axes;
  static constexpr int digit_bits = 10;
  static constexpr int digits = 3;
  static constexpr int digit_values = 1 << digit_bits;
  static constexpr int most_levels = 4;

  struct counters {
    std::uint32_t of[digits][digit_values];
  };

  struct frame {
    vec<scalar, axes> low;
    scalar scale;  ///< cells per half metre
  };

  void sort(index_t begin, index_t end, int levels) noexcept {
    if (end - begin <= fps_bucket_points) return;
    frame cells;
    if (!frame_of(begin, end, cells)) return;
    sort_by_code(begin, end, cells);
    if (levels == 1) return;
    // The codes are overwritten behind this loop, not before it.
    for (index_t i = begin; i < end;) {
      index_t run = i + 1;
      while (run < end && codes_[run] == codes_[i]) ++run;
      if (run - i > fps_bucket_points) sort(i, run, levels - 1);
      i = run;
    }
  }

  /// False when the points are equal on all axes. Halves, so that the extent of a finite box is finite.
  bool frame_of(index_t begin, index_t end, frame& cells) const noexcept {
    vec<scalar, axes> high{};
    for (index_t i = begin; i < end; ++i) {
      auto const p = cloud_[order_[i]];
      FARPOINT_UNROLL
      for (int k = 0; k < axes; ++k) {
        scalar const half = p[k] * scalar(0.5);
        cells.low[k] = i == begin || half < cells.low[k] ? half : cells.low[k];
        high[k] = i == begin || half > high[k] ? half : high[k];
      }
    }
    scalar extent = 0;
    for (int k = 0; k < axes; ++k) extent = std::max(extent, high[k] - cells.low[k]);
    cells.scale = std::min(static_cast<scalar>(1u << bits_per_axis) / extent, std::numeric_limits<scalar>::max());
    return extent > 0;
  }

  static std::uint32_t code_of(typename Points::point const& p, frame const& cells) noexcept {
    constexpr auto last = static_cast<scalar>((1u << bits_per_axis) - (bits_per_axis > 24 ? 128 : 1));
    std::uint32_t cell[3] = {};
    FARPOINT_UNROLL
    for (int k = 0; k < axes; ++k) {
      scalar const place = (p[k] * scalar(0.5) - cells.low[k]) * cells.scale;
      cell[k] = static_cast<std::uint32_t>(place > 0 ? std::min(place, last) : scalar(0));
    }
    if constexpr (axes == 1) return cell[0];
    if constexpr (axes == 2) return morton_encode(cell[0], cell[1]);
    return morton_encode(cell[0], cell[1], cell[2]);
  }

  /// Radix sort, least digit first; afterwards codes_ and order_ hold the result.
  void sort_by_code(index_t begin, index_t end, frame const& cells) noexcept {
    counters count;
    std::memset(&count, 0, sizeof count);
    for (index_t i = begin; i < end; ++i) {
      std::uint32_t const code = code_of(cloud_[order_[i]], cells);
      codes_[i] = code;
      FARPOINT_UNROLL
      for (int d = 0; d < digits; ++d) ++count.of[d][digit(code, d)];
    }
    std::uint32_t *codes = codes_, *order = order_, *to_codes = other_, *to_order = other_order_;
    for (int d = 0; d < digits; ++d) {
      if (count.of[d][digit(codes[begin], d)] == end - begin) continue;
      auto place = static_cast<std::uint32_t>(begin);
      for (auto& c : count.of[d]) {
        std::uint32_t const size = c;
        c = place;
        place += size;
      }
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const to = count.of[d][digit(codes[i], d)]++;
        to_codes[to] = codes[i];
        to_order[to] = order[i];
      }
      std::swap(codes, to_codes);
      std::swap(order, to_order);
    }
    if (codes == codes_) return;
    std::memcpy(codes_ + begin, codes + begin, static_cast<std::size_t>(end - begin) * sizeof *codes);
    std::memcpy(order_ + begin, order + begin, static_cast<std::size_t>(end - begin) * sizeof *order);
  }

  static std::uint32_t digit(std::uint32_t code, int d) noexcept {
    return (code >> (d * digit_bits)) & (digit_values - 1);
  }

  Points const& cloud_;
  std::uint32_t* order_;
  std::uint32_t* codes_;
  std::uint32_t* other_;
  std::uint32_t* other_order_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
