/// @file
/// Assignment of queries to threads.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/bvh/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Finite query, and its position in the batch.
template <class Scalar>
struct search_query {
  index_t cloud = -1;              ///< -1: no query
  index_t index = 0;               ///< index in the cloud
  index_t row = 0;                 ///< index in the view
  std::uint32_t start = no_index;  ///< first leaf to search; no_index: the nearest leaf
  vec<Scalar, 3> at{};

  FARPOINT_HD bool exists() const noexcept { return cloud >= 0; }
};

/// Counters that a search adds to; null if not wanted.
struct query_counters {
  unsigned long long* found = nullptr;       ///< neighbors
  unsigned long long* non_finite = nullptr;  ///< queries
};

/// Counter of queries that are not finite, of an optional report.
template <class Report>
query_counters non_finite_counter(Report* report) noexcept {
  return {nullptr, report == nullptr ? nullptr : &report->non_finite_queries};
}

/// Assigns the queries of a batch to threads: in the order of the view, or in the order of the leaves of a BVH of the
/// queries. Threads of a warp then visit the same boxes. If the queries are the points, the index is that BVH.
/// Trivially copyable.
template <class Queries>
class search_queries {
 public:
  using queries_type = Queries;
  using scalar = typename Queries::scalar;
  using query = search_query<scalar>;

  /// False if the queries are always points of the index.
  static constexpr bool may_be_external = true;
  /// True in scanned_queries.
  static constexpr bool is_scanned = false;

  /// @param index  index of the points, with one cloud per cloud of queries
  /// @param self   true if the queries are the points
  search_queries(batch<Queries> const& queries, point_bvh_arrays<scalar> const& index, bool self) noexcept
      : queries_{queries},
        index_{index},
        order_{index},
        self_{self},
        in_leaf_order_{self},
        threads_{threads_of(queries, self)} {}

  /// Queries in the order of the view, among points without an index.
  template <class Points>
  search_queries(batch<Queries> const& queries, batch<Points> const& points) noexcept
      : search_queries{queries, point_bvh_arrays<scalar>{}, false} {
    point_offsets_ = points.offsets().data();
    points_each_ = points.largest();
  }

  /// Makes all queries leave their rows empty if offsets are bad.
  /// @param count     number of bad offsets, in device memory; may be null
  /// @param includes  true if the count includes the queries' offsets; otherwise each thread checks these
  void stop_at_bad_offsets(unsigned const* count, bool includes = true) noexcept {
    bad_offsets_ = count;
    looks_at_offsets_ = !includes && queries_.is_ragged() && queries_.size() > 0;
  }
  FARPOINT_HD bool has_bad_offsets() const noexcept {
    if (bad_offsets_ != nullptr && *bad_offsets_ != 0) return true;
    return looks_at_offsets_ && any_bad_offset(queries_.offsets(), queries_.points().size());
  }

  /// Makes queries that are not the points follow the leaves of a BVH of the queries.
  /// @param order  BVH of each cloud of queries; clouds with bad offsets may be anything
  void answer_in_order(point_bvh_arrays<scalar> const& order) noexcept {
    order_ = order;
    in_leaf_order_ = true;
    threads_ = threads_of(queries_, true);
  }

  FARPOINT_HD batch<Queries> const& all() const noexcept { return queries_; }
  /// True if the queries are the points of the index.
  bool are_points() const noexcept { return self_; }
  /// True if threads follow the leaves of a BVH of the queries.
  bool are_in_leaf_order() const noexcept { return in_leaf_order_; }
  /// True if thread i answers row i.
  bool are_in_row_order() const noexcept { return !in_leaf_order_; }
  /// Number of threads for all queries.
  FARPOINT_HD index_t threads() const noexcept { return threads_; }

  /// Returns the query of a row that is known to have neighbors.
  FARPOINT_HD query query_of(index_t row) const noexcept {
    query q;
    q.at = queries_.points()[row];
    q.row = row;
    place(q);
    return q;
  }

  /// Offset of the first point of a query's cloud in the view of all clouds.
  FARPOINT_HD index_t points_begin(query const& q) const noexcept {
    if (index_.clouds != nullptr) return index_.clouds[q.cloud].begin;
    return point_offsets_ != nullptr ? point_offsets_[q.cloud] : q.cloud * points_each_;
  }
  FARPOINT_HD point_bvh_ref<scalar> index_of(query const& q) const noexcept { return index_[q.cloud]; }
  FARPOINT_HD point_bvh_ref<scalar> index_of(index_t cloud) const noexcept { return index_[cloud]; }
  FARPOINT_HD point_boxes<scalar> const* boxes_of(index_t cloud, int level) const noexcept {
    return index_.boxes_of(cloud, index_.clouds[cloud].begin, level);
  }

