/// @file
/// Puts the points of a cloud in the order of a curve, in phases that one host thread or several work on.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/host/curve_sort.hpp>

#include <algorithm>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A unit's part of a cloud.
template <class Scalar, int Dim>
struct curve_order_part {
  index_t listed;      ///< points that take part
  index_t begin;       ///< those of the parts before it
  index_t non_finite;  ///< points that are not finite
  typename curve_grid<Scalar, Dim>::box box;
};

/// Memory of a curve_order besides the order itself.
template <class Scalar, int Dim>
struct curve_order_memory {
  using digit_places = std::uint32_t[1 << 10];

  curve_order_part<Scalar, Dim>* parts;  ///< `[most_units]`
  digit_places* places;                  ///< `[most_units]`: for each value of the highest digit of a code
  std::uint32_t most_units;

  template <class Cutter>
  static curve_order_memory take(Cutter& cutter, std::uint32_t most_units) noexcept {
    auto* const parts = cutter.template take<curve_order_part<Scalar, Dim>>(most_units);
    return {parts, cutter.template take<digit_places>(most_units), most_units};
  }

  /// For one thread; -1: for the team.
  curve_order_memory of_rank(int rank) const noexcept {
    if (rank < 0) return *this;
    std::size_t const unit = most_units == 1 ? 0 : static_cast<std::size_t>(rank);
    return {parts + unit, places + unit, 1};
  }
};

/// Lists points of a cloud along a curve, in phases: find their box, give each a code, spread them by the highest digit
/// of their codes, sort each digit's points. Points that are not finite are left out.
template <class Points, class Curve>
class curve_order {
 public:
  using scalar = typename Points::scalar;
  using memory = curve_order_memory<scalar, Points::dim>;
  using sort_type = curve_sort<Points, Curve>;

