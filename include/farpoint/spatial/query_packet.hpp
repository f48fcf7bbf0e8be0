/// @file
/// Packets of nearby queries that the host processes together: one query per vector lane.
#pragma once

#include <farpoint/spatial/nearest_first.hpp>
#include <farpoint/spatial/packet_words.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Visitor for visit_nearest_first() that finds the k nearest points of each query of a packet. Its lists are always
/// sorted.
///
/// A leaf's points are compared with all queries at once, and a box is visited if any query may need it. The lists
/// contain packet_words.
/// @tparam Rows  maximum k
template <class Scalar, int Rows>
class query_packet {
 public:
  using bvh = point_bvh_ref<Scalar>;
  using key = neighbor_key<Scalar>;

  /// @param queries  `[count]`
  /// @param count    1 to packet_lanes
  /// @param limit    upper bound on keys, exclusive; its index is no_index
  FARPOINT_ALWAYS_INLINE query_packet(bvh const& points, vec<Scalar, 3> const* queries, int count, int k,
                                      key const& limit) noexcept
      : bvh_{points}, words_{points}, k_{k}, limit_{limit}, bound_{limit} {
    double const none = words_.none(limit.distance2());
    for (int lane = 0; lane < packet_lanes; ++lane) {
      vec<Scalar, 3> const q = queries[lane < count ? lane : 0];
      box_.grow(q);
      FARPOINT_UNROLL
      for (int axis = 0; axis < 3; ++axis) at_[axis][lane] = q[axis];
      excluded_[lane] = no_index;
      worst_[lane] = limit.distance2();
      rows_[0][lane] = 0;
    }
    for (int row = 1; row <= k + spare_rows; ++row) {
      FARPOINT_VECTOR_LOOP
      for (int lane = 0; lane < packet_lanes; ++lane) rows_[row][lane] = none;
    }
  }

  /// @param index  point that this query's list skips; no_index for none
  FARPOINT_ALWAYS_INLINE void exclude(int lane, std::uint32_t index) noexcept { excluded_[lane] = index; }
  /// Visits leaf `home` before the traversal, which then skips it.
  FARPOINT_ALWAYS_INLINE void begin(std::uint32_t home) noexcept {
    look_at(home);
    home_ = home;
  }

  FARPOINT_ALWAYS_INLINE bounding_box<Scalar> const& box() const noexcept { return box_; }
  /// Largest of the queries' bounds on keys.
  FARPOINT_ALWAYS_INLINE key limit() const noexcept { return bound_; }
  /// @return false after too many leaves, which means that the queries are not near each other
  FARPOINT_ALWAYS_INLINE bool look_at(std::uint32_t node) noexcept {
    if (node == home_) return true;
    point_leaf<Scalar> const& leaf = bvh_.leaf(node);
    Scalar distance[point_bvh_width][packet_lanes];
    std::uint32_t wanted = measure(leaf, distance);
    if (wanted != 0) {
      last_ = node;
      for (; wanted != 0; wanted &= wanted - 1) {
        int const lane = lowest_bit(wanted);
        push(distance[lane], words_.name_of(leaf, node, lane), leaf.index[lane]);
      }
      tighten();
    }
    return ++looked_at_ < max_leaves();
  }

  /// Writes the list of a query, ascending, with the limit in place of missing keys. The last key is an upper bound on
  /// the keys of its k nearest points.
  /// @return false if the list may differ from the k nearest points even though the traversal was complete
  FARPOINT_ALWAYS_INLINE bool write(int lane, key* keys) const noexcept {
    return words_.write(rows_, lane, k_, {{at_[0][lane], at_[1][lane], at_[2][lane]}}, limit_, keys);
  }
  /// Last leaf with a point for a list; no_index if there was none.
  FARPOINT_ALWAYS_INLINE std::uint32_t last() const noexcept { return last_; }

 private:
  static constexpr int spare_rows = packet_words<Scalar>::spare_rows;

  FARPOINT_ALWAYS_INLINE int max_leaves() const noexcept { return 64 + packet_lanes * k_; }

  /// Computes the squared distances between all queries and points; returns a bit per point that any list may take.
  FARPOINT_ALWAYS_INLINE std::uint32_t measure(point_leaf<Scalar> const& leaf,
                                               Scalar (&distance)[point_bvh_width][packet_lanes]) const noexcept {
    using word = lane_word<Scalar>;
    word hits[packet_lanes] = {};
    FARPOINT_UNROLL
    for (int p = 0; p < point_bvh_width; ++p) {
      FARPOINT_VECTOR_LOOP
      for (int lane = 0; lane < packet_lanes; ++lane) {
        Scalar d = add_axis(Scalar(0), leaf.axis[0][p], at_[0][lane]);
        d = add_axis(d, leaf.axis[1][p], at_[1][lane]);
        d = add_axis(d, leaf.axis[2][p], at_[2][lane]);
        distance[p][lane] = d;
        hits[lane] |= d <= worst_[lane] ? word{1} << p : word{0};
      }
    }
    word any = 0;
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < packet_lanes; ++lane) any |= hits[lane];
    return static_cast<std::uint32_t>(any);
  }

  /// Pushes a point onto all lists; a list does not change if its bound is better.
  FARPOINT_ALWAYS_INLINE void push(Scalar const (&distance)[packet_lanes], std::uint32_t name,
                                   std::uint32_t index) noexcept {
    double const none = words_.none(infinity<Scalar>);
    double pushed[packet_lanes];
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < packet_lanes; ++lane) {
      double const word = words_.word_of(distance[lane], name);
      pushed[lane] = index != excluded_[lane] ? word : none;
    }
    for (int row = k_ + spare_rows; row > 0; --row) {
      FARPOINT_VECTOR_LOOP
      for (int lane = 0; lane < packet_lanes; ++lane) {
        double const above = rows_[row - 1][lane];
        double const lower = pushed[lane] < rows_[row][lane] ? pushed[lane] : rows_[row][lane];
        rows_[row][lane] = lower < above ? above : lower;
      }
    }
  }

  FARPOINT_ALWAYS_INLINE void tighten() noexcept {
    std::uint64_t largest = 0;
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < packet_lanes; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, &rows_[k_][lane], sizeof word);
      largest = largest < word ? word : largest;
      worst_[lane] = words_.bound_of(word).distance2();
    }
    bound_ = words_.bound_of(largest);
  }

  bvh const& bvh_;
  packet_words<Scalar> words_;
  int k_;
  int looked_at_ = 0;
  std::uint32_t home_ = no_index;
  std::uint32_t last_ = no_index;
  key limit_;
  key bound_;
  bounding_box<Scalar> box_ = bounding_box<Scalar>::empty();
  Scalar at_[3][packet_lanes];
  Scalar worst_[packet_lanes];  ///< maximum distance of points to take
  std::uint32_t excluded_[packet_lanes];
  double rows_[std::size_t{1 + Rows + spare_rows}][packet_lanes];  ///< zero, which is below all words, then the lists
};

}  // namespace detail
FARPOINT_END_NAMESPACE
