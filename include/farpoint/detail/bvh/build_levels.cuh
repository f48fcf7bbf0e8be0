/// @file
/// Second half of building BVHs: fills the leaves and boxes from sorted points.
#pragma once

#include <farpoint/detail/bvh/build_args.cuh>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/detail/bvh/packet_order.cuh>
#include <farpoint/grid/grid_phases.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Location of a unit of `each` points. Units of a cloud follow one another; cloud b's begin at floor(begin / each) +
/// b, see point_bvh_arrays.
struct bvh_unit {
  index_t cloud;
  point_bvh_cloud of;
  index_t number;  ///< in its cloud; negative before the first cloud; a cloud's last units may be empty

  __device__ static bvh_unit find(point_bvh_cloud const* clouds, index_t count, index_t each, index_t unit) noexcept {
    auto const first_of = [&](index_t b) { return clouds[b].begin / each + b; };
    index_t const b = segment_of(count, unit, first_of);
    return {b, clouds[b], unit - first_of(b)};
  }

  __device__ bool has_points(index_t each) const noexcept { return number >= 0 && number * each < of.size; }
};

/// Returns the box of another lane. All lanes of a warp call it.
template <class Scalar>
__device__ bvh_box<Scalar> from_lane(bvh_box<Scalar> const& mine, int lane) noexcept {
  bvh_box<Scalar> other;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    other.box.low[axis] = __shfl_sync(~0u, mine.box.low[axis], lane);
    other.box.high[axis] = __shfl_sync(~0u, mine.box.high[axis], lane);
  }
  other.lowest = __shfl_sync(~0u, mine.lowest, lane);
  return other;
}

/// Joins the boxes of lanes whose numbers differ only in the bits from `First` up to, but not including, `End`, and
/// returns the union in all lanes. All lanes of a warp call it.
template <int First, int End, class Scalar>
__device__ void join_over_lanes(bvh_box<Scalar>& mine) noexcept {
#pragma unroll
  for (int step = First; step < End; step *= 2) {
    mine.grow(from_lane(mine, cuda_warp::lane() ^ step));
  }
}

/// Fills leaves and boxes with all blocks of a grid, three levels of boxes per phase.
template <class Points, int Threads>
class bvh_level_builder {
 public:
  using scalar = typename Points::scalar;
  using packet_order = bvh_packet_order<Threads>;
  using storage = typename packet_order::storage;

  /// Upper bound of the number of phases.
  static constexpr int phase_count = divide_up(point_bvh_levels, 3);

  __device__ bvh_level_builder(bvh_build_args<Points> const& args, grid_phases& phases, storage& shared) noexcept
      : args_{args}, phases_{phases}, packets_{args.index.packets, args.spreads, args.state, shared} {}

  __device__ void fill() noexcept {
    packets_.start();
    run(0, [this](bvh_unit const& u, index_t leaf) { return fill_leaf(u, leaf); });
#pragma unroll 1
    for (int level = 3; has(level); level += 3) {
      run(level, [this, level](bvh_unit const& u, index_t node) { return box_of(u, level - 1, node); });
    }
  }

 private:
  static constexpr index_t width = point_bvh_width;
  /// Number of leaves that a lane fills at once, limited by registers.
  static constexpr int leaves_at_once = Threads > 512 ? 4 : 8;
  using box_type = bvh_box<scalar>;

  /// Number of points below a node that has a box on a level.
  FARPOINT_HD static constexpr index_t points_of(int level) noexcept {
    return point_bvh_arrays<scalar>::points_per_group(level) / width;
  }

  static constexpr int half = point_bvh_width / 2;

  /// Part of an array of eight lanes that a thread loads or stores at a time.
  template <class T>
  struct alignas(16) lanes_of_half {
    T at[half];
  };
  template <class T>
  __device__ static lanes_of_half<T>& half_of(T (&lanes)[point_bvh_width], int first) noexcept {
    return *reinterpret_cast<lanes_of_half<T>*>(lanes + first);
  }

  __device__ bool has(int level) const noexcept {
    return level < point_bvh_levels && args_.index.boxes[level] != nullptr;
  }

