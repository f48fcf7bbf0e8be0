// fps() on the host with a tuning of the test's. Other tests make the public call only.
#pragma once

#include <farpoint/fps.hpp>

#include <cstddef>

namespace farpoint_tests {

template <class Points>
std::size_t fps_tuned_bytes(farpoint::host_exec exec, farpoint::batch<Points> const& clouds,
                            farpoint::fps_params const& params, farpoint::fps_host_tuning const& tuning) {
  return farpoint::detail::fps_host_plan{exec, clouds, params, tuning}.bytes();
}

/// @param workspace  fps_tuned_bytes()
template <class Points, class Output>
farpoint::result fps_tuned(farpoint::host_exec exec, farpoint::batch<Points> const& clouds,
                           farpoint::fps_params const& params, Output const& output, farpoint::bytes workspace,
                           farpoint::fps_host_tuning const& tuning) {
  return farpoint::detail::fps_host(exec, clouds, params, output, workspace, tuning);
}

}  // namespace farpoint_tests
