// voxelize() on the host with a tuning of the test's. Other tests make the public call only.
#pragma once

#include <farpoint/voxelize.hpp>

#include <algorithm>
#include <cstddef>

namespace farpoint_tests {

template <class Points>
std::size_t voxelize_tuned_bytes(farpoint::host_exec exec, farpoint::batch<Points> const& clouds,
                                 farpoint::voxelize_host_tuning const& tuning) {
  farpoint::index_t const points = std::max<farpoint::index_t>(0, clouds.points().size());
  return farpoint::detail::voxelize_host_plan{exec, points, points, tuning}.workspace_size();
}

/// @param workspace  voxelize_tuned_bytes()
template <class Points, class Params, class Output>
farpoint::result voxelize_tuned(farpoint::host_exec exec, farpoint::batch<Points> const& clouds, Params const& params,
                                Output const& output, farpoint::bytes workspace,
                                farpoint::voxelize_host_tuning const& tuning) {
  return farpoint::detail::voxelize_host(exec, clouds, params, output, workspace, tuning);
}

}  // namespace farpoint_tests
