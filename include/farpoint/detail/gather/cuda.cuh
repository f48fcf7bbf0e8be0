/// @file
/// The CUDA backend of gather().
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/types/gather.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Value>
struct gather_args {
  span<Value const> features;
  index_t channels;
  index_t rows;  ///< of the features
  index_view indices;
  span<Value> output;
  gather_report* report;  ///< may be null
};

inline constexpr int gather_block_size = 256;

/// Copies a value per thread. `Number` is the type of their count: dividing 64-bit numbers takes longer than the copy.
template <class Value, class Number>
__global__ void __launch_bounds__(gather_block_size) gather_kernel(gather_args<Value> const args) {
  auto const channels = static_cast<Number>(args.channels);
  auto const values = static_cast<Number>(args.indices.size()) * channels;
  Number const step = Number{gridDim.x} * gather_block_size;
  Number at = Number{blockIdx.x} * gather_block_size + threadIdx.x;
  for (; at < values; at += step) {
    Number const row = at / channels;
    Number const channel = at - row * channels;
    index_t const from = args.indices[static_cast<index_t>(row)];
    bool const is_there = from >= 0 && from < args.rows;
    auto const source = static_cast<std::size_t>(from) * static_cast<std::size_t>(channels) + channel;
    args.output[at] = is_there ? args.features[source] : Value{};
    if (!is_there && from != -1 && channel == 0) count_in_report(args.report, &gather_report::out_of_range, 1);
  }
}

/// gather() for cuda_exec.
template <class Value>
FARPOINT_HIDDEN result gather_cuda(cuda_exec exec, span<Value const> features, index_t channels, index_view indices,
                                   span<Value> output, gather_report* report) noexcept {
  if (result const checked = check_gather(features, channels, indices.size(), output); !checked) return checked;
  index_t const rows = static_cast<index_t>(features.size()) / channels;
  index_t const values = indices.size() * channels;
  auto const kernel =
      values <= max_narrow_points ? gather_kernel<Value, std::uint32_t> : gather_kernel<Value, std::uint64_t>;
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  launcher.launch_for(values, gather_block_size, kernel,
                      gather_args<Value>{features, channels, rows, indices, output, report});
  return cuda_failure(launcher.error(), "gather: the kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
