/// @file
/// Leaves and boxes of points that are in order: the second half of building indices.
#pragma once

#include <farpoint/detail/grid_team.cuh>
#include <farpoint/detail/index_task.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Where a unit of `each` points lies: units of a cloud follow one another, those of cloud b from
/// floor(begin / each) + b on; see point_index_arrays.
struct index_unit {
  index_t cloud;
  point_index_cloud of;
  index_t number;  ///< in its cloud; the last ones of a cloud may have no points

  __device__ static index_unit find(point_index_cloud const* clouds, index_t count, index_t each,
                                    index_t unit) noexcept {
    auto const first_of = [&](index_t b) { return clouds[b].begin / each + b; };
    index_t const b = last_not_above(count, unit, first_of);
    return {b, clouds[b], unit - first_of(b)};
  }
};

/// A box and the lowest index in it, on its way from eight lanes to one.
template <class Scalar>
struct index_box {
  vec<Scalar, 3> low = {{infinity<Scalar>, infinity<Scalar>, infinity<Scalar>}};
  vec<Scalar, 3> high = {{-infinity<Scalar>, -infinity<Scalar>, -infinity<Scalar>}};
  std::uint32_t lowest = no_index;

  __device__ void add(vec<Scalar, 3> const& other_low, vec<Scalar, 3> const& other_high, std::uint32_t index) noexcept {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      low[k] = min_number(low[k], other_low[k]);
      high[k] = max_number(high[k], other_high[k]);
    }
    lowest = ::min(lowest, index);
  }
  /// All lanes of a warp call it; afterwards eight neighbouring ones have the same.
  __device__ void join_eight() noexcept {
#pragma unroll
    for (int step = 1; step < point_index_width; step *= 2) {
      index_box other;
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        other.low[k] = __shfl_xor_sync(~0u, low[k], step);
        other.high[k] = __shfl_xor_sync(~0u, high[k], step);
      }
      add(other.low, other.high, __shfl_xor_sync(~0u, lowest, step));
    }
  }
  __device__ void write(point_boxes<Scalar>& group, int lane) const noexcept {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      group.low[k][lane] = low[k];
      group.high[k][lane] = high[k];
    }
    group.lowest[lane] = lowest;
  }
};

/// The blocks of a grid work on it together.
template <class Points>
class index_filler {
 public:
  using scalar = typename Points::scalar;

  __device__ index_filler(index_task<Points> const& task, grid_team& team) noexcept : task_{task}, team_{team} {}

  __device__ void fill() noexcept {
    fill_leaves();
    for (int level = 1; level < point_index_levels && task_.index.boxes[level] != nullptr; ++level) {
      team_.sync();
      fill_boxes(level);
    }
  }

 private:
  static constexpr index_t width = point_index_width;
  FARPOINT_HD static constexpr index_t each(int level) noexcept {
    return point_index_arrays<scalar>::points_per_group(level);
  }

  __device__ index_t first_thread() const noexcept { return index_t{team_.rank()} * blockDim.x + threadIdx.x; }
  __device__ index_t threads() const noexcept { return index_t{team_.size()} * blockDim.x; }
  __device__ index_unit find(index_t each, index_t unit) const noexcept {
    return index_unit::find(task_.index.clouds, task_.points.size(), each, unit);
  }

  /// A thread for each point, and eight for a leaf: whole warps stay together.
  __device__ void fill_leaves() noexcept {
    index_t const units = index_t{task_.size()} / width + task_.points.size();
    constexpr int at_once = 4;
    for (index_t first = first_thread() - cuda_warp::lane(); first < units * width; first += at_once * threads()) {
      leaf_lane lanes[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) lanes[j] = load((first + j * threads() + cuda_warp::lane()) / width, units);
#pragma unroll
      for (int j = 0; j < at_once; ++j) store(lanes[j]);
    }
  }
  /// What one thread knows of a leaf.
  struct leaf_lane {
    index_unit unit;
    bool has_leaf;
    vec<scalar, 3> p = {{infinity<scalar>, infinity<scalar>, infinity<scalar>}};
    std::uint32_t index = no_index;
  };
  __device__ static int lane() noexcept {
    return static_cast<int>(threadIdx.x) % point_index_width;
  }

  __device__ leaf_lane load(index_t unit, index_t units) const noexcept {
    leaf_lane mine;
    mine.unit = find(width, unit < units ? unit : 0);
    point_index_cloud const of = mine.unit.of;
    index_t const place = mine.unit.number * width + lane();
    mine.has_leaf = unit < units && mine.unit.number * width < of.size;
    if (mine.has_leaf && place < of.size) {
      std::uint32_t const i = task_.order[of.begin + place];
      mine.index = static_cast<std::uint32_t>(i - of.begin);
      mine.p = task_.points.points()[i];
    }
    return mine;
  }
  __device__ void store(leaf_lane const& mine) const noexcept {
    index_box<scalar> box;
    if (mine.index != no_index) box.add(mine.p, mine.p, mine.index);
    box.join_eight();
    if (!mine.has_leaf) return;
    index_unit const& u = mine.unit;
    point_leaf<scalar>& leaf = task_.index.leaves_of(u.cloud, u.of.begin)[u.number];
#pragma unroll
    for (int k = 0; k < 3; ++k) leaf.axis[k][lane()] = mine.p[k];
    leaf.index[lane()] = mine.index;
    if (u.of.size <= width || lane() != 0) return;
    write(u, 0, u.number, u.of.size - u.number * width <= width, box);
  }
  /// Writes the box of a node into its group, and behind the last one the boxes of none.
  __device__ void write(index_unit const& u, int level, index_t node, bool is_last,
                        index_box<scalar> const& box) const noexcept {
    point_boxes<scalar>& group = task_.index.boxes_of(u.cloud, u.of.begin, level)[node / width];
    auto at = static_cast<int>(node % width);
    box.write(group, at);
    if (!is_last) return;
    while (++at < point_index_width) index_box<scalar>{}.write(group, at);
  }

  /// A thread for each node of the level below.
  __device__ void fill_boxes(int level) noexcept {
    index_t const points = each(level - 1);
    index_t const units = index_t{task_.size()} / points + task_.points.size();
    for (index_t unit = first_thread(); unit < units; unit += threads()) {
      index_unit const u = find(points, unit);
      // The only node of its level needs no box.
      if (u.number * points >= u.of.size || u.of.size <= points) continue;
      point_boxes<scalar> const& from = task_.index.boxes_of(u.cloud, u.of.begin, level - 1)[u.number];
      index_box<scalar> box;
#pragma unroll
      for (int lane = 0; lane < point_index_width; ++lane) {
        box.add({{from.low[0][lane], from.low[1][lane], from.low[2][lane]}},
                {{from.high[0][lane], from.high[1][lane], from.high[2][lane]}}, from.lowest[lane]);
      }
      write(u, level, u.number, u.of.size - u.number * points <= points, box);
    }
  }

  index_task<Points> const& task_;
  grid_team& team_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
