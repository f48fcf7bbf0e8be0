/// @file
/// CUDA backend of radius() and radius_rows().
#pragma once

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/built_index.cuh>
#include <farpoint/detail/search/knn_cuda.cuh>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/detail/search/segmented_sort.cuh>
#include <farpoint/grid/exclusive_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of a search, except for the index.
struct radius_memory {
  exclusive_scan_memory sums;
  bytes order;  ///< of query_order_of()
};

/// Returns a function that cuts the memory for a batch of queries.
/// @param points  number of points that are searched
/// @param self    true if the queries are the points
template <class Selector, class Queries>
auto radius_memory_of(batch<Queries> const& queries, index_t points, bool self) noexcept {
  index_t const rows = bounded_points(queries.points().size());
  return [rows, cut_order = query_order_of<Selector>(queries, points, self)](workspace_cutter& cutter) {
    auto const sums = exclusive_scan_memory::cut(cutter, rows);
    return radius_memory{sums, cut_order(cutter)};
  };
}

/// Returns a function that cuts memory for all searches within the limits.
template <class Selector, class Points>
auto radius_memory_of(search_limits const& limits) noexcept {
  index_t const rows = larger(limits.queries, limits.points);
  return [rows, cut_order = order_of_at_most<Selector, Points>(limits)](workspace_cutter& cutter) {
    auto const sums = exclusive_scan_memory::cut(cutter, rows);
    return radius_memory{sums, cut_order(cutter)};
  };
}

/// Enqueues a radius search. The indices are built, the queries are in order, and the arguments are checked.
template <class Points, class Queries>
class radius_search {
 public:
  using scalar = typename Points::scalar;

  /// @param points  points of the indices, for rows(); empty if they no longer exist
  /// @param report  cleared already; may be null
  radius_search(kernel_launcher& launcher, search_queries<Queries> const& queries, batch<Points> const& points,
                radius_params const& params, radius_report* report) noexcept
      : launcher_{launcher}, queries_{queries}, points_{points}, params_{params} {
    if (report != nullptr) counters_ = {&report->total, &report->non_finite_queries};
  }

  // Defined outside of the class, so that one file can instantiate it for several files.
  /// Enqueues radius().
  /// @param first_index  added to the indices of neighbors
  template <class Selector>
  void lists(radius_output<scalar> const& output, index_t first_index = 0) const noexcept;

  /// Enqueues radius_rows() of at least one query. The offsets must be zero.
  /// @param rows  number of queries
  void rows(radius_rows_output<scalar> const& output, index_t rows, exclusive_scan_memory const& sums) const noexcept {
    // The scan sets the total, so the counting search has no counter of neighbors.
    run(radius_count<scalar>{request_of<scalar>(params_), output.offsets}, {nullptr, counters_.non_finite});
    launcher_.clear(sums.tiles, static_cast<std::size_t>(exclusive_scan_tiles(rows)) * sizeof *sums.tiles);
    launcher_.clear(sums.ticket, sizeof *sums.ticket);
    unsigned long long* const misfits = output.report == nullptr ? nullptr : &output.report->rows_left_out;
    exclusive_scan_args const args{output.offsets, rows, output.indices.size(), counters_.found, misfits, sums};
    launcher_.then([&] { return exclusive_scan(args, launcher_.stream()); });
    if (!output.indices.empty() && params_.order == radius_order::nearest) fill<neighbor_key<scalar>>(output, rows);
    if (!output.indices.empty() && params_.order == radius_order::index) fill<index_key<scalar>>(output, rows);
  }

 private:
  template <class Operation>
  void run(Operation const& operation, query_counters const& counters) const noexcept {
    run_queries(launcher_, queries_, operation, counters);
  }

  template <int Capacity>
  void run_lowest(knn_request<scalar> const& request, radius_writer<scalar> const& writer) const noexcept {
    run(register_lists<index_key<scalar>, Capacity, radius_writer<scalar>>{request, writer}, counters_);
  }

