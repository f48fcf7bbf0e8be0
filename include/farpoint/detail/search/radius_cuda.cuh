/// @file
/// CUDA backend of radius() and radius_rows().
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/search/knn_cuda.cuh>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/grid/exclusive_scan.cuh>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/warp_merge_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Queries, class Operation>
struct query_args {
  search_queries<Queries> queries;
  Operation operation;
  query_counters counters;
};

/// An operation has `answer(query, index)`, which returns the number of neighbors to count, and
/// `leave_empty(row)` for a query that has none. A grid of fewer threads than queries strides over them.
template <class Queries, class Operation>
__global__ void __launch_bounds__(search_block_size) query_kernel(query_args<Queries, Operation> const args) {
  index_t const thread = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  index_t const step = index_t{gridDim.x} * search_block_size;
  for (index_t first = thread - threadIdx.x; first < args.queries.threads(); first += step) {
    index_t bad_row = -1;
    auto const query = args.queries.of_thread(first + threadIdx.x, bad_row);
    if (bad_row >= 0) args.operation.leave_empty(bad_row);
    index_t const found = query.exists() ? args.operation.answer(query, args.queries.index_of(query)) : 0;
    count_in_report_by_warp(args.counters.found, static_cast<unsigned long long>(found));
    count_in_report_by_warp(args.counters.non_finite, bad_row >= 0 && !args.queries.has_bad_offsets() ? 1u : 0u);
  }
}

/// Enqueues an operation for each query.
template <class Queries, class Operation>
FARPOINT_HIDDEN void run_queries(kernel_launcher& launcher, search_queries<Queries> const& queries,
                                 Operation const& operation, query_counters const& counters = {}) noexcept {
  query_args<Queries, Operation> const args{queries, operation, counters};
  launcher.launch_strided(queries.threads(), search_block_size, query_kernel<Queries, Operation>, args);
}

template <class Points, class Queries>
struct segmented_sort_args {
  batch<Points> points;
  search_queries<Queries> queries;
  index_t rows;
  radius_rows_output<typename Points::scalar> output;
};

/// Sorts rows of up to radius_sorted_row elements, and writes their distances.
template <class Key, class Points, class Queries>
__global__ void __launch_bounds__(search_block_size)
    segmented_sort_kernel(segmented_sort_args<Points, Queries> const args) {
  using scalar = typename Points::scalar;
  constexpr int warps = search_block_size / cuda_warp::lanes;
  using sort_type = warp_merge_sort<Key, static_cast<int>(radius_sorted_row)>;
  __shared__ typename sort_type::storage shared[warps];
  auto& mine = shared[threadIdx.x / cuda_warp::lanes];
  Key* const keys = mine.keys;
  auto const& output = args.output;
  int const lane = cuda_warp::lane();
  index_t const step = index_t{gridDim.x} * warps;
  for (index_t row = index_t{blockIdx.x} * warps + threadIdx.x / cuda_warp::lanes; row < args.rows; row += step) {
    index_t const begin = output.offsets.get(row);
    index_t const end = output.offsets.get(row + 1);
    if (begin == end || end - begin > radius_sorted_row) continue;
    if (!row_fits(end, output.indices.size(), output.offsets.wide())) continue;
    auto const q = args.queries.query_of(row);
    Points const cloud = args.points[q.cloud];
    auto const count = static_cast<int>(end - begin);
    int size = 2;
    while (size < count) size *= 2;
    for (int j = lane; j < size; j += cuda_warp::lanes) {
      keys[j] = list_order<Key>::limit(no_distance<scalar>);
      if (j >= count) continue;
      index_t const i = output.indices.get(begin + j);
      keys[j] = {distance2(cloud[i], q.at), static_cast<std::uint32_t>(i)};
    }
    cuda_warp::sync();
    sort_type::sort(mine, size);
    for (int j = lane; j < count; j += cuda_warp::lanes) {
      output.indices.set(begin + j, index_t{keys[j].index()});
      if (!output.distances.empty()) output.distances[static_cast<std::size_t>(begin + j)] = keys[j].distance2();
    }
    cuda_warp::sync();
  }
}

