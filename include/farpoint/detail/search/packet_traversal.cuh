/// @file
/// Packet traversal: a warp walks the index for 32 queries that are near one another.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/warp_topk.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Loads values that no thread writes during the kernel, 16 bytes at a time.
template <class T, int Size>
__device__ void load_values(T const* from, T (&to)[Size]) noexcept {
  constexpr int each = 16 / sizeof(T);
#pragma unroll
  for (int i = 0; i < Size; i += each) {
    int4 const part = __ldg(reinterpret_cast<int4 const*>(from + i));
    std::memcpy(to + i, &part, sizeof part);
  }
}

/// Shared memory of a warp.
template <class Scalar>
struct packet_memory {
  static constexpr int groups = cuda_warp::lanes / point_bvh_width;

  /// A point. Its distance takes the place of z, beside the index, so that the two are a neighbour_key.
  struct alignas(4 * sizeof(Scalar)) point {
    Scalar x;
    Scalar y;
    std::uint32_t index;
    Scalar z;
  };
  /// Box of some queries, and the largest of their bounds.
  struct alignas(4 * sizeof(Scalar)) box {
    Scalar low[3];
    Scalar bound;
    Scalar high[3];
    std::uint32_t bound_index;
  };

  point_boxes<Scalar> const* levels[point_bvh_levels];
  box eights[groups];
  box all;
  point points[cuda_warp::lanes + point_bvh_width];  ///< that wait until there are eight of them
};

/// Shared memory of so many warps and their lists.
template <class Scalar, int Capacity>
FARPOINT_HD constexpr std::size_t packet_shared_bytes(int warps) noexcept {
  using list = warp_topk<Scalar, Capacity>;
  return static_cast<std::size_t>(warps) * (sizeof(typename list::storage) + sizeof(packet_memory<Scalar>));
}

/// True if so many warps fit into the shared memory that a block may have on every device without asking.
template <class Scalar, int Capacity>
FARPOINT_HD constexpr bool packets_fit(int warps) noexcept {
  return packet_shared_bytes<Scalar, Capacity>(warps) <= 48 * 1024;
}

/// A visitor for point_bvh_ref::visit() by a warp. Each lane has a query; all take the same path, into every box that
/// one of them may need, so nothing diverges.
///
/// Eight boxes are tested at a time against the boxes of four groups of eight queries: one test a lane. Where the eight
/// queries of a group are close together, testing them one by one would skip a fifth of the leaves and cost more than
/// it saves. It is done where one of them is far from the others, or from its neighbours.
///
/// The points of four leaves are tested at a time against the box of all queries: one point per lane. Those that a
/// query may need wait until there are eight; then every lane computes its distance to each. Where the queries are
/// close together, this skips so many points that the boxes of leaves need not be tested.
template <class Scalar, int Capacity>
class packet_visitor {
 public:
  using list = warp_topk<Scalar, Capacity>;
  using memory = packet_memory<Scalar>;
  using point = vec<Scalar, 3>;
  using box = typename memory::box;

