/// @file
/// Packet traversal: a warp traverses the index for 32 queries that are near one another.
#pragma once

#include <farpoint/detail/search/packets/memory.hpp>
#include <farpoint/tuning/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Leaves that a packet traversal begins with.
enum class packet_start {
  own_leaf,  ///< a leaf that holds queries, and the leaves around it
  beam       ///< four leaves that find_beam() has found
};

/// Traversal of an index by a warp. Each lane has a query. All lanes visit every box that any query may need, so
/// control flow does not diverge.
///
/// Shared memory queues work until it fills all lanes: four groups of eight boxes, four leaves of eight points, or
/// eight points. Each lane then tests one box against the boxes of four groups of eight queries, or one point against
/// the box of all queries, or the box of eight if the test of the leaf has excluded all other groups, whose bounds only
/// fall. Every lane computes its own distance to each point that passes.
///
/// A group of eight queries that are close together is tested as one box. Tests of each query would skip a fifth of the
/// leaves, and cost more than they save. They are made for a *loose* group, in which a query is far from the others or
/// from its neighbors.
/// @tparam Warp, List  see memory.hpp
template <class Warp, class List, packet_start Start = packet_start::own_leaf>
class packet_traversal {
 public:
  using list = List;
  using scalar = typename List::scalar;
  using memory = packet_memory<scalar>;
  using point = vec<scalar, 3>;
  using box = typename memory::box;

