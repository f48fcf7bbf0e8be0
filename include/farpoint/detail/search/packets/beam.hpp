/// @file
/// Beam search for the leaves that a packet of queries begins with.
#pragma once

#include <farpoint/detail/search/packets/memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Result of find_beam().
struct packet_beam {
  std::uint32_t leaf;  ///< nearest of the four leaves
  /// Squared diagonal of the box of all queries, relative to the squared scale of the points near the middle query: the
  /// distance to its k-th point of the four leaves, or the diagonal of the smallest of these. NaN if both are 0.
  float spread;
};

/// Descends from the root with a beam of four nodes, those nearest to the middle of a packet, so that a warp tests 32
/// boxes per level. The middle is the query nearest to the center of the box of all queries: no query may be near the
/// center itself.
///
/// Queues the points of the four leaves for packet_traversal, and the groups on the path from the nearest leaf to the
/// root. Affects the speed of the traversal only, never its result.
///
/// @param shared     `levels` and `all` are set
/// @param leaves     leaves of an index that is not empty
/// @param levels     number of its levels; 0 for a single leaf
/// @param q          query of the calling lane
/// @param is_active  true if there is such a query
/// @param k          number of neighbors
template <class Warp, class Scalar>
FARPOINT_DEVICE FARPOINT_NO_INLINE packet_beam find_beam(packet_memory<Scalar>& shared,
                                                         point_leaf<Scalar> const* leaves, int levels, vec<Scalar, 3> q,
                                                         bool is_active, int k) noexcept {
  using groups = lane_groups<Warp>;
  constexpr std::uint32_t lane_bits =
      warp_packet_lanes - 1;  ///< low bits of a distance that make room for a lane's number
  int const lane = Warp::lane();
  int const in_group = groups::in_group();
  vec<Scalar, 3> middle{};
  Scalar extent2 = 0;
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    Scalar const low = shared.all.low[axis];
    Scalar const high = shared.all.high[axis];
    middle[axis] = Scalar(0.5) * low + Scalar(0.5) * high;
    extent2 = fma_rn(high - low, high - low, extent2);
  }
  auto const with_lane = [&](std::uint32_t bits) { return (bits & ~lane_bits) | static_cast<std::uint32_t>(lane); };
  std::uint32_t const off_center = Warp::min(is_active ? with_lane(rounded_bits(distance2(middle, q))) : no_index);
  middle = Warp::shuffle(q, static_cast<int>(off_center & lane_bits));
  std::uint32_t node = groups::group() == 0 ? 0 : no_index;  ///< node of the beam whose children the lane's group tests
  std::uint32_t smallest2 = no_index;                        ///< bits of the squared diagonal of the smallest leaf
  FARPOINT_KEEP_LOOP
  for (int level = levels - 1; level >= 0; --level) {
    point_boxes<Scalar> const& boxes = shared.levels[level][node == no_index ? 0 : node];
    Scalar nearest2 = 0;
    Scalar farthest2 = 0;
    Scalar diagonal2 = 0;
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      Scalar const low = load_read_only(boxes.low[axis][in_group]);
      Scalar const high = load_read_only(boxes.high[axis][in_group]);
      add_box_reach(low, high, middle[axis], nearest2, farthest2);
      diagonal2 = fma_rn(high - low, high - low, diagonal2);
    }
    bool const exists = node != no_index && load_read_only(boxes.lowest[in_group]) != no_index;
    std::uint32_t key = with_lane(box_order_bits(nearest2, farthest2));
    if (!exists) key = no_index;
    std::uint32_t const child = node * point_bvh_width + static_cast<std::uint32_t>(in_group);
    bool is_chosen = false;
    FARPOINT_UNROLL
    for (int i = 0; i < packet_memory<Scalar>::groups; ++i) {
      std::uint32_t const best = Warp::min(key);
      std::uint32_t const best_child = Warp::shuffle(child, static_cast<int>(best & lane_bits));
      if (groups::group() == i) node = best == no_index ? no_index : best_child;
      if (key == best && best != no_index) {
        key = no_index;
        is_chosen = true;
      }
    }
    if (level == 0) smallest2 = Warp::min(is_chosen ? rounded_bits(diagonal2) : no_index);
  }
  std::uint32_t const leaf = Warp::shuffle(node, 0);
  if (in_group == 0) shared.first.at[groups::group()] = node;
  auto p = packet_memory<Scalar>::no_point();
  if (node != no_index) p = groups::load_point(leaves[node]);
  shared.points[lane] = p;
  std::uint32_t kth2 = 0;
  std::uint32_t away2 = with_lane(rounded_bits(distance2(vec<Scalar, 3>{{p.x, p.y, p.z}}, middle)));
  FARPOINT_KEEP_LOOP
  for (int i = 0; i < smaller(k, warp_packet_lanes); ++i) {
    kth2 = Warp::min(away2);
    if (away2 == kth2) away2 = no_index;
  }
  if (lane < levels) {
    int const level = levels - 1 - lane;
    shared.nodes[lane] = packet_node::of(level, leaf >> 3 * (level + 1));
  }
  Warp::sync();
  float const kth = float_of_bits(kth2 & ~lane_bits);
  float const smallest = levels > 0 ? float_of_bits(smallest2) : 0;
  return {leaf, static_cast<float>(extent2) / (kth > smallest ? kth : smallest)};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
