/// @file
/// Blocks that a multiprocessor holds, for __launch_bounds__.
#pragma once

#include <farpoint/core/config.hpp>

#include <cstddef>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a multiprocessor of the architecture that is compiled for has (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); on the host, the most of any.
struct multiprocessor_limits {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int threads = 1024;
  static constexpr std::size_t shared_bytes = 64 << 10;
  static constexpr std::size_t reserved_bytes = 0;  ///< of shared memory, for each block
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
  static constexpr int threads = 1536;
  static constexpr std::size_t shared_bytes = 100 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int threads = __CUDA_ARCH__ == 870 ? 1536 : 2048;
  static constexpr std::size_t shared_bytes = 164 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#else
  static constexpr int threads = 2048;
  static constexpr std::size_t shared_bytes = 228 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#endif
};

/// Blocks for which a multiprocessor has threads and shared memory, at least 1. For __launch_bounds__ alone: to ask for
/// more would cost registers and gain nothing.
/// @param shared_bytes  static shared memory of a block
constexpr int blocks_that_fit(int block_size, std::size_t shared_bytes = 0) noexcept {
  using limits = multiprocessor_limits;
  int const by_threads = limits::threads / block_size;
  std::size_t const each = shared_bytes + limits::reserved_bytes;
  int const by_memory = each == 0 ? by_threads : static_cast<int>(limits::shared_bytes / each);
  int const blocks = by_threads < by_memory ? by_threads : by_memory;
  return blocks > 1 ? blocks : 1;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
