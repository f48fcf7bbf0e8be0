/// @file
/// A variant of packet_traversal with fewer instructions per turn: a candidate, see packet_steps.
#pragma once

#include <farpoint/detail/search/packets/traversal.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// packet_traversal from a leaf that holds queries: the same boxes, leaves and points in the same order, except that
/// `BySet` tests fewer points.
///
/// The points of the first four leaves are popped from the queue as all others are. Bounds are taken when a test needs
/// them, not after each merge.
/// @tparam List   has limit_to() and merge_if_beyond(), as lean_topk
/// @tparam BySet  points of a leaf that only one group of eight queries is near are tested against the box of this
///                group. The test of the leaf's box has excluded all other groups, whose bounds only fall.
/// @tparam Ahead  leaves are loaded into the cache when they are queued. For BySet.
template <class Warp, class List, bool BySet, int MaxSpread, bool Ahead>
class lean_traversal : private packet_traversal<Warp, List, packet_start::own_leaf, MaxSpread> {
  using base = packet_traversal<Warp, List, packet_start::own_leaf, MaxSpread>;

 public:
  using base::base;
  using typename base::box;
  using typename base::memory;
  using typename base::point;
  using typename base::scalar;

  /// Fills the lists, as packet_traversal::search().
  template <class Index>
  FARPOINT_DEVICE void search(Index const& index, std::uint32_t start, point const& q) noexcept {
    if (index.size() == 0) return;
    base::begin(index, start);
    for_all_sets();
    points_ = warp_packet_lanes;
    // Exchanges the first four groups of points, so that each group of queries begins with its own leaf.
    int exchange = (groups::group() ^ (memory::groups - 1)) * point_bvh_width;
    bool has_new_bounds = true;
    int most = List::batch;  // maximum number of queued candidates of a list
    list_.limit_to(0);       // the first leaf gives each query a bound
    for (;;) {
      while (points_ < point_bvh_width) {
        exchange = 0;
        if (has_new_bounds) {
          base::take_bounds();
          has_new_bounds = false;
        }
        if (leaves_ >= memory::groups || (leaves_ > 0 && nodes_ == 0)) {
          look_at_leaves(index.leaves());
        } else if (nodes_ > 0) {
          look_into_nodes(index.leaves(), start, q);
        } else if (most == 0) {
          return;
        } else {
          base::fill_points();
          most = 0;
          list_.limit_to(0);
        }
      }
      points_ -= point_bvh_width;
      base::offer(shared_.points + (points_ ^ exchange), q);
      FARPOINT_KEEP_LOOP
      while (list_.merge_if_beyond()) {
        has_new_bounds = true;
        list_.limit_to(most);
      }
    }
  }

 private:
  using groups = lane_groups<Warp>;
  using base::leaves_;
  using base::list_;
  using base::nodes_;
  using base::points_;
  using base::shared_;
  static constexpr int leaf_bits = 3 * point_bvh_levels;  ///< above them, a leaf in the queue has its set

  /// Marks the leaves that begin() has queued as near all queries.
  FARPOINT_DEVICE void for_all_sets() noexcept {
    if constexpr (BySet) {
      if (Warp::lane() < leaves_) shared_.leaves[Warp::lane()] |= std::uint32_t{memory::groups} << leaf_bits;
      Warp::sync();
    }
  }

  /// The set of queries that a leaf's points are tested for: a group of eight, or memory::groups for all.
  FARPOINT_DEVICE static std::uint32_t set_of(std::uint32_t near_groups) noexcept {
    std::uint32_t const below = near_groups - 1;
    return (near_groups & below) == 0 ? count_bits(below) / point_bvh_width : memory::groups;
  }

  FARPOINT_DEVICE static void load_ahead(point_leaf<scalar> const& leaf) noexcept {
    static_cast<void>(leaf);
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L1 [%0];" ::"l"(&leaf));
#endif
  }

  FARPOINT_DEVICE void look_into_nodes(point_leaf<scalar> const* leaf, std::uint32_t start, point const& q) noexcept {
    static_cast<void>(leaf);
    if constexpr (!BySet) {
      base::look_into_nodes(start, q);
    } else {
      int const taken = nodes_ <= memory::few_nodes ? smaller(nodes_, base::max_taken_) : 1;
      nodes_ -= taken;
      bool const exists = groups::group() < taken;
      packet_node const node = shared_.nodes[nodes_ + (exists ? groups::group() : 0)];
      int const level = node.level();
      std::uint32_t const child = node.group() * point_bvh_width + static_cast<std::uint32_t>(base::own_box());
      bool const is_on_the_way = child == start >> 3 * level;
      std::uint32_t near_groups;
      bool const is_wanted =
          base::may_need_box(shared_.levels[level][node.group()], exists & !is_on_the_way, q, near_groups);
      std::uint32_t const leaves = Warp::ballot(is_wanted & (level == 0));
      std::uint32_t const below = Warp::ballot(is_wanted & (level != 0));
      // Lanes have read their groups before their slots are overwritten.
      Warp::sync();
      if (is_wanted) {
        if (level == 0) {
          if constexpr (Ahead) load_ahead(leaf[child]);
          shared_.leaves[leaves_ + base::rank_among(leaves)] = child | set_of(near_groups) << leaf_bits;
        } else {
          shared_.nodes[nodes_ + base::rank_among(below)] = packet_node::of(level - 1, child);
        }
      }
      leaves_ += base::count(leaves);
      nodes_ += base::count(below);
      Warp::sync();
    }
  }

  FARPOINT_DEVICE void look_at_leaves(point_leaf<scalar> const* leaves) noexcept {
    if constexpr (!BySet) {
      base::look_at_leaves(leaves);
    } else {
      if (++base::looks_ == base::patience) base::loose_ = ~0u;
      int const taken = smaller(leaves_, memory::groups);
      leaves_ -= taken;
      bool const is_chosen = groups::group() < taken;
      std::uint32_t const entry = shared_.leaves[leaves_ + (is_chosen ? groups::group() : 0)];
      auto const p = base::load_point(leaves[entry & ((1u << leaf_bits) - 1)]);
      bool const is_wanted = is_chosen & base::may_need_point(p, shared_.set_of(entry >> leaf_bits));
      std::uint32_t const wanted = Warp::ballot(is_wanted);
      // Lanes may still read points that have been taken from the queue.
      Warp::sync();
      if (is_wanted) shared_.points[points_ + base::rank_among(wanted)] = p;
      points_ += base::count(wanted);
      Warp::sync();
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
