/// @file
/// The CUDA backend of knn(): checks, builds the index, asks.
#pragma once

#include <farpoint/detail/search/knn_warp_per_query.cuh>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Enqueues the search; the indices are there already.
template <class Selector, class Queries>
FARPOINT_HIDDEN cudaError_t launch_knn(knn_cuda_args<Queries> const& task, cudaStream_t stream) noexcept {
  using scalar = typename Queries::scalar;
  using kernel_type = void (*)(knn_cuda_args<Queries> const);
  constexpr int block_size = Selector::block_size;
  constexpr int most = most_in_packets<scalar>;
  index_t const threads = task.threads > task.rows ? task.threads : task.rows;
  if (threads == 0) return cudaSuccess;
  cudaLaunchConfig_t launch{};
  launch.stream = stream;
  if (task.k > most) {
    launch.gridDim = dim3(static_cast<unsigned>((threads + knn_warp_per_query_from - 1) / knn_warp_per_query_from));
    launch.blockDim = dim3(cuda_warp::lanes);
    launch.dynamicSmemBytes =
        static_cast<std::size_t>(collected_topk<scalar>::room_for(task.k)) * sizeof(neighbour_key<scalar>);
    return launch_kernel(kernel_type{knn_warp_per_query_kernel<Queries>}, launch, task);
  }
  kernel_type const kernel = task.k <= 1    ? kernel_type{knn_packet_kernel<Queries, 1, block_size>}
                             : task.k <= 4  ? kernel_type{knn_packet_kernel<Queries, 4, block_size>}
                             : task.k <= 8  ? kernel_type{knn_packet_kernel<Queries, 8, block_size>}
                             : task.k <= 16 ? kernel_type{knn_packet_kernel<Queries, 16, block_size>}
                                            : kernel_type{knn_packet_kernel<Queries, most, block_size>};
  launch.gridDim = dim3(static_cast<unsigned>((threads + block_size - 1) / block_size));
  launch.blockDim = dim3(block_size);
  return launch_kernel(kernel, launch, task);
}

/// Enqueues the ordering of the queries and the search.
/// @param points  of all clouds
/// @param self    the queries are the points
template <class Selector, class Queries>
FARPOINT_HIDDEN cudaError_t search_knn(point_bvh_arrays<typename Queries::scalar> const& index, index_t points,
                                       unsigned const* bad_offsets, batch<Queries> const& queries, bool self,
                                       exact const& method, index_t k,
                                       knn_output<typename Queries::scalar> const& output,
                                       query_order_memory const& memory, cudaStream_t stream) noexcept {
  using scalar = typename Queries::scalar;
  if (queries.size() == 0) return cudaSuccess;
  search_queries<Queries> in_order{queries, index, self};
  if (!self) {
    cudaError_t const error = order_queries(in_order, most_leaves(points, queries.size()), memory, stream);
    if (error != cudaSuccess) return error;
  }
  knn_cuda_args<Queries> const task{in_order,
                                    in_order.threads(),
                                    queries.points().size(),
                                    bad_offsets,
                                    method.exclude_self,
                                    static_cast<int>(k),
                                    squared_radius<scalar>(method.max_radius),
                                    output};
  return launch_knn<Selector>(task, stream);
}

template <class Scalar>
FARPOINT_HIDDEN cudaError_t clear_report(knn_output<Scalar> const& output, cudaStream_t stream) noexcept {
  if (output.report == nullptr) return cudaSuccess;
  return cudaMemsetAsync(output.report, 0, sizeof *output.report, stream);
}

/// knn() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result knn_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                                exact const& method, index_t k, knn_output<typename Points::scalar> const& output,
                                bytes workspace) noexcept {
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  return indexed_search<Selector>(
      exec, points, workspace, query_order_of(queries, self), [&](auto const& built, query_order_memory const& memory) {
        cudaError_t error = clear_report(output, exec.stream);
        if (error == cudaSuccess && output.report != nullptr && points.size() > 0) {
          error = run_left_out(points, built.index, &output.report->non_finite_points, exec.stream);
        }
        if (error != cudaSuccess) return error;
        return search_knn<Selector>(built.index, points.points().size(), &built.state->bad_offsets, queries, self,
                                    method, k, output, memory, exec.stream);
      });
}

/// knn() for cuda_exec among the points of a device_point_bvh.
template <class Selector, class Index, class Queries>
FARPOINT_HIDDEN result knn_of_index_cuda(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                         exact const& method, index_t k,
                                         knn_output<typename Queries::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_queries(queries, index.size()); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  workspace_cutter cutter{workspace.data()};
  query_order_memory memory = query_order_of(queries, workspace.empty())(cutter);
  if (workspace.size() < cutter.used()) {
    return {status::workspace_too_small, 0, "workspace: smaller than knn_workspace_bytes()"};
  }
  if (!workspace.empty() && !is_workspace_aligned(workspace)) return reject("workspace: not aligned to 256 bytes");
  cudaError_t error = clear_report(output, exec.stream);
  if (error == cudaSuccess) {
    error = search_knn<Selector>(index.arrays(), index.points(), index.bad_offsets(), queries, false, method, k, output,
                                 memory, exec.stream);
  }
  return cuda_failure(error, "knn: a kernel or a memset could not be enqueued");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