/// Enqueues it.
template <class Key, class Points, class Queries>
FARPOINT_HIDDEN void segmented_sort(kernel_launcher& launcher,
                                    segmented_sort_args<Points, Queries> const& args) noexcept {
  launcher.launch_strided(args.rows * cuda_warp::lanes, search_block_size, segmented_sort_kernel<Key, Points, Queries>,
                          args);
}

/// Cuts the memory of a scan over the counts of `rows` rows.
struct radius_scan_memory {
  index_t rows;

  exclusive_scan_memory operator()(workspace_cutter& cutter) const noexcept {
    return exclusive_scan_memory::cut(cutter, rows);
  }
};
/// Memory of radius_rows() besides the index and the order of the queries. radius() among points has it, too.
template <class Points, class Queries>
radius_scan_memory radius_memory(batch<Points> const&, batch<Queries> const& queries) noexcept {
  return radius_scan_memory{bounded_points(queries.points().size())};
}
template <class Scalar, class Queries>
no_memory radius_memory(device_point_bvh<Scalar> const&, batch<Queries> const&) noexcept {
  return {};
}

/// Counters of an optional report.
inline query_counters radius_counters(radius_report* report) noexcept {
  return report == nullptr ? query_counters{} : query_counters{&report->total, &report->non_finite_queries};
}

/// Enqueues radius(). The indices are built, the queries are in order, and the arguments are checked.
/// @param output       its report has been cleared
/// @param first_index  added to the indices of neighbors
template <class Selector, class Queries>
FARPOINT_HIDDEN void run_radius(kernel_launcher& launcher, search_queries<Queries> const& queries,
                                radius_params const& params, radius_output<typename Queries::scalar> const& output,
                                index_t first_index = 0) noexcept {
  using scalar = typename Queries::scalar;
  using key = index_key<scalar>;
  using writer_type = row_writer<scalar>;
  index_t const max = params.max_neighbors;
  auto const request = request_of<scalar>(params);
  auto const counters = radius_counters(output.report);
  auto const run = [&](auto const& operation) { run_queries(launcher, queries, operation, counters); };
  if (max == 0) return run(radius_count<scalar>{request, output.counts});
  knn_cuda_args<Queries> const args{
      queries, request, {output.indices, output.distances, output.counts}, counters, first_index};
  if (params.order == radius_order::nearest) return launch_knn<Selector>(launcher, args);
  writer_type const writer{max, output.indices, output.distances, output.counts, first_index};
  if (max <= 8) return run(register_lists<key, 8, writer_type>{request, writer});
  if (max <= 16) return run(register_lists<key, 16, writer_type>{request, writer});
  if (max <= 32) return run(register_lists<key, 32, writer_type>{request, writer});
  launch_in_parts<Selector>(
      args, [&launcher](auto const& part, index_t threads) { launch_warp_per_query<key>(launcher, part, threads); });
}

/// Enqueues radius() of small clouds, without an index.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN void run_radius(kernel_launcher& launcher, scanned_queries<Points, Queries> const& asked,
                                radius_params const& params,
                                radius_output<typename Points::scalar> const& output) noexcept {
  knn_cuda_args<Queries> const args{asked,
                                    request_of<typename Points::scalar>(params),
                                    {output.indices, output.distances, output.counts},
                                    radius_counters(output.report)};
  bool const is_by_distance = params.max_neighbors > 0 && params.order == radius_order::nearest;
  return is_by_distance ? launch_scan_nearest(launcher, args, asked) : launch_scan<0>(launcher, args, asked);
}