  /// Runs one phase in gridDim.x shares. A share is the work of one block if all blocks run at once.
  template <class BoxOf>
  __device__ void run(int level, BoxOf const& box_of) noexcept {
    auto const fill = [&](unsigned share) {
      fill_levels(level, share, box_of);
      if (level == bvh_packet_level) packets_.sort(packets(), max_packets(args_.most()), bvh_share<Threads>{share});
    };
    auto const finish = [&] {
      if (level == 0) packets_.add_counts();
    };
    phases_.run(gridDim.x, fill, finish, !has(level + 3));
  }

  /// Fills three levels of boxes, or fewer at the top. A warp handles one box of the highest level, which encloses 64
  /// boxes of the lowest level, 32 at a time.
  /// @param box_of  makes the box of a node of the lowest level; all lanes call it, for neighboring nodes
  template <class BoxOf>
  __device__ void fill_levels(int level, unsigned share, BoxOf const& box_of) const noexcept {
    index_t const points = points_of(level + 2);
    index_t const units = index_t{args_.size()} / points + args_.points.size();
    int const lane = cuda_warp::lane();
    int const warps = static_cast<int>(blockDim.x) / cuda_warp::lanes;
    // Neighboring units go to different multiprocessors.
    index_t const warp = index_t{threadIdx.x} / cuda_warp::lanes * gridDim.x + share;
    for (index_t unit = warp; unit < units; unit += index_t{warps} * gridDim.x) {
      bvh_unit const u = bvh_unit::find(args_.index.clouds, args_.points.size(), points, unit);
      if (!u.has_points(points)) continue;
      // A level with a single node needs no box, and the levels below it may have none. Leaves always exist.
      if (level > 0 && u.of.size <= points_of(level)) continue;
      box_type all;
      for (int part = 0; part < 2; ++part) {
        index_t const node = (u.number * 2 + part) * cuda_warp::lanes + lane;
        box_type box = box_of(u, node);
        write(u, level, node, box);
        join_over_lanes<1, packet_leaves>(box);
        if (level == 0) note_packet(u, node, box);
        join_over_lanes<packet_leaves, point_bvh_width>(box);
        if (lane % 8 == 0) write(u, level + 1, node / width, box);
        all.grow(box);
      }
      join_over_lanes<point_bvh_width, cuda_warp::lanes>(all);
      // Empty boxes follow the last node.
      bool const is_last = u.of.size - u.number * points <= points;
      if (lane == 0) write(u, level + 2, u.number, all);
      if (lane > 0 && is_last && u.number % width + lane < width) write(u, level + 2, u.number + lane, box_type{});
    }
  }

  static constexpr int packet_leaves = cuda_warp::lanes / point_bvh_width;