  /// @param shared  shared memory of the warp; `levels` are set
  FARPOINT_DEVICE packet_traversal(list& found, memory& shared, point const& q) noexcept
      : list_{found}, shared_{shared} {
    bool const is_active = found.bound() >= 0;
    box& eight = shared.eights[groups::group()];
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      scalar const low = groups::of_eight(is_active ? q[axis] : infinity<scalar>, take_min_number{});
      scalar const high = groups::of_eight(is_active ? q[axis] : -infinity<scalar>, take_max_number{});
      scalar const extent = sub_rn(high, low);
      extent2_ = fma_rn(extent, extent, extent2_);
      scalar const lowest = groups::of_eights(low, take_min_number{});
      scalar const highest = groups::of_eights(high, take_max_number{});
      if (groups::in_group() == 0) {
        eight.low[axis] = low;
        eight.high[axis] = high;
      }
      if (Warp::lane() == 0) {
        shared.all.low[axis] = lowest;
        shared.all.high[axis] = highest;
      }
    }
    Warp::sync();
  }

  /// Fills the lists: visits the leaf `start`, the path from there to the root, and all boxes that branch off the path
  /// and that the queries may need.
  ///
  /// @param max_turns  maximum number of offers of eight points of packet_start::beam, which then gives up
  /// @return false if it gave up. The bounds of the lists hold nevertheless: the k nearest points are not beyond.
  ///
  /// The loop contains each step once, for all causes to take it. Inlined once, the steps fit into the instruction
  /// cache. Inlined at each call they did not, and warps waited for instructions longer than for memory.
  template <class Index>
  FARPOINT_DEVICE bool search(Index const& index, std::uint32_t start, point const& q, int max_turns = 0) noexcept {
    if (index.size() == 0) return true;
    if constexpr (Start == packet_start::beam) {
      nodes_ = index.levels();  // find_beam() has queued the points and the groups
    } else {
      begin(index, start);
    }
    // The first four turns exchange the points that begin() queued: each group of eight queries begins with its own
    // leaf, which gives it a bound.
    points_ = warp_packet_lanes;
    int exchange = (groups::group() ^ (memory::groups - 1)) * point_bvh_width;
    bool has_new_bounds = true;
    int most = List::batch;  // maximum number of queued candidates of a list
    list_.limit_to(0);       // for the first leaf
    for (int turn = 0;; ++turn) {
      while (points_ < point_bvh_width) {
        exchange = 0;
        if (has_new_bounds) {
          take_bounds();
          has_new_bounds = false;
        }
        if (leaves_ >= memory::groups || (leaves_ > 0 && nodes_ == 0)) {
          look_at_leaves(index.leaves());
        } else if (nodes_ > 0) {
          look_into_nodes(start, q);
        } else if (most == 0) {
          return true;
        } else {
          fill_points();
          most = 0;
          list_.limit_to(0);
        }
      }
      points_ -= point_bvh_width;
      offer(shared_.points + (points_ ^ exchange), q);
      FARPOINT_KEEP_LOOP
      while (list_.merge_if_beyond()) {
        has_new_bounds = true;
        list_.limit_to(most);
      }
      if (Start == packet_start::beam && turn >= max_turns) return false;
    }
  }

 private:
  using groups = lane_groups<Warp>;
  static constexpr scalar max_spread = packet_max_spread;
  static constexpr int patience = packet_patience(List::capacity);
  static constexpr int at_once = packet_points_at_once;

  /// The box of a group that a lane tests. The order is reversed because higher lanes push last: the first box of a
  /// group is then popped first. In a heap of equal points it has the lowest indices.
  FARPOINT_DEVICE static int box_of(int lane) noexcept { return point_bvh_width - 1 - lane % point_bvh_width; }
  FARPOINT_DEVICE static int own_box() noexcept { return box_of(Warp::lane()); }
  FARPOINT_DEVICE static int rank_among(std::uint32_t lanes) noexcept {
    return count(lanes & ((1u << Warp::lane()) - 1));
  }
  FARPOINT_DEVICE static int count(std::uint32_t lanes) noexcept { return static_cast<int>(count_bits(lanes)); }

  /// Queues the points of the four leaves around `start`, which are the queries if these are points of the index, the
  /// other four leaves of that group, and the groups on the path to the root.
  template <class Index>
  FARPOINT_DEVICE void begin(Index const& index, std::uint32_t start) noexcept {
    int const lane = Warp::lane();
    std::uint32_t const leaves = index.leaf_count();
    std::uint32_t const first = start / memory::groups * memory::groups;
    std::uint32_t const mine = first + static_cast<std::uint32_t>(groups::group());
    // Memory may end with the last leaf.
    auto p = groups::load_point(index.leaf(mine < leaves ? mine : first));
    if (mine >= leaves) p = memory::no_point();
    shared_.points[lane] = p;
    std::uint32_t const other = (first ^ memory::groups) + static_cast<std::uint32_t>(lane);
    bool const is_leaf = lane < memory::groups && other < leaves;
    if (is_leaf) shared_.leaves[lane] = packet_node::of(memory::groups, other);
    leaves_ = count(Warp::ballot(is_leaf));
    nodes_ = index.levels() - 1;
    if (lane < nodes_) {
      int const level = nodes_ - lane;
      shared_.nodes[lane] = packet_node::of(level, start >> 3 * (level + 1));
    }
    Warp::sync();
  }

  /// Pops groups and tests their boxes. Pushes the boxes that a query may need, as groups, or queues them as leaves.
  FARPOINT_DEVICE void look_into_nodes(std::uint32_t start, point const& q) noexcept {
    int const taken = nodes_ <= memory::few_nodes ? smaller(nodes_, max_taken_) : 1;
    nodes_ -= taken;
    bool const exists = groups::group() < taken;
    packet_node const node = shared_.nodes[nodes_ + (exists ? groups::group() : 0)];
    int const level = node.level();
    std::uint32_t const child = node.number() * point_bvh_width + static_cast<std::uint32_t>(own_box());
    bool is_on_the_way = child == start >> 3 * level;
    if (Start == packet_start::beam && level == 0) {
      typename memory::first_leaves const first = shared_.first;
      is_on_the_way = first.contain(child);
    }
    std::uint32_t near_groups;
    bool const is_wanted = may_need_box(shared_.levels[level][node.number()], exists & !is_on_the_way, q, near_groups);
    std::uint32_t const leaves = Warp::ballot(is_wanted & (level == 0));
    std::uint32_t const below = Warp::ballot(is_wanted & (level != 0));
    // Lanes have read their groups before their slots are overwritten.
    Warp::sync();
    if (is_wanted) {
      if (level == 0) {
        shared_.leaves[leaves_ + rank_among(leaves)] = packet_node::of(set_of(near_groups), child);
      } else {
        shared_.nodes[nodes_ + rank_among(below)] = packet_node::of(level - 1, child);
      }
    }
    leaves_ += count(leaves);
    nodes_ += count(below);
    Warp::sync();
  }

  /// Queries that a leaf's points are tested for: a group of eight, or memory::groups for all.
  /// @param near_groups  as of may_need_box()
  FARPOINT_DEVICE static int set_of(std::uint32_t near_groups) noexcept {
    std::uint32_t const below = near_groups - 1;
    return (near_groups & below) == 0 ? count(below) / point_bvh_width : memory::groups;
  }

  /// True if a query may need the calling lane's box, one of a group of eight.
  /// @param near_groups  set to the first lanes of the groups of queries that may need the box
  FARPOINT_DEVICE bool may_need_box(point_boxes<scalar> const& boxes, bool is_asked, point const& q,
                                    std::uint32_t& near_groups) const noexcept {
    scalar low[3];
    scalar high[3];
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = load_read_only(boxes.low[axis][own_box()]);
      high[axis] = load_read_only(boxes.high[axis][own_box()]);
    }
    std::uint32_t const lowest = load_read_only(boxes.lowest[own_box()]);
    near_groups = 0;
    FARPOINT_UNROLL
    for (int e = 0; e < memory::groups; ++e) {
      box const eight = shared_.eights[e];
      scalar sum = 0;
      FARPOINT_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        // The sum is at most the rounded distance of each of the eight queries: none of its differences is larger than
        // theirs, and rounding is monotonic.
        scalar const under = sub_rn(low[axis], eight.high[axis]);
        scalar const over = sub_rn(eight.low[axis], high[axis]);
        scalar const outside = max_number(max_number(under, over), scalar(0));
        sum = fma_rn(outside, outside, sum);
      }
      bool const is_tie = (sum == eight.bound) & (lowest < eight.bound_index);
      if ((sum < eight.bound) | is_tie) near_groups |= 1u << e * point_bvh_width;
    }
    if (loose_ == 0) return is_asked & (near_groups != 0);
    bool is_wanted = is_asked & ((near_groups & ~loose_) != 0);
    for (auto left = Warp::ballot(is_asked & (near_groups != 0) & !is_wanted); left != 0; left &= left - 1) {
      int const lane = lowest_bit(left);
      point_boxes<scalar> const* const its_boxes = Warp::shuffle(&boxes, lane);
      bool const is_needed = any_needs(*its_boxes, box_of(lane), q);
      if (Warp::lane() == lane) is_wanted = is_needed;
    }
    return is_wanted;
  }

  /// True if any query needs a box, tested query by query. All lanes pass the same box.
  FARPOINT_DEVICE bool any_needs(point_boxes<scalar> const& boxes, int which, point const& q) const noexcept {
    scalar d = 0;
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      d = add_box_axis(d, load_read_only(boxes.low[axis][which]), load_read_only(boxes.high[axis][which]), q[axis]);
    }
    scalar const bound = list_.bound();
    bool const is_before = d < bound || (d == bound && load_read_only(boxes.lowest[which]) < list_.bound_index());
    return Warp::ballot(is_before) != 0;
  }

  /// Takes up to four leaves from the queue and tests their points. Queues the points that a query may need.
  FARPOINT_DEVICE void look_at_leaves(point_leaf<scalar> const* leaves) noexcept {
    if (++looks_ == patience) loose_ = ~0u;
    int const taken = smaller(leaves_, memory::groups);
    leaves_ -= taken;
    bool const is_chosen = groups::group() < taken;
    packet_node const leaf = shared_.leaves[leaves_ + (is_chosen ? groups::group() : 0)];
    auto const p = groups::load_point(leaves[leaf.number()]);
    bool const is_wanted = is_chosen & may_need_point(p, shared_.set_of(leaf.set()));
    std::uint32_t const wanted = Warp::ballot(is_wanted);
    // Lanes may still read points that have been taken from the queue.
    Warp::sync();
    if (is_wanted) shared_.points[points_ + rank_among(wanted)] = p;
    points_ += count(wanted);
    Warp::sync();
  }

  /// Fills the queue of points, which holds fewer than eight, up to eight with points at infinity.
  FARPOINT_DEVICE void fill_points() noexcept {
    int const lane = Warp::lane();
    Warp::sync();
    if (lane >= points_ && lane < point_bvh_width) shared_.points[lane] = memory::no_point();
    points_ = point_bvh_width;
    Warp::sync();
  }

  /// True if one of the queries in a box may need a point. The rounded distance to the box is at most that to any
  /// query.
  FARPOINT_DEVICE static bool may_need_point(typename memory::point const& p, box const& around) noexcept {
    box const of = around;
    scalar const x = sub_rn(p.x, min_number(max_number(p.x, of.low[0]), of.high[0]));
    scalar const y = sub_rn(p.y, min_number(max_number(p.y, of.low[1]), of.high[1]));
    scalar const z = sub_rn(p.z, min_number(max_number(p.z, of.low[2]), of.high[2]));
    return fma_rn(z, z, fma_rn(y, y, fma_rn(x, x, scalar(0)))) <= of.bound;
  }

  /// Offers eight points to the list of each lane if they are within its bound.
  FARPOINT_DEVICE void offer(typename memory::point const* points, point const& q) noexcept {
    FARPOINT_UNROLL
    for (int i = 0; i < point_bvh_width; i += at_once) {
      typename memory::point p[at_once];
      FARPOINT_UNROLL
      for (int j = 0; j < at_once; ++j) p[j] = points[i + j];
      FARPOINT_UNROLL
      for (int j = 0; j < at_once; ++j) p[j].z = distance2(point{{p[j].x, p[j].y, p[j].z}}, q);
      FARPOINT_UNROLL
      for (int j = 0; j < at_once; ++j) {
        if (p[j].z <= list_.bound()) list_.offer(p[j].z, p[j].index);
      }
    }
  }

  /// Copies the bounds of the lists to the boxes of the queries, and chooses the tests for these bounds.
  FARPOINT_DEVICE void take_bounds() noexcept {
    scalar const mine = list_.bound();
    scalar const bound = groups::of_eight(mine, take_max_number{});
    std::uint32_t const bound_index = groups::of_eight(list_.bound_index(), take_larger{});
    scalar const last = groups::of_eights(bound, take_max_number{});
    scalar const least = max_spread * groups::of_eight(mine < 0 ? infinity<scalar> : mine, take_min_number{});
    // In a heap of equal points, all bounds are 0 and only the lowest indices matter: every query is tested on its own,
    // and groups are popped one at a time, as each lowers the indices further. With one neighbor, the bounds are 0
    // wherever queries are points of the index, so a heap is assumed only after several tests of leaves.
    bool const may_be_heap = List::capacity > 1 || looks_ >= packet_looks_before_heap;
    max_taken_ = may_be_heap && Warp::ballot(mine > 0) == 0 ? 1 : memory::groups;
    loose_ = looks_ < patience ? Warp::ballot(bound >= 0 && (extent2_ >= least || bound > least)) : ~0u;
    Warp::sync();
    if (groups::in_group() == 0) {
      shared_.eights[groups::group()].bound = bound;
      shared_.eights[groups::group()].bound_index = bound_index;
    }
    if (Warp::lane() == 0) shared_.all.bound = last;
    Warp::sync();
  }

  list& list_;
  memory& shared_;
  int nodes_ = 0;        ///< length of the stack of groups
  int max_taken_;        ///< maximum number of groups that are popped at a time
  int leaves_ = 0;       ///< length of the queue of leaves
  int points_ = 0;       ///< length of the queue of points
  int looks_ = 0;        ///< number of calls of look_at_leaves()
  scalar extent2_ = 0;   ///< squared extent of the calling lane's eight queries
  std::uint32_t loose_;  ///< lanes of groups whose queries are tested one by one
};

}  // namespace detail
FARPOINT_END_NAMESPACE
