/// @file
/// The arguments of neighbor_edges(), their checks, and the edge of an entry, for every backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/types/neighbor_edges.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of entries of a call: a GPU's grid has a block for each tile of entries.
inline constexpr index_t max_edge_entries = index_t{1} << 40;

/// What an entry of a list is.
enum class edge_state : int { none, edge, bad_index };

template <class Points, class Queries>
struct neighbor_edges_call {
  using scalar = typename Points::scalar;

  batch<Points> points;
  batch<Queries> queries;
  neighbor_lists<scalar> lists;
  edge_flow flow;
  edges_output<scalar> output;

  FARPOINT_HD bool is_table() const noexcept { return lists.k > 0; }
  FARPOINT_HD index_t rows() const noexcept { return queries.points().size(); }
  /// Number of entries that may belong to a list. Known without reading the arrays.
  FARPOINT_HD index_t entries() const noexcept { return queries.size() == 0 ? 0 : lists.entries(rows()); }
  FARPOINT_HD index_t capacity() const noexcept { return smaller(output.rows.size(), output.cols.size()); }

  /// Position of a row's first entry, 0 <= row <= rows().
  FARPOINT_HD index_t begin_of(index_t row) const noexcept {
    if (is_table()) return row * lists.k;
    return smaller(larger(lists.offsets[row], index_t{0}), lists.indices.size());
  }
  /// Row of an entry below begin_of(rows()).
  FARPOINT_HD index_t row_of(index_t entry) const noexcept {
    if (!is_table()) return segment_of(rows(), entry, [this](index_t row) { return begin_of(row); });
    // A 32-bit division is several times as fast on a GPU.
    return entry <= max_narrow_points
               ? static_cast<index_t>(static_cast<std::uint32_t>(entry) / static_cast<std::uint32_t>(lists.k))
               : entry / lists.k;
  }

  /// Finds the point of the view that an entry of a row names.
  FARPOINT_HD edge_state find(index_t row, index_t entry, index_t& point) const noexcept {
    index_t const b =
        rows() <= max_narrow_points ? queries.cloud_of(static_cast<std::uint32_t>(row)) : queries.cloud_of(row);
    index_t const in_cloud = row - queries.begin_of(b);
    // Rows of queries that are in no cloud are not written by searches.
    if (in_cloud < 0 || in_cloud >= queries[b].size()) return edge_state::none;
    index_t const i = lists.indices[entry];
    if (i == -1) return edge_state::none;
    if (i < 0 || i >= points[b].size()) return edge_state::bad_index;
    point = points.begin_of(b) + i;
    return edge_state::edge;
  }

  /// Writes an edge to position `to`, if there is room for it.
  FARPOINT_HD void write(index_t to, index_t row, index_t entry, index_t point) const noexcept {
    if (to >= capacity()) return;
    bool const is_to_target = flow == edge_flow::source_to_target;
    output.rows.set(to, is_to_target ? point : row);
    output.cols.set(to, is_to_target ? row : point);
    if (!output.distances.empty()) {
      output.distances[static_cast<std::size_t>(to)] = lists.distances[static_cast<std::size_t>(entry)];
    }
  }

  /// Writes the number of edges. The report's other counters are set already.
  FARPOINT_HD void finish(index_t total) const noexcept {
    index_t const written = smaller(total, capacity());
    if (!output.count.empty()) output.count.set(0, written);
    if (output.report == nullptr) return;
    output.report->total = static_cast<unsigned long long>(total);
    output.report->over_capacity = static_cast<unsigned long long>(total - written);
  }

  /// True if the offsets of the queries are not those of the points, which are counted once.
  bool has_own_offsets() const noexcept {
    return queries.offsets().data() != points.offsets().data() || rows() != points.points().size();
  }

  /// Checks what can be checked without reading the arrays, which may be in device memory.
  result check() const noexcept {
    constexpr batch_reasons reasons{
        "neighbor_edges: the number of clouds is negative", "neighbor_edges: the number of points is negative",
        "neighbor_edges: the points are a null pointer",
        "neighbor_edges: the points of a regular batch cannot be divided evenly among its clouds",
        "neighbor_edges: more than 2^31 - 1 clouds, or 2^48 points"};
    if (result const checked = check_batch(points, reasons); !checked) return checked;
    if (result const checked = check_batch(queries, reasons); !checked) return checked;
    if (points.size() != queries.size()) {
      return reject("neighbor_edges: the number of clouds of queries differs from that of the points");
    }
    if (result const checked = check_lists(); !checked) return checked;
    return check_output();
  }

 private:
  result check_lists() const noexcept {
    if (lists.k < 0 || lists.k > max_narrow_points) {
      return reject("neighbor_edges: lists.k is negative or above 2^31 - 1");
    }
    if (is_table() && !holds(lists.indices.size(), rows(), lists.k)) {
      return reject("neighbor_edges: lists.indices is smaller than queries x k");
    }
    if (!is_table() && lists.offsets.size() <= rows()) {
      return reject("neighbor_edges: lists.offsets is smaller than queries + 1");
    }
    if (entries() > max_edge_entries) return reject("neighbor_edges: more than 2^40 entries of lists");
    if (!output.distances.empty() && static_cast<index_t>(lists.distances.size()) < entries()) {
      return reject("neighbor_edges: output.distances needs lists.distances of the size of lists.indices");
    }
    return {};
  }

  result check_output() const noexcept {
    index_t const most = output.rows.size();
    if (output.cols.size() != most) return reject("neighbor_edges: output.rows and output.cols differ in size");
    if (!output.distances.empty() && static_cast<index_t>(output.distances.size()) != most) {
      return reject("neighbor_edges: output.distances and output.rows differ in size");
    }
    index_t const largest = larger(points.points().size(), queries.points().size());
    if (most > 0 && largest > max_narrow_points && !(output.rows.wide() && output.cols.wide())) {
      return reject("neighbor_edges: more than 2^31 - 1 points need 64-bit indices");
    }
    return {};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
