// Real scans, and many samples of them.
#pragma once

#include <farpoint/fps.hpp>

#include "fps_problem.hpp"

namespace farpoint_tests {

/// What host_exec says, on all cores: the oracle where the serial loop would take minutes.
template <class Problem>
auto host_exec_answer(Problem const& problem) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    farpoint::host_exec const exec;
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    farpoint::detail::host_workspace const workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    return farpoint::fps(exec, clouds, params, output, workspace.get());
  });
}

/// Calls check(name, problem) for every real scan of at most `most` points, with a quarter of its points as samples.
/// For a device: `[](auto const&, auto const& problem) { CHECK(same_answer(solve(problem), host_exec_answer(problem)));
/// }`.
/// @return the number of calls
template <class Check>
int for_quarters_of_scans(std::size_t most, Check const& check) {
  int calls = 0;
  for (auto const& scan : real_scans()) {
    if (scan.points.size() > most) continue;
    check(scan.name, fps_problem<float>{scan.points, static_cast<index_t>(scan.points.size() / 4)});
    ++calls;
  }
  return calls;
}

}  // namespace farpoint_tests