  /// Enqueues the second search, which writes the rows that the first search has counted.
  template <class Key>
  void fill(radius_rows_output<scalar> const& output, index_t rows) const noexcept {
    knn_request<scalar> const request = request_of<scalar>(params_);
    run(radius_rows_fill<Key, Points>{request, points_, output, radius_sorted_row}, {});
    segmented_sort<Key>(launcher_, segmented_sort_args<Points, Queries>{points_, queries_, rows, output});
  }

  kernel_launcher& launcher_;
  search_queries<Queries> queries_;
  batch<Points> points_;
  radius_params params_;
  query_counters counters_;
};

template <class Points, class Queries>
template <class Selector>
void radius_search<Points, Queries>::lists(radius_output<scalar> const& output, index_t first_index) const noexcept {
  index_t const max = params_.max_neighbors;
  knn_request<scalar> const request = request_of<scalar>(params_);
  if (max == 0) return run(radius_count<scalar>{request, output.counts}, counters_);
  knn_output<scalar> const rows{output.indices, output.distances, output.counts};
  knn_cuda_args<Queries> const args{queries_, request, rows, counters_, first_index};
  if (params_.order == radius_order::nearest) return launch_knn<Selector>(launcher_, args);
  radius_writer<scalar> const writer{max, output.indices, output.distances, output.counts, first_index};
  if (max <= 8) return run_lowest<8>(request, writer);
  if (max <= 16) return run_lowest<16>(request, writer);
  if (max <= 32) return run_lowest<32>(request, writer);
  launch_in_parts<Selector>(args, [this](auto const& part, index_t threads) {
    launch_warp_per_query<index_key<scalar>>(launcher_, part, threads);
  });
}

/// Enqueues radius() of small clouds, without an index.
template <class Points, class Queries>
FARPOINT_HIDDEN void scan_radius(kernel_launcher& launcher, scanned_queries<Points, Queries> const& asked,
                                 radius_params const& params,
                                 radius_output<typename Points::scalar> const& output) noexcept {
  using args_type = knn_cuda_args<Queries>;
  query_counters counters;
  if (output.report != nullptr) counters = {&output.report->total, &output.report->non_finite_queries};
  args_type const args{
      asked, request_of<typename Points::scalar>(params), {output.indices, output.distances, output.counts}, counters};
  if (params.max_neighbors > 0 && params.order == radius_order::nearest)
    return launch_scan_nearest(launcher, args, asked);
  launch_scan(launcher, scan_lowest_kernel<args_type, Points>, args, asked);
}

/// radius() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result radius_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                   bool self, radius_params const& params,
                                   radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  profile_range const range{"farpoint::radius"};
  result const searchable =
      check_search_on(exec, workspace, points, queries, output.indices, output.distances, output.counts, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_radius(queries.points().size(), params, output); !checked) return checked;
  auto const cut = radius_memory_of<Selector>(queries, points.points().size(), self);
  index_t const k = params.order == radius_order::nearest ? params.max_neighbors : 0;
  return search_points_on_device<Selector>(
      exec, points, queries, self, output.report, workspace, cut, k,
      [&](kernel_launcher& launcher, auto const& asked, radius_memory const&) {
        if constexpr (std::decay_t<decltype(asked)>::is_scanned) {
          scan_radius(launcher, asked, params, output);
        } else {
          radius_search<Points, Queries> const lists{launcher, asked, points, params, output.report};
          lists.template lists<Selector>(output);
        }
      });
}

/// radius() for cuda_exec with a device_point_bvh.
template <class Selector, class Index, class Queries>
FARPOINT_HIDDEN result radius_of_index_cuda(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                            radius_params const& params,
                                            radius_output<typename Queries::scalar> const& output,
                                            bytes workspace) noexcept {
  using scalar = typename Queries::scalar;
  profile_range const range{"farpoint::radius (built index)"};
  result const searchable = check_queries_on(exec, workspace, queries, index.size(), output.indices, output.distances,
                                             output.counts, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_radius(queries.points().size(), params, output); !checked) return checked;
  // The points may no longer exist.
  batch<Queries> const none = batch<Queries>::regular(Queries{}, 0);
  return index_search_on_device<Selector>(
      exec, index, queries, output.report, workspace,
      [&](kernel_launcher& launcher, search_queries<Queries> const& asked) {
        radius_search<Queries, Queries>{launcher, asked, none, params, output.report}.template lists<Selector>(output);
      });
}