/// Enqueues radius_rows().
/// @param points  points of the indices
/// @param output  its report has been cleared
template <class Points, class Queries>
FARPOINT_HIDDEN void run_radius_rows(kernel_launcher& launcher, search_queries<Queries> const& queries,
                                     batch<Points> const& points, radius_params const& params,
                                     radius_rows_output<typename Points::scalar> const& output,
                                     exclusive_scan_memory const& sums) noexcept {
  using scalar = typename Points::scalar;
  index_t const rows = queries.all().points().size();
  // Queries that are in no cloud have no neighbors: their counts stay 0.
  launcher.clear(output.offsets.data(), static_cast<std::size_t>(rows + 1) * (output.offsets.wide() ? 8 : 4));
  if (rows == 0) return;
  auto const request = request_of<scalar>(params);
  auto const counters = radius_counters(output.report);
  // The scan sets the total, so the counting search has no counter of neighbors.
  run_queries(launcher, queries, radius_count<scalar>{request, output.offsets}, {nullptr, counters.non_finite});
  launcher.clear(sums.tiles, static_cast<std::size_t>(exclusive_scan_tiles(rows)) * sizeof *sums.tiles);
  launcher.clear(sums.ticket, sizeof *sums.ticket);
  unsigned long long* const misfits = output.report == nullptr ? nullptr : &output.report->rows_left_out;
  exclusive_scan_args const args{output.offsets, rows, output.indices.size(), counters.found, misfits, sums};
  launcher.then([&] { return exclusive_scan(args, launcher.stream()); });
  if (output.indices.empty()) return;
  // The second search writes the rows that the first search has counted.
  auto const fill = [&](auto order) {
    using key = decltype(order);
    run_queries(launcher, queries, radius_rows_fill<key, Points>{request, points, output, radius_sorted_row});
    segmented_sort<key>(launcher, segmented_sort_args<Points, Queries>{points, queries, rows, output});
  };
  if (params.order == radius_order::nearest) fill(neighbor_key<scalar>{});
  if (params.order == radius_order::index) fill(index_key<scalar>{});
}

/// radius() for cuda_exec.
/// @param source  points, or a device_point_bvh
template <class Selector, class Source, class Queries>
FARPOINT_HIDDEN result radius_cuda(cuda_exec exec, Source const& source, batch<Queries> const& queries, bool self,
                                   radius_params const& params, radius_output<typename Queries::scalar> const& output,
                                   bytes workspace) noexcept {
  result const searchable =
      check_search_on(exec, workspace, source, queries, output.indices, output.distances, output.counts, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_radius(queries.points().size(), params, output); !checked) return checked;
  index_t const k = params.order == radius_order::nearest ? params.max_neighbors : 0;
  auto const answer = [&](kernel_launcher& launcher, auto const& asked, auto const&) {
    run_radius<Selector>(launcher, asked, params, output);
  };
  return search_on_device<Selector>(exec, source, queries, self, output.report, workspace, k, answer,
                                    radius_memory(source, queries));
}

/// radius_rows() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result radius_rows_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                        bool self, radius_params const& params,
                                        radius_rows_output<typename Points::scalar> const& output,
                                        bytes workspace) noexcept {
  result const searchable = check_search_on(exec, workspace, points, queries, output.offsets, output.indices,
                                            output.distances, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_radius_rows(queries.points().size(), params, output); !checked) return checked;
  auto const answer = [&](kernel_launcher& launcher, search_queries<Queries> const& asked, auto const& memory) {
    run_radius_rows(launcher, asked, points, params, output, memory);
  };
  return search_on_device<Selector>(exec, points, queries, self, output.report, workspace, -1, answer,
                                    radius_memory(points, queries));
}

/// radius_rows() for cuda_exec with a device_point_bvh.
template <class Index, class Points, class Queries>
FARPOINT_HIDDEN result radius_rows_of_index_cuda(cuda_exec exec, Index const& index, batch<Points> const& points,
                                                 batch<Queries> const& queries, radius_params const& params,
                                                 radius_rows_output<typename Queries::scalar> const& output,
                                                 bytes workspace) noexcept {
  if (result const checked = check_own_index(index, points); !checked) return checked;
  if (result const checked = check_device_queries(queries.points().size()); !checked) return checked;
  if (result const checked = check_index_queries(queries, index.size()); !checked) return checked;
  if (result const checked = check_radius_rows(queries.points().size(), params, output); !checked) return checked;
  auto const extra = radius_memory(points, queries);
  auto const offsets = index_offsets::of_points(index, points);
  std::size_t const needed = built_search_bytes<knn_selector>(index, queries, false, extra, offsets);
  if (result const checked = check_workspace(workspace, needed); !checked) return checked;
  auto const answer = [&](kernel_launcher& launcher, search_queries<Queries> const& asked, auto const& memory) {
    run_radius_rows(launcher, asked, points, params, output, memory);
  };
  return search_on_device<knn_selector>(exec, index, queries, false, output.report, workspace, -1, answer, extra,
                                        offsets);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
