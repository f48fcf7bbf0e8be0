/// @file
/// Sorts the points of a cloud along a curve, in phases shared by one or more host threads.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/host/curve_sort.hpp>

#include <algorithm>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Part of a cloud that a unit processes.
template <class Scalar, int Dim>
struct curve_order_part {
  index_t listed;      ///< number of points that take part
  index_t begin;       ///< number of points that take part in all parts before this one
  index_t non_finite;  ///< number of non-finite points
  typename curve_grid<Scalar, Dim>::box box;
};

/// Memory of a curve_order, except the order itself.
template <class Scalar, int Dim>
struct curve_order_memory {
  using digit_places = std::uint32_t[1 << 10];

  curve_order_part<Scalar, Dim>* parts;  ///< `[max_units]`
  digit_places* places;                  ///< `[max_units]`: per value of a code's highest digit
  std::uint32_t max_units;

  template <class Cutter>
  static curve_order_memory take(Cutter& cutter, std::uint32_t max_units) noexcept {
    auto* const parts = cutter.template take<curve_order_part<Scalar, Dim>>(max_units);
    return {parts, cutter.template take<digit_places>(max_units), max_units};
  }

  /// Memory for thread `rank` alone; for the team if `rank` is -1.
  curve_order_memory of_rank(int rank) const noexcept {
    if (rank < 0) return *this;
    std::size_t const unit = max_units == 1 ? 0 : static_cast<std::size_t>(rank);
    return {parts + unit, places + unit, 1};
  }
};

/// Lists points of a cloud along a curve. Phases: compute their box, compute the codes, scatter by the codes' highest
/// digit, sort the points of each digit. Non-finite points are left out.
template <class Points, class Curve>
class curve_order {
 public:
  using scalar = typename Points::scalar;
  using memory = curve_order_memory<scalar, Points::dim>;
  using sort_type = curve_sort<Points, Curve>;

  curve_order() = default;
  /// @param order    `[points]`
  /// @param scratch  `[3, points]`, aligned as its words
  /// @param enough   number of points in a cell below which their order does not matter
  curve_order(Points const& cloud, std::uint32_t* order, std::uint32_t* scratch, memory const& rest,
              index_t enough) noexcept
      : cloud_{cloud}, order_{order}, scratch_{scratch}, memory_{rest}, enough_{enough} {
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 2048, 1, memory_.max_units));
  }

  /// Number of units of the first phase.
  std::uint32_t units() const noexcept { return units_; }
  /// Number of listed points, once the first phase is done.
  index_t size() const noexcept { return size_; }
  index_t non_finite() const noexcept { return non_finite_; }

  /// Runs one unit of a phase. @param takes_part  `takes_part(i)`: true if the finite point i is to be listed
  template <class TakesPart>
  FARPOINT_NO_INLINE void work(std::uint32_t unit, TakesPart const& takes_part) noexcept {
    if (cloud_.size() == 0) return;  // memory_ may be null
    switch (phase_) {
      case phase::find_box: return find_box(unit, takes_part);
      case phase::encode: return encode(unit, takes_part);
      case phase::scatter: return scatter(unit);
      case phase::sort: return sort(unit);
    }
  }

  /// Number of units of the next phase; 0 if the order is complete. One thread calls it while no other is in work().
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

  /// False for a small cloud: one thread sorts it at once.
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

  /// Lists a unit's points, by index, with their codes.
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

  /// Turns the counts per unit and digit into first positions of each unit's points, so that points with the same digit
  /// stay in index order.
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

  /// Sorts the digits whose first point lies in the unit's share of positions. After scatter() the last unit's
  /// positions are the ends of the digits.
  void sort(std::uint32_t unit) noexcept {
    sort_type all = sorter();
    if (!is_spread_by_digit()) return all.sort(0, size_);
    auto const* const ends = memory_.places[units_ - 1];
    index_t const from = first_of(unit, size_);
    index_t const to = first_of(unit + 1, size_);
    int value = static_cast<int>(std::upper_bound(ends, ends + sort_type::digit_values, from) - ends);
    if ((value == 0 ? 0 : ends[value - 1]) < from) ++value;  // this digit began in an earlier unit's share
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
