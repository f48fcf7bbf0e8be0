/// @file
/// Packet traversal: a warp traverses the index for 32 queries that are near one another.
#pragma once

#include <farpoint/detail/search/packets/memory.cuh>
#include <farpoint/tuning/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Traversal of an index by a warp. Each lane has a query. All lanes visit every box that any query may need, so
/// control flow does not diverge.
///
/// Shared memory queues work until it fills all lanes: four groups of eight boxes, four leaves of eight points, or
/// eight points. Each lane then tests one box against the boxes of four groups of eight queries, or one point against
/// the box of all queries. Every lane computes its own distance to each point that passes.
///
/// A group of eight queries that are close together is tested as one box. Tests of each query would skip a fifth of the
/// leaves, and cost more than they save. They are made for a *loose* group, in which a query is far from the others or
/// from its neighbours.
template <class Scalar, int Capacity>
class packet_traversal {
 public:
  using list = warp_topk<Scalar, Capacity>;
  using memory = packet_memory<Scalar>;
  using point = vec<Scalar, 3>;
  using box = typename memory::box;

  /// @param shared  shared memory of the warp; `levels` are set
  __device__ packet_traversal(list& found, memory& shared, point const& q) noexcept : list_{found}, shared_{shared} {
    bool const is_active = found.bound() >= 0;
    box& eight = shared.eights[group()];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      Scalar const low = of_eight(is_active ? q[axis] : infinity<Scalar>, min_number<Scalar>);
      Scalar const high = of_eight(is_active ? q[axis] : -infinity<Scalar>, max_number<Scalar>);
      Scalar const extent = sub_rn(high, low);
      extent2_ = fma_rn(extent, extent, extent2_);
      Scalar const lowest = of_eights(low, min_number<Scalar>);
      Scalar const highest = of_eights(high, max_number<Scalar>);
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

  /// Fills the lists: visits the leaf `start`, the path from there to the root, and all boxes that branch off the path
  /// and that the queries may need.
  ///
  /// The loop contains each step once, for all causes to take it. Inlined once, the steps fit into the instruction
  /// cache. Inlined at each call they did not, and warps waited for instructions longer than for memory.
  template <class Index>
  __device__ void search(Index const& index, std::uint32_t start, point const& q) noexcept {
    if (index.size() == 0) return;
    begin(index, start);
    bool has_new_bounds = true;
    int most = 0;  // maximum number of queued candidates of a list
    for (int turn = 0;; ++turn) {
      // The first four turns test the points that begin() queued. Each group of eight queries begins with its own leaf,
      // which gives it a bound.
      int eight = (group() ^ turn) * point_bvh_width;
      if (turn >= memory::groups) {
        while (points_ < point_bvh_width) {
          if (leaves_ >= memory::groups || (leaves_ > 0 && nodes_ == 0)) {
            look_at_leaves(index.leaves());
          } else if (nodes_ > 0) {
            look_into_nodes(start, q);
          } else if (most == 0) {
            return;
          } else {
            fill_points();
            most = 0;
          }
        }
        points_ -= point_bvh_width;
        eight = points_;
      }
      offer(shared_.points + eight, q);
#pragma unroll 1
      while (list_.merge_beyond(most)) has_new_bounds = true;
      if (turn == 0) most = list::batch;
      if (has_new_bounds && turn >= memory::groups - 1) {
        take_bounds();
        has_new_bounds = false;
      }
    }
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
  /// The box of a group that a lane tests. The order is reversed because higher lanes push last: the first box of a
  /// group is then popped first. In a heap of equal points it has the lowest indices.
  __device__ static int box_of(int lane) noexcept {
    return point_bvh_width - 1 - lane % point_bvh_width;
  }
  __device__ static int own_box() noexcept {
    return box_of(cuda_warp::lane());
  }
  __device__ static int rank_among(std::uint32_t lanes) noexcept {
    return __popc(lanes & ((1u << cuda_warp::lane()) - 1));
  }

  /// Queues the points of the four leaves around `start`, which are the queries if these are points of the index, the
  /// other four leaves of that group, and the groups on the path to the root.
  template <class Index>
  __device__ void begin(Index const& index, std::uint32_t start) noexcept {
    int const lane = cuda_warp::lane();
    std::uint32_t const leaves = index.leaf_count();
    std::uint32_t const first = start / memory::groups * memory::groups;
    std::uint32_t const mine = first + static_cast<std::uint32_t>(group());
    // Memory may end with the last leaf.
    auto p = load_point(index.leaf(mine < leaves ? mine : first));
    if (mine >= leaves) p = no_point();
    shared_.points[lane] = p;
    std::uint32_t const other = (first ^ memory::groups) + static_cast<std::uint32_t>(lane);
    bool const is_leaf = lane < memory::groups && other < leaves;
    if (is_leaf) shared_.leaves[lane] = other;
    leaves_ = __popc(cuda_warp::ballot(is_leaf));
    nodes_ = index.levels() - 1;
    if (lane < nodes_) {
      int const level = nodes_ - lane;
      shared_.nodes[lane] = packet_node::of(level, start >> 3 * (level + 1));
    }
    __syncwarp();
  }

  /// Pops groups and tests their boxes. Pushes the boxes that a query may need, as groups, or queues them as leaves.
  __device__ void look_into_nodes(std::uint32_t start, point const& q) noexcept {
    int const taken = nodes_ <= memory::few_nodes ? smaller(nodes_, most_taken_) : 1;
    nodes_ -= taken;
    bool const exists = group() < taken;
    packet_node const node = shared_.nodes[nodes_ + (exists ? group() : 0)];
    int const level = node.level();
    std::uint32_t const child = node.group() * point_bvh_width + static_cast<std::uint32_t>(own_box());
    bool const is_on_the_way = child == start >> 3 * level;
    bool const is_wanted = may_need_box(shared_.levels[level][node.group()], exists & !is_on_the_way, q);
    std::uint32_t const leaves = cuda_warp::ballot(is_wanted & (level == 0));
    std::uint32_t const below = cuda_warp::ballot(is_wanted & (level != 0));
    // Lanes have read their groups before their slots are overwritten.
    __syncwarp();
    if (is_wanted) {
      if (level == 0) {
        shared_.leaves[leaves_ + rank_among(leaves)] = child;
      } else {
        shared_.nodes[nodes_ + rank_among(below)] = packet_node::of(level - 1, child);
      }
    }
    leaves_ += __popc(leaves);
    nodes_ += __popc(below);
    __syncwarp();
  }

  /// True if a query may need the calling lane's box, one of a group of eight.
  __device__ bool may_need_box(point_boxes<Scalar> const& boxes, bool is_asked, point const& q) const noexcept {
    Scalar low[3];
    Scalar high[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = __ldg(&boxes.low[axis][own_box()]);
      high[axis] = __ldg(&boxes.high[axis][own_box()]);
    }
    std::uint32_t const lowest = __ldg(&boxes.lowest[own_box()]);
    std::uint32_t near = 0;  ///< first lanes of the groups of queries that are near the box
#pragma unroll
    for (int e = 0; e < memory::groups; ++e) {
      box const eight = shared_.eights[e];
      Scalar sum = 0;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        // The sum is at most the rounded distance of each of the eight queries: none of its differences is larger than
        // theirs, and rounding is monotonic.
        Scalar const under = sub_rn(low[axis], eight.high[axis]);
        Scalar const over = sub_rn(eight.low[axis], high[axis]);
        Scalar const outside = max_number(max_number(under, over), Scalar(0));
        sum = fma_rn(outside, outside, sum);
      }
      bool const is_tie = (sum == eight.bound) & (lowest < eight.bound_index);
      if ((sum < eight.bound) | is_tie) near |= 1u << e * point_bvh_width;
    }
    if (loose_ == 0) return is_asked & (near != 0);
    bool is_wanted = is_asked & ((near & ~loose_) != 0);
    for (auto left = cuda_warp::ballot(is_asked & (near != 0) & !is_wanted); left != 0; left &= left - 1) {
      int const lane = lowest_bit(left);
      point_boxes<Scalar> const* const its_boxes = cuda_warp::shuffle(&boxes, lane);
      bool const is_needed = any_needs(*its_boxes, box_of(lane), q);
      if (cuda_warp::lane() == lane) is_wanted = is_needed;
    }
    return is_wanted;
  }

  /// True if any query needs a box, tested query by query. All lanes pass the same box.
  __device__ bool any_needs(point_boxes<Scalar> const& boxes, int which, point const& q) const noexcept {
    Scalar d = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      d = add_box_axis(d, __ldg(&boxes.low[axis][which]), __ldg(&boxes.high[axis][which]), q[axis]);
    }
    Scalar const bound = list_.bound();
    bool const is_before = d < bound || (d == bound && __ldg(&boxes.lowest[which]) < list_.bound_index());
    return cuda_warp::ballot(is_before) != 0;
  }

