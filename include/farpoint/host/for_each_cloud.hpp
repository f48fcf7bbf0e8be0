/// @file
/// Shares the clouds of a batch out among host threads: large clouds are worked on by all together, small ones by one.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// What the sharing goes by. Changes the speed, never a result; tests change it to send small clouds down every path.
struct for_each_cloud_tuning {
  double worth_a_thread = 200e3;    ///< ns of work that pay for starting a thread
  index_t team_from_points = 8192;  ///< points and queries; below, a cloud is one thread's
  int times_for_many = 1;           ///< team_from_points is raised by, where clouds are enough for all threads
};

/// How many threads work, and from what size on a cloud is shared.
class for_each_cloud_plan {
 public:
  /// @param points   of all clouds
  /// @param largest  points of the largest cloud
  /// @param work     of all clouds, in ns, roughly
  for_each_cloud_plan(host_exec exec, index_t clouds, index_t points, index_t largest, double work,
                      for_each_cloud_tuning const& tuning) noexcept
      : tuning_{tuning} {
    // A call with bad arguments, which is refused later, may say that there is less than nothing to do.
    double const paid = std::max(work, 0.0) / tuning.worth_a_thread;
    threads_ = static_cast<int>(std::min<double>(resolve_threads(exec.threads), 1 + paid));
    bool const enough = clouds >= index_t{2} * threads_;
    share_limit_ = threads_ == 1 ? largest : enough ? most_shared(points, threads_) : tuning.team_from_points;
    if (largest <= share_limit_) threads_ = static_cast<int>(std::clamp<index_t>(clouds, 1, threads_));
    sharers_ = static_cast<int>(std::clamp<index_t>(clouds, 1, threads_));
  }

  int threads() const noexcept { return threads_; }
  /// Clouds of more points than this are worked on by the whole team.
  index_t share_limit() const noexcept { return share_limit_; }
  /// Threads that may get small clouds: those of lower rank.
  int sharers() const noexcept { return sharers_; }
  /// Largest share_limit() of a team, for batches of no more points.
  index_t most_shared(index_t points, int threads) const noexcept {
    return std::max(tuning_.times_for_many * tuning_.team_from_points, points / (index_t{2} * threads));
  }
  /// Units that a phase of building should be cut into, at most.
  std::uint32_t most_units() const noexcept { return most_units(threads_); }
  static std::uint32_t most_units(int threads) noexcept {
    return threads == 1 ? 1 : static_cast<std::uint32_t>(4 * threads);
  }

 private:
  for_each_cloud_tuning tuning_;
  int threads_ = 1;
  int sharers_ = 1;
  index_t share_limit_ = 0;
};

/// Two jobs on a cloud, one after the other, as one job. A job has
///   begin(b)          returns the units of its first phase on cloud b, never 0
///   work(rank, unit)  does a unit
///   next()            returns the units of the next phase, or 0; called by one thread while no other is in work()
template <class First, class Second>
class host_sequence {
 public:
  host_sequence(First const& first, Second const& second) noexcept : first_{first}, second_{second} {}

  std::uint32_t begin(index_t b) noexcept {
    b_ = b;
    in_first_ = true;
    return first_.begin(b);
  }
  void work(int rank, std::uint32_t unit) noexcept {
    if (in_first_) {
      first_.work(rank, unit);
    } else {
      second_.work(rank, unit);
    }
  }
  std::uint32_t next() noexcept {
    if (!in_first_) return second_.next();
    std::uint32_t const units = first_.next();
    if (units != 0) return units;
    in_first_ = false;
    return second_.begin(b_);
  }

 private:
  First first_;
  Second second_;
  index_t b_ = 0;
  bool in_first_ = true;
};

/// Runs a job (see host_sequence) on each cloud, once. Returns when all are done.
///
/// First the team goes through the large clouds, in order, phase by phase; then its members claim the small ones one by
/// one. Fewer threads than planned, if the system refuses some, do the same work.
/// @param size_of   `size_of(b)`: points of cloud b
/// @param make_job  `make_job(rank)`: the job of one thread on small clouds, for ranks below plan.sharers(); or, for
///                  rank -1, that of the team on large ones. Jobs of different ranks run at the same time
template <class SizeOf, class MakeJob>
void for_each_cloud(for_each_cloud_plan const& plan, index_t clouds, SizeOf const& size_of,
                    MakeJob const& make_job) noexcept {
  auto team_job = make_job(-1);
  index_t next_large = 0;
  auto const next_cloud = [&]() -> std::uint32_t {
    while (next_large < clouds) {
      index_t const b = next_large++;
      if (size_of(b) > plan.share_limit()) return team_job.begin(b);
    }
    return 0;
  };
  parallel_phases phases{plan.threads(), next_cloud()};
  std::atomic<index_t> next_small{0};
  run_team(plan.threads(), [&](int rank, int) {
    // A thread leaves the phases after the end of the last large cloud: the team's scratch memory is free by then.
    phases.join([&](std::uint32_t unit) { team_job.work(rank, unit); },
                [&] {
                  std::uint32_t const units = team_job.next();
                  return units != 0 ? units : next_cloud();
                });
    if (rank >= plan.sharers()) return;
    auto job = make_job(rank);
    for (index_t b = next_small++; b < clouds; b = next_small++) {
      if (size_of(b) > plan.share_limit()) continue;
      for (std::uint32_t units = job.begin(b); units != 0; units = job.next()) {
        for (std::uint32_t unit = 0; unit < units; ++unit) job.work(rank, unit);
      }
    }
  });
}

}  // namespace detail
FARPOINT_END_NAMESPACE
