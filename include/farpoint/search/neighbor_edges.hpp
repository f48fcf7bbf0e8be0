/// @file
/// Edge lists (COO) from lists of neighbors: host backend and convenience overloads. neighbor_edges.cuh adds
/// cuda_exec.
#pragma once

#include <farpoint/detail/subset/neighbor_edges_host.hpp>
#include <farpoint/radius.hpp>

#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of neighbor_edges() on the host; 256-byte aligned memory. Exact, O(1):
/// 24 bytes for every 65,536 entries of the lists, rounded up to whole 256 bytes.
template <class Queries>
std::size_t neighbor_edges_workspace_bytes(host_exec, batch<Queries> const& queries,
                                           neighbor_lists<typename Queries::scalar> const& lists) noexcept {
  return detail::edges_host_bytes(lists.entries(queries.points().size()));
}

/// Computes a number of bytes of workspace that suffices for neighbor_edges() of all lists of up to `entries` entries:
/// queries x k of a table, the capacity of rows. Monotonic in `entries`. O(1).
/// @return ok | bad_argument; on failure `bound` is unchanged
inline result neighbor_edges_workspace_bound(host_exec exec, index_t entries, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (entries < 0 || entries > detail::max_edge_entries) {
    return detail::reject("neighbor_edges: the number of entries is negative or above 2^40");
  }
  bound = detail::edges_host_bytes(entries);
  return {};
}

/// Writes lists of neighbors as an edge list (COO): one edge for each neighbor, in the order of the queries, then of
/// their lists. Ends are indices into the views of all clouds, not into the clouds.
///
/// knn(), radius() or radius_rows() of these batches wrote the lists. A table of k columns by knn() with
/// max_radius, or by radius() with radius_order::nearest, gives at most the k nearest within a radius as edges. The
/// search decides about loops: knn_params::exclude_self, radius_params::exclude_self. Entries of -1 and rows of queries
/// that are in no cloud are no edges. Coordinates are not read. If offsets are invalid (see batch), there are no edges.
/// The result does not depend on the backend or the number of threads.
///
/// @param exec       number of threads; blocks until done
/// @param points     points that were searched, `[clouds, n]` or ragged
/// @param queries    queries of the search, `[clouds, m]` or ragged, with the same number of clouds
/// @param lists      see neighbor_lists; host memory
/// @param flow       which end is in output.rows
/// @param output     see edges_output; where it has no room, the first edges are written, and the report counts the
///                   others. It may not overlap the lists.
/// @param workspace  at least neighbor_edges_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (lists smaller than their queries need, outputs of different sizes, distances that
///         the lists lack, 32-bit outputs for more than 2^31 - 1 points, more than 2^40 entries) |
///         workspace_too_small; nothing is written on failure
/// Complexity: two passes over the entries; of a ragged batch O(log clouds) more each. Thread-safe: concurrent calls
/// must not share output or workspace.
template <class Points, class Queries>
result neighbor_edges(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                      neighbor_lists<typename Points::scalar> const& lists, edge_flow flow,
                      edges_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  using call_type = detail::neighbor_edges_call<Points, Queries>;
  return detail::neighbor_edges_host(exec, call_type{points, queries, lists, flow, output}, workspace);
}

/// neighbor_edges() of a search with the points as queries.
template <class Points>
result neighbor_edges(host_exec exec, batch<Points> const& points, neighbor_lists<typename Points::scalar> const& lists,
                      edge_flow flow, edges_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return neighbor_edges(exec, points, points, lists, flow, output, workspace);
}

#if defined(__cpp_exceptions)

/// Edges of one cloud, with the memory that holds them.
template <class Scalar>
struct edge_list {
  std::vector<std::int32_t> rows;  ///< `[edges]`; see edge_flow
  std::vector<std::int32_t> cols;  ///< `[edges]`
  std::vector<Scalar> distances;   ///< `[edges]`, squared (m^2)

  /// Adds an edge.
  void add(edge_flow flow, std::int32_t query, std::int32_t neighbor, Scalar distance2) {
    bool const is_to_target = flow == edge_flow::source_to_target;
    rows.push_back(is_to_target ? neighbor : query);
    cols.push_back(is_to_target ? query : neighbor);
    distances.push_back(distance2);
  }
};

namespace detail {

template <class Scalar, class Table>
edge_list<Scalar> edges_of_table(Table const& table, index_t columns, edge_flow flow) {
  edge_list<Scalar> edges;
  auto const k = static_cast<std::size_t>(columns);
  for (std::size_t at = 0; at < table.indices.size(); ++at) {
    if (table.indices[at] < 0) continue;
    edges.add(flow, static_cast<std::int32_t>(at / k), table.indices[at], table.distances[at]);
  }
  return edges;
}

}  // namespace detail

/// Edges of the lists that knn() of a container returned: `auto edges = farpoint::neighbor_edges(farpoint::knn(points,
/// 8));`. Allocates them.
/// @throws std::bad_alloc
template <class Scalar>
edge_list<Scalar> neighbor_edges(knn_neighbors<Scalar> const& found, edge_flow flow = edge_flow::source_to_target) {
  return detail::edges_of_table<Scalar>(found, found.k, flow);
}

/// Edges of the table that radius() of a container returned, with max > 0.
template <class Scalar>
edge_list<Scalar> neighbor_edges(radius_neighbors<Scalar> const& found, edge_flow flow = edge_flow::source_to_target) {
  return detail::edges_of_table<Scalar>(found, found.max, flow);
}

/// Edges of the rows that radius_rows() of a container returned.
template <class Scalar>
edge_list<Scalar> neighbor_edges(radius_row_neighbors<Scalar> const& found,
                                 edge_flow flow = edge_flow::source_to_target) {
  edge_list<Scalar> edges;
  for (std::size_t row = 0; row + 1 < found.offsets.size(); ++row) {
    auto const end = static_cast<std::size_t>(found.offsets[row + 1]);
    for (auto at = static_cast<std::size_t>(found.offsets[row]); at < end; ++at) {
      edges.add(flow, static_cast<std::int32_t>(row), found.indices[at], found.distances[at]);
    }
  }
  return edges;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
