/// @file
/// Queries that are near one another, answered together on a processor: a lane of its vectors each.
#pragma once

#include <farpoint/spatial/nearest_first.hpp>
#include <farpoint/spatial/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries of a packet: two vectors of AVX2, one of AVX-512.
inline constexpr int packet_lanes = 16;

/// The k nearest of the queries of a packet, a visitor of visit_nearest_first(). The lists are sorted at all times.
///
/// What a leaf holds is compared with all queries at once, and a box is looked into if any query may need it. Keys are
/// doubles here: their words have the same order, since none is a NaN, and every processor has a minimum of doubles.
/// @tparam Rows  k at most
template <int Rows>
class query_packet {
 public:
  using bvh = point_bvh_ref<float>;
  using key = neighbour_key<float>;

  /// @param queries  `[count]`
  /// @param count    1 to packet_lanes
  /// @param limit    keys must be below this
  FARPOINT_ALWAYS_INLINE query_packet(bvh const& points, vec<float, 3> const* queries, int count, int k,
                                      key const& limit) noexcept
      : bvh_{points}, k_{k}, limit_{limit} {
    for (int lane = 0; lane < packet_lanes; ++lane) {
      vec<float, 3> const q = queries[lane < count ? lane : 0];
      box_.grow(q);
      FARPOINT_UNROLL
      for (int axis = 0; axis < 3; ++axis) at_[axis][lane] = q[axis];
      excluded_[lane] = no_index;
      worst_[lane] = limit.distance2();
      rows_[0][lane] = number_of(key::lowest());
    }
    for (int row = 1; row <= k; ++row) {
      FARPOINT_VECTOR_LOOP
      for (int lane = 0; lane < packet_lanes; ++lane) rows_[row][lane] = number_of(limit);
    }
  }

  /// @param index  of a point that the list of this query passes over; no_index: none
  FARPOINT_ALWAYS_INLINE void exclude(int lane, std::uint32_t index) noexcept { excluded_[lane] = index; }
  /// Looks at a leaf before the walk.
  FARPOINT_ALWAYS_INLINE void begin(std::uint32_t home) noexcept {
    look_at(home);
    home_ = home;
  }

  FARPOINT_ALWAYS_INLINE bounding_box<float> const& box() const noexcept { return box_; }
  /// The largest of the keys that points must be below for one query or another.
  FARPOINT_ALWAYS_INLINE key limit() const noexcept { return limit_; }
  /// @return false if so many leaves have been looked at that the queries are not near one another
  FARPOINT_ALWAYS_INLINE bool look_at(std::uint32_t node) noexcept {
    if (node == home_) return true;
    point_leaf<float> const& leaf = bvh_.leaf(node);
    float distance[point_bvh_width][packet_lanes];
    std::uint32_t wanted = measure(leaf, distance);
    if (wanted != 0) {
      last_ = node;
      for (; wanted != 0; wanted &= wanted - 1) {
        int const lane = lowest_bit(wanted);
        push(distance[lane], leaf.index[lane]);
      }
      tighten();
    }
    return ++looked_at_ < most_leaves();
  }

  /// Writes the list of a query.
  FARPOINT_ALWAYS_INLINE void write(int lane, key* keys) const noexcept {
    for (int row = 1; row <= k_; ++row) keys[row - 1] = key_of(rows_[row][lane]);
  }
  /// What all keys of a query's list are below, whether the walk came to its end or not.
  FARPOINT_ALWAYS_INLINE key limit_of(int lane) const noexcept {
    key const worst = key_of(rows_[k_][lane]);
    return worst.index() == no_index ? worst : key{worst.distance2(), worst.index() + 1};
  }
  /// The last leaf that had a point for a list; no_index: none had.
  FARPOINT_ALWAYS_INLINE std::uint32_t last() const noexcept { return last_; }

 private:
  static_assert(sizeof(key) == sizeof(double));

  FARPOINT_ALWAYS_INLINE int most_leaves() const noexcept { return 64 + packet_lanes * k_; }

  FARPOINT_ALWAYS_INLINE static double number_of(key const& key) noexcept {
    double number;
    std::memcpy(&number, &key, sizeof number);
    return number;
  }
  FARPOINT_ALWAYS_INLINE static key key_of(double number) noexcept {
    std::uint64_t word;
    std::memcpy(&word, &number, sizeof word);
    return key_of(word);
  }
  FARPOINT_ALWAYS_INLINE static key key_of(std::uint64_t word) noexcept {
    auto const high = static_cast<std::uint32_t>(word >> 32);
    float distance;
    std::memcpy(&distance, &high, sizeof distance);
    return {distance, static_cast<std::uint32_t>(word)};
  }

  /// Squared distances from each query to each point; returns the points that any list may take, a bit each.
  FARPOINT_ALWAYS_INLINE std::uint32_t measure(point_leaf<float> const& leaf,
                                               float (&distance)[point_bvh_width][packet_lanes]) const noexcept {
    std::uint32_t hits[packet_lanes] = {};
    FARPOINT_UNROLL
    for (int p = 0; p < point_bvh_width; ++p) {
      FARPOINT_VECTOR_LOOP
      for (int lane = 0; lane < packet_lanes; ++lane) {
        float d = add_axis(0.0f, leaf.axis[0][p], at_[0][lane]);
        d = add_axis(d, leaf.axis[1][p], at_[1][lane]);
        d = add_axis(d, leaf.axis[2][p], at_[2][lane]);
        distance[p][lane] = d;
        hits[lane] |= d <= worst_[lane] ? 1u << p : 0u;
      }
    }
    std::uint32_t any = 0;
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < packet_lanes; ++lane) any |= hits[lane];
    return any;
  }

  /// Pushes a point onto all lists: those that do not take it stay as they are.
  FARPOINT_ALWAYS_INLINE void push(float const (&distance)[packet_lanes], std::uint32_t index) noexcept {
    double pushed[packet_lanes];
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < packet_lanes; ++lane) {
      pushed[lane] = number_of(index != excluded_[lane] ? key{distance[lane], index} : key{infinity<float>, no_index});
    }
    for (int row = k_; row > 0; --row) {
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
      auto const high = static_cast<std::uint32_t>(word >> 32);
      std::memcpy(&worst_[lane], &high, sizeof high);
    }
    limit_ = key_of(largest);
  }

  bvh const& bvh_;
  int k_;
  int looked_at_ = 0;
  std::uint32_t home_ = no_index;
  std::uint32_t last_ = no_index;
  key limit_;
  bounding_box<float> box_ = bounding_box<float>::empty();
  float at_[3][packet_lanes];
  float worst_[packet_lanes];  ///< distance that points must not be above
  std::uint32_t excluded_[packet_lanes];
  double rows_[std::size_t{1 + Rows}][packet_lanes];  ///< the lowest key, and the lists
};

}  // namespace detail
FARPOINT_END_NAMESPACE
