/// @file
/// Parameters and outputs of radius() and radius_rows().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Order of a query's neighbours, which also decides which of them are kept if not all are.
enum class radius_order {
  index,   ///< by index: the ball query of PointNet++
  nearest  ///< by (squared distance, index)
};

/// Which points are neighbours, and in which order.
struct radius_params {
  /// Metres. A point at exactly this distance is a neighbour, unless `exclusive`; squares are compared, in the
  /// coordinates' scalar type.
  double radius = 0;

  radius_order order = radius_order::index;

  /// Point i is not a neighbour of query i.
  bool exclude_self = false;

  /// A point at exactly the radius is no neighbour, as in the ball query of PointNet++. The square of the radius must
  /// not round to 0.
  bool exclusive = false;
};

/// Counters over all clouds of a call, of what only the data can show; see knn_report.
struct radius_report {
  unsigned long long non_finite_points = 0;   ///< points with a NaN or infinite coordinate: never neighbours
  unsigned long long non_finite_queries = 0;  ///< queries with one: without neighbours
  unsigned long long total = 0;               ///< neighbours of all queries: the sum of all counts
  unsigned long long rows_left_out = 0;       ///< of radius_rows(): rows that did not fit the capacity
  unsigned long long bad_offsets = 0;  ///< of points or queries: then all rows are empty, and nothing else counts
};

/// Where radius() writes, in the memory space of the execution. Rows as in knn_output.
template <class Scalar = float>
struct radius_output {
  /// `[queries, max]`: indices into the query's cloud of points, in radius_params::order; -1 past the count.
  index_span indices = {};

  /// `[queries, max]`, optional: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[queries]`, optional: neighbours found, at most max; all of them if max is 0.
  index_span counts = {};

  /// Overwritten, not added to.
  radius_report* report = nullptr;
};

/// Where radius_rows() writes, in the memory space of the execution: rows one after another (CSR).
template <class Scalar = float>
struct radius_rows_output {
  /// `[queries + 1]`: row r is `[offsets[r], offsets[r + 1])`. Complete whatever the capacity, so the last offset is
  /// the capacity that all rows need.
  index_span offsets;

  /// `[capacity]`: indices into the query's cloud of points. A row that does not fit as a whole is left out: what the
  /// capacity holds of it is -1.
  index_span indices = {};

  /// `[capacity]`, optional: squared distances (m^2); +inf where the index is -1.
  span<Scalar> distances = {};

  /// Overwritten, not added to.
  radius_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
