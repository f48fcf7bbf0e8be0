/// @file
/// Number of blocks that fit on a multiprocessor, for __launch_bounds__.
#pragma once

#include <farpoint/core/config.hpp>

#include <cstddef>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Resources of a multiprocessor of the architecture that is being compiled (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); on the host, the maximum over all architectures.
struct multiprocessor_limits {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int threads = 1024;
  static constexpr std::size_t shared_bytes = 64 << 10;
  static constexpr std::size_t reserved_bytes = 0;  ///< shared memory that the system reserves per block
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
  static constexpr int threads = 1536;
  static constexpr std::size_t shared_bytes = 100 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int threads = __CUDA_ARCH__ == 870 ? 1536 : 2048;
  static constexpr std::size_t shared_bytes = 164 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 1010 || __CUDA_ARCH__ == 1100)  // Thor, by its old and its new number
  static constexpr int threads = 1536;
  static constexpr std::size_t shared_bytes = 228 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#else
  static constexpr int threads = 2048;
  static constexpr std::size_t shared_bytes = 228 << 10;
  static constexpr std::size_t reserved_bytes = 1 << 10;
#endif
};

/// Number of blocks for which a multiprocessor has threads and shared memory, at least 1. Only for __launch_bounds__: a
/// larger minimum would cost registers without gain.
/// @param shared_bytes  static shared memory per block
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
