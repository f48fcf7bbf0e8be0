/// @file
/// What knn() takes and fills.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Method of knn(): the neighbours in 3-D space, none missed.
struct exact {
  /// Metres. No neighbour is farther than this; one at exactly this distance is a neighbour. Compared as squares in the
  /// coordinates' scalar type.
  double max_radius = std::numeric_limits<double>::infinity();

  /// Point i is no neighbour of query i. By index, not by distance: a point with duplicates still has k neighbours.
  bool exclude_self = false;
};

/// Largest k of knn().
inline constexpr index_t max_neighbours = 1024;

/// Counters over all clouds of a call: trouble that the data shows.
struct knn_report {
  unsigned long long non_finite_points = 0;   ///< points with a NaN or infinite coordinate; nobody's neighbours
  unsigned long long non_finite_queries = 0;  ///< queries with one; they have no neighbours
};

/// Where the answer goes. All in the memory space of the execution; every part but `indices` may be left out.
///
/// Row r belongs to point r of the queries' view, whatever cloud it is in; rows of queries that ragged offsets leave
/// out are not written.
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
