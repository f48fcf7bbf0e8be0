/// @file
/// Parameters and output of knn().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Number of neighbors of knn(), and limits of which points are neighbors.
struct knn_params {
  index_t k = 1;  ///< number of neighbors per query, 1 to max_neighbors

  /// Maximum distance of a neighbor in meters, inclusive; squares are compared, in the coordinates' scalar type.
  double max_radius = std::numeric_limits<double>::infinity();

  /// True to exclude point i from the neighbors of query i. Compares indices, not distances, so duplicates of a point
  /// remain.
  bool exclude_self = false;
};

/// Parameters of for_each_neighborhood(), which has the number of neighbors as a template argument.
struct neighborhood_params {
  double max_radius = std::numeric_limits<double>::infinity();  ///< as in knn_params
  bool exclude_self = false;                                    ///< as in knn_params

  /// Parameters of knn() for the same lists.
  constexpr knn_params with_k(index_t k) const noexcept { return {k, max_radius, exclude_self}; }
};
/// Deprecated parameters of knn() without k, until 0.2.
using exact [[deprecated("farpoint: use knn_params, or neighborhood_params for for_each_neighborhood()")]] =
    neighborhood_params;

/// Limits of the searches that a workspace is for: it suffices for every search within all limits, regular or ragged,
/// and for any distribution of points and queries over the clouds.
struct search_limits {
  index_t points = 0;   ///< points of the view: all clouds, and points between them
  index_t clouds = 1;   ///< clouds of points, equal to the clouds of queries
  index_t queries = 0;  ///< queries of the view, all clouds; 0 if the points are the queries
};

/// Maximum k of knn().
inline constexpr index_t max_neighbors = 1024;
/// Deprecated name of max_neighbors, until 0.2.
[[deprecated("farpoint: use max_neighbors")]] inline constexpr index_t max_neighbours = max_neighbors;

/// Counters over all clouds of a call, of faults that only the data shows. A search by an index reports the same
/// numbers as a search of its points, on every backend: the index stores the counts of its points.
struct knn_report {
  unsigned long long non_finite_points = 0;   ///< points with a NaN or infinite coordinate: never neighbors
  unsigned long long non_finite_queries = 0;  ///< queries with a NaN or infinite coordinate: without neighbors
  unsigned long long bad_offsets = 0;  ///< invalid offsets of points and queries, counted once if both are the same
                                       ///< array; if not 0, all rows are empty and the other counters 0
};

/// Output of knn(), in the memory space of the execution. All parts but `indices` are optional.
///
/// Row r belongs to point r of the queries' view, whatever its cloud. Rows of queries that are in no cloud of a ragged
/// batch are not written; if offsets are invalid (knn_report::bad_offsets), all rows are empty.
template <class Scalar = float>
struct knn_output {
  /// `[queries, k]`, row-major: indices into the query's cloud of points, ascending by (squared distance, index); -1
  /// past the count.
  index_span indices;

  /// `[queries, k]`: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[queries]`: number of neighbors found, at most k.
  index_span counts = {};

  /// Optional; overwritten, not added to.
  knn_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