  curve_order() = default;
  /// @param order    `[points]`
  /// @param scratch  `[3, points]`, of any alignment that words have
  /// @param enough   points of a cell that need no order
  curve_order(Points const& cloud, std::uint32_t* order, std::uint32_t* scratch, memory const& rest,
              index_t enough) noexcept
      : cloud_{cloud}, order_{order}, scratch_{scratch}, memory_{rest}, enough_{enough} {
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 2048, 1, memory_.most_units));
  }

  /// Of the first phase.
  std::uint32_t units() const noexcept { return units_; }
  /// Points that are listed, once the first phase is done.
  index_t size() const noexcept { return size_; }
  index_t non_finite() const noexcept { return non_finite_; }

  /// One unit of a phase. @param takes_part  `takes_part(i)`: whether a finite point is listed
  template <class TakesPart>
  FARPOINT_NO_INLINE void work(std::uint32_t unit, TakesPart const& takes_part) noexcept {
    if (cloud_.size() == 0) return;  // nor is there memory
    switch (phase_) {
      case phase::find_box: return find_box(unit, takes_part);
      case phase::encode: return encode(unit, takes_part);
      case phase::scatter: return scatter(unit);
      case phase::sort: return sort(unit);
    }
  }

  /// Units of the next phase; 0: the order is there. Called by one thread while no other is in work().
  FARPOINT_NO_INLINE std::uint32_t next() noexcept {
    switch (phase_) {
      case phase::find_box:
        add_up_parts();
        phase_ = phase::encode;
        return units_;
      case phase::encode:
        if (is_spread_by_digit()) find_places();
        phase_ = is_spread_by_digit() ? phase::scatter : phase::sort;
        return is_spread_by_digit() ? units_ : 1;
      case phase::scatter: phase_ = phase::sort; return units_;
      case phase::sort: break;
    }
    return 0;
  }

 private:
  using box = typename sort_type::box_type;
  enum class phase { find_box, encode, scatter, sort };

  static_assert(sizeof(typename memory::digit_places) == sizeof(std::uint32_t) * sort_type::digit_values);

  index_t first_of(std::uint32_t unit, index_t size) const noexcept { return size * unit / units_; }

  /// A cloud that one thread sorts at once when it is small.
  bool is_spread_by_digit() const noexcept { return size_ > 16384 && size_ > enough_ && grid_.has_extent(); }

  sort_type sorter() noexcept { return {cloud_, order_, scratch_, size_, enough_}; }

  template <class TakesPart>
  void find_box(std::uint32_t unit, TakesPart const& takes_part) noexcept {
    curve_order_part<scalar, Points::dim> part{0, 0, 0, box::empty()};
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      auto const p = cloud_[i];
      if (!is_finite(p)) {
        ++part.non_finite;
      } else if (takes_part(i)) {
        ++part.listed;
        part.box.grow(p);
      }
    }
    memory_.parts[unit] = part;
  }

  void add_up_parts() noexcept {
    box around = box::empty();
    size_ = 0;
    non_finite_ = 0;
    for (std::uint32_t unit = 0; unit < units_ && cloud_.size() > 0; ++unit) {
      memory_.parts[unit].begin = size_;
      size_ += memory_.parts[unit].listed;
      non_finite_ += memory_.parts[unit].non_finite;
      around.grow(memory_.parts[unit].box);
    }
    grid_ = sort_type::grid_over(around);
  }

  /// Lists the points with their codes, by index.
  template <class TakesPart>
  void encode(std::uint32_t unit, TakesPart const& takes_part) noexcept {
    sort_type all = sorter();
    bool const has_codes = is_spread_by_digit();
    auto* const counts = memory_.places[unit];
    if (has_codes) std::fill_n(counts, sort_type::digit_values, 0u);
    index_t place = memory_.parts[unit].begin;
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      auto const p = cloud_[i];
      if (!is_finite(p) || !takes_part(i)) continue;
      std::uint32_t code = 0;
      if (has_codes) {
        code = sort_type::code_of(grid_, p);
        ++counts[sort_type::highest_digit(code)];
      }
      all.set_code(place++, static_cast<std::uint32_t>(i), code);
    }
  }

  /// Turns the counts of each unit and digit into the places where the unit puts its points, so that the order stays
  /// that of the indices within a digit.
  void find_places() noexcept {
    std::uint32_t place = 0;
    for (int value = 0; value < sort_type::digit_values; ++value) {
      for (std::uint32_t unit = 0; unit < units_; ++unit) {
        place += std::exchange(memory_.places[unit][value], place);
      }
    }
  }

  void scatter(std::uint32_t unit) noexcept {
    sort_type all = sorter();
    auto* const places = memory_.places[unit];
    index_t const first = memory_.parts[unit].begin;
    for (index_t i = first; i < first + memory_.parts[unit].listed; ++i) {
      all.scatter(i, places[all.highest_digit_at(i)]++);
    }
  }

  /// A unit sorts the digits whose points begin in its part of the places. After scatter() the last unit's places are
  /// the ends of the digits.
  void sort(std::uint32_t unit) noexcept {
    sort_type all = sorter();
    if (!is_spread_by_digit()) return all.sort(0, size_);
    auto const* const ends = memory_.places[units_ - 1];
    index_t const from = first_of(unit, size_);
    index_t const to = first_of(unit + 1, size_);
    int value = static_cast<int>(std::upper_bound(ends, ends + sort_type::digit_values, from) - ends);
    if ((value == 0 ? 0 : ends[value - 1]) < from) ++value;  // it begins in a part before this
    for (; value < sort_type::digit_values; ++value) {
      index_t const begin = value == 0 ? 0 : ends[value - 1];
      if (begin >= to) break;
      all.sort_bucket(begin, ends[value]);
    }
  }

  Points cloud_;
  std::uint32_t* order_ = nullptr;
  std::uint32_t* scratch_ = nullptr;
  memory memory_{};
  index_t enough_ = 0;
  phase phase_ = phase::find_box;
  std::uint32_t units_ = 1;
  index_t size_ = 0;
  index_t non_finite_ = 0;
  typename sort_type::grid_type grid_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE
