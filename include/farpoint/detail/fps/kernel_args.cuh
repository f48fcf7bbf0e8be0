/// @file
/// Functions that every kernel of fps() calls on its arguments: report invalid data, and write the output.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/args.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns the initial distance of a point: infinite, or no_candidate for a point that must not be a sample.
template <class Scalar, int Dim>
__device__ Scalar fps_start(vec<Scalar, Dim> const& point) noexcept {
  return is_finite(point) ? not_yet_measured<Scalar> : no_candidate<Scalar>;
}

/// Returns true if an entry of params.chosen names a finite point of the cloud.
/// @param counts  true in the one thread that reports an index out of range
template <class Points>
__device__ bool fps_is_chosen(fps_args<Points> const& args, Points const& cloud, index_t index, bool counts) noexcept {
  if (index < -1 || index >= cloud.size()) {
    if (counts) count_in_report(args.output.report, &fps_report::chosen_out_of_range, 1);
    return false;
  }
  return index >= 0 && is_finite(cloud[index]);
}

/// Calls take(index) for each valid chosen point of cloud b, in all threads of the block; returns false if no chosen
/// point is valid.
template <class Points, class Take>
__device__ bool fps_for_each_chosen(fps_args<Points> const& args, index_t b, Points const& cloud,
                                    Take const& take) noexcept {
  index_t const each = args.chosen_per_cloud();
  bool any = false;
  for (index_t i = 0; i < each; ++i) {
    index_t const index = args.params.chosen[b * each + i];
    if (!fps_is_chosen(args, cloud, index, threadIdx.x == 0)) continue;
    take(index);
    any = true;
  }
  return any;
}

/// Returns the first sample of a cloud that is not empty.
/// @param counts  true in the one thread that reports an index out of range
template <class Points>
__device__ fps_first fps_first_sample(fps_args<Points> const& args, index_t b, Points const& cloud,
                                      bool counts) noexcept {
  index_t const first = args.first_of(b);
  if (first < 0 || first >= cloud.size()) {
    if (counts) count_in_report(args.output.report, &fps_report::first_out_of_range, 1);
    return {-1, false};
  }
  return {is_finite(cloud[first]) ? first : -1, true};
}

/// Writes padding behind the `count` samples of cloud b, and their number. All threads of a block call it.
template <int BlockSize, class Points>
__device__ void fps_finish(fps_args<Points> const& args, index_t b, index_t count) noexcept {
  for (index_t slot = count + threadIdx.x; slot < args.params.samples; slot += BlockSize) args.write_padding(b, slot);
  if (threadIdx.x == 0) args.write_count(b, count);
}

/// Returns true if offsets of the batch are invalid, as is_bad_offset() defines it: all clouds then get no samples. All
/// threads of a block call it.
/// @param counts  true if block 0 of this kernel reports invalid offsets that no other kernel has reported
template <int BlockSize, class Points>
__device__ bool fps_has_bad_offsets(fps_args<Points> const& args, bool counts) noexcept {
  if (!args.clouds.is_ragged()) return false;
  if (args.bad_offsets != nullptr) return *args.bad_offsets != 0;
  unsigned bad = 0;
#pragma unroll 1
  for (index_t i = threadIdx.x; i <= args.clouds.size(); i += BlockSize) bad += is_bad_offset(args.clouds, i) ? 1 : 0;
  if (__syncthreads_or(bad != 0) == 0) return false;
  if (counts && blockIdx.x == 0) count_in_report(args.output.report, &fps_report::bad_offsets, bad);
  return true;
}

/// Writes the output of clouds without samples. All threads of a grid call it.
template <int BlockSize, class Points>
__device__ void fps_leave_empty(fps_args<Points> const& args) noexcept {
  for (index_t b = blockIdx.x; b < args.clouds.size(); b += gridDim.x) fps_finish<BlockSize>(args, b, 0);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
