/// @file
/// Host backend of fps_weighted(): the serial loop, one thread per cloud.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/host_counters.hpp>
#include <farpoint/detail/fps/weighted/args.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of points per row of the inner loop, which the compiler vectorizes.
inline constexpr index_t fps_weighted_lanes = 16;

/// Cloud as one array per coordinate, padded to whole rows of lanes.
template <class Points>
struct fps_weighted_cloud {
  using scalar = typename Points::scalar;

  scalar* axes[Points::dim];
  scalar* weights;
  scalar* distances;
  index_t points;  ///< number of points, rounded up to whole rows; the padding has no candidates

  static index_t padded(index_t points) noexcept { return divide_up(points, fps_weighted_lanes) * fps_weighted_lanes; }
  static fps_weighted_cloud cut(workspace_cutter& cutter, index_t points) noexcept {
    fps_weighted_cloud cloud{};
    cloud.points = padded(points);
    for (scalar*& axis : cloud.axes) axis = cutter.take<scalar>(cloud.points);
    cloud.weights = cutter.take<scalar>(cloud.points);
    cloud.distances = cutter.take<scalar>(cloud.points);
    return cloud;
  }
};

template <class Scalar>
struct fps_weighted_best {
  Scalar score;
  index_t index;
};

/// Lowers the distances of all points by a sample, and finds the best candidate. Each lane keeps the best of its
/// column, and the lanes are compared at the end; equal scores go to the lower index.
template <class Points>
struct fps_weighted_step {
  using scalar = typename Points::scalar;
  using cloud = fps_weighted_cloud<Points>;
  using best = fps_weighted_best<scalar>;
  using point = typename Points::point;
  // Pointers, because isa_dispatch() passes arguments by value.
  using function = best (*)(cloud const*, point const*, fps_weighted_args<Points> const*) noexcept;

  FARPOINT_ALWAYS_INLINE static best run(cloud const* points, point const* sample,
                                         fps_weighted_args<Points> const* call) noexcept {
    cloud const all = *points;
    fps_weighted_args<Points> const& args = *call;
    point const to = *sample;
    constexpr index_t lanes = fps_weighted_lanes;
    scalar score[lanes];
    index_t row_of[lanes];
    for (index_t lane = 0; lane < lanes; ++lane) {
      score[lane] = no_candidate<scalar>;
      row_of[lane] = 0;
    }
    for (index_t row = 0; row < all.points; row += lanes) {
      for (index_t lane = 0; lane < lanes; ++lane) {
        index_t const i = row + lane;
        point from{};
        for (int axis = 0; axis < Points::dim; ++axis) from[axis] = all.axes[axis][i];
        scalar const distance = args.lowered(all.distances[i], distance2(from, to));
        all.distances[i] = distance;
        scalar const mine = args.score(all.weights[i], distance);
        bool const is_better = mine > score[lane];
        score[lane] = is_better ? mine : score[lane];
        row_of[lane] = is_better ? row : row_of[lane];
      }
    }
    best found{no_candidate<scalar>, -1};
    for (index_t lane = 0; lane < lanes; ++lane) {
      index_t const i = row_of[lane] + lane;
      bool const is_candidate = score[lane] >= scalar(0);
      bool const is_better = score[lane] > found.score || (score[lane] == found.score && i < found.index);
      if (is_candidate && is_better) found = {score[lane], i};
    }
    return found;
  }
};

/// Samples clouds one after another.
template <class Points>
class fps_weighted_sampler {
 public:
  using scalar = typename Points::scalar;

  fps_weighted_sampler(fps_weighted_args<Points> const& args, fps_host_counters& counters,
                       fps_weighted_cloud<Points> const& memory) noexcept
      : args_{args}, counters_{counters}, memory_{memory} {
    isa_dispatch<fps_weighted_step<Points>>(step_);
  }

  void run(index_t b) noexcept {
    Points const cloud = args_.call.clouds[b];
    fps_report found{};
    load(cloud, args_.weights_of(b), found);
    index_t const wanted = args_.call.samples_of(b);
    index_t count = 0;
    auto best = first_of(b, cloud, found);
    while (best.index >= 0 && count < wanted) {
      auto const sample = cloud[best.index];
      args_.call.write(b, count, best.index, memory_.distances[best.index]);
      memory_.distances[best.index] = no_candidate<scalar>;
      if (++count < wanted) best = step_(&memory_, &sample, &args_);
    }
    for (index_t slot = count; slot < args_.call.params.samples; ++slot) args_.call.write_padding(b, slot);
    args_.call.write_count(b, count);
    counters_.add(found);
  }