  /// Takes up to four leaves from the queue and tests their points. Queues the points that a query may need.
  __device__ void look_at_leaves(point_leaf<Scalar> const* leaves) noexcept {
    if (++looks_ == patience) loose_ = ~0u;
    int const taken = smaller(leaves_, memory::groups);
    leaves_ -= taken;
    bool const is_chosen = group() < taken;
    auto const p = load_point(leaves[shared_.leaves[leaves_ + (is_chosen ? group() : 0)]]);
    bool const is_wanted = is_chosen & may_need_point(p);
    std::uint32_t const wanted = cuda_warp::ballot(is_wanted);
    // Lanes may still read points that have been taken from the queue.
    __syncwarp();
    if (is_wanted) shared_.points[points_ + rank_among(wanted)] = p;
    points_ += __popc(wanted);
    __syncwarp();
  }

  /// Fills the queue of points, which holds fewer than eight, up to eight with points at infinity.
  __device__ void fill_points() noexcept {
    int const lane = cuda_warp::lane();
    __syncwarp();
    if (lane >= points_ && lane < point_bvh_width) shared_.points[lane] = no_point();
    points_ = point_bvh_width;
    __syncwarp();
  }

  __device__ static typename memory::point load_point(point_leaf<Scalar> const& leaf) noexcept {
    typename memory::point p;
    p.x = __ldg(&leaf.axis[0][in_group()]);
    p.y = __ldg(&leaf.axis[1][in_group()]);
    p.z = __ldg(&leaf.axis[2][in_group()]);
    p.index = __ldg(&leaf.index[in_group()]);
    return p;
  }
  __device__ static typename memory::point no_point() noexcept {
    return {infinity<Scalar>, infinity<Scalar>, no_index, infinity<Scalar>};
  }

