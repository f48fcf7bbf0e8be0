/// @file
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/grid/dynamic_shared.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Enqueues one kernel after another, until one is refused.
class launch_sequence {
 public:
  explicit launch_sequence(cudaStream_t stream) noexcept : stream_{stream} {
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess) {
      cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device);
    }
  }

  cudaStream_t stream() const noexcept { return stream_; }
  cudaError_t error() const noexcept { return error_; }

  /// Blocks for so many threads' worth of work: no more than a few for each multiprocessor, no less than one.
  unsigned blocks(std::uint64_t threads, int block_size, int per_multiprocessor) const noexcept {
    auto const size = static_cast<std::uint64_t>(block_size);
    std::uint64_t const all = (threads + size - 1) / size;
    auto const together = static_cast<std::uint64_t>(multiprocessors_) * static_cast<std::uint64_t>(per_multiprocessor);
    return static_cast<unsigned>(all < 1 ? 1 : all < together ? all : together);
  }

  template <class Argument>
  FARPOINT_HIDDEN void operator()(void (*kernel)(Argument), unsigned grid, int block_size,
                                  std::remove_const_t<Argument> const& argument) noexcept {
    if (error_ != cudaSuccess) return;
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(grid);
    launch.blockDim = dim3(static_cast<unsigned>(block_size));
    launch.stream = stream_;
    error_ = launch_kernel(kernel, launch, argument);
  }

  /// A step that is no kernel.
  void note(cudaError_t error) noexcept {
    if (error_ == cudaSuccess) error_ = error;
  }

 private:
  cudaStream_t stream_;
  cudaError_t error_ = cudaSuccess;
  int multiprocessors_ = 1;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
