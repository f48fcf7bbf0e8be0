/// @file
/// A selector that forces fps() to a kernel, and the plan that shows whether the call runs that kernel. Needs nvcc.
#pragma once

#include "support/device_info.hpp"

#include <farpoint/fps.cuh>

#include <limits>
#include <string>

namespace farpoint_bench {

/// Chooses `forced`, which is set before each call: kernels are compiled once for all choices.
struct forced_selector : farpoint::fps_selector {
  static inline farpoint::fps_choice forced{farpoint::fps_kernel::in_regions};
  static farpoint::fps_choice choose(farpoint::fps_case const&) noexcept { return forced; }
};

/// Keeps chunks in global memory, whatever shared memory holds.
struct forced_in_memory : forced_selector {
  static constexpr farpoint::index_t shared_chunks_from = std::numeric_limits<farpoint::index_t>::max();
};

/// Keeps no more than 1,024 points of a block in registers: the others lie in chunks, in shared memory if it holds
/// them.
struct forced_in_chunks : forced_selector {
  static constexpr farpoint::fps_block_tuning maxima_blocks[] = {{512, 1}, {512, 2}};
  static constexpr farpoint::index_t shared_chunks_from = 0;
};
/// The same in global memory.
struct forced_in_global_chunks : forced_in_chunks {
  static constexpr farpoint::index_t shared_chunks_from = std::numeric_limits<farpoint::index_t>::max();
};

/// Forces fps_kernel::in_regions with one shape.
template <int Warps, int PointsPerLane, int Listed, int Tested>
struct forced_regions : farpoint::fps_selector {
  static constexpr farpoint::fps_region_tuning region_shapes[] = {{Warps, PointsPerLane, Listed, Tested}};
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept {
    return {farpoint::fps_kernel::in_regions};
  }
  static std::string name() {
    return "in_regions_" + std::to_string(Warps) + "x" + std::to_string(PointsPerLane) + "_listed_" +
           std::to_string(Listed) + "_tested_" + std::to_string(Tested);
  }
};

/// The current device; without a device an H200, so that rows can be listed.
inline farpoint::detail::device_properties planned_device() {
  std::string reason;
  if (device_is_usable(reason)) return farpoint::detail::device_properties::current();
  return {132, 232'448, 1};
}

/// The kernel that a call would run with `Selector`, after all replacements of what the clouds, the type of point or
/// the device rule out.
template <class Selector, class Points>
farpoint::fps_choice planned_choice(farpoint::batch<Points> const& clouds, farpoint::fps_params const& params,
                                    farpoint::detail::device_properties const& device) {
  return farpoint::detail::fps_cuda_plan<Selector, Points>{clouds, params, device}.choice();
}

/// True if a call that is forced to a choice runs that kernel with these parameters, and no replacement.
/// @tparam Selector  forced_selector, or one derived from it
template <class Selector = forced_selector, class Points>
bool runs_as_forced(farpoint::fps_choice const& choice, farpoint::batch<Points> const& clouds,
                    farpoint::fps_params const& params, farpoint::detail::device_properties const& device) {
  forced_selector::forced = choice;
  return planned_choice<Selector>(clouds, params, device) == choice;
}

/// "in_regions", "in_teams_22_boxes", "in_teams_132_shared_out_boxes",
/// "in_teams_22_boxes_wanted_30_listed_16_singles_8": lengths where they are not the default ones of fps_choice.
inline std::string name_of(farpoint::fps_choice const& choice) {
  farpoint::fps_choice const plain{choice.kernel};
  std::string name = to_string(choice.kernel);
  if (choice.kernel == farpoint::fps_kernel::in_teams) name += "_" + std::to_string(choice.blocks);
  if (choice.shared_out) name += "_shared_out";
  if (choice.boxes) name += "_boxes";
  if (choice.wanted != plain.wanted || choice.listed != plain.listed) {
    name += "_wanted_" + std::to_string(choice.wanted) + "_listed_" + std::to_string(choice.listed);
  }
  return choice.singles != plain.singles ? name + "_singles_" + std::to_string(choice.singles) : name;
}

/// Most blocks that are of use to a cloud in fps_kernel::in_teams: no block has fewer points than the smallest shape,
/// and all clouds are on the device at once. 0 where they are not.
inline int max_team_blocks(farpoint::index_t clouds, farpoint::index_t largest,
                           farpoint::detail::device_properties const& device) {
  farpoint::index_t const useful =
      farpoint::detail::divide_up(largest, farpoint::index_t{forced_selector::maxima_blocks[0].capacity()});
  return static_cast<int>(farpoint::detail::smaller(useful, device.multiprocessors / clouds));
}

}  // namespace farpoint_bench
