/// @file
/// Builds the BVH of one cloud on the host, in rounds that one thread or several work on.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/bvh/bvh_box.hpp>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/host/curve_sort.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A unit's part of a cloud.
template <class Scalar>
struct host_bvh_part {
  index_t finite;
  index_t begin;  ///< finite points of the parts before it
  bounding_box<Scalar> box;
};

/// Memory that building takes besides the BVH itself.
template <class Scalar>
struct host_bvh_scratch {
  using digit_places = std::uint32_t[1 << 10];

  std::uint32_t* order;          ///< `[points]` of all clouds
  host_bvh_part<Scalar>* parts;  ///< `[most_units]`
  digit_places* places;          ///< `[most_units]`: for each value of the highest digit of a code
  std::uint32_t most_units;

  /// For one thread; -1: for the team.
  host_bvh_scratch of_rank(int rank) const noexcept {
    if (rank < 0) return *this;
    std::size_t const unit = most_units == 1 ? 0 : static_cast<std::size_t>(rank);
    return {order, parts + unit, places + unit, 1};
  }
};

/// A cloud on its way through the stages: find its box, give each point a code, spread the points by the highest digit
/// of their codes, sort each digit's points, fill the leaves. next() is called by one thread while no other is in
/// work(); after its 0 the BVH is there.
template <class Points>
class host_bvh_builder {
 public:
  using scalar = typename Points::scalar;
  using scratch = host_bvh_scratch<scalar>;

  host_bvh_builder(batch<Points> const& points, point_bvh_arrays<scalar> const& index, scratch const& memory) noexcept
      : points_{points}, index_{index}, memory_{memory} {}

