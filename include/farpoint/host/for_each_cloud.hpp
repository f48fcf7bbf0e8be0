/// @file
/// Distributes the clouds of a batch over host threads: all threads share each large cloud, one thread works on each
/// small one.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Thresholds of the distribution. They change the speed, never a result; tests lower them to send small clouds down
/// every path.
struct for_each_cloud_tuning {
  double worth_a_thread = 200e3;    ///< ns of work that justify starting a thread
  index_t team_from_points = 8192;  ///< points and queries; one thread works on a smaller cloud
  int times_for_many = 1;           ///< factor on team_from_points, if clouds suffice for all threads
};

/// Number of threads, and the size from which all threads share a cloud.
class for_each_cloud_plan {
 public:
  /// @param points   number of points of all clouds
  /// @param largest  number of points of the largest cloud
  /// @param work     rough estimate of the work on all clouds, ns
  for_each_cloud_plan(host_exec exec, index_t clouds, index_t points, index_t largest, double work,
                      for_each_cloud_tuning const& tuning) noexcept
      : tuning_{tuning}, stop_{exec.stop}, pool_{exec.pool} {
    // Work may be negative in a call with bad arguments, which is rejected later.
    double const paid = std::max(work, 0.0) / tuning.worth_a_thread;
    threads_ = static_cast<int>(std::min<double>(resolve_threads(exec.threads), 1 + paid));
    bool const enough = clouds >= index_t{2} * threads_;
    share_limit_ = threads_ == 1 ? largest : enough ? max_shared(points, threads_) : tuning.team_from_points;
    if (largest <= share_limit_) threads_ = static_cast<int>(std::clamp<index_t>(clouds, 1, threads_));
    sharers_ = static_cast<int>(std::clamp<index_t>(clouds, 1, threads_));
  }

  int threads() const noexcept { return threads_; }
  /// Of the execution; null for a call that runs to its end.
  host_stop* stop() const noexcept { return stop_; }
  /// Of the execution.
  host_pool const& pool() const noexcept { return pool_; }
  /// Maximum number of points of a cloud that one thread works on; the team shares larger clouds.
  index_t share_limit() const noexcept { return share_limit_; }
  /// Number of threads that may get small clouds: the threads of rank below it.
  int sharers() const noexcept { return sharers_; }
  /// Largest share_limit() of a team, for batches of at most `points` points.
  index_t max_shared(index_t points, int threads) const noexcept {
    return std::max(tuning_.times_for_many * tuning_.team_from_points, points / (index_t{2} * threads));
  }
  /// Maximum number of units per phase of a build.
  std::uint32_t max_units() const noexcept { return max_units(threads_); }
  static std::uint32_t max_units(int threads) noexcept {
    return threads == 1 ? 1 : static_cast<std::uint32_t>(4 * threads);
  }

 private:
  for_each_cloud_tuning tuning_;
  host_stop* stop_;
  host_pool pool_;
  int threads_ = 1;
  int sharers_ = 1;
  index_t share_limit_ = 0;
};

/// Job that runs two jobs on a cloud, one after the other. A job has
///   begin(b)          returns the number of units of its first phase on cloud b, never 0
///   work(rank, unit)  runs a unit
///   next()            returns the number of units of the next phase, or 0; one thread calls it while no other is in
///                     work()
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
/// First the team processes the large clouds in order, phase by phase; then its threads claim the small clouds one by
/// one. If the system refuses to start some threads, the others do all the work. If the plan's host_stop is requested,
/// units that have not begun are left out, with all that follows them.
/// @param size_of   `size_of(b)`: number of points of cloud b
/// @param make_job  `make_job(rank)`: job of one thread on small clouds, for ranks below plan.sharers(), or of the team
///                  on large clouds, for rank -1. Jobs of different ranks run concurrently
template <class SizeOf, class MakeJob>
void for_each_cloud(for_each_cloud_plan const& plan, index_t clouds, SizeOf const& size_of,
                    MakeJob const& make_job) noexcept {
  host_stop* const stop = plan.stop();
  // An earlier pass that was ended may have left memory that a job reads without its values.
  if (stop != nullptr && stop->requested()) return;
  // Rank 0 is the calling thread, unless there is a pool.
  auto const ends = [stop](int rank) noexcept {
    if (stop == nullptr) return false;
    return rank == 0 ? stop->poll() : stop->requested();
  };
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
  run_team(plan.pool(), plan.threads(), [&](int rank, int) {
    // A thread leaves the phases after the last large cloud is done, so the team's scratch memory is free by then.
    phases.join(
        [&](std::uint32_t unit) {
          if (!ends(rank)) team_job.work(rank, unit);
        },
        [&]() -> std::uint32_t {
          if (ends(rank)) return 0;
          std::uint32_t const units = team_job.next();
          return units != 0 ? units : next_cloud();
        });
    if (rank >= plan.sharers()) return;
    auto job = make_job(rank);
    for (index_t b = next_small++; b < clouds; b = next_small++) {
      if (size_of(b) > plan.share_limit()) continue;
      for (std::uint32_t units = job.begin(b); units != 0; units = job.next()) {
        for (std::uint32_t unit = 0; unit < units; ++unit) {
          if (ends(rank)) return;
          job.work(rank, unit);
        }
      }
    }
  });
}

}  // namespace detail
FARPOINT_END_NAMESPACE