  /// @param shared  of the warp
  __device__ packet_visitor(list& found, memory& shared, point const& q) noexcept : list_{found}, shared_{shared} {
    bool const is_active = found.bound() >= 0;
    box& eight = shared.eights[group()];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      Scalar const low = of_eight(is_active ? q[axis] : infinity<Scalar>, smaller<Scalar>);
      Scalar const high = of_eight(is_active ? q[axis] : -infinity<Scalar>, larger<Scalar>);
      Scalar const extent = sub_rn(high, low);
      extent2_ = fma_rn(extent, extent, extent2_);
      Scalar const lowest = of_eights(low, smaller<Scalar>);
      Scalar const highest = of_eights(high, larger<Scalar>);
      if (in_group() == 0) {
        eight.low[axis] = low;
        eight.high[axis] = high;
      }
      if (cuda_warp::lane() == 0) {
        shared.all.low[axis] = lowest;
        shared.all.high[axis] = highest;
      }
    }
    __syncwarp();
  }

  /// Looks at the four leaves of the half group that `start` is in: if the queries are points, their own. Each eight
  /// queries look at their leaf first, which gives them a bound.
  template <class Index>
  __device__ std::uint32_t begin(Index const& index, std::uint32_t start, point const& q) noexcept {
    std::uint32_t const first = start / memory::groups * memory::groups;
#pragma unroll 1
    for (std::uint32_t turn = 0; turn < memory::groups; ++turn) {
      std::uint32_t const mine = first + (static_cast<std::uint32_t>(group()) ^ turn);
      bool const exists = mine < index.leaf_count();
      Scalar const bound = exists ? list_.bound() : Scalar(-1);
      point_leaf<Scalar> const& leaf = index.leaf(exists ? mine : first);
#pragma unroll
      for (int i = 0; i < point_bvh_width; i += at_once) {
        Scalar axis[3][at_once];
        std::uint32_t indices[at_once];
#pragma unroll
        for (int k = 0; k < 3; ++k) load_values(leaf.axis[k] + i, axis[k]);
        load_values(leaf.index + i, indices);
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          Scalar const d = distance2(point{{axis[0][j], axis[1][j], axis[2][j]}}, q);
          if (d <= bound) list_.offer(d, indices[j]);
        }
      }
      if (turn == 0) {
        list_.merge_all();
      } else {
        list_.merge_if_full();
      }
    }
    take_bounds();
    return ((1u << memory::groups) - 1) << first % point_bvh_width;
  }

  __device__ std::uint32_t choose(point_boxes<Scalar> const& boxes, point const& q) const noexcept {
    int const mine = in_group();
    box const eight = shared_.eights[group()];
    Scalar sum = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      // Not above the distance of any of the eight queries, bit by bit: no difference is larger than theirs.
      Scalar const under = sub_rn(__ldg(&boxes.low[axis][mine]), eight.high[axis]);
      Scalar const over = sub_rn(eight.low[axis], __ldg(&boxes.high[axis][mine]));
      Scalar const outside = max_number(max_number(under, over), Scalar(0));
      sum = fma_rn(outside, outside, sum);
    }
    bool const is_tie = (sum == eight.bound) & (__ldg(&boxes.lowest[mine]) < eight.bound_index);
    std::uint32_t const wanted = cuda_warp::ballot((sum < eight.bound) | is_tie);
    return (wanted & loose_) == 0 ? any_group(wanted) : chosen_one_by_one(boxes, wanted, q);
  }

  __device__ bool takes_whole_groups() const noexcept {
    return loose_ == 0;
  }

  __device__ void look_at_some(point_leaf<Scalar> const* leaves, std::uint32_t which, point const& q) noexcept {
#pragma unroll 1
    for (; which != 0; which >>= memory::groups, leaves += memory::groups) {
      if (++looks_ == patience) loose_ = ~0u;
      bool const is_chosen = (which >> group() & 1) != 0;
      // A lane without a leaf reads one that exists: there may be no memory behind the last.
      point_leaf<Scalar> const& leaf = leaves[is_chosen ? group() : lowest_bit(which)];
      typename memory::point p;
      p.x = __ldg(&leaf.axis[0][in_group()]);
      p.y = __ldg(&leaf.axis[1][in_group()]);
      p.z = __ldg(&leaf.axis[2][in_group()]);
      p.index = __ldg(&leaf.index[in_group()]);
      std::uint32_t const wanted = cuda_warp::ballot(is_chosen & may_be_needed(p));
      if ((wanted >> cuda_warp::lane() & 1) != 0) shared_.points[count_ + __popc(wanted & lanes_before())] = p;
      count_ += __popc(wanted);
      __syncwarp();
#pragma unroll 1
      while (count_ >= point_bvh_width) {
        count_ -= point_bvh_width;
        look_at_eight(shared_.points + count_, q);
      }
      __syncwarp();
    }
  }

  /// Tests the points that are still waiting.
  __device__ void finish(point const& q) noexcept {
    if (count_ == 0) return;
    int const lane = cuda_warp::lane();
    if (lane >= count_ && lane < point_bvh_width) {
      shared_.points[lane] = {infinity<Scalar>, infinity<Scalar>, no_index, infinity<Scalar>};
    }
    count_ = 0;
    __syncwarp();
    look_at_eight(shared_.points, q);
    __syncwarp();
  }

 private:
  static constexpr Scalar most_spread = packet_most_spread;
  static constexpr int patience = packet_patience(Capacity);
  static constexpr int at_once = packet_points_at_once;

  __device__ static int group() noexcept {
    return cuda_warp::lane() / point_bvh_width;
  }
  __device__ static int in_group() noexcept {
    return cuda_warp::lane() % point_bvh_width;
  }
  __device__ static std::uint32_t lanes_before() noexcept {
    return (1u << cuda_warp::lane()) - 1;
  }

  /// By any of the queries. No point is nearer to one of them than to their box, bit by bit.
  __device__ bool may_be_needed(typename memory::point const& p) const noexcept {
    box const of = shared_.all;
    Scalar const x = sub_rn(p.x, min_number(max_number(p.x, of.low[0]), of.high[0]));
    Scalar const y = sub_rn(p.y, min_number(max_number(p.y, of.low[1]), of.high[1]));
    Scalar const z = sub_rn(p.z, min_number(max_number(p.z, of.low[2]), of.high[2]));
    return fma_rn(z, z, fma_rn(y, y, fma_rn(x, x, Scalar(0)))) <= of.bound;
  }

  __device__ void look_at_eight(typename memory::point const* points, point const& q) noexcept {
#pragma unroll
    for (int i = 0; i < point_bvh_width; i += at_once) {
      typename memory::point p[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) p[j] = points[i + j];
#pragma unroll
      for (int j = 0; j < at_once; ++j) p[j].z = distance2(point{{p[j].x, p[j].y, p[j].z}}, q);
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (p[j].z <= list_.bound()) list_.offer(p[j].z, p[j].index);
      }
    }
    if (list_.merge_if_full()) take_bounds();
  }

  __device__ std::uint32_t chosen_one_by_one(point_boxes<Scalar> const& boxes, std::uint32_t wanted,
                                             point const& q) const noexcept {
    std::uint32_t chosen = any_group(wanted & ~loose_);
    for (std::uint32_t left = any_group(wanted & loose_) & ~chosen; left != 0; left &= left - 1) {
      int const lane = lowest_bit(left);
      if (is_wanted(boxes, lane, q)) chosen |= 1u << lane;
    }
    return chosen;
  }
  __device__ static std::uint32_t any_group(std::uint32_t lanes) noexcept {
    lanes |= lanes >> 16;
    lanes |= lanes >> 8;
    return lanes & ((1u << point_bvh_width) - 1);
  }
  /// By any of the queries.
  __device__ bool is_wanted(point_boxes<Scalar> const& boxes, int lane, vec<Scalar, 3> const& q) const noexcept {
    Scalar d = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      d = add_box_axis(d, __ldg(&boxes.low[axis][lane]), __ldg(&boxes.high[axis][lane]), q[axis]);
    }
    Scalar const bound = list_.bound();
    bool const is_before = d < bound || (d == bound && __ldg(&boxes.lowest[lane]) < list_.bound_index());
    return cuda_warp::ballot(is_before) != 0;
  }

  /// Over the eight lanes of the calling lane's group.
  template <class T>
  __device__ static T of_eight(T value, T (*choose)(T, T)) noexcept {
#pragma unroll
    for (int step = 1; step < point_bvh_width; step *= 2) value = choose(value, __shfl_xor_sync(~0u, value, step));
    return value;
  }
  /// Over the groups.
  template <class T>
  __device__ static T of_eights(T value, T (*choose)(T, T)) noexcept {
#pragma unroll
    for (int step = point_bvh_width; step < cuda_warp::lanes; step *= 2) {
      value = choose(value, __shfl_xor_sync(~0u, value, step));
    }
    return value;
  }
  __device__ void take_bounds() noexcept {
    Scalar const mine = list_.bound();
    Scalar const bound = of_eight(mine, larger<Scalar>);
    std::uint32_t const bound_index = of_eight(list_.bound_index(), larger<std::uint32_t>);
    Scalar const last = of_eights(bound, larger<Scalar>);
    Scalar const least = most_spread * of_eight(mine < 0 ? infinity<Scalar> : mine, smaller<Scalar>);
    // Queries at one place, whose extent and bounds are 0, are tested one by one: there the lowest index decides.
    loose_ = looks_ < patience ? cuda_warp::ballot(bound >= 0 && (extent2_ >= least || bound > least)) : ~0u;
    __syncwarp();
    if (in_group() == 0) {
      shared_.eights[group()].bound = bound;
      shared_.eights[group()].bound_index = bound_index;
    }
    if (cuda_warp::lane() == 0) shared_.all.bound = last;
    __syncwarp();
  }

  list& list_;
  memory& shared_;
  int count_ = 0;        ///< points that wait
  int looks_ = 0;        ///< at four leaves each
  Scalar extent2_ = 0;   ///< of the calling lane's eight queries
  std::uint32_t loose_;  ///< lanes of groups whose queries are tested one by one
};

}  // namespace detail
FARPOINT_END_NAMESPACE
