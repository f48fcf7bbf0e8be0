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
  unsigned long long* found = nullptr;       ///< neighbors
  unsigned long long* non_finite = nullptr;  ///< queries
};

/// Counter of queries that are not finite, of an optional report.
template <class Report>
query_counters non_finite_counter(Report* report) noexcept {
  return {nullptr, report == nullptr ? nullptr : &report->non_finite_queries};
}

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

}  // namespace detail
FARPOINT_END_NAMESPACE
