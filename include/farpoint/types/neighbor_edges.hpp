/// @file
/// Input and output of neighbor_edges().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Direction of edges: which end is in `edges_output::rows`.
enum class edge_flow {
  source_to_target,  ///< rows: neighbors, cols: the queries that they are neighbors of
  target_to_source   ///< rows: queries, cols: their neighbors
};

/// Lists of neighbors of each query, as knn(), radius() or radius_rows() writes them, in the memory space of the
/// execution. Offsets that descend are not detected; they give other edges, never an access out of bounds.
template <class Scalar = float>
struct neighbor_lists {
  index_view indices;                 ///< `[queries, k]`, or `[capacity]` with offsets: points of the query's cloud
  index_t k = 0;                      ///< columns of a table by knn() or radius(); 0: rows by radius_rows()
  index_view offsets = {};            ///< `[queries + 1]` of radius_rows(); not read for a table
  span<Scalar const> distances = {};  ///< parallel to `indices`; only needed for edges_output::distances

  /// Number of entries of the lists of `queries` queries: of a table all, of rows the capacity.
  FARPOINT_HD constexpr index_t entries(index_t queries) const noexcept {
    if (queries <= 0) return 0;
    if (k <= 0) return indices.size();
    return queries <= indices.size() / k ? queries * k : 0;
  }
};

/// Counters over all clouds of a call.
struct edges_report {
  unsigned long long total = 0;          ///< number of edges of all queries
  unsigned long long over_capacity = 0;  ///< edges that there was no room for
  unsigned long long bad_indices = 0;    ///< entries that are no points of the query's cloud: not edges
  unsigned long long bad_offsets = 0;    ///< invalid offsets of points and queries; then there are no edges
};

/// Output of neighbor_edges(), in the memory space of the execution: an edge list (COO). Edges are in the order of the
/// queries, then of their lists; entries past the last edge are not written.
template <class Scalar = float>
struct edges_output {
  index_span rows;                 ///< `[capacity]`: indices into the view of all clouds; see edge_flow
  index_span cols;                 ///< `[capacity]`
  span<Scalar> distances{};        ///< `[capacity]`, optional: squared distances (m^2), copied from the lists
  index_span count = {};           ///< `[1]`, optional: number of edges that were written
  edges_report* report = nullptr;  ///< optional; overwritten, not added to
};

FARPOINT_END_NAMESPACE
