/// @file
/// Lists of the nearest neighbours for a consumer, on a CUDA stream, when the index is there.
#pragma once

#include <farpoint/detail/search/neighbour_lists.hpp>
#include <farpoint/detail/search/packet_lists.cuh>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Memory for longer lists: a list for each thread of a grid that answers all queries, some after others. 64 MiB keep a
/// GPU busy up to k = 1,024.
template <class Scalar>
class neighbour_lists {
 public:
  using key = neighbour_key<Scalar>;

  neighbour_lists(index_t queries, index_t k) noexcept {
    if (k <= most_in_packets<Scalar> || queries <= 0) return;
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

/// Enqueues the search for the nearest of each point; `consumer(query, keys, count)` and `consumer.leave_empty(row)` as
/// in register_lists.
/// @param index   built before
/// @param memory  of neighbour_lists
template <class Selector, class Points, class Consumer>
FARPOINT_HIDDEN cudaError_t neighbours_on_device(bvh_build_args<Points> const& index,
                                                 knn_request<typename Points::scalar> const& request,
                                                 Consumer const& consumer,
                                                 neighbour_key<typename Points::scalar>* memory,
                                                 cudaStream_t stream) noexcept {
  using scalar = typename Points::scalar;
  search_queries<Points> const queries{index.points, index.index, true};
  if (request.k <= most_in_packets<scalar>) return run_packet_lists<Selector>(queries, request, consumer, stream);
  return run_queries(queries, memory_lists<neighbour_key<scalar>, Consumer>{request, consumer, memory}, stream, nullptr,
                     nullptr, lists_of(index.points, request.k).threads());
}

}  // namespace detail
FARPOINT_END_NAMESPACE
