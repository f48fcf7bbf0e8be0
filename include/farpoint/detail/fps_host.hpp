/// @file
/// The host backend of fps(): vectorised brute force, small clouds shared out, large ones cut across a team of threads.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/fps_check.hpp>
#include <farpoint/detail/fps_lower.hpp>
#include <farpoint/detail/host_workspace.hpp>
#include <farpoint/detail/spin_barrier.hpp>
#include <farpoint/detail/thread_team.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The best candidate of one member of a team.
template <class Scalar>
struct fps_candidate {
  Scalar score = fps_taken<Scalar>;
  index_t index = -1;
};

/// A candidate with a cache line of its own, so that members do not slow each other down.
template <class Scalar>
struct alignas(64) fps_slot {
  fps_candidate<Scalar> candidate;
};

/// Threads that work on one cloud together: who I am, how many we are, where we meet.
template <class Scalar>
struct fps_team {
  int rank = 0;
  int size = 1;
  spin_barrier* barrier = nullptr;
  fps_slot<Scalar>* board = nullptr;  ///< `[2, size]`: used in turn, so that one barrier an exchange is enough

  /// The best of all members' candidates, the same on each: the larger score, then the lower index.
  fps_candidate<Scalar> agree(fps_candidate<Scalar> mine, int turn) const noexcept {
    if (size == 1) return mine;
    fps_slot<Scalar>* const slots = board + (turn & 1) * size;
    slots[rank].candidate = mine;
    barrier->arrive_and_wait();
    // Members own ascending ranges of indices: the first of equal scores has the lowest index.
    fps_candidate<Scalar> best = slots[0].candidate;
    for (int other = 1; other < size; ++other) {
      if (slots[other].candidate.score > best.score) best = slots[other].candidate;
    }
    return best;
  }
};

/// How a call is spread over threads, and what memory that takes.
template <class Points>
class fps_host_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;

  fps_host_plan(host_exec exec, batch<Points> const& clouds, fps_params const& params) noexcept
      : largest_{std::max<index_t>(clouds.largest(), 0)} {
    // Starting a thread costs about as much as this many distances.
    constexpr double worth_a_thread = 1 << 18;
    double const work = static_cast<double>(clouds.points().size()) * static_cast<double>(params.samples);
    threads_ = static_cast<int>(std::min<double>(resolve_threads(exec.threads), 1 + work / worth_a_thread));
    // Clouds that are not fewer than the threads keep them busy without a barrier per sample.
    share_limit_ = threads_ == 1 ? largest_ : clouds.size() >= threads_ ? 32768 : 4096;
  }

  int threads() const noexcept { return threads_; }

  /// A cloud of more points than this is cut across the whole team; a smaller one is one thread's.
  index_t share_limit() const noexcept { return share_limit_; }

  std::size_t bytes() const noexcept {
    if (largest_ == 0) return 0;
    std::size_t const shared_clouds =
        static_cast<std::size_t>(threads_) * array_bytes(std::min(largest_, share_limit_));
    std::size_t const team_cloud = largest_ > share_limit_ ? array_bytes(largest_) : 0;
    return board_bytes() + std::max(shared_clouds, team_cloud);
  }

  fps_slot<scalar>* board(farpoint::bytes workspace) const noexcept {
    return reinterpret_cast<fps_slot<scalar>*>(workspace.data());
  }

  /// Arrays for a cloud that a thread works on alone (small) or with all others (rank 0's, large enough for any).
  fps_arrays<scalar, dim> arrays(farpoint::bytes workspace, int rank, index_t points) const noexcept {
    std::size_t const mine = static_cast<std::size_t>(rank) * array_bytes(std::min(largest_, share_limit_));
    auto* next = reinterpret_cast<scalar*>(workspace.data() + board_bytes() + mine);
    fps_arrays<scalar, dim> arrays{};
    for (auto& axis : arrays.axis) {
      axis = next;
      next += padded(points);
    }
    arrays.nearest = next;
    return arrays;
  }

  static constexpr index_t blocks(index_t points) noexcept { return (points + fps_host_block - 1) / fps_host_block; }
  static constexpr index_t padded(index_t points) noexcept { return blocks(points) * fps_host_block; }

 private:
  static constexpr std::size_t array_bytes(index_t points) noexcept {
    return static_cast<std::size_t>(padded(points)) * (dim + 1) * sizeof(scalar);
  }
  std::size_t board_bytes() const noexcept {
    std::size_t const size = 2 * static_cast<std::size_t>(threads_) * sizeof(fps_slot<scalar>);
    return (size + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  }

  index_t largest_;
  index_t share_limit_ = 0;
  int threads_ = 1;
};

