/// @file
/// Parameters and outputs of radius() and radius_rows().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Order of a query's neighbors; it also decides which neighbors are kept if not all fit.
enum class radius_order {
  index,   ///< by index: the ball query of PointNet++
  nearest  ///< by (squared distance, index)
};

/// Definition, number and order of neighbors.
struct radius_params {
  /// Radius in meters, inclusive unless `exclusive`; squares are compared, in the coordinates' scalar type.
  double radius = 0;

  /// Maximum number of neighbors per query, 0 to 1,024; 0 to count all neighbors only. Not used by
  /// radius_rows(), which lists all neighbors.
  index_t max_neighbors = 0;

  radius_order order = radius_order::index;

  /// True to exclude point i from the neighbors of query i.
  bool exclude_self = false;

  /// True to exclude points at exactly the radius, as the ball query of PointNet++ does. The square of the radius must
  /// not round to 0.
  bool exclusive = false;
};

/// Counters over all clouds of a call, of faults that only the data shows; see knn_report.
struct radius_report {
  unsigned long long non_finite_points = 0;   ///< points with a NaN or infinite coordinate: never neighbors
  unsigned long long non_finite_queries = 0;  ///< queries with a NaN or infinite coordinate: without neighbors
  unsigned long long total = 0;               ///< number of neighbors of all queries: the sum of all counts
  unsigned long long rows_left_out = 0;       ///< radius_rows(): rows that did not fit the capacity
  unsigned long long bad_offsets = 0;  ///< invalid offsets; if not 0, all rows are empty and the other counters 0
};

/// Output of radius(), in the memory space of the execution. Rows as in knn_output.
template <class Scalar = float>
struct radius_output {
  /// `[queries, max_neighbors]`: indices into the query's cloud of points, in radius_params::order; -1 past the count.
  index_span indices = {};

  /// `[queries, max_neighbors]`, optional: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[queries]`, optional: number of neighbors found, at most max_neighbors; of all neighbors if that is 0.
  index_span counts = {};

  /// Optional; overwritten, not added to.
  radius_report* report = nullptr;
};

/// Output of radius_rows(), in the memory space of the execution: consecutive rows (CSR).
template <class Scalar = float>
struct radius_rows_output {
  /// `[queries + 1]`: row r is `[offsets[r], offsets[r + 1])`. Complete for every capacity: the last offset is the
  /// capacity that all rows need.
  index_span offsets;

  /// `[capacity]`: indices into the query's cloud of points. A row that does not fit entirely is left out: its part
  /// within the capacity is filled with -1.
  index_span indices = {};

  /// `[capacity]`, optional: squared distances (m^2); +inf where the index is -1.
  span<Scalar> distances = {};

  /// Optional; overwritten, not added to.
  radius_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
