/// @file
/// How a call of host fps is spread over threads, and what memory that takes.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/host_candidates.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/types/fps.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Speed, never results. Tests change it to send small clouds through everything.
struct fps_host_tuning {
  index_t bucket_points = fps_bucket_points;  ///< points that a bucket is filled with
  index_t list_points = 512;                  ///< candidates of a round
  index_t sort_from_samples = 16;             ///< fewer samples touch nearly everything, sorted or not
  bool rounds_for_one_chunk = false;          ///< a cloud of one chunk is its own list of candidates
  double worth_a_thread = 200e3;              ///< ns of work that pay for starting a thread
  index_t team_from_points = 65536;           ///< below, starting threads takes what they save
};

/// The arrays that a cloud is sampled in, by one thread or several.
template <class Scalar, int Dim>
struct fps_host_memory {
  fps_bucket_chunk<Scalar, Dim>* chunks;
  fps_bucket<Scalar, Dim>* buckets;
  std::uint32_t* order;  ///< `[points]`
  std::uint32_t* marks;  ///< a bit for each point
  fps_sample_group<Scalar, Dim>* samples;
  fps_entry<Scalar>* accepted;          ///< as many as `samples`
  fps_bucket_chunk<Scalar, Dim>* list;  ///< with `list_buckets`: the candidates of a round
  fps_bucket<Scalar, Dim>* list_buckets;
  fps_host_candidates<Scalar>* shortlists;  ///< `[threads]`, with `entries`: what each has found
  fps_entry<Scalar>* entries;               ///< `[threads, 2 * list_points]`
};

constexpr index_t divide_up(index_t a, index_t b) noexcept {
  return (a + b - 1) / b;
}

template <class Points>
class fps_host_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  using memory = fps_host_memory<scalar, dim>;

  fps_host_plan(host_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_host_tuning const& tuning = {}) noexcept
      : tuning_{tuning}, largest_{std::max<index_t>(clouds.largest(), 0)} {
    // What a point costs (to sort, and to lower to the first samples) and what a sample costs, in ns.
    double const work = static_cast<double>(clouds.points().size()) * 40 +
                        static_cast<double>(clouds.size()) * static_cast<double>(params.samples) * 400;
    threads_ = static_cast<int>(std::min<double>(resolve_threads(exec.threads), 1 + work / tuning.worth_a_thread));
    // Enough clouds keep the threads busy without rounds in step, as far as their arrays take no more than half of what
    // one cloud of all points would.
    bool const enough = clouds.size() >= 2 * threads_;
    share_limit_ = threads_ == 1 ? largest_
                   : enough      ? std::max(2 * tuning.team_from_points, clouds.points().size() / (2 * threads_))
                                 : tuning.team_from_points;
    if (largest_ <= share_limit_) threads_ = static_cast<int>(std::clamp<index_t>(clouds.size(), 1, threads_));
    sharers_ = static_cast<int>(std::clamp<index_t>(clouds.size(), 1, threads_));
    if (!clouds.is_ragged() && largest_ > share_limit_) sharers_ = 0;
  }

  fps_host_tuning const& tuning() const noexcept { return tuning_; }
  int threads() const noexcept { return threads_; }
  /// Threads of these that work on clouds of their own.
  int sharers() const noexcept { return sharers_; }

  /// A cloud of more points than this is worked on by the whole team; a smaller one is one thread's.
  index_t share_limit() const noexcept { return share_limit_; }

  std::size_t bytes() const noexcept {
    if (largest_ == 0) return 0;
    std::size_t const team_cloud = largest_ > share_limit_ ? team_bytes() : 0;
    return std::max(team_cloud, static_cast<std::size_t>(sharers_) * shared_bytes());
  }

  /// For one of the clouds that the team works on.
  memory team_memory(farpoint::bytes workspace) const noexcept {
    return cut(workspace_cutter{workspace.data()}, largest_, threads_).arrays;
  }

  /// For one of the clouds that thread `rank` works on alone.
  memory shared_memory(farpoint::bytes workspace, int rank) const noexcept {
    auto* const mine = workspace.data() + static_cast<std::size_t>(rank) * shared_bytes();
    return cut(workspace_cutter{mine}, std::min(largest_, share_limit_), 1).arrays;
  }

  index_t buckets(index_t points) const noexcept { return divide_up(points, tuning_.bucket_points); }
  index_t chunks(index_t points) const noexcept { return divide_up(buckets(points), fps_bucket_group); }
  bool in_rounds(index_t points) const noexcept {
    return chunks(points) > 1 || (tuning_.rounds_for_one_chunk && points > 0);
  }
  /// Samples that are accepted between two looks at the other chunks, at most.
  index_t list_points(index_t points) const noexcept { return std::min(tuning_.list_points, points); }

 private:
  struct layout {
    memory arrays;
    std::size_t size;
  };

  std::size_t team_bytes() const noexcept { return cut(workspace_cutter{}, largest_, threads_).size; }
  std::size_t shared_bytes() const noexcept {
    return cut(workspace_cutter{}, std::min(largest_, share_limit_), 1).size;
  }

  layout cut(workspace_cutter cutter, index_t points, int threads) const noexcept {
    memory m{};
    m.chunks = cutter.take<fps_bucket_chunk<scalar, dim>>(chunks(points));
    m.buckets = cutter.take<fps_bucket<scalar, dim>>(buckets(points));
    m.order = cutter.take<std::uint32_t>(points);
    m.marks = cutter.take<std::uint32_t>(divide_up(points, 32));
    index_t const list = list_points(points);
    m.samples = cutter.take<fps_sample_group<scalar, dim>>(divide_up(list, fps_bucket_group));
    m.accepted = cutter.take<fps_entry<scalar>>(list);
    if (in_rounds(points)) {
      m.list = cutter.take<fps_bucket_chunk<scalar, dim>>(1);
      m.list_buckets = cutter.take<fps_bucket<scalar, dim>>(divide_up(list, fps_bucket_points));
      m.shortlists = cutter.take<fps_host_candidates<scalar>>(threads);
      m.entries = cutter.take<fps_entry<scalar>>(2 * list * threads);
    }
    return {m, cutter.used()};
  }

  fps_host_tuning tuning_;
  index_t largest_;
  index_t share_limit_ = 0;
  int threads_ = 1;
  int sharers_ = 1;  ///< threads that clouds can be shared out to
};

}  // namespace detail
FARPOINT_END_NAMESPACE
