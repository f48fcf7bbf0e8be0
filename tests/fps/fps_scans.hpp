// fps() of real scans, with many samples.
#pragma once

#include <farpoint/fps.hpp>

#include "fps_problem.hpp"

namespace farpoint_tests {

/// Answer of host_exec on all cores: the oracle where the serial loop would take minutes.
template <class Problem>
auto host_exec_answer(Problem const& problem) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    farpoint::host_exec const exec;
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    farpoint::detail::host_workspace const workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    return farpoint::fps(exec, clouds, params, output, workspace.get());
  });
}

/// Calls check(name, problem) for every real scan, of which each `every`-th point is taken if that makes at most
/// `most`, with a quarter of these points as samples. For a device: every point of every scan, and
/// `[](auto const&, auto const& problem) { CHECK(same_answer(solve(problem), host_exec_answer(problem))); }`.
/// @return the number of calls
template <class Check>
int for_quarters_of_scans(std::size_t every, std::size_t most, Check const& check) {
  int calls = 0;
  for (auto const& scan : real_scans()) {
    xyz_cloud points;
    for (std::size_t i = 0; i < scan.points.size(); i += every) points.push_back(scan.points[i]);
    if (points.size() > most) continue;
    check(scan.name, fps_problem<float>{points, static_cast<index_t>(points.size() / 4)});
    ++calls;
  }
  return calls;
}

}  // namespace farpoint_tests