  /// True if a query may need a point. The rounded distance to the box of all queries is at most that to any query.
  __device__ bool may_need_point(typename memory::point const& p) const noexcept {
    box const of = shared_.all;
    Scalar const x = sub_rn(p.x, min_number(max_number(p.x, of.low[0]), of.high[0]));
    Scalar const y = sub_rn(p.y, min_number(max_number(p.y, of.low[1]), of.high[1]));
    Scalar const z = sub_rn(p.z, min_number(max_number(p.z, of.low[2]), of.high[2]));
    return fma_rn(z, z, fma_rn(y, y, fma_rn(x, x, Scalar(0)))) <= of.bound;
  }

  /// Offers eight points to the list of each lane if they are within its bound.
  __device__ void offer(typename memory::point const* points, point const& q) noexcept {
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
  }

  /// Reduces a value over the eight lanes of the calling lane's group.
  template <class T>
  __device__ static T of_eight(T value, T (*choose)(T, T)) noexcept {
#pragma unroll
    for (int step = 1; step < point_bvh_width; step *= 2) value = choose(value, __shfl_xor_sync(~0u, value, step));
    return value;
  }
  /// Reduces a value over the four groups.
  template <class T>
  __device__ static T of_eights(T value, T (*choose)(T, T)) noexcept {
#pragma unroll
    for (int step = point_bvh_width; step < cuda_warp::lanes; step *= 2) {
      value = choose(value, __shfl_xor_sync(~0u, value, step));
    }
    return value;
  }
  /// Copies the bounds of the lists to the boxes of the queries, and chooses the tests for these bounds.
  __device__ void take_bounds() noexcept {
    Scalar const mine = list_.bound();
    Scalar const bound = of_eight(mine, max_number<Scalar>);
    std::uint32_t const bound_index = of_eight(list_.bound_index(), larger<std::uint32_t>);
    Scalar const last = of_eights(bound, max_number<Scalar>);
    Scalar const least = most_spread * of_eight(mine < 0 ? infinity<Scalar> : mine, min_number<Scalar>);
    // In a heap of equal points, all bounds are 0 and only the lowest indices matter: every query is tested on its own,
    // and groups are popped one at a time, as each lowers the indices further. With one neighbour, the bounds are 0
    // wherever queries are points of the index, so a heap is assumed only after several tests of leaves.
    bool const may_be_heap = Capacity > 1 || looks_ >= packet_looks_before_heap;
    most_taken_ = may_be_heap && cuda_warp::ballot(mine > 0) == 0 ? 1 : memory::groups;
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
  int nodes_ = 0;        ///< length of the stack of groups
  int most_taken_;       ///< maximum number of groups that are popped at a time
  int leaves_ = 0;       ///< length of the queue of leaves
  int points_ = 0;       ///< length of the queue of points
  int looks_ = 0;        ///< number of calls of look_at_leaves()
  Scalar extent2_ = 0;   ///< squared extent of the calling lane's eight queries
  std::uint32_t loose_;  ///< lanes of groups whose queries are tested one by one
};

}  // namespace detail
FARPOINT_END_NAMESPACE
