/// @file
/// Size of a workspace that suffices for fps() of all batches within limits.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/detail/fps/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns a size that suffices for the kernels by local maxima as fps_selector uses them: for batches whose largest
/// cloud has at most twice the average size, and whose clouds divide the multiprocessors equally.
template <class Points>
std::size_t local_maxima_bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
  std::size_t most = 0;
  if (!fps_has_local_maxima<fps_selector, Points> || limits.points > max_narrow_points) return most;
  index_t const most_clouds = smaller<index_t>(limits.clouds, device.multiprocessors);
  for (index_t clouds = 1; clouds <= most_clouds; ++clouds) {
    auto const all = largest_batch<Points>({limits.points, clouds});
    index_t const largest = smaller(limits.points, divide_up(2 * limits.points, clouds));
    auto const alike = batch<Points>::ragged(all.points(), all.offsets(), largest);
    int const blocks = device.multiprocessors / static_cast<int>(clouds);
    fps_choice const choice{fps_kernel::maxima_in_grid, blocks, true};
    most = larger(most, local_maxima_plan<fps_selector, Points>{alike, device, choice}.bytes());
  }
  return most;
}

/// Returns a size that suffices for every kernel that fps_selector may choose on a device, or on any part of it with at
/// least 8 multiprocessors.
template <class Points>
std::size_t fps_bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
  if (limits.clouds == 0) return 0;
  // One aligned unit stores the number of invalid offsets, for any kernel.
  std::size_t most = workspace_alignment + static_cast<std::size_t>(limits.points) * fps_global_memory_scalars<Points> *
                                               sizeof(typename Points::scalar);
  most = larger(most, local_maxima_bytes_at_most<Points>(limits, device));
  if constexpr (Points::dim <= 3) {
    most = larger(most, fps_multi_block_plan<fps_selector, Points>::bytes_at_most(limits, device));
  }
  return most;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
