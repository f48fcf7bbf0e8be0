/// @file
/// Sorts points along a space-filling curve on the host, so that points close together follow one another.
#pragma once

#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/host/radix_sort.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Sorts indices of points by the position of their cells on a curve: cubic cells over the bounding box, in the first
/// three axes. Stable, so that ascending indices stay ascending within a cell.
///
/// A cell of more than `enough` points is sorted again by cells of its own, up to four levels deep: one stray point far
/// away, or a cloud with dense parts, costs another pass and not the order. The order decides the speed of what
/// follows, never a result.
///
/// O(count) for each level. Allocates nothing. One thread may sort() a range while others sort others; or a team shares
/// one cloud in three steps, with a barrier between them: set_code() for all points, scatter() by the highest digit,
/// sort_bucket() of each digit.
template <class Points, class Curve>
class curve_sort {
 public:
  using scalar = typename Points::scalar;
  using point = vec<scalar, Points::dim>;
  using grid_type = curve_grid<scalar, Points::dim>;
  using box_type = typename grid_type::box;

  /// The place of a point's cell on the curve, and the cells of a box.
  FARPOINT_ALWAYS_INLINE static std::uint32_t code_of(grid_type const& grid, point const& p) noexcept {
    return grid.key_of(p, Curve{}, bits_per_axis);
  }
  static grid_type grid_over(box_type const& around) noexcept { return {around, bits_per_axis}; }

  /// Scratch memory, in 32-bit words for each index.
  static constexpr index_t scratch_words = 3;
  static constexpr int digit_bits = 10;
  static constexpr int digit_values = 1 << digit_bits;
  static constexpr int digits = 3;

  /// @param order    `[count]`, indices of finite points
  /// @param scratch  `[3, count]`
  /// @param enough   points of a cell that need no order
  curve_sort(Points const& cloud, std::uint32_t* order, std::uint32_t* scratch, index_t count, index_t enough) noexcept
      : cloud_{cloud},
        order_{order},
        codes_{scratch},
        other_order_{scratch + count},
        other_codes_{scratch + 2 * count},
        enough_{enough} {}

  /// Sorts the indices [begin, end).
  FARPOINT_NO_INLINE void sort(index_t begin, index_t end, int levels = max_levels) noexcept {
    if (end - begin <= enough_) return;
    auto around = box_type::empty();
    for (index_t i = begin; i < end; ++i) around.grow(cloud_[order_[i]]);
    grid_type const grid = grid_over(around);
    if (!grid.has_extent()) return;
    for (index_t i = begin; i < end; ++i) codes_[i] = code_of(grid, cloud_[order_[i]]);
    sort_by_digits({codes_, order_}, begin, end, digits);
    sort_crowded_cells(begin, end, levels - 1);
  }

  /// First step: an index and its code.
  void set_code(index_t place, std::uint32_t index, std::uint32_t code) noexcept {
    order_[place] = index;
    codes_[place] = code;
  }
  /// Second step: the caller counts the highest digits, and moves each index to the next place of its digit.
  static std::uint32_t highest_digit(std::uint32_t code) noexcept { return code >> ((digits - 1) * digit_bits); }
  std::uint32_t highest_digit_at(index_t place) const noexcept { return highest_digit(codes_[place]); }
  void scatter(index_t from, index_t to) noexcept {
    other_codes_[to] = codes_[from];
    other_order_[to] = order_[from];
  }
  /// Third step: sorts the indices [begin, end) of one highest digit.
  FARPOINT_NO_INLINE void sort_bucket(index_t begin, index_t end) noexcept {
    if (begin == end) return;
    sort_by_digits({other_codes_, other_order_}, begin, end, digits - 1);
    sort_crowded_cells(begin, end, max_levels - 1);
  }

 private:
  static constexpr int max_levels = 4;
  static constexpr int bits_per_axis = digits * digit_bits / grid_type::axes;

  using arrays = key_value_arrays<std::uint32_t, std::uint32_t>;

  void sort_crowded_cells(index_t begin, index_t end, int levels) noexcept {
    if (levels == 0) return;
    // The codes are overwritten behind this loop, not before it.
    for (index_t i = begin; i < end;) {
      index_t run = i + 1;
      while (run < end && codes_[run] == codes_[i]) ++run;
      if (run - i > enough_) sort(i, run, levels);
      i = run;
    }
  }

  /// Sorts by the lowest `count` digits of the codes; afterwards codes_ and order_ hold the result.
  void sort_by_digits(arrays all, index_t begin, index_t end, int count) noexcept {
    arrays from{all.keys + begin, all.values + begin};
    index_t const size = end - begin;
    if (size <= few) {
      insert_in_order(from, size);
    } else {
      bool const in_place = all.keys == codes_;
      arrays const to{(in_place ? other_codes_ : codes_) + begin, (in_place ? other_order_ : order_) + begin};
      from = host_radix_sort<digit_bits>(from, to, size, count * digit_bits);
    }
    if (from.keys == codes_ + begin) return;
    std::memcpy(codes_ + begin, from.keys, static_cast<std::size_t>(size) * sizeof *codes_);
    std::memcpy(order_ + begin, from.values, static_cast<std::size_t>(size) * sizeof *order_);
  }

  static void insert_in_order(arrays const& a, index_t size) noexcept {
    for (index_t i = 1; i < size; ++i) {
      std::uint32_t const code = a.keys[i];
      std::uint32_t const index = a.values[i];
      index_t hole = i;
      for (; hole > 0 && a.keys[hole - 1] > code; --hole) {
        a.keys[hole] = a.keys[hole - 1];
        a.values[hole] = a.values[hole - 1];
      }
      a.keys[hole] = code;
      a.values[hole] = index;
    }
  }

  /// Points for which counting digits costs more than comparing all with all.
  static constexpr index_t few = 48;

  Points const& cloud_;
  std::uint32_t* order_;
  std::uint32_t* codes_;
  std::uint32_t* other_order_;
  std::uint32_t* other_codes_;
  index_t enough_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
