/// @file
/// What radius() and radius_rows() take and fill.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Order of the neighbours of a query, and which are kept where not all are.
enum class radius_order {
  index,   ///< by index: the ball query of PointNet++
  nearest  ///< by (squared distance, index)
};

/// What is a neighbour.
struct radius_params {
  /// Metres. A point at exactly this distance is a neighbour. Compared as squares in the coordinates' scalar type.
  double radius = 0;

  radius_order order = radius_order::index;

  /// Point i is no neighbour of query i.
  bool exclude_self = false;
};

/// Counters over all clouds of a call.
struct radius_report {
  unsigned long long non_finite_points = 0;   ///< nobody's neighbours
  unsigned long long non_finite_queries = 0;  ///< without neighbours
  unsigned long long total = 0;               ///< neighbours of all queries: the sum of the counts
  unsigned long long rows_left_out = 0;       ///< radius_rows(): rows that the capacity did not hold
};

/// Where the answer of radius() goes, in the memory space of the execution. Rows are those of knn_output.
template <class Scalar = float>
struct radius_output {
  /// `[queries, max]`: indices into the query's cloud of points, in radius_params::order; -1 past the count.
  index_span indices = {};

  /// `[queries, max]`, optional: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[queries]`: neighbours found, at most max; all of them where max is 0.
  index_span counts = {};

  /// Overwritten, not added to.
  radius_report* report = nullptr;
};

/// Where the answer of radius_rows() goes: lists one after another (CSR), in the memory space of the execution.
template <class Scalar = float>
struct radius_rows_output {
  /// `[queries + 1]`: row r is `[offsets[r], offsets[r + 1])` of the lists. Always complete, also when the lists have
  /// no room for all rows: the last one is what to allocate.
  index_span offsets;

  /// `[capacity]`: indices into the query's cloud of points. A row that does not fit in whole is left out: its elements
  /// below the capacity are -1.
  index_span indices = {};

  /// `[capacity]`, optional: squared distances (m^2); +inf where the index is -1.
  span<Scalar> distances = {};

  /// Overwritten, not added to.
  radius_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
