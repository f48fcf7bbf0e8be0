/// @file
/// Hands the k nearest points of each point to a consumer, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/neighbour_lists.hpp>
#include <farpoint/detail/search/packets/lists.cuh>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Cuts the memory for lists that are too long for registers: one for each thread of a grid that answers all queries
/// with a stride. 64 MiB keep a GPU busy up to k = 1,024.
template <class Scalar>
class neighbour_lists {
 public:
  using key = neighbour_key<Scalar>;

  neighbour_lists(index_t queries, index_t k) noexcept {
    if (k <= most_in_packets<Scalar> || queries <= 0) return;
    index_t const most = most_keys / k;
    threads_ = divide_up(smaller(queries, most), index_t{search_block_size}) * search_block_size;
    keys_ = threads_ * k;
  }

  /// Upper bound on the keys for all numbers of queries and all k up to these.
  static index_t keys_at_most(index_t queries, index_t k) noexcept {
    if (k <= most_in_packets<Scalar> || queries <= 0) return 0;
    return smaller(queries * k, most_keys) + search_block_size * k;
  }

  /// Threads that have a list; 0 if none needs one.
  index_t threads() const noexcept { return threads_; }
  key* operator()(workspace_cutter& cutter) const noexcept { return cutter.take<key>(keys_); }

 private:
  static constexpr index_t most_keys = (index_t{64} << 20) / index_t{sizeof(key)};

  index_t threads_ = 0;
  index_t keys_ = 0;
};

template <class Points>
neighbour_lists<typename Points::scalar> lists_of(batch<Points> const& points, index_t k) noexcept {
  return {points.points().size(), k};
}

/// Bytes of workspace of a search for the k nearest of each point.
template <class Selector, class Points>
std::size_t neighbours_bytes(batch<Points> const& points, index_t k) noexcept {
  if (k > max_neighbours) return 0;
  return indexed_search_bytes<Selector>(points, lists_of(points, k));
}

/// Sets the bytes that are enough for searches within the limits for the k nearest or fewer.
template <class Selector, class Points>
result bound_neighbours(batch_limits const& limits, index_t k, std::size_t& bound) noexcept {
  using lists = neighbour_lists<typename Points::scalar>;
  if (k < 0 || k > max_neighbours) return reject("limits: k is not between 0 and 1,024");
  return bound_indexed_search<Selector, Points>(
      {limits.points, limits.clouds},
      [&](workspace_cutter& cutter) { return cutter.take<typename lists::key>(lists::keys_at_most(limits.points, k)); },
      bound);
}

/// Enqueues the kernel that hands the list of each point to a consumer, as in register_lists.
/// @param memory  cut by `lists`
template <class Selector, class Points, class Consumer>
FARPOINT_HIDDEN void run_neighbour_lists(kernel_launcher& launcher, search_queries<Points> const& queries,
                                         knn_request<typename Points::scalar> const& request, Consumer const& consumer,
                                         knn_report* report, neighbour_lists<typename Points::scalar> const& lists,
                                         neighbour_key<typename Points::scalar>* memory) noexcept {
  using scalar = typename Points::scalar;
  query_counters const counters = non_finite_counter(report);
  if (request.k <= most_in_packets<scalar>) {
    run_packet_lists<Selector>(launcher, queries, request, consumer, counters);
  } else {
    memory_lists<neighbour_key<scalar>, Consumer> const operation{request, consumer, memory};
    run_queries(launcher, queries, operation, counters, lists.threads());
  }
}

/// Builds the index and hands the list of each point to a consumer. Checks the workspace; the rest has been checked.
template <class Selector, class Points, class Consumer>
FARPOINT_HIDDEN result neighbours_on_device(cuda_exec exec, batch<Points> const& points,
                                            knn_request<typename Points::scalar> const& request,
                                            Consumer const& consumer, knn_report* report, bytes workspace) noexcept {
  auto const lists = lists_of(points, request.k);
  auto const search = [&](kernel_launcher& launcher, auto const& built, auto* memory) {
    unsigned* const bad_offsets = &built.state->faults.bad_offsets;
    search_queries<Points> queries{points, built.index, true};
    queries.stop_at_bad_offsets(bad_offsets);
    if (report != nullptr) launcher.clear(report, sizeof *report);
    report_built(launcher, built, report);
    run_neighbour_lists<Selector>(launcher, queries, request, consumer, report, lists, memory);
  };
  return indexed_search<Selector>(exec, points, workspace, lists, search);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
