/// @file
/// Counting sort of a cloud's candidates by cells along a curve, by one block in shared memory.
#pragma once

#include <farpoint/detail/fps/regions/points.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of the calling thread while they are sorted.
template <class Shape, class Machine>
class region_sort {
 public:
  FARPOINT_DEVICE explicit region_sort(region_memory<Shape>& shared) noexcept : shared_{shared} {}

  /// Sorts the points for which is_candidate(index, point) holds, and returns their number. It begins after a barrier
  /// of the caller, and ends with one. The order within a cell varies between runs; it changes the speed only.
  template <class Points, class IsCandidate>
  FARPOINT_DEVICE unsigned run(Points const& cloud, IsCandidate const& is_candidate) noexcept {
    load(cloud, is_candidate);
    count_cells();
    scan_cells<Shape, Machine>(shared_);
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      if (points_[e].index == none) continue;
      shared_.sorted[shared_.cells[cell_[e]] + in_cell_[e]] = points_[e];
    }
    Machine::sync();
    return shared_.cells[Shape::cells];
  }

 private:
  static constexpr int dim = Shape::dim;
  using point_type = vec<typename Shape::scalar, dim>;
  static constexpr std::uint32_t none = 0xffffffffu;
  using grid_type = typename Shape::grid_type;
  using box_type = bounding_box<typename Shape::scalar, dim>;

  template <class Points, class IsCandidate>
  FARPOINT_DEVICE void load(Points const& cloud, IsCandidate const& is_candidate) noexcept {
    auto box = box_type::empty();
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      index_t const index = index_t{e} * Shape::block_size + Machine::thread();
      bool const real = index < cloud.size();
      point_type const point = real ? point_type(cloud[index]) : point_type{};
      bool const is_one = real && is_candidate(static_cast<std::uint32_t>(index), point);
      points_[e] = {point, is_one ? static_cast<std::uint32_t>(index) : none};
      if (is_one) box.grow(point);
    }
    for (unsigned c = Machine::thread(); c < unsigned{Shape::cells}; c += Shape::block_size) shared_.cells[c] = 0;
    box = region_points<Shape, Machine>::over_warp(box);
    unsigned const lane = Machine::thread() % 32;
    if (lane == 0) shared_.box[Machine::thread() / 32] = box;
    Machine::sync();
    box = region_points<Shape, Machine>::over_warp(shared_.box[lane % Shape::warps]);
    typename grid_type::box ordered;
    FARPOINT_UNROLL
    for (int axis = 0; axis < grid_type::axes; ++axis) {
      ordered.low[axis] = box.low[axis];
      ordered.high[axis] = box.high[axis];
    }
    grid_ = grid_type{ordered, Shape::axis_bits};
  }

  FARPOINT_DEVICE void count_cells() noexcept {
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      cell_[e] = grid_.key_of(points_[e].point, hilbert_curve{}, Shape::axis_bits) >> Shape::spare_bits;
      if (points_[e].index != none) in_cell_[e] = Machine::add(&shared_.cells[cell_[e]], 1);
    }
    Machine::sync();
  }

  region_memory<Shape>& shared_;
  grid_type grid_;
  region_point<typename Shape::scalar, dim> points_[std::size_t{Shape::each}];
  std::uint32_t cell_[std::size_t{Shape::each}];
  std::uint32_t in_cell_[std::size_t{Shape::each}];  ///< offset of the point in its cell
};

}  // namespace detail
FARPOINT_END_NAMESPACE
