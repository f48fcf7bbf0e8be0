/// @file
/// The host backend of fps(): large clouds by a team of threads together, small ones shared out.
#pragma once

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/detail/fps/host_sampler.hpp>
#include <farpoint/host/parallel_phases.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Slots of points in their buckets are 32 bits wide.
inline constexpr index_t max_host_points = 4000000000;

/// The clouds that the team works on together, one after another.
template <class Points>
class fps_host_team {
 public:
  fps_host_team(fps_host_task<Points> const& task, bytes workspace, int threads) noexcept
      : task_{task}, sampler_{task, task.plan.team_memory(workspace), threads}, rounds_{threads, next_cloud()} {}

  void join(int rank) noexcept {
    rounds_.join([this, rank](std::uint32_t unit) { sampler_.work(rank, unit); },
                 [this] {
                   std::uint32_t const units = sampler_.next();
                   return units != 0 ? units : next_cloud();
                 });
  }

 private:
  std::uint32_t next_cloud() noexcept {
    while (next_ < task_.clouds.size()) {
      index_t const b = next_++;
      if (task_.clouds[b].size() > task_.plan.share_limit()) return sampler_.begin(b);
    }
    return 0;
  }

  fps_host_task<Points> const& task_;
  index_t next_ = 0;
  fps_host_sampler<Points> sampler_;
  parallel_phases rounds_;
};

/// fps() for host_exec.
template <class Points>
result fps_host(host_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_output<typename Points::scalar> const& output, bytes workspace,
                fps_host_tuning const& tuning = {}) noexcept {
  using scalar = typename Points::scalar;
  if (exec.threads < 0) return reject("fps: host_exec.threads is negative");
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (result const checked = check_fps_arrays(clouds, params); !checked) return checked;
  if (clouds.largest() > max_host_points) return reject("fps: a cloud of more than 4e9 points");

  fps_host_plan<Points> const plan{exec, clouds, params, tuning};
  std::size_t const needed = plan.bytes();
  if (workspace.size() < needed) {
    return {status::workspace_too_small, 0, "fps: the workspace is smaller than fps_workspace_bytes()"};
  }
  if (needed > 0 && !is_workspace_aligned(workspace)) {
    return reject("fps: the workspace is not aligned to 256 bytes");
  }

  auto const stop = static_cast<scalar>(params.stop_below);
  std::atomic<unsigned long long> non_finite{0};
  fps_host_task<Points> const task{clouds, params, output, stop * stop, non_finite, plan};

  if (params.samples == 0) {
    for (index_t b = 0; b < clouds.size() && !output.counts.empty(); ++b) output.counts.set(b, 0);
  } else {
    fps_host_team<Points> team{task, workspace, plan.threads()};
    std::atomic<index_t> next{0};
    run_team(plan.threads(), [&](int rank, int) {
      // Who leaves the team has seen the end of its last cloud: the workspace is free for the others.
      team.join(rank);
      if (rank >= plan.sharers()) return;
      fps_host_sampler<Points> alone{task, plan.shared_memory(workspace, rank), 1};
      for (index_t b = next++; b < clouds.size(); b = next++) {
        if (clouds[b].size() > plan.share_limit()) continue;
        alone.begin(b);
        do {
          alone.work(0, 0);
        } while (alone.next() != 0);
      }
    });
  }
  if (output.report != nullptr) *output.report = fps_report{non_finite.load(), 0, 0};
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
