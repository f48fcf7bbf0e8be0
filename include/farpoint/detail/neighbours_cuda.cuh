/// @file
/// Lists of the nearest neighbours for a consumer, on a CUDA stream, when the index is there.
#pragma once

#include <farpoint/detail/indexed_search.cuh>
#include <farpoint/detail/search_kernel.cuh>
#include <farpoint/detail/search_lists.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Largest k whose list is in registers.
inline constexpr index_t most_in_registers = 32;

/// Memory for longer lists: a list for each thread of a grid that answers all queries, some after others. 64 MiB keep a
/// GPU busy up to k = 1,024.
template <class Scalar>
class neighbour_lists {
 public:
  using key = neighbour_key<Scalar>;

  neighbour_lists(index_t queries, index_t k) noexcept {
    if (k <= most_in_registers || queries <= 0) return;
    index_t const most = (index_t{64} << 20) / (k * index_t{sizeof(key)});
    index_t const threads = queries < most ? queries : most;
    threads_ = (threads + search_block_size - 1) / search_block_size * search_block_size;
    keys_ = threads_ * k;
  }

  /// Threads that have a list; 0 if none needs one.
  index_t threads() const noexcept { return threads_; }
  key* operator()(workspace_cutter& cutter) const noexcept { return cutter.take<key>(keys_); }

 private:
  index_t threads_ = 0;
  index_t keys_ = 0;
};

template <class Points>
neighbour_lists<typename Points::scalar> lists_of(batch<Points> const& points, index_t k) noexcept {
  return {points.points().size(), k};
}

/// Workspace of a search for the k nearest of each point.
template <class Selector, class Points>
std::size_t neighbours_bytes(batch<Points> const& points, index_t k) noexcept {
  if (k > max_neighbours) return 0;
  return indexed_search_bytes<Selector>(points, lists_of(points, k));
}

/// Enqueues the search; `consumer(query, keys, count)` and `consumer.leave_empty(row)` as in register_lists.
/// @param memory  of neighbour_lists
template <class Queries, class Consumer>
FARPOINT_HIDDEN cudaError_t neighbours_on_device(search_queries<Queries> const& queries,
                                                 knn_request<typename Queries::scalar> const& request,
                                                 Consumer const& consumer,
                                                 neighbour_key<typename Queries::scalar>* memory, index_t rows,
                                                 cudaStream_t stream) noexcept {
  using scalar = typename Queries::scalar;
  using key = neighbour_key<scalar>;
  auto const run = [&](auto const& task) { return run_search(queries, task, stream); };
  if (request.k <= 4) return run(register_lists<key, 4, Consumer>{request, consumer});
  if (request.k <= 8) return run(register_lists<key, 8, Consumer>{request, consumer});
  if (request.k <= 16) return run(register_lists<key, 16, Consumer>{request, consumer});
  if (request.k <= most_in_registers) return run(register_lists<key, 32, Consumer>{request, consumer});
  return run_search(queries, memory_lists<key, Consumer>{request, consumer, memory}, stream, nullptr, nullptr,
                    neighbour_lists<scalar>{rows, request.k}.threads());
}

}  // namespace detail
FARPOINT_END_NAMESPACE
