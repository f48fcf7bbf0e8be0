/// @file
/// Rows by index on a CUDA stream. See gather.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Value>
struct gather_args {
  span<Value const> features;
  index_t channels;
  index_t rows;  ///< of the features
  index_view indices;
  span<Value> output;
};

inline constexpr int gather_block_size = 256;

/// A value a thread. `Number` counts them: a division of 64 bits takes longer than the copy.
template <class Value, class Number>
__global__ void __launch_bounds__(gather_block_size) gather_kernel(gather_args<Value> const work) {
  auto const channels = static_cast<Number>(work.channels);
  auto const values = static_cast<Number>(work.indices.size()) * channels;
  Number const step = Number{gridDim.x} * gather_block_size;
  Number at = Number{blockIdx.x} * gather_block_size + threadIdx.x;
  for (; at < values; at += step) {
    Number const row = at / channels;
    index_t const from = work.indices[static_cast<index_t>(row)];
    bool const is_there = from >= 0 && from < work.rows;
    auto const source = static_cast<std::size_t>(from) * static_cast<std::size_t>(channels) + (at - row * channels);
    work.output[at] = is_there ? work.features[source] : Value{};
  }
}

}  // namespace detail

/// gather(), enqueued on a stream: only enqueues, may be captured in a graph. All memory is device memory, which must
/// stay valid until the stream has passed the call.
///
/// An index that is out of range cannot be refused here: it gives a row of zeros, as -1 does.
///
/// @return ok | bad_argument (channels not positive, features that are no whole number of rows, an output that is too
///         small) | cuda_failure. Never clears or returns an error of somebody else's.
/// O(indices * channels), one launch. Thread-safe.
template <class Value>
result gather(cuda_exec exec, span<Value const> features, index_t channels, index_view indices,
              span<Value> output) noexcept {
  if (result const checked = detail::check_gather(features, channels, indices.size(), output); !checked) return checked;
  if (indices.empty()) return {};
  detail::gather_args<Value> const work{features, channels, static_cast<index_t>(features.size()) / channels, indices,
                                        output};
  index_t const values = indices.size() * channels;
  index_t const blocks = (values + detail::gather_block_size - 1) / detail::gather_block_size;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff));
  launch.blockDim = dim3(detail::gather_block_size);
  launch.stream = exec.stream;
  bool const narrow = values <= detail::max_narrow_points;
  cudaError_t const error = detail::launch_kernel(
      narrow ? detail::gather_kernel<Value, std::uint32_t> : detail::gather_kernel<Value, std::uint64_t>, launch, work);
  return detail::cuda_failure(error, "gather: the kernel could not be launched");
}

FARPOINT_END_NAMESPACE