  /// Returns the query of a thread. Threads from threads() on, which fill the last block, have no query.
  /// @param bad_row  set to the row that the thread must leave empty, because its query is not finite or offsets are
  ///                 bad
  FARPOINT_HD query of_thread(index_t thread, index_t& bad_row) const noexcept {
    if (thread >= threads_) return {};
    if (has_bad_offsets()) {
      if (thread < queries_.points().size()) bad_row = thread;
      return {};
    }
    query const in_view = is_row(thread) ? of_row(thread, bad_row) : query{};
    return in_leaf_order_ ? of_lane(in_packet_order(thread)) : in_view;
  }

 private:
  static constexpr index_t packet_ = 32;  ///< number of queries that a warp answers together

  static index_t threads_of(batch<Queries> const& queries, bool in_leaf_order) noexcept {
    index_t const rows = queries.points().size();
    if (queries.size() == 0 || rows == 0) return 0;
    // Each cloud may end with a partly filled leaf. Whole packets are needed because packets are permuted.
    return in_leaf_order ? divide_up(rows + point_bvh_width * queries.size(), packet_) * packet_ : rows;
  }

  /// Returns the thread whose query the calling thread answers: packets are permuted as a whole.
  FARPOINT_HD index_t in_packet_order(index_t thread) const noexcept {
    if (order_.packets == nullptr) return thread;
    return index_t{order_.packets[thread / packet_]} * packet_ + thread % packet_;
  }

  /// First leaf of a cloud's BVH. The leaves of a cloud follow the leaves of the clouds before it.
  FARPOINT_HD static index_t first_leaf(point_bvh_arrays<scalar> const& of, index_t b) noexcept {
    return static_cast<index_t>(of.leaves_of(b, of.clouds[b].begin) - of.leaves);
  }

  /// True if a thread must test a row of the view. If the leaves contain all points of a single cloud, all queries are
  /// finite and no row needs a test.
  FARPOINT_HD bool is_row(index_t thread) const noexcept {
    if (thread >= queries_.points().size()) return false;
    return !in_leaf_order_ || queries_.size() != 1 || order_.clouds[0].size != queries_[0].size();
  }

  FARPOINT_HD query of_row(index_t row, index_t& bad_row) const noexcept {
    query q;
    q.at = queries_.points()[row];
    q.row = row;
    bool const finite = is_finite(q.at);
    if (in_leaf_order_ && finite) return q;
    place(q);
    if (!q.exists() || finite) return q;
    bad_row = row;
    return {};
  }

  /// Finds the cloud of a query by its row.
  FARPOINT_HD void place(query& q) const noexcept {
    index_t const b = queries_.cloud_of(q.row);
    q.index = q.row - queries_.begin_of(b);
    if (q.index >= 0 && q.index < queries_[b].size()) q.cloud = b;
  }

  FARPOINT_HD query of_lane(index_t thread) const noexcept {
    index_t const leaf = thread / point_bvh_width;
    index_t const b = segment_of(queries_.size(), leaf, [this](index_t i) { return first_leaf(order_, i); });
    query q;
    index_t const place = leaf - first_leaf(order_, b);
    if (place < 0 || place * point_bvh_width >= order_.clouds[b].size) return q;
    point_leaf<scalar> const& home = order_.leaves[leaf];
    int const lane = static_cast<int>(thread % point_bvh_width);
    if (home.index[lane] == no_index) return q;
    q.cloud = b;
    q.index = index_t{home.index[lane]};
    q.row = queries_.begin_of(b) + q.index;
    if (self_) q.start = static_cast<std::uint32_t>(place);
    q.at = home.at(lane);
    return q;
  }

  batch<Queries> queries_;
  point_bvh_arrays<scalar> index_;
  point_bvh_arrays<scalar> order_;  ///< BVHs whose leaves hold the queries, if these are in the order of leaves
  bool self_;
  bool in_leaf_order_;
  index_t threads_;
  bool looks_at_offsets_ = false;
  unsigned const* bad_offsets_ = nullptr;
  index_t const* point_offsets_ = nullptr;  ///< offsets of points without an index, if they are ragged
  index_t points_each_ = 0;                 ///< otherwise the size of each of their clouds
};

}  // namespace detail
FARPOINT_END_NAMESPACE
