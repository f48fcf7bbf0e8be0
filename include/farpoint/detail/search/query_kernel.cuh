/// @file
/// Runs a task for each query of a batch, a thread a query, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/queries.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr int search_block_size = 128;

/// Queries, what is done with each, and counters that may be left out.
template <class Queries, class Task>
struct query_args {
  search_queries<Queries> queries;
  Task task;
  index_t threads;
  unsigned long long* found;       ///< added to: what the task returned
  unsigned long long* non_finite;  ///< added to: queries
};

/// A task has `answer(query, index, thread)`, which returns a number to add up, and `leave_empty(row)`. A thread may
/// have several queries, one after another.
template <class Queries, class Task>
__global__ void __launch_bounds__(search_block_size) query_kernel(query_args<Queries, Task> const work) {
  index_t const thread = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  index_t const step = index_t{gridDim.x} * search_block_size;
  for (index_t first = thread - threadIdx.x; first < work.threads; first += step) {
    index_t bad_row = -1;
    auto const query = work.queries.of_thread(first + threadIdx.x, bad_row);
    if (bad_row >= 0) work.task.leave_empty(bad_row);
    index_t const found = query.exists() ? work.task.answer(query, work.queries.index_of(query), thread) : 0;
    count_in_report_by_warp(work.found, static_cast<unsigned long long>(found));
    count_in_report_by_warp(work.non_finite, bad_row >= 0 ? 1u : 0u);
  }
}

/// Blocks for `threads` threads; a grid has no more than 2^31 - 1.
inline unsigned search_blocks(index_t threads) noexcept {
  index_t const blocks = (threads + search_block_size - 1) / search_block_size;
  return static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff);
}

/// Enqueues a kernel of search_block_size threads a block; nothing for no threads.
template <class Argument>
FARPOINT_HIDDEN cudaError_t search_launch(void (*kernel)(Argument), index_t threads, cudaStream_t stream,
                                          std::remove_const_t<Argument> const& argument) noexcept {
  if (threads <= 0) return cudaSuccess;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(search_blocks(threads));
  launch.blockDim = dim3(search_block_size);
  launch.stream = stream;
  return launch_kernel(kernel, launch, argument);
}

/// Enqueues a task.
/// @param most_threads  of the grid; 0: as many as there are queries
template <class Queries, class Task>
FARPOINT_HIDDEN cudaError_t run_queries(search_queries<Queries> const& queries, Task const& task, cudaStream_t stream,
                                        unsigned long long* found = nullptr, unsigned long long* non_finite = nullptr,
                                        index_t most_threads = 0) noexcept {
  query_args<Queries, Task> const work{queries, task, queries.threads(), found, non_finite};
  index_t const grid = most_threads > 0 && most_threads < work.threads ? most_threads : work.threads;
  return search_launch(query_kernel<Queries, Task>, grid, stream, work);
}

/// Points that are in no index.
template <class Points>
struct left_out_args {
  batch<Points> points;
  point_bvh_arrays<typename Points::scalar> index;
  unsigned long long* count;  ///< added to
};

template <class Points>
__global__ void __launch_bounds__(search_block_size) left_out_kernel(left_out_args<Points> const work) {
  index_t const b = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  index_t const left_out = b < work.points.size() ? work.points[b].size() - work.index.clouds[b].size : 0;
  count_in_report_by_warp(work.count, static_cast<unsigned long long>(left_out));
}

/// Enqueues the counting of the points that are in no index.
template <class Points>
FARPOINT_HIDDEN cudaError_t run_left_out(batch<Points> const& points,
                                         point_bvh_arrays<typename Points::scalar> const& index,
                                         unsigned long long* count, cudaStream_t stream) noexcept {
  return search_launch(left_out_kernel<Points>, points.size(), stream, {points, index, count});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
