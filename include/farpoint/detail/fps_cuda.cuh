/// @file
/// The CUDA backend of fps(): checks, chooses kernels, enqueues.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/fps_block_kernel.cuh>
#include <farpoint/detail/fps_check.hpp>
#include <farpoint/detail/host_workspace.hpp>
#include <farpoint/tuning/fps.hpp>

#include <iterator>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Which kernels serve a batch: a register kernel up to its capacity, the streaming kernel beyond.
template <class Selector, class Points>
class fps_cuda_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr std::size_t shapes = std::size(Selector::blocks);

  explicit fps_cuda_plan(batch<Points> const& clouds) noexcept
      : largest_{clouds.largest()},
        smallest_{clouds.is_ragged() ? 0 : clouds.largest()},
        points_{clouds.points().size()} {}

  /// True when a shape leaves enough of a thread's 255 registers for the rest of the kernel.
  static constexpr bool fits(std::size_t shape) noexcept {
    constexpr int budget = 96;
    return Selector::blocks[shape].points_per_thread * (Points::dim + 1) * int{sizeof(scalar)} / 4 <= budget;
  }

  /// Points of the largest cloud that a register kernel takes.
  static constexpr index_t register_capacity() noexcept {
    index_t capacity = 0;
    for (std::size_t shape = 0; shape < shapes; ++shape) {
      if (fits(shape) && Selector::blocks[shape].capacity() > capacity) capacity = Selector::blocks[shape].capacity();
    }
    return capacity;
  }

  bool uses_registers() const noexcept { return smallest_ <= register_capacity(); }
  bool uses_stream() const noexcept { return largest_ > register_capacity(); }

  std::size_t bytes() const noexcept {
    if (!uses_stream()) return 0;
    return static_cast<std::size_t>(points_) * (Points::dim + 1) * sizeof(scalar);
  }

  cudaError_t launch(fps_block_task<Points> task, cudaStream_t stream) const noexcept {
    if (uses_registers()) {
      task.above = -1;
      task.up_to = register_capacity();
      cudaError_t const error = launch_registers<0>(task, stream);
      if (error != cudaSuccess) return error;
    }
    if (uses_stream()) {
      task.above = register_capacity();
      task.up_to = max_narrow_points;
      constexpr int block_size = Selector::streaming_block_size;
      return fps_launch_block<Points, block_size, fps_stream<Points, block_size>>(task, 0, stream);
    }
    return cudaSuccess;
  }

 private:
  /// Shared memory for a copy of the largest cloud that a shape takes; 0 where the device has too little.
  std::size_t shared_copy_bytes(fps_block_tuning shape) const noexcept {
    int device = 0;
    int limit = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
      return 0;
    }
    constexpr std::size_t for_argmax = 1024;
    index_t const points = largest_ < shape.capacity() ? largest_ : shape.capacity();
    std::size_t const copy = static_cast<std::size_t>(points) * sizeof(typename Points::point);
    return copy + for_argmax <= static_cast<std::size_t>(limit) ? copy : 0;
  }

  /// Launches the first shape from `Shape` on that holds the largest cloud, or else the largest shape.
  template <std::size_t Shape>
  cudaError_t launch_registers(fps_block_task<Points> task, cudaStream_t stream) const noexcept {
    if constexpr (Shape < shapes) {
      if constexpr (fits(Shape)) {
        constexpr fps_block_tuning shape = Selector::blocks[Shape];
        if (shape.capacity() >= largest_ || shape.capacity() == register_capacity()) {
          using registers = fps_registers<Points, shape.block_size, shape.points_per_thread>;
          std::size_t const copy = shared_copy_bytes(shape);
          task.has_shared_copy = copy != 0;
          return fps_launch_block<Points, shape.block_size, registers>(task, copy, stream);
        }
      }
      return launch_registers<Shape + 1>(task, stream);
    } else {
      return cudaErrorInvalidConfiguration;
    }
  }

  index_t largest_;
  index_t smallest_;
  index_t points_;
};

inline result cuda_failure(cudaError_t error, char const* reason) noexcept {
  return {status::cuda_failure, static_cast<int>(error), reason};
}

/// fps() for cuda_exec.
template <class Selector, class Points>
result fps_cuda(cuda_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (clouds.largest() > max_narrow_points) {
    return reject("fps: cuda_exec takes clouds of at most 2^31 - 1 points");
  }
  if (clouds.size() > max_narrow_points) return reject("fps: cuda_exec takes at most 2^31 - 1 clouds");
  fps_cuda_plan<Selector, Points> const plan{clouds};
  if (workspace.size() < plan.bytes()) {
    return {status::workspace_too_small, 0, "fps: the workspace is smaller than fps_workspace_bytes()"};
  }
  if (plan.bytes() > 0 && !is_workspace_aligned(workspace)) {
    return reject("fps: the workspace is not aligned to 256 bytes");
  }

  if (output.report != nullptr) {
    cudaError_t const error = cudaMemsetAsync(output.report, 0, sizeof(fps_report), exec.stream);
    if (error != cudaSuccess) return cuda_failure(error, "fps: the report could not be cleared");
  }
  if (clouds.size() == 0) return {};
  if (params.samples == 0) {
    if (output.counts.empty()) return {};
    std::size_t const width = output.counts.wide() ? sizeof(std::int64_t) : sizeof(std::int32_t);
    cudaError_t const error =
        cudaMemsetAsync(output.counts.data(), 0, static_cast<std::size_t>(clouds.size()) * width, exec.stream);
    return error == cudaSuccess ? result{} : cuda_failure(error, "fps: the counts could not be cleared");
  }

  auto const stop = static_cast<scalar>(params.stop_below);
  fps_block_task<Points> task{clouds, params, output};
  task.stop2 = stop * stop;
  task.arrays = reinterpret_cast<scalar*>(workspace.data());
  cudaError_t const error = plan.launch(task, exec.stream);
  return error == cudaSuccess ? result{} : cuda_failure(error, "fps: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
