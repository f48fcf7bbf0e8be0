/// @file
/// Launches kernels on a stream, and returns the errors of these launches only.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/driver_api.cuh>

#include <cuda_runtime.h>
#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Raises a kernel's limit of dynamic shared memory to what the device has, once it needs more than it is allowed. The
/// limit belongs to the kernel, not to the launch: if it were set to what a launch needs, another thread could lower it
/// between the two. It belongs to a context, too, and may end with it, so that it is looked up each time:
/// cudaFuncGetAttributes() would look up ten others as well.
///
/// cudaFuncSetAttribute() clears an error that is pending from elsewhere even where it succeeds (CUDA 13.0). The
/// driver's function has the same numbers for attributes and errors, and leaves the runtime's pending error alone.
inline cudaError_t allow_dynamic_shared(void const* kernel, std::size_t bytes) noexcept {
  cudaFunction_t function = nullptr;
  cudaError_t error = cudaGetFuncBySymbol(&function, kernel);
  if (error != cudaSuccess) return error;
  auto const& driver = driver_api::get();
  if (driver.get_attribute == nullptr || driver.set_attribute == nullptr) return cudaErrorNotSupported;
  int allowed = 0;
  int own = 0;
  CUresult found = driver.get_attribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
  if (found != CUDA_SUCCESS) return static_cast<cudaError_t>(found);
  if (bytes <= static_cast<std::size_t>(allowed)) return cudaSuccess;
  found = driver.get_attribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  if (found != CUDA_SUCCESS) return static_cast<cudaError_t>(found);
  int device = 0;
  int most = 0;
  error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error != cudaSuccess) return error;
  return static_cast<cudaError_t>(
      driver.set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - own));
}

/// Enqueues a kernel of one argument. Not by <<<>>>, whose error has to be fetched by cudaGetLastError(): that clears
/// an error that is pending from elsewhere, and returns it as ours.
template <class Args>
FARPOINT_HIDDEN cudaError_t launch_kernel(void (*kernel)(Args), cudaLaunchConfig_t const& config,
                                          std::remove_const_t<Args> args) noexcept {
  auto const function = reinterpret_cast<void const*>(kernel);
  if (config.dynamicSmemBytes > 0) {
    cudaError_t const error = allow_dynamic_shared(function, config.dynamicSmemBytes);
    if (error != cudaSuccess) return error;
  }
  void* arguments[] = {&args};
  return cudaLaunchKernelExC(&config, function, arguments);
}

/// True for a number of threads that a block of whole warps can have.
constexpr bool is_block_size(int threads) noexcept {
  return threads >= 32 && threads <= 1024 && threads % 32 == 0;
}

/// Largest grid that a launch may have.
inline constexpr unsigned max_blocks = 0x7fffffff;

/// True if a grid of blocks of `block_size` threads can have `threads`.
constexpr bool fits_grid(index_t threads, int block_size) noexcept {
  return threads <= index_t{max_blocks} * block_size;
}

/// Blocks of `block_size` threads that have a thread for each of `threads`, at least one and at most `most`: a kernel
/// that may get fewer goes on with a stride of the grid.
constexpr unsigned blocks_for(index_t threads, int block_size, unsigned most = max_blocks) noexcept {
  index_t const all = divide_up(larger(threads, index_t{1}), index_t{block_size});
  return static_cast<unsigned>(smaller(all, index_t{most}));
}

/// A launch without dynamic shared memory or attributes.
inline cudaLaunchConfig_t launch_config(unsigned blocks, int block_size, cudaStream_t stream) noexcept {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(block_size));
  config.stream = stream;
  return config;
}

/// Enqueues kernels and memsets one after another, until one is refused.
class kernel_launcher {
 public:
  explicit kernel_launcher(cudaStream_t stream) noexcept : stream_{stream} {}

  cudaStream_t stream() const noexcept { return stream_; }
  /// Error of the first launch or memset that was refused; cudaSuccess if none was.
  cudaError_t error() const noexcept { return error_; }

  /// blocks_for(), with at most `per_multiprocessor` blocks for each multiprocessor; less than 1 counts as 1.
  unsigned blocks(index_t threads, int block_size, int per_multiprocessor) const noexcept {
    index_t const all = index_t{device_properties::multiprocessor_count()} * larger(per_multiprocessor, 1);
    auto const resident = static_cast<unsigned>(smaller(all, index_t{max_blocks}));
    return blocks_for(threads, block_size, resident);
  }

  /// Enqueues a kernel.
  template <class Args>
  FARPOINT_HIDDEN void launch(void (*kernel)(Args), unsigned blocks, int block_size,
                              std::remove_const_t<Args> const& args) noexcept {
    launch(kernel, launch_config(blocks, block_size, stream_), args);
  }
  template <class Args>
  FARPOINT_HIDDEN void launch(void (*kernel)(Args), cudaLaunchConfig_t const& config,
                              std::remove_const_t<Args> const& args) noexcept {
    if (error_ == cudaSuccess) error_ = launch_kernel(kernel, config, args);
  }

  /// Enqueues a kernel whose blocks run at once, or not at all.
  template <class Args>
  FARPOINT_HIDDEN void launch_cooperative(void (*kernel)(Args), cudaLaunchConfig_t config,
                                          std::remove_const_t<Args> const& args) noexcept {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    launch(kernel, config, args);
  }

  /// Enqueues a kernel that has a thread for each of `threads`; nothing for none. Threads that
  /// no grid can have are an error: without it the last ones would be missing.
  template <class Args>
  FARPOINT_HIDDEN void launch_for(index_t threads, int block_size, void (*kernel)(Args),
                                  std::remove_const_t<Args> const& args) noexcept {
    if (error_ == cudaSuccess && !fits_grid(threads, block_size)) error_ = cudaErrorInvalidConfiguration;
    launch_strided(threads, block_size, kernel, args);
  }

  /// Enqueues a kernel whose threads go on with a stride of the grid: a thread for each of `threads`, or the largest
  /// grid; nothing for none.
  template <class Args>
  FARPOINT_HIDDEN void launch_strided(index_t threads, int block_size, void (*kernel)(Args),
                                      std::remove_const_t<Args> const& args) noexcept {
    if (threads > 0) launch(kernel, blocks_for(threads, block_size), block_size, args);
  }

  /// Enqueues a memset to zero; nothing for no bytes.
  void clear(void* memory, std::size_t size) noexcept {
    if (size > 0) then([&] { return cudaMemsetAsync(memory, 0, size, stream_); });
  }

  /// Enqueues by a function that returns a cudaError_t.
  template <class Enqueue>
  void then(Enqueue const& enqueue) noexcept {
    if (error_ == cudaSuccess) error_ = enqueue();
  }

 private:
  cudaStream_t stream_;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
