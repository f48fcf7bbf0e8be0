/// @file
/// Host backend of fps(): a team of threads samples each large cloud together, and single threads sample the small
/// ones.
#pragma once

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/detail/fps/host_sampler.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Slots of points in their buckets are 32 bits wide.
inline constexpr index_t max_host_points = 4000000000;

/// fps() for host_exec.
template <class Points>
result fps_host(host_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_output<typename Points::scalar> const& output, bytes workspace,
                fps_host_tuning const& tuning = {}) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (clouds.largest() > max_host_points) return reject("fps: a cloud has more than 4e9 points");

  fps_host_plan<Points> const plan{exec, clouds, params, tuning};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("fps")); !checked)
    return checked;

  fps_host_counters counters;
  fps_host_task<Points> const task{{clouds, params, output}, counters, plan};
  index_t const bad_offsets = count_bad_offsets(clouds);
  if (params.samples == 0 || bad_offsets > 0) {
    for (index_t b = 0; b < clouds.size(); ++b) task.args.write_empty(b);
  } else {
    auto const size_of = [&clouds](index_t b) { return clouds[b].size(); };
    for_each_cloud(plan.spread(), clouds.size(), size_of, [&](int rank) {
      bool const is_team = rank < 0;
      return fps_host_sampler<Points>{task, is_team ? plan.team_memory(workspace) : plan.shared_memory(workspace, rank),
                                      is_team ? plan.threads() : 1};
    });
  }
  if (output.report != nullptr) {
    *output.report = counters.sum();
    output.report->bad_offsets = static_cast<unsigned long long>(bad_offsets);
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
