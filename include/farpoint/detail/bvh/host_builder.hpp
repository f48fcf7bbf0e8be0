/// @file
/// Builds the BVH of one cloud on the host, in rounds that one thread or several work on.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/host/kd_phases.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A cloud on its way through the stages: put its finite points in the order of a k-d tree, fill the leaves. next() is
/// called by one thread while no other is in work(); after its 0 the BVH is there.
template <class Points>
class host_bvh_builder {
 public:
  using scalar = typename Points::scalar;

  host_bvh_builder(batch<Points> const& points, point_bvh_arrays<scalar> const& index, kd_parts const& memory) noexcept
      : points_{points}, index_{index}, memory_{memory} {}

  /// Starts with cloud `b`; returns the units of its first round, never 0.
  std::uint32_t begin(index_t b) noexcept {
    b_ = b;
    begin_ = points_.begin_of(b);
    leaves_ = index_.leaves_of(b_, begin_);
    stage_ = stage::order;
    filled_ = to_fill_ = 0;
    // The leaves are filled last: until then their memory is the sorted points'.
    order_ = order{points_[b], reinterpret_cast<kd_point<scalar>*>(leaves_), memory_};
    return order_.units();
  }

  /// One unit of a round.
  void work(int, std::uint32_t unit) noexcept {
    if (stage_ == stage::fill) return fill(unit);
    order_.work(unit, [](index_t) {});
  }

  /// Units of the next round; 0: the BVH is complete.
  std::uint32_t next() noexcept {
    if (stage_ == stage::order) {
      if (std::uint32_t const units = order_.next(); units != 0) return units;
      size_ = order_.size();
      stage_ = stage::fill;
    }
    filled_ = to_fill_;
    if (filled_ < groups_of(nodes(0))) return choose_groups();
    fill_upper_levels();
    index_.clouds[b_] = {begin_, size_};
    return 0;
  }

 private:
  using order = kd_phases<Points, point_bvh_width>;
  using node_box = bvh_box<scalar>;
  enum class stage { order, fill };

  static_assert(sizeof(point_leaf<scalar>) == sizeof(kd_point<scalar>[point_bvh_width]));

  index_t nodes(int level) const noexcept {
    index_t const each = point_bvh_arrays<scalar>::points_per_group(level) / point_bvh_width;
    return divide_up(size_, each);
  }
  static index_t groups_of(index_t nodes) noexcept { return divide_up(nodes, index_t{point_bvh_width}); }

  /// Chooses the groups of leaves that the next round fills; returns its units.
  ///
  /// Records that are smaller than points lie at the end of the leaves' memory. Threads may fill at once what ends
  /// before the first record that is still needed, 3/7 of the rest. One thread may fill all, since no leaf ends behind
  /// its own records.
  std::uint32_t choose_groups() noexcept {
    index_t const groups = groups_of(nodes(0));
    to_fill_ = groups;
    fill_units_ = order_.units();
    if (order_.coarse_points() == nullptr) return fill_units_;
    auto const* const needed = order_.coarse_points() + filled_ * point_bvh_width * point_bvh_width;
    auto const free = reinterpret_cast<unsigned char const*>(needed) - reinterpret_cast<unsigned char const*>(leaves_);
    index_t const end = free / static_cast<index_t>(sizeof(point_leaf<scalar>[point_bvh_width]));
    if (end - filled_ < index_t{fill_units_}) return fill_units_ = 1;
    to_fill_ = std::min(groups, end);
    return fill_units_;
  }

  /// Leaves, and the boxes around them.
  FARPOINT_NO_INLINE void fill(std::uint32_t unit) noexcept {
    index_t const count = to_fill_ - filled_;
    auto* const boxes = index_.boxes_of(b_, begin_, 0);
    index_t const end = filled_ + count * (unit + 1) / fill_units_;
    for (index_t group = filled_ + count * unit / fill_units_; group < end; ++group) {
      for (int lane = 0; lane < point_bvh_width; ++lane) {
        index_t const leaf = group * point_bvh_width + lane;
        node_box around;
        if (leaf < nodes(0)) around = fill_leaf(leaf);
        if (nodes(0) > 1) around.write(boxes[group], lane);
      }
    }
  }

  node_box fill_leaf(index_t leaf) const noexcept {
    constexpr scalar infinity = std::numeric_limits<scalar>::infinity();
    index_t const first = leaf * point_bvh_width;
    int const count = static_cast<int>(std::min<index_t>(point_bvh_width, size_ - first));
    // The leaf is written over its records, or over others that have been read.
    vec<scalar, 3> points[point_bvh_width];
    std::uint32_t indices[point_bvh_width];
    for (int lane = 0; lane < count; ++lane) {
      points[lane] = order_.at(first + lane);
      indices[lane] = order_.index(first + lane);
    }
    point_leaf<scalar>& to = leaves_[leaf];
    node_box around;
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      bool const is_there = lane < count;
      FARPOINT_UNROLL
      for (int k = 0; k < 3; ++k) to.axis[k][lane] = is_there ? points[lane][k] : infinity;
      to.index[lane] = is_there ? indices[lane] : no_index;
      if (is_there) around.grow(points[lane], indices[lane]);
    }
    return around;
  }

  /// A seventh of the work of the leaves' boxes: not worth rounds of its own.
  FARPOINT_NO_INLINE void fill_upper_levels() noexcept {
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
  kd_parts memory_;

  index_t b_ = 0;
  index_t begin_ = 0;
  point_leaf<scalar>* leaves_ = nullptr;
  stage stage_ = stage::order;
  order order_;
  index_t size_ = 0;     ///< finite points
  index_t filled_ = 0;   ///< groups of leaves
  index_t to_fill_ = 0;  ///< groups that are filled when this round ends
  std::uint32_t fill_units_ = 1;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
