/// @file
/// The arrays of knn_shard() along a curve, and the steps that are its own.
#pragma once

#include <farpoint/scale/along_curve.hpp>
#include <farpoint/scale/knn_shard_check.hpp>
#include <farpoint/scale/stream/curve/owner_index.hpp>
#include <farpoint/scale/stream/curve/parcels.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a rank says of its call before anything else.
struct knn_curve_header : shard_header {
  std::uint64_t is_self;        ///< its queries are its points
  std::uint64_t takes_queries;  ///< it has memory for queries that are not
  index_t owned_points;         ///< room for them
  index_t owned_queries;
};

/// What a rank's memory is for.
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
  /// Rows that the rank answers as an owner, at most.
  index_t rows() const noexcept {
    return larger(is_self ? owned_points : index_t{0}, takes_queries() ? owned_queries : index_t{0});
  }
  /// Points of the whole cloud, at most.
  index_t cloud() const noexcept { return ranks * owned_points; }
};

/// Where the points of a rank are in the whole cloud: in the order of all ranks' points their places follow one
/// another.
struct curve_source {
  index_t begin;  ///< place of its first point
  index_t shift;  ///< from a place to an index
};

/// The arrays of a call before it is known how many points the rank owns.
/// @tparam Index  of a place in the whole cloud
template <class Exec, class Scalar, class Index>
struct knn_curve_memory {
  curve_memory<Scalar> curve;
  curve_parcels<Exec> points;
  curve_parcels<Exec> queries;
  std::uint32_t* begins;     ///< `[2, ranks + 2]`: of parcels
  std::uint32_t* matrix;     ///< `[ranks, 2, ranks + 2]`
  curve_source* sources;     ///< `[ranks]`: in the order of their points
  vec<Scalar>* sent;         ///< points, then queries
  Index* sent_names;         ///< likewise: places
  vec<Scalar>* owned;        ///< `[owned_points]`
  Index* names;              ///< `[owned_points]`
  vec<Scalar>* asked;        ///< `[owned_queries]`
  Index* excluded_names;     ///< `[owned_queries]`: of the points that are not their neighbours
  std::uint32_t* excluded;   ///< `[owned_queries]`: the same points, as the rank knows them
  Index* rows;               ///< `[rows, k]`: to what the rank owns
  Scalar* distances;         ///< `[rows, k]`
  Index* answers;            ///< `[parcels, k]`: to what the rank has sent
  Scalar* answer_distances;  ///< `[parcels, k]`

  knn_curve_memory(workspace_cutter& cutter, knn_curve_sizes const& s) noexcept
      : curve{cutter, s.ranks, s.points}, points{cutter, s.points}, queries{cutter, s.takes_queries() ? s.queries : 0} {
    index_t const own_queries = s.takes_queries() ? s.queries : 0;
    index_t const parcels = larger(s.points, own_queries);
    index_t const answered = larger(s.is_self ? s.points : index_t{0}, own_queries);
    index_t const taken = s.takes_queries() ? s.owned_queries : 0;
    index_t const excluding = s.excludes_self ? taken : 0;
    begins = cutter.take<std::uint32_t>(2 * (s.ranks + 2));
    matrix = cutter.take<std::uint32_t>(2 * index_t{s.ranks} * (s.ranks + 2));
    sources = cutter.take<curve_source>(s.ranks);
    sent = cutter.take<vec<Scalar>>(parcels);
    sent_names = cutter.take<Index>(parcels);
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

/// Finds the owned points that are not neighbours of the queries. Runs for the queries.
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

/// Writes the rows of what has been sent. Runs for all their neighbours.
template <class Scalar, class Index>
struct knn_give_step {
  Index const* places;      ///< `[parcels, k]`
  Scalar const* distances;  ///< `[parcels, k]`
  std::uint32_t const* order;
  index_t k;
  curve_source const* sources;  ///< `[source_count]`
  int source_count;
  index_t* to;           ///< `[rows, k]`
  Scalar* to_distances;  ///< `[rows, k]`

  template <class Number>
  FARPOINT_HD void operator()(Number e) const noexcept {
    auto const width = static_cast<Number>(k);
    Number const parcel = e / width;
    index_t const at = index_t{order[parcel]} * k + static_cast<index_t>(e - parcel * width);
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

/// Empties the rows of what has not been sent. Runs for all their neighbours.
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

/// Adds up what all ranks have found not to be finite. Runs once.
template <class Scalar>
struct knn_curve_report_step {
  curve_party<Scalar> const* parties;
  int ranks;
  knn_report* total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    knn_report sum{};
    for (int r = 0; r < ranks; ++r) {
      sum.non_finite_points += parties[r].non_finite_points;
      sum.non_finite_queries += parties[r].non_finite_queries;
    }
    *total = sum;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
