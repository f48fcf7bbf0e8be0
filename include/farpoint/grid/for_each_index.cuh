/// @file
/// A loop over independent indices in a kernel. host/for_each_index.hpp runs the same body on a CPU.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/loops.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Body>
struct index_args {
  Body body;
  index_t count;
};

/// `Number`: dividing 64-bit numbers, which bodies do, takes longer than copying a value.
template <class Body, class Number>
__global__ void __launch_bounds__(loop_block_size) index_kernel(index_args<Body> const args) {
  auto const count = static_cast<std::uint64_t>(args.count);
  std::uint64_t const step = std::uint64_t{gridDim.x} * loop_block_size;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * loop_block_size + threadIdx.x; i < count; i += step) {
    args.body(static_cast<Number>(i));
  }
}

}  // namespace detail

/// Enqueues `body(i)` for each i of `[0, count)`, a thread for each; nothing for a count of 0. `body` is copied; it is
/// called with unsigned integers, of 32 bits where `count` fits in them.
/// @return ok | cuda_failure
template <class Body>
FARPOINT_HIDDEN result for_each_index(cuda_exec exec, index_t count, Body const& body, index_t = 1) noexcept {
  auto const kernel = count <= detail::max_narrow_points ? detail::index_kernel<Body, std::uint32_t>
                                                         : detail::index_kernel<Body, std::uint64_t>;
  detail::kernel_launcher launcher{exec.stream};
  launcher.launch_strided(count, detail::loop_block_size, kernel, detail::index_args<Body>{body, count});
  return detail::cuda_failure(launcher.error(), "for_each_index: the kernel could not be launched");
}

FARPOINT_END_NAMESPACE
