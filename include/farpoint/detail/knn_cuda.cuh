/// @file
/// The CUDA backend of knn(): checks, builds the index, asks.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/index_plan.cuh>
#include <farpoint/detail/knn_check.hpp>
#include <farpoint/detail/knn_packet.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Enqueues the search; the index is there already.
template <class Selector, class Queries>
cudaError_t launch_knn(knn_cuda_task<Queries> const& task, cudaStream_t stream) noexcept {
  constexpr int block_size = Selector::block_size;
  constexpr int warps = block_size / cuda_warp::lanes;
  using kernel_type = void (*)(knn_cuda_task<Queries> const);
  kernel_type const kernel = task.k <= 1    ? kernel_type{knn_packet_kernel<Queries, 1, block_size>}
                             : task.k <= 4  ? kernel_type{knn_packet_kernel<Queries, 4, block_size>}
                             : task.k <= 8  ? kernel_type{knn_packet_kernel<Queries, 8, block_size>}
                             : task.k <= 16 ? kernel_type{knn_packet_kernel<Queries, 16, block_size>}
                                            : kernel_type{knn_packet_kernel<Queries, 32, block_size>};
  index_t const packets = task.queries.points().size() / cuda_warp::lanes + task.queries.size();
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>((packets + warps - 1) / warps));
  launch.blockDim = dim3(block_size);
  launch.stream = stream;
  return launch_kernel(kernel, launch, task);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
