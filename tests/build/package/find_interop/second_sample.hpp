#pragma once

#include <farpoint/fps.hpp>

#include <array>

/// Which point fps() takes after the first; -1 if it refuses. A view may be of device memory: there is no fps(view, n).
template <class Points>
int second_sample(Points const& points) {
  farpoint::batch<Points> const cloud{points};
  farpoint::host_exec const exec{1};
  farpoint::fps_params params;
  params.samples = 2;
  std::array<std::int32_t, 2> indices{};
  farpoint::fps_output<typename Points::scalar> output;
  output.indices = indices;
  farpoint::host_scratch const workspace{farpoint::fps_workspace_bytes(exec, cloud, params)};
  return farpoint::fps(exec, cloud, params, output, workspace.get()) ? indices[1] : -1;
}
