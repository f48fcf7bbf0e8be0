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

/// Returns the bytes of a sort's cells and of their scan. @param cells  number of cells of all clouds
inline std::size_t cell_bytes_of(index_t cells) noexcept {
  basic_workspace_cutter<workspace_alignment> memory;
  memory.take<std::int32_t>(cells + 1);
  memory.take<std::uint64_t>(exclusive_scan_tiles(cells));
  return memory.used();
}

/// Returns a size that suffices for fps_kernel::in_teams.
template <class Points>
std::size_t team_bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
  if (limits.points > max_narrow_points || limits.clouds > max_narrow_points) return 0;
  using order = cell_order_memory<Points::dim>;
  index_t const sorted = smaller(limits.clouds, index_t{order::cloud_limit});
  // The number of cells is not monotonic in the number of clouds: fewer clouds may have more cells, up to the bound.
  index_t const cells = sorted << order::bits_for(limits.points, sorted);
  index_t const max_cells = larger(2 * sorted, smaller(limits.points, sorted << order::max_bits));
  return larger(
      team_bytes_of<Points>(limits, device, false),
      team_bytes_of<Points>({limits.points, sorted}, device, true) - cell_bytes_of(cells) + cell_bytes_of(max_cells));
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
