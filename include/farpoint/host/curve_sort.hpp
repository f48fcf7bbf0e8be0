/// @file
/// Puts points into an order in which those close together follow one another.
#pragma once

#include <farpoint/geometry/curve_cells.hpp>

#include <cstring>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Sorts indices of points by the place of their cells on a curve (first three axes, cubic cells over the bounding
/// box); stable, so by index inside a cell. A cell that holds more points than `enough` is sorted again by cells of its
/// own: one stray point far away, or a cloud that is dense in places, costs a pass and not the order. It decides the
/// speed of what follows, never a result.
template <class Points, class Curve>
class host_curve_order {
 public:
  using scalar = typename Points::scalar;
  using cells = curve_cells<scalar, Points::dim, Curve>;
  using box = halved_box<scalar, Points::dim>;

  /// Memory that sorting needs besides the indices, in words for each of them.
  static constexpr index_t scratch_words = 3;
  static constexpr int digit_bits = 10;
  static constexpr int digit_values = 1 << digit_bits;
  static constexpr int digits = 3;

  /// @param order    `[count]`, indices of finite points
  /// @param scratch  `[3, count]`
  /// @param enough   points of a cell that need no order
  host_curve_order(Points const& cloud, std::uint32_t* order, std::uint32_t* scratch, index_t count,
                   index_t enough) noexcept
      : cloud_{cloud},
        order_{order},
        codes_{scratch},
        other_order_{scratch + count},
        other_codes_{scratch + 2 * count},
        enough_{enough} {}

  /// Sorts part of the indices.
  void sort(index_t begin, index_t end, int levels = most_levels) noexcept {
    if (end - begin <= enough_) return;
    box around = box::empty();
    for (index_t i = begin; i < end; ++i) around.add(cloud_[order_[i]]);
    if (!(around.extent() > 0)) return;
    cells const grid{around};
    for (index_t i = begin; i < end; ++i) codes_[i] = grid.code_of(cloud_[order_[i]]);
    sort_by_digits({codes_, order_}, begin, end, digits);
    sort_crowded_cells(begin, end, levels - 1);
  }

  // --- in three steps, so that threads can share a cloud: set_code() for all; scatter() by the highest digit; then
  // --- sort_bucket() of each of its values

  void set_code(index_t place, std::uint32_t index, std::uint32_t code) noexcept {
    order_[place] = index;
    codes_[place] = code;
  }
  static std::uint32_t highest_digit(std::uint32_t code) noexcept { return code >> ((digits - 1) * digit_bits); }
  std::uint32_t highest_digit_at(index_t place) const noexcept { return highest_digit(codes_[place]); }
  void scatter(index_t from, index_t to) noexcept {
    other_codes_[to] = codes_[from];
    other_order_[to] = order_[from];
  }
  void sort_bucket(index_t begin, index_t end) noexcept {
    if (begin == end) return;
    sort_by_digits({other_codes_, other_order_}, begin, end, digits - 1);
    sort_crowded_cells(begin, end, most_levels - 1);
  }

 private:
  static constexpr int most_levels = 4;

  struct arrays {
    std::uint32_t* codes;
    std::uint32_t* order;
  };
  struct counters {
    std::uint32_t of[digits][digit_values];
  };

  static std::uint32_t digit(std::uint32_t code, int d) noexcept {
    return (code >> (d * digit_bits)) & (digit_values - 1);
  }

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

  /// Sorts by the lowest digits of the codes; afterwards codes_ and order_ hold the result.
  void sort_by_digits(arrays from, index_t begin, index_t end, int count) noexcept {
    if (end - begin <= few) {
      insert_in_order(from, begin, end);
    } else {
      from = radix_sort(from, begin, end, count);
    }
    if (from.codes == codes_) return;
    std::memcpy(codes_ + begin, from.codes + begin, static_cast<std::size_t>(end - begin) * sizeof *codes_);
    std::memcpy(order_ + begin, from.order + begin, static_cast<std::size_t>(end - begin) * sizeof *order_);
  }

  /// Least digit first; returns where the result is.
  arrays radix_sort(arrays from, index_t begin, index_t end, int count) const noexcept {
    counters counts;
    std::memset(counts.of, 0, static_cast<std::size_t>(count) * sizeof counts.of[0]);
    for (index_t i = begin; i < end; ++i) {
      for (int d = 0; d < count; ++d) ++counts.of[d][digit(from.codes[i], d)];
    }
    arrays to = from.codes == codes_ ? arrays{other_codes_, other_order_} : arrays{codes_, order_};
    for (int d = 0; d < count; ++d) {
      auto* const place_of = counts.of[d];
      if (place_of[digit(from.codes[begin], d)] == end - begin) continue;
      auto place = static_cast<std::uint32_t>(begin);
      for (int value = 0; value < digit_values; ++value) place += std::exchange(place_of[value], place);
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const at = place_of[digit(from.codes[i], d)]++;
        to.codes[at] = from.codes[i];
        to.order[at] = from.order[i];
      }
      std::swap(from, to);
    }
    return from;
  }

  static void insert_in_order(arrays const& a, index_t begin, index_t end) noexcept {
    for (index_t i = begin + 1; i < end; ++i) {
      std::uint32_t const code = a.codes[i];
      std::uint32_t const index = a.order[i];
      index_t hole = i;
      for (; hole > begin && a.codes[hole - 1] > code; --hole) {
        a.codes[hole] = a.codes[hole - 1];
        a.order[hole] = a.order[hole - 1];
      }
      a.codes[hole] = code;
      a.order[hole] = index;
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
