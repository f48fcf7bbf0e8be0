/// @file
/// Runs an operation for each query of a batch, a thread per query, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/queries.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counters that a search adds to; null if not wanted.
struct query_counters {
  unsigned long long* found = nullptr;       ///< neighbours
  unsigned long long* non_finite = nullptr;  ///< queries
};

template <class Queries, class Operation>
struct query_args {
  search_queries<Queries> queries;
  Operation operation;
  query_counters counters;
};

/// An operation has `answer(query, index, thread)`, which returns the number of neighbours to count, and
/// `leave_empty(row)` for a query that has none. A grid of fewer threads than queries strides over them.
template <class Queries, class Operation>
__global__ void __launch_bounds__(search_block_size) query_kernel(query_args<Queries, Operation> const args) {
  index_t const thread = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  index_t const step = index_t{gridDim.x} * search_block_size;
  for (index_t first = thread - threadIdx.x; first < args.queries.threads(); first += step) {
    index_t bad_row = -1;
    auto const query = args.queries.of_thread(first + threadIdx.x, bad_row);
    if (bad_row >= 0) args.operation.leave_empty(bad_row);
    index_t const found = query.exists() ? args.operation.answer(query, args.queries.index_of(query), thread) : 0;
    count_in_report_by_warp(args.counters.found, static_cast<unsigned long long>(found));
    count_in_report_by_warp(args.counters.non_finite, bad_row >= 0 && !args.queries.has_bad_offsets() ? 1u : 0u);
  }
}

/// Enqueues an operation for each query.
/// @param most_threads  of the grid; 0: as many as there are queries
template <class Queries, class Operation>
FARPOINT_HIDDEN void run_queries(kernel_launcher& launcher, search_queries<Queries> const& queries,
                                 Operation const& operation, query_counters const& counters = {},
                                 index_t most_threads = 0) noexcept {
  query_args<Queries, Operation> const args{queries, operation, counters};
  index_t const threads = most_threads > 0 ? smaller(queries.threads(), most_threads) : queries.threads();
  launcher.launch_for(threads, search_block_size, query_kernel<Queries, Operation>, args);
}

template <class Points>
struct left_out_args {
  batch<Points> points;
  point_bvh_arrays<typename Points::scalar> index;
  unsigned const* bad_offsets;   ///< of points and queries
  unsigned long long* left_out;  ///< added to
  unsigned long long* reported;  ///< bad offsets, added to
};

/// Counts the points that are in no index, a thread per cloud; or the wrong offsets, if there are any.
template <class Points>
__global__ void __launch_bounds__(search_block_size) left_out_kernel(left_out_args<Points> const args) {
  index_t const b = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  unsigned const bad = *args.bad_offsets;
  if (bad != 0) {
    if (b == 0) count_in_report(args.reported, bad);
    return;
  }
  index_t const left_out = b < args.points.size() ? args.points[b].size() - args.index.clouds[b].size : 0;
  count_in_report_by_warp(args.left_out, static_cast<unsigned long long>(left_out));
}

/// Enqueues the counting of the points that are in no index, those that are not finite, and of wrong offsets.
/// @param bad_offsets  of points and queries
/// @param report       null: nobody wants to know
template <class Points, class Report>
FARPOINT_HIDDEN void run_left_out(kernel_launcher& launcher, batch<Points> const& points,
                                  point_bvh_arrays<typename Points::scalar> const& index, unsigned const* bad_offsets,
                                  Report* report) noexcept {
  if (report == nullptr) return;
  launcher.launch_for(
      points.size(), search_block_size, left_out_kernel<Points>,
      left_out_args<Points>{points, index, bad_offsets, &report->non_finite_points, &report->bad_offsets});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