/// One cloud's part of the arguments.
template <class Points>
struct fps_host_task {
  using scalar = typename Points::scalar;

  batch<Points> const& clouds;
  fps_params const& params;
  fps_output<scalar> const& output;
  scalar stop2;
  std::atomic<unsigned long long>& non_finite;

  void write(index_t b, index_t slot, index_t index, scalar distance) const noexcept {
    output.indices.set(b * params.samples + slot, index);
    if (!output.distances.empty()) output.distances[static_cast<std::size_t>(b * params.samples + slot)] = distance;
  }
};

/// Samples one cloud with one member of a team; each member runs this with its own rank.
template <class Points>
class fps_host_sampler {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;

  fps_host_sampler(fps_host_task<Points> const& task, index_t b, fps_arrays<scalar, dim> const& arrays,
                   fps_team<scalar> const& team) noexcept
      : task_{task}, b_{b}, cloud_{task.clouds[b]}, arrays_{arrays}, team_{team} {
    index_t const blocks = fps_host_plan<Points>::blocks(cloud_.size());
    begin_ = blocks * team.rank / team.size;
    end_ = blocks * (team.rank + 1) / team.size;
  }

  void run() noexcept {
    load();
    bool const continued = lower_to_chosen();
    fps_candidate<scalar> winner = continued ? agree(best_of(find_block())) : first_sample();
    index_t count = 0;
    while (count < task_.params.samples && winner.index >= 0 && !(winner.score < task_.stop2)) {
      if (team_.rank == 0) task_.write(b_, count, winner.index, winner.score);
      ++count;
      if (count == task_.params.samples) break;
      winner = agree(best_of(lower_to(winner.index)));
    }
    if (team_.rank != 0) return;
    for (index_t slot = count; slot < task_.params.samples; ++slot) task_.write(b_, slot, -1, scalar(-1));
    if (!task_.output.counts.empty()) task_.output.counts.set(b_, count);
  }

 private:
  /// Copies this member's points into the arrays.
  void load() noexcept {
    unsigned long long bad = 0;
    for (index_t i = begin_ * fps_host_block; i < end_ * fps_host_block; ++i) {
      bool const real = i < cloud_.size();
      auto const point = real ? cloud_[i] : vec<scalar, dim>{};
      bool const finite = is_finite(point);
      for (int axis = 0; axis < dim; ++axis) arrays_.axis[axis][i] = point[axis];
      arrays_.nearest[i] = real && finite ? fps_unseen<scalar> : fps_taken<scalar>;
      bad += finite ? 0 : 1;
    }
    if (bad != 0) task_.non_finite.fetch_add(bad, std::memory_order_relaxed);
  }

  /// Counts the chosen points as samples; false when there is none.
  bool lower_to_chosen() noexcept {
    index_t const each = task_.params.chosen.size() / task_.clouds.size();
    bool any = false;
    for (index_t i = 0; i < each; ++i) {
      index_t const index = task_.params.chosen[b_ * each + i];
      if (index < 0 || !is_finite(cloud_[index])) continue;
      lower_to(index);
      any = true;
    }
    return any;
  }

  fps_candidate<scalar> first_sample() noexcept {
    index_t const first = task_.params.firsts.empty() ? task_.params.first : task_.params.firsts[b_];
    if (cloud_.size() > 0 && is_finite(cloud_[first])) return {fps_unseen<scalar>, first};
    return agree(best_of(find_block()));
  }

