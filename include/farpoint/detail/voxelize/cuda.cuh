/// @file
/// The CUDA backend of voxelize(): checks, and enqueues.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/plan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Points that one call takes: slots are numbered with 32 bits.
inline constexpr index_t voxelize_most_points = index_t{1} << 30;

/// True for a call whose answer is empty whatever the data say.
template <class Points>
bool voxelizes_nothing(batch<Points> const& clouds) noexcept {
  return clouds.size() == 0 || clouds.points().size() == 0;
}

/// The outputs of a call without points.
template <class Points, class Scalar>
cudaError_t clear_voxelize_output(batch<Points> const& clouds, voxelize_output<Scalar> const& output,
                                  cudaStream_t stream) noexcept {
  auto const zero = [stream](void* data, index_t count, bool wide) {
    if (data == nullptr) return cudaSuccess;
    return cudaMemsetAsync(data, 0, static_cast<std::size_t>(count) * (wide ? 8 : 4), stream);
  };
  cudaError_t error = zero(output.voxel_count.data(), 1, output.voxel_count.wide());
  if (error == cudaSuccess) {
    error = zero(output.voxel_offsets.data(), clouds.size() + 1, output.voxel_offsets.wide());
  }
  if (error == cudaSuccess) error = zero(output.list_offsets.data(), 1, output.list_offsets.wide());
  if (error == cudaSuccess && output.report != nullptr) {
    error = cudaMemsetAsync(output.report, 0, sizeof(voxelize_report), stream);
  }
  // Every byte of -1 is 0xff. Points of a view that no cloud has are in no voxel.
  if (error == cudaSuccess && !output.point_voxel.empty() && clouds.points().size() > 0) {
    std::size_t const width = output.point_voxel.wide() ? 8 : 4;
    error = cudaMemsetAsync(output.point_voxel.data(), 0xff, static_cast<std::size_t>(clouds.points().size()) * width,
                            stream);
  }
  return error;
}

/// voxelize() for cuda_exec.
template <class Selector, class Points>
result voxelize_cuda(cuda_exec exec, batch<Points> const& clouds,
                     voxelize_params<typename Points::scalar> const& params,
                     voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_voxelize(clouds, params, output); !checked) return checked;
  if (clouds.points().size() > voxelize_most_points || clouds.size() > voxelize_most_points) {
    return reject("voxelize: cuda_exec takes at most 2^30 points and clouds");
  }
  if (voxelizes_nothing(clouds)) {
    cudaError_t const error = clear_voxelize_output(clouds, output, exec.stream);
    if (error == cudaSuccess) return {};
    return cuda_failure(error, "voxelize: the outputs could not be cleared");
  }
  voxelize_plan<Selector, Points> const plan{clouds, params, output};
  if (workspace.size() < plan.bytes()) {
    return {status::workspace_too_small, 0, "voxelize: the workspace is smaller than voxelize_workspace_bytes()"};
  }
  if (!is_workspace_aligned(workspace)) return reject("voxelize: the workspace is not aligned to 256 bytes");
  cudaError_t const error = plan.launch(workspace.data(), exec.stream);
  return cuda_failure(error, "voxelize: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
