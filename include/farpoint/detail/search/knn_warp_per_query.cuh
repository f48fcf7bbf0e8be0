/// @file
/// The kernel of knn() for large k: a warp for each query, its list in shared memory.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/search/knn_packet.cuh>
#include <farpoint/warp/warp_bitonic_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The k smallest of many keys, kept by a whole warp. Candidates are collected behind the list; when there is no room
/// for more, all are sorted, and the k smallest stay.
template <class Scalar>
class collected_topk {
 public:
  using key = neighbour_key<Scalar>;

  /// Keys that a list of k takes: a power of two, so that a network sorts them.
  FARPOINT_HD static constexpr int room_for(int k) noexcept {
    int room = 4 * cuda_warp::lanes;
    while (room < 2 * k) room *= 2;
    return room;
  }

  /// @param at  `[room_for(k)]`, shared memory
  __device__ collected_topk(key* at, int k, key const& limit) noexcept
      : at_{at}, k_{k}, room_{room_for(k)}, limit_{limit}, worst_{limit} {}

  /// No key is needed that is not below this.
  __device__ key const& worst() const noexcept { return worst_; }

  /// All lanes call it; those that offer a key say so.
  __device__ void offer(bool has_key, key const& candidate) noexcept {
    unsigned const offering = cuda_warp::ballot(has_key && candidate < worst_);
    if (offering == 0) return;
    unsigned const before = offering & ((1u << cuda_warp::lane()) - 1);
    if ((offering >> cuda_warp::lane() & 1u) != 0) at_[count_ + __popc(before)] = candidate;
    count_ += __popc(offering);
    cuda_warp::sync();
    if (count_ > room_ - cuda_warp::lanes) shrink();
  }

  /// Puts the list in order; returns how many there are, at most k.
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

/// A visitor for point_bvh_ref::visit() that is a whole warp with one query.
template <class Scalar>
class wide_visitor : public single_visitor<wide_visitor<Scalar>> {
 public:
  __device__ wide_visitor(collected_topk<Scalar>& found, std::uint32_t excluded) noexcept
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

/// Queries that a warp answers, one after the other.
inline constexpr int knn_warp_per_query_from = 4;

/// A block of one warp for some queries.
template <class Queries>
__global__ void __launch_bounds__(cuda_warp::lanes) knn_warp_per_query_kernel(knn_cuda_args<Queries> const task) {
  using scalar = typename Queries::scalar;
  using key = neighbour_key<scalar>;
  index_t bad_row = -1;
  search_query<scalar> mine;
  if (cuda_warp::lane() < knn_warp_per_query_from) {
    mine = task.query_of(index_t{blockIdx.x} * knn_warp_per_query_from + cuda_warp::lane(), bad_row);
  }
  task.leave_empty(bad_row);
  task.count_bad(bad_row >= 0);
  for (int from = 0; from < knn_warp_per_query_from; ++from) {
    search_query<scalar> const query = cuda_warp::shuffle(mine, from);
    if (!query.exists()) continue;
    collected_topk<scalar> found{static_cast<key*>(dynamic_shared()), task.k, key{task.radius2, no_index}};
    auto const index = task.queries.index_of(query);
    wide_visitor<scalar> visitor{found, task.excluded(query)};
    index.visit(query.at, query.start != no_index ? query.start : index.leaf_near(query.at), visitor);
    int const count = found.finish();
    for (int j = cuda_warp::lane(); j < task.k; j += cuda_warp::lanes) {
      bool const is_there = j < count;
      index_t const to = query.row * task.k + j;
      task.output.indices.set(to, is_there ? index_t{found[j].index()} : -1);
      if (task.output.distances.empty()) continue;
      task.output.distances[static_cast<std::size_t>(to)] = is_there ? found[j].distance2() : infinity<scalar>;
    }
    if (!task.output.counts.empty() && cuda_warp::lane() == 0) task.output.counts.set(query.row, count);
    cuda_warp::sync();
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
