/// @file
/// Arrays and steps of knn_shard() along a curve.
#pragma once

#include <farpoint/scale/along_curve.hpp>
#include <farpoint/scale/stream/curve/owner_index.hpp>
#include <farpoint/scale/stream/curve/repartition.hpp>
#include <farpoint/scale/stream/knn_shard_check.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// First message of each rank in a call along a curve.
struct knn_curve_header : shard_header {
  std::uint64_t is_self;        ///< the rank's queries are its points
  std::uint64_t takes_queries;  ///< the rank has memory for queries that are not points
  index_t owned_points;         ///< room for owned points
  index_t owned_queries;
};

/// Sizes of a rank's arrays.
struct knn_curve_sizes {
  int ranks;
  index_t points;
  index_t queries;
  index_t k;
  index_t owned_points;
  index_t owned_queries;
  index_t exchanged;
  bool is_self;
  bool excludes_self;

  bool takes_queries() const noexcept { return !is_self || owned_queries > 0; }
  /// Largest number of rows that the rank answers as an owner.
  index_t rows() const noexcept {
    return larger(is_self ? owned_points : index_t{0}, takes_queries() ? owned_queries : index_t{0});
  }
  /// Largest number of points of the whole cloud.
  index_t cloud() const noexcept { return ranks * owned_points; }
};

/// Positions of a rank's points in the whole cloud. Positions number the points of all ranks consecutively, in the
/// order of their parts; indices may have gaps between parts.
struct curve_source {
  index_t begin;  ///< position of the rank's first point
  index_t shift;  ///< index minus position
};

/// Arrays of a call that do not depend on the number of owned points.
/// @tparam Index  type of a position in the whole cloud
template <class Exec, class Scalar, class Index>
struct knn_curve_memory {
  curve_repartition_memory<Exec, Scalar> owners;
  curve_source* sources;     ///< `[ranks]`: in the order of the parts
  vec<Scalar>* sent;         ///< points to send, later queries
  Index* sent_names;         ///< positions of `sent`
  vec<Scalar>* owned;        ///< `[owned_points]`
  Index* names;              ///< `[owned_points]`
  vec<Scalar>* asked;        ///< `[owned_queries]`
  Index* excluded_names;     ///< `[owned_queries]`: position of the point that each query excludes
  std::uint32_t* excluded;   ///< `[owned_queries]`: owned index of the same point
  Index* rows;               ///< `[rows, k]`: rows of the owned queries
  Scalar* distances;         ///< `[rows, k]`
  Index* answers;            ///< `[sent, k]`: rows of the sent queries
  Scalar* answer_distances;  ///< `[sent, k]`

  knn_curve_memory(workspace_cutter& cutter, knn_curve_sizes const& s) noexcept
      : owners{cutter, s.ranks, s.points, s.takes_queries() ? s.queries : 0} {
    index_t const own_queries = s.takes_queries() ? s.queries : 0;
    index_t const most_sent = larger(s.points, own_queries);
    index_t const answered = larger(s.is_self ? s.points : index_t{0}, own_queries);
    index_t const taken = s.takes_queries() ? s.owned_queries : 0;
    index_t const excluding = s.excludes_self ? taken : 0;
    sources = cutter.take<curve_source>(s.ranks);
    sent = cutter.take<vec<Scalar>>(most_sent);
    sent_names = cutter.take<Index>(most_sent);
    owned = cutter.take<vec<Scalar>>(s.owned_points);
    names = cutter.take<Index>(s.owned_points);
    asked = cutter.take<vec<Scalar>>(taken);
    excluded_names = cutter.take<Index>(excluding);
    excluded = cutter.take<std::uint32_t>(excluding);
    rows = cutter.take<Index>(s.rows() * s.k);
    distances = cutter.take<Scalar>(s.rows() * s.k);
    answers = cutter.take<Index>(answered * s.k);
    answer_distances = cutter.take<Scalar>(answered * s.k);
  }
};

/// Finds the owned point that each query excludes. Runs for the queries.
template <class Index>
struct knn_excluded_step {
  Index const* excluded_names;
  Index const* names;  ///< ascending
  index_t points;
  std::uint32_t* excluded;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    Index const name = excluded_names[i];
    index_t low = 0;
    index_t high = points;
    while (low < high) {
      index_t const middle = (low + high) / 2;
      bool const is_before = names[middle] < name;
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    excluded[i] = low < points && names[low] == name ? static_cast<std::uint32_t>(low) : no_index;
  }
};

/// Writes the rows that came back. Runs for all neighbors of all rows.
template <class Scalar, class Index>
struct knn_give_step {
  Index const* places;      ///< `[sent, k]`
  Scalar const* distances;  ///< `[sent, k]`
  std::uint32_t const* order;
  index_t k;
  curve_source const* sources;  ///< `[source_count]`
  int source_count;
  index_t* to;           ///< `[rows, k]`
  Scalar* to_distances;  ///< `[rows, k]`

  template <class Number>
  FARPOINT_HD void operator()(Number e) const noexcept {
    auto const width = static_cast<Number>(k);
    Number const item = e / width;
    index_t const at = index_t{order[item]} * k + static_cast<index_t>(e - item * width);
    to[at] = index_of(index_t{places[e]});
    to_distances[at] = distances[e];
  }

 private:
  FARPOINT_HD index_t index_of(index_t place) const noexcept {
    if (place < 0) return -1;
    int low = 0;
    for (int high = source_count; high - low > 1;) {
      int const middle = (low + high) / 2;
      (sources[middle].begin <= place ? low : high) = middle;
    }
    return place + sources[low].shift;
  }
};

/// Empties the rows of queries that were not sent. Runs for all neighbors of all rows.
template <class Scalar>
struct knn_leave_step {
  std::uint32_t const* order;
  index_t k;
  index_t* to;           ///< `[rows, k]`
  Scalar* to_distances;  ///< `[rows, k]`

  FARPOINT_HD void operator()(std::uint64_t e) const noexcept {
    index_t const at = index_t{order[static_cast<index_t>(e) / k]} * k + static_cast<index_t>(e) % k;
    to[at] = -1;
    to_distances[at] = infinity<Scalar>;
  }
};

/// Adds up the non-finite points and queries of all ranks. Runs once.
template <class Scalar>
struct knn_curve_report_step {
  curve_summary<Scalar> const* summaries;
  int ranks;
  knn_report* total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    knn_report sum{};
    for (int r = 0; r < ranks; ++r) {
      sum.non_finite_points += summaries[r].non_finite_points;
      sum.non_finite_queries += summaries[r].non_finite_queries;
    }
    *total = sum;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
