/// @file
/// Plan of a call of fps() on the host: distribution over threads, and layout of the workspace.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/host_candidates.hpp>
#include <farpoint/host/curve_order.hpp>
#include <farpoint/host/for_each_cloud.hpp>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/types/fps.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays for sampling one cloud, by one thread or by a team.
template <class Scalar, int Dim>
struct fps_host_memory {
  fps_bucket_chunk<Scalar, Dim>* chunks;
  fps_bucket<Scalar, Dim>* buckets;
  std::uint32_t* order;  ///< `[points]`
  curve_order_memory<Scalar, Dim> curve;
  std::uint32_t* marks;  ///< one bit per point
  fps_sample_group<Scalar, Dim>* samples;
  fps_entry<Scalar>* accepted;          ///< `[list_points]`: samples of a round
  fps_bucket_chunk<Scalar, Dim>* list;  ///< with `list_buckets`: candidates of a round, as one chunk
  fps_bucket<Scalar, Dim>* list_buckets;
  fps_host_candidates<Scalar>* candidates;  ///< with `entries`: candidates that each thread found
  fps_entry<Scalar>* entries;               ///< `[threads, 2 * list_points]`
};

template <class Points>
class fps_host_plan {
 public:
  static constexpr int dim = Points::dim;
  using scalar = typename Points::scalar;
  using memory = fps_host_memory<scalar, dim>;

  fps_host_plan(host_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_host_tuning const& tuning = {}) noexcept
      : tuning_{tuning},
        largest_{bounded_points(clouds.largest())},
        threads_{exec,
                 bounded_clouds(clouds.size()),
                 bounded_points(clouds.points().size()),
                 largest_,
                 work_of(clouds, params, tuning),
                 // A batch of many clouds keeps the threads busy without rounds of a team. The limit: the arrays of all
                 // threads take at most half of the memory that one cloud of all points would take.
                 {tuning.worth_a_thread, tuning.team_from_points, 2}} {
    // If clouds have equal sizes, the team samples all or none.
    has_shared_clouds_ = clouds.is_ragged() || largest_ <= share_limit();
  }

  fps_host_tuning const& tuning() const noexcept { return tuning_; }
  for_each_cloud_plan const& spread() const noexcept { return threads_; }
  int threads() const noexcept { return threads_.threads(); }

  /// Returns the number of points above which the whole team samples a cloud; smaller clouds are sampled by one thread
  /// each.
  index_t share_limit() const noexcept { return threads_.share_limit(); }

  std::size_t bytes() const noexcept {
    if (largest_ == 0) return 0;
    std::size_t const team = largest_ > share_limit() ? layout_of(workspace_cutter{}, largest_, threads()).size : 0;
    std::size_t const shared = has_shared_clouds_ ? static_cast<std::size_t>(threads_.sharers()) * shared_bytes() : 0;
    return std::max(team, shared);
  }

  /// Returns a size that suffices for all batches of at most `points` points and `clouds` clouds, by at most `threads`
  /// threads.
  std::size_t bytes_at_most(index_t points, index_t clouds, int threads) const noexcept {
    if (points == 0) return 0;
    std::size_t most = layout_of(workspace_cutter{}, points, threads).size;
    for (int team = 2; team <= threads; ++team) {
      index_t const each = std::min(points, threads_.max_shared(points, team));
      std::size_t const size = layout_of(workspace_cutter{}, each, 1).size;
      most = std::max(most, static_cast<std::size_t>(std::min<index_t>(clouds, team)) * size);
    }
    return most;
  }

  /// Returns the arrays for a cloud that the team samples.
  memory team_memory(farpoint::bytes workspace) const noexcept {
    return layout_of(workspace_cutter{workspace.data()}, largest_, threads()).arrays;
  }

  /// Returns the arrays for a cloud that thread `rank` samples alone.
  memory shared_memory(farpoint::bytes workspace, int rank) const noexcept {
    auto* const mine = workspace.data() + static_cast<std::size_t>(rank) * shared_bytes();
    return layout_of(workspace_cutter{mine}, std::min(largest_, share_limit()), 1).arrays;
  }

  index_t buckets(index_t points) const noexcept { return divide_up(points, tuning_.bucket_points); }
  index_t chunks(index_t points) const noexcept { return divide_up<index_t>(buckets(points), fps_bucket_group); }
  /// Returns true if a cloud is sampled in rounds, false if its only chunk is sampled directly.
  bool in_rounds(index_t points) const noexcept {
    return chunks(points) > 1 || (tuning_.rounds_for_one_chunk && points > 0);
  }
  /// Returns the maximum number of samples that are accepted before the other chunks are lowered.
  index_t list_points(index_t points) const noexcept { return std::min(tuning_.list_points, points); }

 private:
  struct layout {
    memory arrays;
    std::size_t size;
  };

  /// Returns the estimated time of the call on one thread, in ns.
  static double work_of(batch<Points> const& clouds, fps_params const& params, fps_host_tuning const& tuning) noexcept {
    return static_cast<double>(clouds.points().size()) * tuning.ns_per_point +
           static_cast<double>(clouds.size()) * static_cast<double>(params.samples) * tuning.ns_per_sample;
  }

  std::size_t shared_bytes() const noexcept {
    return layout_of(workspace_cutter{}, std::min(largest_, share_limit()), 1).size;
  }

  layout layout_of(workspace_cutter cutter, index_t points, int threads) const noexcept {
    memory m{};
    m.chunks = cutter.take<fps_bucket_chunk<scalar, dim>>(chunks(points));
    m.buckets = cutter.take<fps_bucket<scalar, dim>>(buckets(points));
    m.order = cutter.take<std::uint32_t>(points);
    m.curve = decltype(m.curve)::take(cutter, threads == 1 ? 1 : static_cast<std::uint32_t>(4 * threads));
    m.marks = cutter.take<std::uint32_t>(divide_up<index_t>(points, 32));
    index_t const list = list_points(points);
    m.samples = cutter.take<fps_sample_group<scalar, dim>>(divide_up<index_t>(list, fps_bucket_group));
    m.accepted = cutter.take<fps_entry<scalar>>(list);
    if (in_rounds(points)) {
      m.list = cutter.take<fps_bucket_chunk<scalar, dim>>(1);
      m.list_buckets = cutter.take<fps_bucket<scalar, dim>>(divide_up<index_t>(list, fps_bucket_points));
      m.candidates = cutter.take<fps_host_candidates<scalar>>(threads);
      m.entries = cutter.take<fps_entry<scalar>>(2 * list * threads);
    }
    return {m, cutter.used()};
  }

  fps_host_tuning tuning_;
  index_t largest_;
  for_each_cloud_plan threads_;
  bool has_shared_clouds_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