 private:
  void load(Points const& cloud, scalar const* weights, fps_report& found) noexcept {
    index_t const n = cloud.size();
    memory_.points = fps_weighted_cloud<Points>::padded(n);
    for (index_t i = 0; i < memory_.points; ++i) {
      typename Points::point const point = i < n ? cloud[i] : typename Points::point{};
      scalar const weight = i < n ? weights[i] : scalar(0);
      bool const is_candidate = args_.is_candidate(point, weight);
      for (int axis = 0; axis < Points::dim; ++axis) memory_.axes[axis][i] = point[axis];
      memory_.weights[i] = is_candidate ? weight : scalar(0);
      memory_.distances[i] = is_candidate ? not_yet_measured<scalar> : no_candidate<scalar>;
      found.non_finite += args_.is_bad(point, weight) ? 1u : 0u;
    }
  }

  /// Lowers the distances by the chosen points, and returns the first sample.
  fps_weighted_best<scalar> first_of(index_t b, Points const& cloud, fps_report& found) noexcept {
    fps_weighted_best<scalar> best{no_candidate<scalar>, -1};
    bool started = false;
    index_t const each = args_.call.chosen_per_cloud();
    for (index_t k = 0; k < each; ++k) {
      index_t const i = args_.call.params.chosen[b * each + k];
      bool const is_point = i >= 0 && i < cloud.size();
      if (!is_point && i != -1) ++found.chosen_out_of_range;
      if (!is_point || !is_finite(cloud[i])) continue;
      auto const sample = cloud[i];
      memory_.distances[i] = no_candidate<scalar>;
      best = step_(&memory_, &sample, &args_);
      started = true;
    }
    if (started || cloud.size() == 0) return best;
    index_t first = args_.call.first_of(b);
    if (first < 0 || first >= cloud.size()) {
      ++found.first_out_of_range;
      return best;
    }
    auto const is_candidate = [&](index_t i) { return memory_.distances[i] >= scalar(0); };
    if (!is_candidate(first)) {
      first = 0;
      while (first < cloud.size() && !is_candidate(first)) ++first;
      if (first == cloud.size()) return best;
    }
    return {not_yet_measured<scalar>, first};
  }

  fps_weighted_args<Points> const& args_;
  fps_host_counters& counters_;
  fps_weighted_cloud<Points> memory_;
  typename fps_weighted_step<Points>::function step_ = nullptr;
};

/// Returns the number of threads for a batch: at most one per cloud, because threads do not share a cloud.
inline int fps_weighted_threads(host_exec exec, index_t clouds) noexcept {
  return static_cast<int>(std::clamp<index_t>(clouds, 1, resolve_threads(exec.threads)));
}

/// Returns the bytes that a thread needs for a cloud of `points` points.
template <class Points>
std::size_t fps_weighted_cloud_bytes(index_t points) noexcept {
  workspace_cutter cutter;
  static_cast<void>(fps_weighted_cloud<Points>::cut(cutter, bounded_points(points)));
  return workspace_aligned(cutter.used());
}

template <class Points>
std::size_t fps_weighted_host_bytes(host_exec exec, index_t largest, index_t clouds) noexcept {
  if (clouds <= 0) return 0;
  return static_cast<std::size_t>(fps_weighted_threads(exec, clouds)) * fps_weighted_cloud_bytes<Points>(largest);
}

template <class Points>
result fps_weighted_host(host_exec exec, fps_weighted_args<Points> const& args, bytes workspace) noexcept {
  auto const& call = args.call;
  index_t const clouds = call.clouds.size();
  std::size_t const each = fps_weighted_cloud_bytes<Points>(call.clouds.largest());
  std::size_t const needed = fps_weighted_host_bytes<Points>(exec, call.clouds.largest(), clouds);
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("fps_weighted")); !checked)
    return checked;
  fps_host_counters counters;
  index_t const bad_offsets = count_bad_offsets(call.clouds);
  if (call.params.samples == 0 || bad_offsets > 0) {
    for (index_t b = 0; b < clouds; ++b) call.write_empty(b);
  } else if (clouds > 0) {
    std::atomic<index_t> next{0};
    run_team(exec.pool, fps_weighted_threads(exec, clouds), [&](int rank, int) {
      workspace_cutter cutter{workspace.data() + static_cast<std::size_t>(rank) * each};
      auto const memory = fps_weighted_cloud<Points>::cut(cutter, call.clouds.largest());
      fps_weighted_sampler<Points> sampler{args, counters, memory};
      for (index_t b = next.fetch_add(1); b < clouds; b = next.fetch_add(1)) sampler.run(b);
    });
  }
  if (call.output.report != nullptr) {
    *call.output.report = counters.sum();
    call.output.report->bad_offsets = static_cast<unsigned long long>(bad_offsets);
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