  /// Starts with cloud `b`; returns the units of its first round, never 0.
  std::uint32_t begin(index_t b) noexcept {
    b_ = b;
    cloud_ = points_[b];
    begin_ = points_.begin_of(b);
    stage_ = stage::find_box;
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 2048, 1, memory_.most_units));
    return units_;
  }

  /// One unit of a round.
  void work(int, std::uint32_t unit) noexcept {
    switch (stage_) {
      case stage::find_box: return find_box(unit);
      case stage::encode: return encode(unit);
      case stage::scatter: return scatter(unit);
      case stage::sort: return sort(unit);
      case stage::fill: return fill(unit);
    }
  }

  /// Units of the next round; 0: the BVH is complete.
  std::uint32_t next() noexcept {
    switch (stage_) {
      case stage::find_box:
        add_up_parts();
        stage_ = stage::encode;
        return units_;
      case stage::encode:
        if (is_spread_by_digit()) find_places();
        stage_ = is_spread_by_digit() ? stage::scatter : stage::sort;
        return units_of_sort();
      case stage::scatter: stage_ = stage::sort; return units_;
      case stage::sort: stage_ = stage::fill; return units_;
      case stage::fill: break;
    }
    fill_upper_levels();
    index_.clouds[b_] = {begin_, size_};
    return 0;
  }

 private:
  using order = curve_sort<Points, hilbert_curve>;
  using box = bounding_box<scalar>;
  using node_box = bvh_box<scalar>;
  enum class stage { find_box, encode, scatter, sort, fill };

  /// Points of a cell that may stay in the order of their indices: two leaves of them.
  static constexpr index_t enough = 2 * point_bvh_width;

  static_assert(sizeof(typename scratch::digit_places) == sizeof(std::uint32_t) * order::digit_values);
  static_assert(sizeof(point_leaf<scalar>) >= order::scratch_words * 4 * point_bvh_width);

  index_t first_of(std::uint32_t unit, index_t size) const noexcept { return size * unit / units_; }

  /// A cloud that one thread sorts at once when it is small.
  bool is_spread_by_digit() const noexcept { return size_ > 16384 && grid_.has_extent(); }
  std::uint32_t units_of_sort() const noexcept { return is_spread_by_digit() ? units_ : 1; }

  /// The leaves are filled last: until then their memory is the order's.
  order sorter() noexcept {
    auto* const words = reinterpret_cast<std::uint32_t*>(index_.leaves_of(b_, begin_));
    return {cloud_, memory_.order + begin_, words, size_, enough};
  }

  void find_box(std::uint32_t unit) noexcept {
    host_bvh_part<scalar> part{0, 0, box::empty()};
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      auto const p = cloud_[i];
      if (!is_finite(p)) continue;
      ++part.finite;
      part.box.grow(p);
    }
    memory_.parts[unit] = part;
  }

  void add_up_parts() noexcept {
    box around = box::empty();
    size_ = 0;
    for (std::uint32_t unit = 0; unit < units_; ++unit) {
      memory_.parts[unit].begin = size_;
      size_ += memory_.parts[unit].finite;
      around.grow(memory_.parts[unit].box);
    }
    grid_ = order::grid_over(around);
  }

  /// Lists the finite points with their codes, by index.
  void encode(std::uint32_t unit) noexcept {
    order all = sorter();
    auto* const counts = memory_.places[unit];
    std::fill_n(counts, order::digit_values, 0u);
    index_t place = memory_.parts[unit].begin;
    for (index_t i = first_of(unit, cloud_.size()); i < first_of(unit + 1, cloud_.size()); ++i) {
      auto const p = cloud_[i];
      if (!is_finite(p)) continue;
      std::uint32_t const code = is_spread_by_digit() ? order::code_of(grid_, p) : 0;
      ++counts[order::highest_digit(code)];
      all.set_code(place++, static_cast<std::uint32_t>(i), code);
    }
  }

  /// Turns the counts of each unit and digit into the places where the unit puts its points, so that the order stays
  /// that of the indices within a digit.
  void find_places() noexcept {
    std::uint32_t place = 0;
    for (int value = 0; value < order::digit_values; ++value) {
      for (std::uint32_t unit = 0; unit < units_; ++unit) {
        place += std::exchange(memory_.places[unit][value], place);
      }
    }
  }

  void scatter(std::uint32_t unit) noexcept {
    order all = sorter();
    auto* const places = memory_.places[unit];
    index_t const first = memory_.parts[unit].begin;
    for (index_t i = first; i < first + memory_.parts[unit].finite; ++i) {
      all.scatter(i, places[all.highest_digit_at(i)]++);
    }
  }

  /// A unit sorts the digits whose points begin in its part of the places. After scatter() the last unit's places are
  /// the ends of the digits.
  void sort(std::uint32_t unit) noexcept {
    order all = sorter();
    if (!is_spread_by_digit()) return all.sort(0, size_);
    auto const* const ends = memory_.places[units_ - 1];
    index_t const from = first_of(unit, size_);
    index_t const to = first_of(unit + 1, size_);
    int value = static_cast<int>(std::upper_bound(ends, ends + order::digit_values, from) - ends);
    if ((value == 0 ? 0 : ends[value - 1]) < from) ++value;  // it begins in a part before this
    for (; value < order::digit_values; ++value) {
      index_t const begin = value == 0 ? 0 : ends[value - 1];
      if (begin >= to) break;
      all.sort_bucket(begin, ends[value]);
    }
  }

  index_t nodes(int level) const noexcept {
    index_t const each = point_bvh_arrays<scalar>::points_per_group(level) / point_bvh_width;
    return divide_up(size_, each);
  }
  static index_t groups_of(index_t nodes) noexcept { return divide_up(nodes, index_t{point_bvh_width}); }

  /// Leaves, and the boxes around them.
  void fill(std::uint32_t unit) noexcept {
    index_t const groups = groups_of(nodes(0));
    auto* const leaves = index_.leaves_of(b_, begin_);
    auto* const boxes = index_.boxes_of(b_, begin_, 0);
    for (index_t group = first_of(unit, groups); group < first_of(unit + 1, groups); ++group) {
      for (int lane = 0; lane < point_bvh_width; ++lane) {
        index_t const leaf = group * point_bvh_width + lane;
        node_box around;
        if (leaf < nodes(0)) around = fill_leaf(leaves[leaf], leaf * point_bvh_width);
        if (nodes(0) > 1) around.write(boxes[group], lane);
      }
    }
  }

  node_box fill_leaf(point_leaf<scalar>& leaf, index_t first) const noexcept {
    constexpr scalar infinity = std::numeric_limits<scalar>::infinity();
    node_box around;
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      bool const is_there = first + lane < size_;
      std::uint32_t const index = is_there ? memory_.order[begin_ + first + lane] : no_index;
      vec<scalar, 3> const p = is_there ? cloud_[index] : vec<scalar, 3>{{infinity, infinity, infinity}};
      FARPOINT_UNROLL
      for (int k = 0; k < 3; ++k) leaf.axis[k][lane] = p[k];
      leaf.index[lane] = index;
      if (is_there) around.grow(p, index);
    }
    return around;
  }

  /// A seventh of the work of the leaves' boxes: not worth rounds of its own.
  void fill_upper_levels() noexcept {
    for (int level = 1; level < point_bvh_levels && nodes(level) > 1; ++level) {
      auto const* const below = index_.boxes_of(b_, begin_, level - 1);
      auto* const boxes = index_.boxes_of(b_, begin_, level);
      for (index_t node = 0; node < groups_of(nodes(level)) * point_bvh_width; ++node) {
        node_box around;
        for (int lane = 0; node < nodes(level) && lane < point_bvh_width; ++lane) {
          around.grow(node_box::read(below[node], lane));
        }
        around.write(boxes[node / point_bvh_width], static_cast<int>(node % point_bvh_width));
      }
    }
  }

  batch<Points> const& points_;
  point_bvh_arrays<scalar> index_;
  scratch memory_;

  index_t b_ = 0;
  Points cloud_;
  index_t begin_ = 0;
  stage stage_ = stage::find_box;
  std::uint32_t units_ = 1;
  index_t size_ = 0;  ///< finite points
  curve_grid<scalar> grid_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE
