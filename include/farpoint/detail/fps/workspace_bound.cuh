/// @file
/// Size of a workspace that suffices for fps() of all batches within limits.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/detail/fps/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns a size that suffices for teams of at most these clouds, with a sort or without.
template <class Points>
std::size_t team_bytes_of(batch_limits const& limits, device_properties const& device, bool sorted) noexcept {
  fps_choice choice{fps_kernel::in_teams, 0, sorted};
  choice.shared_out = true;
  return local_maxima_plan<fps_selector, Points>{largest_batch<Points>(limits), device, choice}.bytes();
}

/// Returns a size that suffices for fps_kernel::in_teams.
template <class Points>
std::size_t team_bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
  if (limits.points > max_narrow_points || limits.clouds > max_narrow_points) return 0;
  index_t const sorted = smaller(limits.clouds, index_t{cell_order_memory<Points::dim>::most_clouds});
  // The number of cells is not monotonic in the number of clouds: this many more may be needed.
  index_t const cells = larger(limits.points, 2 * sorted);
  std::size_t const slack = static_cast<std::size_t>(cells) * sizeof(std::int32_t) +
                            static_cast<std::size_t>(exclusive_scan_tiles(cells)) * sizeof(std::uint64_t) +
                            workspace_alignment;
  return larger(team_bytes_of<Points>(limits, device, false),
                team_bytes_of<Points>({limits.points, sorted}, device, true) + slack);
}

/// Returns a size that suffices for every kernel that fps_selector may choose on a device, or on any part of it with at
/// least 8 multiprocessors.
template <class Points>
std::size_t fps_bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
  if (limits.clouds == 0) return 0;
  std::size_t most =
      static_cast<std::size_t>(limits.points) * fps_global_memory_scalars<Points> * sizeof(typename Points::scalar);
  if constexpr (Points::dim <= 3) most = larger(most, team_bytes_at_most<Points>(limits, device));
  // One aligned unit stores the number of invalid offsets, for any kernel.
  return workspace_alignment + most;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