/// Enqueues the clearing of the offsets of `rows` rows.
inline void clear_offsets(kernel_launcher& launcher, index_span offsets, index_t rows) noexcept {
  launcher.clear(offsets.data(), static_cast<std::size_t>(rows + 1) * (offsets.wide() ? 8 : 4));
}

/// radius_rows() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result radius_rows_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                        bool self, radius_params const& params,
                                        radius_rows_output<typename Points::scalar> const& output,
                                        bytes workspace) noexcept {
  profile_range const range{"farpoint::radius_rows"};
  result const searchable = check_search_on(exec, workspace, points, queries, output.offsets, output.indices,
                                            output.distances, output.report);
  if (!searchable) return searchable;
  index_t const rows = queries.points().size();
  if (result const checked = check_radius_rows(rows, params, output); !checked) return checked;
  auto const cut = radius_memory_of<Selector>(queries, points.points().size(), self);
  return search_points_on_device<Selector>(
      exec, points, queries, self, output.report, workspace, cut, -1,
      [&](kernel_launcher& launcher, search_queries<Queries> const& asked, radius_memory const& memory) {
        // Queries that are in no cloud have no neighbors: their counts stay 0.
        clear_offsets(launcher, output.offsets, rows);
        if (rows == 0) return;
        radius_search<Points, Queries>{launcher, asked, points, params, output.report}.rows(output, rows, memory.sums);
      });
}

/// Memory of radius_rows() with a device_point_bvh.
struct built_rows_memory {
  bytes search;  ///< workspace of index_search_on_device()
  exclusive_scan_memory sums;
  std::size_t size;

  template <class Queries>
  built_rows_memory(unsigned char* workspace, index_offsets const& points, batch<Queries> const& queries,
                    index_t point_count) noexcept {
    workspace_cutter cutter{workspace};
    bool const counts = queries.is_ragged() || points.count > 0;
    search = cutter.take_workspace(built_search_bytes<knn_selector>(queries, point_count, counts));
    sums = exclusive_scan_memory::cut(cutter, bounded_points(queries.points().size()));
    size = cutter.used();
  }
};

/// radius_rows() for cuda_exec with a device_point_bvh.
template <class Index, class Points, class Queries>
FARPOINT_HIDDEN result radius_rows_of_index_cuda(cuda_exec exec, Index const& index, batch<Points> const& points,
                                                 batch<Queries> const& queries, radius_params const& params,
                                                 radius_rows_output<typename Queries::scalar> const& output,
                                                 bytes workspace) noexcept {
  if (result const checked = check_own_index(index, points); !checked) return checked;
  if (result const checked = check_device_index_queries(queries, index.size()); !checked) return checked;
  index_t const rows = queries.points().size();
  if (result const checked = check_radius_rows(rows, params, output); !checked) return checked;
  auto const offsets = index_offsets::of_points(index, points);
  built_rows_memory const memory{workspace.data(), offsets, queries, index.points()};
  if (result const checked = check_workspace(workspace, memory.size); !checked) return checked;
  // Queries that are in no cloud have no neighbors: their counts stay 0.
  kernel_launcher first{exec.stream};
  clear_offsets(first, output.offsets, rows);
  if (first.error() != cudaSuccess) return cuda_failure(first.error(), "radius_rows: a memset could not be enqueued");
  return index_search_on_device(
      exec, index, queries, output.report, memory.search,
      [&](kernel_launcher& launcher, search_queries<Queries> const& asked) {
        if (rows == 0) return;
        radius_search<Points, Queries>{launcher, asked, points, params, output.report}.rows(output, rows, memory.sums);
      },
      offsets);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
