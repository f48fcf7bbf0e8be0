/// @file
/// Parameters and output of knn().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Method of knn(): the nearest points in space, exactly.
struct exact {
  /// Metres: no neighbour is farther away. A point at exactly this distance is a neighbour; squares are compared, in
  /// the coordinates' scalar type.
  double max_radius = std::numeric_limits<double>::infinity();

  /// Point i is not a neighbour of query i. Goes by index, not by distance, so duplicates of a point remain.
  bool exclude_self = false;
};

/// Limits of the searches that a workspace is for: it is enough for all that have no more of anything, regular or
/// ragged, however points and queries are shared out among the clouds.
struct search_limits {
  index_t points = 0;   ///< of the view: of all clouds together, and between them
  index_t clouds = 1;   ///< of points, and as many of queries
  index_t queries = 0;  ///< of the view, of all clouds; queries that are the points need not be counted
};

/// Largest k of knn().
inline constexpr index_t max_neighbours = 1024;

/// Counters over all clouds of a call, of what only the data can show. A search by an index reports what the search of
/// the points would, on every backend: the index keeps the counts of its points.
struct knn_report {
  unsigned long long non_finite_points = 0;   ///< points with a NaN or infinite coordinate: never neighbours
  unsigned long long non_finite_queries = 0;  ///< queries with one: without neighbours
  unsigned long long bad_offsets = 0;  ///< wrong offsets of points and queries, counted once where they are the same
                                       ///< array: then all rows are empty, and nothing else counts
};

/// Where knn() writes, in the memory space of the execution. All parts but `indices` are optional.
///
/// Row r is that of point r of the queries' view, whatever its cloud. Rows of queries that are in no cloud of a ragged
/// batch are not written; where offsets are wrong (knn_report::bad_offsets), all rows are empty.
template <class Scalar = float>
struct knn_output {
  /// `[queries, k]`, row-major: indices into the query's cloud of points, ascending by (squared distance, index); -1
  /// past the count.
  index_span indices;

  /// `[queries, k]`: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[queries]`: neighbours found, at most k.
  index_span counts = {};

  /// Overwritten, not added to.
  knn_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