  /// Marks a point as picked and lowers the distances of this member's points to it.
  fps_block_best<scalar> lower_to(index_t picked) noexcept {
    if (picked >= begin_ * fps_host_block && picked < end_ * fps_host_block)
      arrays_.nearest[picked] = fps_taken<scalar>;
    return lower_(arrays_, begin_, end_, cloud_[picked]);
  }

  /// The block with the largest distance, as lower_to() returns it, without a new sample.
  fps_block_best<scalar> find_block() const noexcept {
    fps_block_best<scalar> best;
    for (index_t i = begin_ * fps_host_block; i < end_ * fps_host_block; ++i) {
      if (arrays_.nearest[i] > best.score) best = {arrays_.nearest[i], i / fps_host_block};
    }
    return best;
  }

  fps_candidate<scalar> best_of(fps_block_best<scalar> const& best) const noexcept {
    if (best.block < 0) return {};
    index_t i = best.block * fps_host_block;
    while (arrays_.nearest[i] != best.score) ++i;
    return {best.score, i};
  }

  fps_candidate<scalar> agree(fps_candidate<scalar> mine) noexcept { return team_.agree(mine, turn_++); }

  fps_host_task<Points> const& task_;
  index_t b_;
  Points cloud_;
  fps_arrays<scalar, dim> arrays_;
  fps_team<scalar> team_;
  fps_lower_function<scalar, dim> lower_ = fps_choose_lower<scalar, dim>();
  index_t begin_ = 0;
  index_t end_ = 0;
  int turn_ = 0;
};

/// fps() for host_exec.
template <class Points>
result fps_host(host_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  if (exec.threads < 0) return reject("fps: host_exec.threads is negative");
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (result const checked = check_fps_arrays(clouds, params); !checked) return checked;

  fps_host_plan<Points> const plan{exec, clouds, params};
  if (workspace.size() < plan.bytes()) {
    return {status::workspace_too_small, 0, "fps: the workspace is smaller than fps_workspace_bytes()"};
  }
  if (plan.bytes() > 0 && !is_workspace_aligned(workspace)) {
    return reject("fps: the workspace is not aligned to 256 bytes");
  }

  auto const stop = static_cast<scalar>(params.stop_below);
  std::atomic<unsigned long long> non_finite{0};
  fps_host_task<Points> const task{clouds, params, output, stop * stop, non_finite};

  if (params.samples == 0) {
    for (index_t b = 0; b < clouds.size() && !output.counts.empty(); ++b) output.counts.set(b, 0);
  } else {
    std::atomic<index_t> next_shared{0};
    std::atomic<int> board_users{0};
    spin_barrier* meeting = nullptr;
    std::atomic<bool> ready{false};
    run_team(plan.threads(), [&](int rank, int size) {
      // The team's size is known only here, so rank 0 makes the barrier and the others wait for it.
      spin_barrier barrier{size};
      if (rank == 0) {
        meeting = &barrier;
        ready.store(true, std::memory_order_release);
      } else {
        while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
      }
      fps_team<scalar> const team{rank, size, meeting, plan.board(workspace)};
      for (index_t b = 0; b < clouds.size(); ++b) {
        index_t const n = clouds[b].size();
        if (n <= plan.share_limit()) continue;
        fps_host_sampler<Points>{task, b, plan.arrays(workspace, 0, n), team}.run();
        meeting->arrive_and_wait();
      }
      for (index_t b = next_shared++; b < clouds.size(); b = next_shared++) {
        index_t const n = clouds[b].size();
        if (n > plan.share_limit()) continue;
        fps_host_sampler<Points>{task, b, plan.arrays(workspace, rank, n), fps_team<scalar>{}}.run();
      }
      // The barrier lives on rank 0's stack: nobody leaves before all have arrived.
      board_users.fetch_add(1, std::memory_order_acq_rel);
      while (rank == 0 && board_users.load(std::memory_order_acquire) < size) std::this_thread::yield();
    });
  }
  if (output.report != nullptr) *output.report = fps_report{non_finite.load(), 0, 0};
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
