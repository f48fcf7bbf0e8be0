/// @file
/// Fills the lists of a packet: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/search/packets/beam.hpp>
#include <farpoint/detail/search/packets/per_lane.hpp>
#include <farpoint/detail/search/packets/traversal.hpp>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Fills the lists of a warp's queries, which are points of the index, cloud by cloud: a packet traversal begins with
/// the leaf of one query.
template <class Warp, class Queries, class List>
FARPOINT_DEVICE void search_together(search_queries<Queries> const& queries,
                                     search_query<typename Queries::scalar> const& mine,
                                     packet_memory<typename Queries::scalar>& shared, List& found) noexcept {
  vec<typename Queries::scalar, 3> const q = mine.at;
  for (unsigned left = Warp::ballot(mine.exists()); left != 0;) {
    int const first = lowest_bit(left);
    index_t const cloud = Warp::shuffle(mine.cloud, first);
    bool const is_here = mine.cloud == cloud;
    auto const index = queries.index_of(cloud);
    Warp::sync();
    if (int const level = Warp::lane(); level < point_bvh_levels) {
      shared.levels[level] = queries.boxes_of(cloud, level);
    }
    found.activate(is_here);
    packet_traversal<Warp, List> traversal{found, shared, q};
    static_cast<void>(traversal.search(index, Warp::shuffle(mine.start, first), q));
    left &= ~Warp::ballot(is_here);
  }
}

/// Packets that search_external() answers by search_per_lane().
struct packet_limits {
  float max_spread;  ///< packet_beam::spread above which a packet is not traversed together; negative: none is
  int max_turns;     ///< offers of eight points after which a packet is not traversed together any longer
};

/// Empties the lists of active lanes and fills them by search_per_lane(). Returns the lists of all lanes.
///
/// Not inlined, and called with a copy of the lists: their registers and the instructions of the packet traversal do
/// not grow by it.
/// @param k  number of neighbors
template <class Warp, class List, class Scalar>
FARPOINT_DEVICE FARPOINT_NO_INLINE List search_per_lane_apart(List found, int k,
                                                              point_boxes<Scalar> const* const* levels,
                                                              point_leaf<Scalar> const* leaves, int top,
                                                              vec<Scalar, 3> q) noexcept {
  found.restart(k);
  search_per_lane<Warp>(found, levels, leaves, top, q);
  return found;
}

/// Fills the lists of a warp's queries, cloud by cloud, for queries that are not the points: by a packet traversal that
/// begins with a beam search, or by each lane where the queries are spread or the packet traversal takes long.
/// @param mine    query of the calling lane, if it has one
/// @param k       number of neighbors
/// @param shared  shared memory of the warp
/// @param found   list of the calling lane
template <class Warp, class Queries, class List>
FARPOINT_DEVICE void search_external(search_queries<Queries> const& queries,
                                     search_query<typename Queries::scalar> const& mine, int k,
                                     packet_limits const& limits, packet_memory<typename Queries::scalar>& shared,
                                     List& found) noexcept {
  using traversal_type = packet_traversal<Warp, List, packet_start::beam>;
  for (unsigned left = Warp::ballot(mine.exists()); left != 0;) {
    index_t const cloud = Warp::shuffle(mine.cloud, lowest_bit(left));
    bool const is_here = mine.cloud == cloud;
    left &= ~Warp::ballot(is_here);
    auto const index = queries.index_of(cloud);
    if (index.size() == 0) continue;
    Warp::sync();
    if (int const level = Warp::lane(); level < point_bvh_levels) {
      shared.levels[level] = queries.boxes_of(cloud, level);
    }
    // Before all lanes read the levels: a vote does not order accesses to memory.
    Warp::sync();
    found.activate(is_here);
    // Votes, not the values that all lanes hold: the compiler then knows that lanes do not diverge, and the search is 3
    // to 5 % faster.
    bool is_done = false;
    if (limits.max_spread >= 0) {
      traversal_type traversal{found, shared, mine.at};
      packet_beam const beam = find_beam<Warp>(shared, index.leaves(), index.levels(), mine.at, found.bound() >= 0, k);
      if (Warp::ballot(beam.spread > limits.max_spread) == 0) {
        is_done = traversal.search(index, beam.leaf, mine.at, limits.max_turns);
      }
    }
    if (Warp::ballot(!is_done) != 0) {
      found = search_per_lane_apart<Warp>(found, k, shared.levels, index.leaves(), index.levels(), mine.at);
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