  /// Number of packets of the batch's only cloud.
  __device__ std::uint32_t packets() const noexcept {
    return divide_up(static_cast<std::uint32_t>(args_.index.clouds[0].size), std::uint32_t{cuda_warp::lanes});
  }
  /// Records the spread of a packet: the squared diagonal of its box.
  /// @param box  box of the packet that holds the leaf
  __device__ void note_packet(bvh_unit const& u, index_t leaf, box_type const& box) const noexcept {
    if (args_.index.packets == nullptr || leaf % packet_leaves != 0 || leaf * width >= u.of.size) return;
    float extent2 = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      auto const extent = static_cast<float>(box.box.high[axis] - box.box.low[axis]);
      extent2 += extent * extent;
    }
    packets_.note(leaf / packet_leaves, extent2);
  }

  /// Writes the box of a node if its level has boxes and its group exists.
  __device__ void write(bvh_unit const& u, int level, index_t node, box_type const& box) const noexcept {
    index_t const points = points_of(level);
    if (u.of.size <= points || node / width * width * points >= u.of.size) return;
    box.write(args_.index.boxes_of(u.cloud, u.of.begin, level)[node / width], static_cast<int>(node % width));
  }

  /// Fills the leaves of eight lanes, `leaves_at_once` at a time. Each lane loads one point of each leaf.
  /// @return the box of this lane's leaf
  __device__ box_type fill_leaf(bvh_unit const& u, index_t leaf) const noexcept {
    leaf -= cuda_warp::lane() % point_bvh_width;
    constexpr int parts = point_bvh_width / leaves_at_once;
    box_type boxes[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) boxes[part] = fill_leaves(u, leaf + part * leaves_at_once);
    return exchange_all<parts>(boxes, leaves_at_once);
  }

  /// @return box of leaf + lane % leaves_at_once, around the points of this lane and of the lanes that differ from
  ///         it only in the bits below leaves_at_once
  __device__ box_type fill_leaves(bvh_unit const& u, index_t leaf) const noexcept {
    int const lane = cuda_warp::lane() % point_bvh_width;
    std::uint32_t index[leaves_at_once];
    vec<scalar, 3> p[leaves_at_once];
    box_type boxes[leaves_at_once];
#pragma unroll
    for (int i = 0; i < leaves_at_once; ++i) {
      index_t const place = (leaf + i) * width + lane;
      index[i] = place < u.of.size ? args_.order[u.of.begin + place] : no_index;
    }
#pragma unroll
    for (int i = 0; i < leaves_at_once; ++i) {
      p[i] = {{infinity<scalar>, infinity<scalar>, infinity<scalar>}};
      if (index[i] != no_index) p[i] = args_.points.points()[index[i]];
    }
#pragma unroll
    for (int i = 0; i < leaves_at_once; ++i) {
      if (index[i] != no_index) {
        index[i] -= static_cast<std::uint32_t>(u.of.begin);
        boxes[i].grow(p[i], index[i]);
      }
      if ((leaf + i) * width >= u.of.size) continue;
      point_leaf<scalar>& to = args_.index.leaves_of(u.cloud, u.of.begin)[leaf + i];
#pragma unroll
      for (int k = 0; k < 3; ++k) to.axis[k][lane] = p[i][k];
      to.index[lane] = index[i];
    }
    return exchange_all<leaves_at_once>(boxes, 1);
  }

  /// Leaves one of the boxes in each lane, joined over the lanes whose numbers differ only in the bits from `first` up
  /// to, but not including, `first` times the number of boxes.
  template <int Count>
  __device__ static box_type exchange_all(box_type (&boxes)[std::size_t{Count}], int first) noexcept {
#pragma unroll
    for (int step = 1; step < Count; step *= 2) {
#pragma unroll
      for (int i = 0; i < Count / 2 / step; ++i) boxes[i] = exchange(boxes[2 * i], boxes[2 * i + 1], first * step);
    }
    return boxes[0];
  }

  /// Joins the boxes of two lanes whose numbers differ by `step`. The lower lane gets `a`, the upper lane `b`.
  __device__ static box_type exchange(box_type const& a, box_type const& b, int step) noexcept {
    box_type mine = a;
    box_type others = b;
    if ((cuda_warp::lane() & step) != 0) {
      mine = b;
      others = a;
    }
    mine.grow(from_lane(others, cuda_warp::lane() ^ step));
    return mine;
  }

  /// Returns the box around a group, which is a node of the level above.
  __device__ box_type box_of(bvh_unit const& u, int level, index_t group) const noexcept {
    box_type box;
    if (group * points_of(level + 1) >= u.of.size) return box;
    point_boxes<scalar>& from = args_.index.boxes_of(u.cloud, u.of.begin, level)[group];
#pragma unroll
    for (int first = 0; first < point_bvh_width; first += half) {
      lanes_of_half<scalar> low[3];
      lanes_of_half<scalar> high[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        low[k] = half_of(from.low[k], first);
        high[k] = half_of(from.high[k], first);
      }
      lanes_of_half<std::uint32_t> const lowest = half_of(from.lowest, first);
#pragma unroll
      for (int i = 0; i < half; ++i) {
        box.grow({{{{low[0].at[i], low[1].at[i], low[2].at[i]}}, {{high[0].at[i], high[1].at[i], high[2].at[i]}}},
                  lowest.at[i]});
      }
    }
    return box;
  }

  bvh_build_args<Points> const& args_;
  grid_phases& phases_;
  packet_order packets_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
