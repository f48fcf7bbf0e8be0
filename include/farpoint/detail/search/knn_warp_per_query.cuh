/// @file
/// The kernel of knn() for large k: a warp per query, its list in shared memory.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/search/knn_args.cuh>
#include <farpoint/detail/search/neighbour_lists.hpp>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/warp_bitonic_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The k smallest of many keys, kept by a warp. Collects candidates behind the list; when they fill the memory, sorts
/// all and keeps the k smallest.
template <class Scalar>
class collected_topk {
 public:
  using key = neighbour_key<Scalar>;

  /// Keys that a list of k has room for: a power of two, for the sorting network.
  FARPOINT_HD static constexpr int room_for(int k) noexcept {
    int room = 4 * cuda_warp::lanes;
    while (room < 2 * k) room *= 2;
    return room;
  }

  /// @param at  `[room_for(k)]`, shared memory
  __device__ collected_topk(key* at, int k, key const& limit) noexcept
      : at_{at}, k_{k}, room_{room_for(k)}, limit_{limit}, worst_{limit} {}

  /// Only keys below this are needed.
  __device__ key const& worst() const noexcept { return worst_; }

  /// All lanes call it; each says whether it has a key.
  __device__ void offer(bool has_key, key const& candidate) noexcept {
    unsigned const offering = cuda_warp::ballot(has_key && candidate < worst_);
    if (offering == 0) return;
    unsigned const before = offering & ((1u << cuda_warp::lane()) - 1);
    if ((offering >> cuda_warp::lane() & 1u) != 0) at_[count_ + __popc(before)] = candidate;
    count_ += __popc(offering);
    cuda_warp::sync();
    if (count_ > room_ - cuda_warp::lanes) shrink();
  }

  /// Sorts the list; returns its length, at most k.
  __device__ int finish() noexcept {
    shrink();
    return count_;
  }
  __device__ key const& operator[](int j) const noexcept { return at_[j]; }

 private:
  __device__ void shrink() noexcept {
    for (int i = count_ + cuda_warp::lane(); i < room_; i += cuda_warp::lanes) at_[i] = limit_;
    cuda_warp::sync();
    warp_bitonic_sort(at_, room_);
    if (count_ < k_) return;
    count_ = k_;
    worst_ = at_[k_ - 1];
  }

  key* at_;
  int k_;
  int room_;
  key limit_;
  key worst_;
  int count_ = 0;
};

/// A visitor for point_bvh_ref::visit() by a warp with one query.
template <class Scalar>
class warp_visitor {
 public:
  __device__ warp_visitor(collected_topk<Scalar>& found, std::uint32_t excluded) noexcept
      : list_{found}, excluded_{excluded} {}

  __device__ std::uint32_t choose(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q) const noexcept {
    int const mine = cuda_warp::lane() % point_bvh_width;
    neighbour_key<Scalar> const nearest{box_distance2_of(boxes, mine, q), boxes.lowest[mine]};
    return cuda_warp::ballot(nearest < list_.worst()) & ((1u << point_bvh_width) - 1);
  }
  __device__ void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    int const mine = cuda_warp::lane() % point_bvh_width;
    bool const is_there = cuda_warp::lane() < point_bvh_width && leaf.index[mine] != excluded_;
    list_.offer(is_there, {distance2(leaf.at(mine), q), leaf.index[mine]});
  }

 private:
  collected_topk<Scalar>& list_;
  std::uint32_t excluded_;
};

/// A block of one warp for knn_queries_per_warp queries, one after another.
template <class Args>
__global__ void __launch_bounds__(cuda_warp::lanes) knn_warp_per_query_kernel(Args const args) {
  using scalar = typename Args::scalar;
  using key = neighbour_key<scalar>;
  index_t bad_row = -1;
  search_query<scalar> mine;
  if (cuda_warp::lane() < knn_queries_per_warp) {
    mine = args.query_of(index_t{blockIdx.x} * knn_queries_per_warp + cuda_warp::lane(), bad_row);
  }
  args.leave_empty(bad_row);
  args.count_non_finite(bad_row >= 0);
  int const k = args.request.k;
  unsigned long long all = 0;  ///< neighbours of the warp's queries
  for (int from = 0; from < knn_queries_per_warp; ++from) {
    search_query<scalar> const query = cuda_warp::shuffle(mine, from);
    if (!query.exists()) continue;
    collected_topk<scalar> found{static_cast<key*>(dynamic_shared()), k, key{args.limit2(query), no_index}};
    auto const index = args.queries.index_of(query);
    warp_visitor<scalar> visitor{found, args.request.excluded(query.index)};
    index.visit(query.at, start_of(query, index), visitor);
    int const count = found.finish();
    for (int j = cuda_warp::lane(); j < k; j += cuda_warp::lanes) {
      write_neighbour(args, query.row * k + j, j < count ? found[j] : key{scalar(0), no_index});
    }
    if (!args.output.counts.empty() && cuda_warp::lane() == 0) args.output.counts.set(query.row, count);
    all += static_cast<unsigned long long>(count);
    cuda_warp::sync();
  }
  if (cuda_warp::lane() == 0) count_in_report(args.counters.found, all);
}

/// Enqueues it, for any k.
template <class Args>
FARPOINT_HIDDEN void launch_warp_per_query(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  using list = collected_topk<typename Args::scalar>;
  if (threads == 0) return;
  cudaLaunchConfig_t config =
      launch_config(blocks_for(threads, knn_queries_per_warp), cuda_warp::lanes, launcher.stream());
  config.dynamicSmemBytes = static_cast<std::size_t>(list::room_for(args.request.k)) * sizeof(typename list::key);
  launcher.launch(knn_warp_per_query_kernel<Args>, config, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
