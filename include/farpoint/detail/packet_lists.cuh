/// @file
/// Lists of the nearest neighbours of points that ask among themselves, for a consumer: a warp answers 32 together.
#pragma once

#include <farpoint/detail/knn_packet.cuh>
#include <farpoint/detail/search_lists.hpp>
#include <farpoint/tuning/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Queries, class Consumer>
struct packet_lists_work {
  knn_cuda_task<Queries> task;  ///< without an output
  Consumer consumer;
};

/// `consumer(query, keys, count)` gets a list, ascending; `consumer.leave_empty(row)` is for a query that is not
/// finite.
template <class Queries, int Capacity, int BlockSize, class Consumer>
__global__ void __launch_bounds__(BlockSize) packet_lists_kernel(packet_lists_work<Queries, Consumer> const work) {
  using scalar = typename Queries::scalar;
  using key = neighbour_key<scalar>;
  using list = warp_topk<scalar, Capacity, BlockSize>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  __shared__ typename list::storage candidates;
  auto const& task = work.task;

  index_t const number = index_t{blockIdx.x} * warps + threadIdx.x / cuda_warp::lanes;
  if (number >= task.queries.points().size() / cuda_warp::lanes + task.queries.size()) return;
  knn_packet const packet = knn_packet::find(task.queries, number);
  knn_question<scalar> const asked = question_of(task, packet);
  if (cuda_warp::ballot(asked.row != no_row) == 0) return;

  list found{candidates, task.k, key{task.radius2, no_index}, asked.excluded, asked.is_finite};
  point_index_ref<scalar> const index = task.index[packet.cloud];
  if (cuda_warp::ballot(asked.is_finite) != 0 && index.size() > 0) {
    packet_visitor<scalar, Capacity, BlockSize> visitor{found, asked.q};
    index.visit(asked.q, static_cast<std::uint32_t>(packet.first / point_index_width), visitor);
    found.merge_all();
  }
  if (asked.row == no_row) return;
  if (!asked.is_finite) return work.consumer.leave_empty(asked.row);
  key keys[Capacity];
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j >= Capacity - task.k) keys[j - (Capacity - task.k)] = found[j];
  }
  search_query<scalar> q;
  q.cloud = packet.cloud;
  q.row = asked.row;
  q.index = q.row - task.queries.begin_of(q.cloud);
  q.at = asked.q;
  work.consumer(q, keys, count_keys(keys, task.k));
}

/// Enqueues it, for k up to 32.
template <class Selector, class Queries, class Consumer>
FARPOINT_HIDDEN cudaError_t run_packet_lists(index_task<Queries> const& index,
                                             knn_request<typename Queries::scalar> const& request,
                                             Consumer const& consumer, cudaStream_t stream) noexcept {
  constexpr int block_size = Selector::block_size;
  constexpr int warps = block_size / cuda_warp::lanes;
  using work_type = packet_lists_work<Queries, Consumer>;
  using kernel_type = void (*)(work_type const);
  work_type work{
      {index.points, index.index, index.state, index.order, true, request.exclude_self, request.k, request.radius2, {}},
      consumer};
  kernel_type const kernel = request.k <= 4    ? kernel_type{packet_lists_kernel<Queries, 4, block_size, Consumer>}
                             : request.k <= 8  ? kernel_type{packet_lists_kernel<Queries, 8, block_size, Consumer>}
                             : request.k <= 16 ? kernel_type{packet_lists_kernel<Queries, 16, block_size, Consumer>}
                                               : kernel_type{packet_lists_kernel<Queries, 32, block_size, Consumer>};
  if (index.points.points().size() == 0 || index.points.size() == 0) return cudaSuccess;
  index_t const packets = index.points.points().size() / cuda_warp::lanes + index.points.size();
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>((packets + warps - 1) / warps));
  launch.blockDim = dim3(block_size);
  launch.stream = stream;
  return launch_kernel(kernel, launch, work);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
