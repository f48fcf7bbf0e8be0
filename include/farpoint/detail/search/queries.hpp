/// @file
/// Which query a thread answers.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/bvh/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A finite query and where it comes from.
template <class Scalar>
struct search_query {
  index_t cloud = -1;              ///< -1: there is no query
  index_t index = 0;               ///< in its cloud
  index_t row = 0;                 ///< in the view
  std::uint32_t start = no_index;  ///< leaf to begin with; no_index: the nearest
  vec<Scalar, 3> at{};

  FARPOINT_HD bool exists() const noexcept { return cloud >= 0; }
};

/// Spreads the queries of a batch over threads: in the order of the view, or in that of the leaves if the queries are
/// the points, so that the threads of a warp visit the same boxes. Trivially copyable.
template <class Queries>
class search_queries {
 public:
  using scalar = typename Queries::scalar;
  using query = search_query<scalar>;

  /// @param index  of the points, as many clouds
  /// @param self   the queries are the points
  search_queries(batch<Queries> const& queries, point_bvh_arrays<scalar> const& index, bool self) noexcept
      : queries_{queries}, index_{index}, self_{self}, threads_{threads_of(queries, self)} {}

  /// Where offsets are wrong, no query is answered, and all rows are left empty.
  /// @param count     of wrong offsets, in device memory; may be null
  /// @param includes  the count is of the queries' offsets too: else each thread looks at them
  void stop_at_bad_offsets(unsigned const* count, bool includes = true) noexcept {
    bad_offsets_ = count;
    looks_at_offsets_ = !includes && queries_.is_ragged() && queries_.size() > 0;
  }
  FARPOINT_HD bool has_bad_offsets() const noexcept {
    if (bad_offsets_ != nullptr && *bad_offsets_ != 0) return true;
    return looks_at_offsets_ && any_bad_offset(queries_.offsets(), queries_.points().size());
  }

  /// Sets the order in which queries are answered that are not the points.
  /// @param rows    `[queries]`
  /// @param leaves  `[queries]`: leaf_near() of each
  void answer_in_order(std::uint32_t const* rows, std::uint32_t const* leaves) noexcept {
    rows_in_order_ = rows;
    leaves_in_order_ = leaves;
  }

  /// True if thread i answers row i.
  bool are_in_row_order() const noexcept { return !self_ && rows_in_order_ == nullptr; }
  /// Threads that the queries take.
  FARPOINT_HD index_t threads() const noexcept { return threads_; }

  /// The query of a row that is known to have neighbours.
  FARPOINT_HD query query_of(index_t row) const noexcept {
    query q;
    q.at = queries_.points()[row];
    q.row = row;
    place(q);
    return q;
  }

  /// First point of a query's cloud among those of all clouds.
  FARPOINT_HD index_t points_begin(query const& q) const noexcept { return index_.clouds[q.cloud].begin; }
  FARPOINT_HD point_bvh_ref<scalar> index_of(query const& q) const noexcept { return index_[q.cloud]; }
  FARPOINT_HD point_bvh_ref<scalar> index_of(index_t cloud) const noexcept { return index_[cloud]; }
  FARPOINT_HD point_boxes<scalar> const* boxes_of(index_t cloud, int level) const noexcept {
    return index_.boxes_of(cloud, index_.clouds[cloud].begin, level);
  }

  /// The query of a thread, if there is one: those from threads() on, which a grid of whole blocks has, ask nothing.
  /// Sets `bad_row` if the thread has to leave a row empty, because its query is not finite, or because offsets are
  /// wrong.
  FARPOINT_HD query of_thread(index_t thread, index_t& bad_row) const noexcept {
    if (thread >= threads_) return {};
    if (has_bad_offsets()) {
      if (thread < queries_.points().size()) bad_row = thread;
      return {};
    }
    if (rows_in_order_ != nullptr) return of_place(thread, bad_row);
    query const in_view = is_row(thread) ? of_row(thread, bad_row) : query{};
    return self_ ? of_lane(in_packet_order(thread)) : in_view;
  }

  /// A leaf near a query, among those of all clouds.
  FARPOINT_HD index_t leaf_near(query const& q) const noexcept {
    return first_leaf(q.cloud) + index_of(q).leaf_near(q.at);
  }

 private:
  static constexpr index_t packet_ = 32;  ///< queries that a warp answers together

  static index_t threads_of(batch<Queries> const& queries, bool self) noexcept {
    index_t const rows = queries.points().size();
    if (queries.size() == 0 || rows == 0) return 0;
    // The last leaf of each cloud may be filled in part, and so may the packet that another takes the place of.
    return self ? divide_up(rows + point_bvh_width * queries.size(), packet_) * packet_ : rows;
  }

  FARPOINT_HD query of_place(index_t place, index_t& bad_row) const noexcept {
    if (place >= queries_.points().size()) return {};
    query q = of_row(index_t{rows_in_order_[place]}, bad_row);
    if (q.exists()) q.start = static_cast<std::uint32_t>(leaves_in_order_[place] - first_leaf(q.cloud));
    return q;
  }

  /// The thread whose place the calling one takes, in whole packets.
  FARPOINT_HD index_t in_packet_order(index_t thread) const noexcept {
    if (index_.packets == nullptr) return thread;
    return index_t{index_.packets[thread / packet_]} * packet_ + thread % packet_;
  }

  /// Each cloud's leaves begin after those of the clouds before it.
  FARPOINT_HD index_t first_leaf(index_t b) const noexcept {
    return static_cast<index_t>(index_.leaves_of(b, index_.clouds[b].begin) - index_.leaves);
  }

  /// Whether a thread has to look at a row of the view. Where the points of the only cloud are all in leaves, and so
  /// are finite, none has.
  FARPOINT_HD bool is_row(index_t thread) const noexcept {
    if (thread >= queries_.points().size()) return false;
    return !self_ || queries_.size() != 1 || index_.clouds[0].size != queries_[0].size();
  }

  FARPOINT_HD query of_row(index_t row, index_t& bad_row) const noexcept {
    query q;
    q.at = queries_.points()[row];
    q.row = row;
    bool const finite = is_finite(q.at);
    if (self_ && finite) return q;
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
    index_t const b = segment_of(queries_.size(), leaf, [this](index_t i) { return first_leaf(i); });
    query q;
    index_t const place = leaf - first_leaf(b);
    if (place < 0 || place * point_bvh_width >= index_.clouds[b].size) return q;
    point_leaf<scalar> const& home = index_.leaves[leaf];
    int const lane = static_cast<int>(thread % point_bvh_width);
    if (home.index[lane] == no_index) return q;
    q.cloud = b;
    q.index = index_t{home.index[lane]};
    q.row = queries_.begin_of(b) + q.index;
    q.start = static_cast<std::uint32_t>(place);
    q.at = home.at(lane);
    return q;
  }

  batch<Queries> queries_;
  point_bvh_arrays<scalar> index_;
  bool self_;
  index_t threads_;
  bool looks_at_offsets_ = false;
  unsigned const* bad_offsets_ = nullptr;
  std::uint32_t const* rows_in_order_ = nullptr;
  std::uint32_t const* leaves_in_order_ = nullptr;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
