/// @file
/// How a call of host fps is spread over threads, and what memory that takes.
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

/// The arrays that a cloud is sampled in, by one thread or several.
template <class Scalar, int Dim>
struct fps_host_memory {
  fps_bucket_chunk<Scalar, Dim>* chunks;
  fps_bucket<Scalar, Dim>* buckets;
  std::uint32_t* order;  ///< `[points]`
  curve_order_memory<Scalar, Dim> curve;
  std::uint32_t* marks;  ///< a bit for each point
  fps_sample_group<Scalar, Dim>* samples;
  fps_entry<Scalar>* accepted;          ///< as many as `samples`
  fps_bucket_chunk<Scalar, Dim>* list;  ///< with `list_buckets`: the candidates of a round
  fps_bucket<Scalar, Dim>* list_buckets;
  fps_host_candidates<Scalar>* candidates;  ///< `[threads]`, with `entries`: what each has found
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
                 // A batch of many clouds keeps the threads busy without rounds in step, as far as the threads' arrays
                 // take no more than half of what one cloud of all points would.
                 {tuning.worth_a_thread, tuning.team_from_points, 2}} {
    // Of clouds of equal size, the team takes all or none.
    has_shared_clouds_ = clouds.is_ragged() || largest_ <= share_limit();
  }

  fps_host_tuning const& tuning() const noexcept { return tuning_; }
  for_each_cloud_plan const& spread() const noexcept { return threads_; }
  int threads() const noexcept { return threads_.threads(); }

  /// The whole team works on a cloud of more points than this; a smaller one is one thread's.
  index_t share_limit() const noexcept { return threads_.share_limit(); }

  std::size_t bytes() const noexcept {
    if (largest_ == 0) return 0;
    std::size_t const team = largest_ > share_limit() ? layout_of(workspace_cutter{}, largest_, threads()).size : 0;
    std::size_t const shared = has_shared_clouds_ ? static_cast<std::size_t>(threads_.sharers()) * shared_bytes() : 0;
    return std::max(team, shared);
  }

  /// Enough for all batches of no more points and clouds, by so many threads at most.
  std::size_t bytes_at_most(index_t points, index_t clouds, int threads) const noexcept {
    if (points == 0) return 0;
    std::size_t most = layout_of(workspace_cutter{}, points, threads).size;
    for (int team = 2; team <= threads; ++team) {
      index_t const each = std::min(points, threads_.most_shared(points, team));
      std::size_t const size = layout_of(workspace_cutter{}, each, 1).size;
      most = std::max(most, static_cast<std::size_t>(std::min<index_t>(clouds, team)) * size);
    }
    return most;
  }

  /// For one of the clouds that the team works on.
  memory team_memory(farpoint::bytes workspace) const noexcept {
    return layout_of(workspace_cutter{workspace.data()}, largest_, threads()).arrays;
  }

  /// For one of the clouds that thread `rank` works on alone.
  memory shared_memory(farpoint::bytes workspace, int rank) const noexcept {
    auto* const mine = workspace.data() + static_cast<std::size_t>(rank) * shared_bytes();
    return layout_of(workspace_cutter{mine}, std::min(largest_, share_limit()), 1).arrays;
  }

  index_t buckets(index_t points) const noexcept { return divide_up(points, tuning_.bucket_points); }
  index_t chunks(index_t points) const noexcept { return divide_up<index_t>(buckets(points), fps_bucket_group); }
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

  /// In ns.
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
