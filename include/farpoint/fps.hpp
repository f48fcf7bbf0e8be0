/// @file
/// Farthest point sampling: host backend and convenience overload. fps.cuh adds the CUDA backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/fps/host.hpp>
#include <farpoint/detail/fps/weighted/host.hpp>
#include <farpoint/types/fps.hpp>

#include <stdexcept>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that fps() needs for these clouds on the host; 256-byte aligned memory.
///
/// Exact, O(1). A point takes (Dim + 1) scalars and 8.2 bytes, and 1/64 of a bucket's box (2 Dim + 1 scalars): 25 bytes
/// for three floats. Each cloud is padded to whole buckets of 64 points. A thread needs that once for a cloud that it
/// works on alone; a cloud that all threads work on takes it once for all. A list of candidates, of up to 512 points,
/// adds 24 kB, and 12 kB for each thread.
template <class Points>
std::size_t fps_workspace_bytes(host_exec exec, batch<Points> const& clouds, fps_params const& params) noexcept {
  return detail::fps_host_plan<Points>{exec, clouds, params}.bytes();
}

/// Bytes of workspace that are enough for fps() of all batches within the limits on the host, and for any parameters:
/// fps_workspace_bytes() is no more, and shrinks and grows with the threads that a batch is worth. Never less for
/// higher limits. O(threads).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result fps_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  detail::fps_host_plan<Points> const plan{host_exec{1}, batch<Points>{Points{}}, {}};
  bound = plan.bytes_at_most(limits.points, limits.clouds, resolve_threads(exec.threads));
  return {};
}

/// Farthest point sampling: each sample is the point farthest from all samples before it (Gonzalez 1985; Eldar et al.
/// 1997), one answer per cloud, the same bits on every backend, block size and number of threads.
///
/// Ties go to the lowest index. A point is picked at most once, so `samples` = n gives a permutation even of a cloud
/// full of duplicates. Non-finite points are never picked and disturb no others; they are counted in the report. The
/// first k of m samples are the answer for k. An empty cloud has count 0. With `samples` = 0 all clouds have, and
/// the report counts wrong offsets and nothing else. Distances that overflow are +inf, and tie.
///
/// @param exec       threads to use; blocks until done
/// @param clouds     `[clouds, n]` or ragged, metres, host memory
/// @param params     what to sample, see fps_params
/// @param output     see fps_output
/// @param workspace  at least fps_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a negative count, params.first out of range of all clouds, an output of the wrong size,
///         more than 2^31 - 1 points in a cloud with 32-bit indices, more than 4e9 with 64-bit ones, stop_below
///         negative or NaN, a misaligned workspace) | workspace_too_small. Nothing is written on failure. What the
///         arrays say wrongly is counted in the report, on every backend: a cloud without valid chosen points whose
///         first sample is out of its range comes out empty, an entry of `chosen` that is out of range is passed over,
///         and where offsets are wrong (see batch) all clouds come out empty.
/// Complexity: O(n) to sort the points into buckets of neighbours; then a sample looks only at the buckets whose box is
/// nearer to it than their farthest point. The first few dozen samples look at nearly all points, later ones of a cloud
/// that is spread out at few; O(samples * n) at worst. Vectorised (AVX-512, AVX2 with FMA where the processor has
/// them). One thread of a shared server takes 3 ms for 49,497 -> 4,096 points of a LiDAR sweep, and 0.15 s for 996,033
/// -> 100,000. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result fps(host_exec exec, batch<Points> const& clouds, fps_params const& params,
           fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::fps_host(exec, clouds, params, output, workspace);
}

/// Does not compile: the workspace is missing.
template <class Points>
result fps(host_exec, batch<Points> const&, fps_params const&, fps_output<typename Points::scalar> const&) noexcept {
  FARPOINT_NEEDS_WORKSPACE("fps", Points);
}

/// Adds samples to those of a cloud that has grown: samples stay, and each new one is the point farthest from all
/// samples, old and new. fps() of one cloud with the earlier samples as `params.chosen`, read from where they stand.
///
/// The points that a cloud had before must keep their indices: new ones come behind them. Entries of -1 among the
/// earlier samples are passed over, so that a call on a stream need not know how many an earlier one took. With no
/// valid earlier sample it starts like fps(). With `params.stop_below`, only new points that are so far from all
/// samples are added: a call for each scan keeps a map of points that are no closer to one another.
///
/// @param exec       threads to use; blocks until done
/// @param cloud      `[n]`, metres, host memory
/// @param earlier    samples that `output.indices` begins with
/// @param params     `samples`: how many to add at most; `chosen` must be empty
/// @param output     `[earlier + params.samples]` each: new samples are written behind the earlier ones, which stay.
///                   `counts` is how many are new
/// @param workspace  fps_workspace_bytes() of the cloud as a batch, and of params, bytes or more; 256-byte aligned
/// @return as fps(); also bad_argument for `earlier` negative or more than the output has, and for `params.chosen`
/// Complexity: that of fps() with `earlier` samples more. Thread-safe as fps().
template <class Points>
result fps_extend(host_exec exec, Points const& cloud, index_t earlier, fps_params params,
                  fps_output<typename Points::scalar> output, bytes workspace) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return detail::fps_host(exec, batch<Points>{cloud}, params, output, workspace);
}

/// Bytes of workspace that poisson_subset() needs on the host, with `room` for so many points of each cloud: those of
/// fps() for as many samples.
template <class Points>
std::size_t poisson_subset_workspace_bytes(host_exec exec, batch<Points> const& clouds, index_t room) noexcept {
  fps_params params;
  params.samples = room;
  return fps_workspace_bytes(exec, clouds, params);
}

/// A subset of each cloud in which no two points are closer than `radius`, and that no point can be added to: every
/// finite point that is not in it is closer than `radius` to one that is (a maximal Poisson disk subset).
///
/// It is what fps() picks before the first sample that is nearer than `radius`: the same on every backend, in the
/// order of fps(), so that the first k are the k that fps() picks, beginning with the finite point of lowest index.
/// Distances are compared as squares in the coordinates' scalar type. A radius of 0 gives all finite points, duplicates
/// too; one of infinity a single point, and those whose squared distances overflow. Points that are not finite are in
/// no subset, and counted.
///
/// @param exec       threads to use; blocks until done
/// @param clouds     `[clouds, n]` or ragged, metres, host memory
/// @param radius     metres, 0 or more
/// @param output     `indices.size() / clouds` points of each cloud at most. Where `counts` says that there are so
///                   many, more might have been added; with room for all points it is always maximal
/// @param workspace  poisson_subset_workspace_bytes() bytes or more, 256-byte aligned
/// @return as fps(); also bad_argument for a radius that is negative or NaN
/// Complexity: that of fps() with as many samples as come out. Thread-safe as fps().
template <class Points>
result poisson_subset(host_exec exec, batch<Points> const& clouds, double radius,
                      fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return detail::fps_host(exec, clouds, params, output, workspace);
}

/// Bytes of workspace that fps_weighted() needs for these clouds on the host; 256-byte aligned memory. Exact, O(1):
/// Dim + 2 scalars for each point of the largest cloud, for each thread or cloud, whichever are fewer.
template <class Points>
std::size_t fps_weighted_workspace_bytes(host_exec exec, batch<Points> const& clouds) noexcept {
  return detail::fps_weighted_host_bytes<Points>(exec, clouds.largest(), clouds.size());
}

/// Bytes of workspace that are enough for fps_weighted() of all batches within the limits on the host. Never less for
/// higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result fps_weighted_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::fps_weighted_host_bytes<Points>(exec, limits.points, limits.clouds);
  return {};
}

/// Farthest point sampling by weights: each sample is the point with the largest product of its weight and its squared
/// distance to the nearest sample before it. A point of weight 4 is picked where another would be at twice its
/// distance: for priorities that multiply distances, pass their squares. With weights of 1 it picks what fps() picks.
///
/// Ties go to the lowest index; products are rounded once, in the coordinates' scalar type, and those that overflow
/// tie. Points of weight 0 are never picked. Neither are points with another weight that is not a positive finite
/// number, or with a coordinate that is not finite; the report counts these as `non_finite`. None of them disturbs
/// others, but `params.chosen` may name points of any weight.
///
/// The first sample is that of fps(), whatever its weight: `params.first` and so on, or the point of lowest index if
/// that one is never picked. `params.stop_below` goes by distance: points nearer than that to a sample are not picked,
/// and the others are, until none is left. `output.distances` are squared distances, without weights, so they need not
/// descend. Everything else is as in fps(): the same answer on every backend, the first k of m samples are the answer
/// for k, `chosen` continues an earlier call.
///
/// @param exec       threads to use, a cloud each; blocks until done
/// @param clouds     `[clouds, n]` or ragged, metres, host memory
/// @param weights    one for each point of the view, in its order
/// @param params     what to sample, see fps_params
/// @param output     see fps_output
/// @param workspace  at least fps_weighted_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (as fps(), or another number of weights than points, or more than 2^31 - 1 points in a
///         cloud) | workspace_too_small. Nothing is written on failure.
/// Complexity: O(samples * n) for each cloud, vectorised: the weights leave no order by distance that a search could go
/// by. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result fps_weighted(host_exec exec, batch<Points> const& clouds, span<typename Points::scalar const> weights,
                    fps_params const& params, fps_output<typename Points::scalar> const& output,
                    bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_fps_weighted(clouds, weights, params, output); !checked) return checked;
  return detail::fps_weighted_host<Points>(exec, {{clouds, params, output}, weights.data()}, workspace);
}

#if defined(__cpp_exceptions)

/// Samples, and the memory that holds them.
template <class Scalar>
struct fps_picks {
  std::vector<std::int32_t> indices;  ///< in the order of selection, as many as were picked
  std::vector<Scalar> distances;      ///< squared distance at which each was picked; +inf for the first
};

/// fps() of one cloud in a host container, on all cores; allocates the workspace and the answer:
/// `auto picks = farpoint::fps(points, 1024);`
///
/// @param points  contiguous container of a type that point_layout knows
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto fps(Container const& points, index_t samples, fps_params params = {}) {
  auto const view = view_points(points);
  using view_type = std::decay_t<decltype(view)>;
  using scalar = typename view_type::scalar;

  params.samples = samples;
  batch<view_type> const cloud{view};
  auto const kept = static_cast<std::size_t>(samples < 0 ? 0 : samples < view.size() ? samples : view.size());
  params.samples = samples < 0 ? samples : static_cast<index_t>(kept);

  fps_picks<scalar> picks{std::vector<std::int32_t>(kept), std::vector<scalar>(kept)};
  std::array<std::int32_t, 1> count{};
  fps_report report;
  detail::host_workspace workspace{fps_workspace_bytes(host_exec{}, cloud, params)};
  result const outcome = fps(host_exec{}, cloud, params,
                             fps_output<scalar>{picks.indices, picks.distances, count, &report}, workspace.get());
  if (!outcome) throw std::invalid_argument{outcome.reason};
  if (report.first_out_of_range > 0) throw std::invalid_argument{"fps: the first sample is not a point of the cloud"};
  if (report.chosen_out_of_range > 0) {
    throw std::invalid_argument{"fps: an entry of params.chosen is not a point of the cloud"};
  }
  picks.indices.resize(static_cast<std::size_t>(count[0]));
  picks.distances.resize(static_cast<std::size_t>(count[0]));
  return picks;
}

/// Does not compile: a number of samples is an integer.
template <class Container, class Number, class = detail::host_elements<Container const>,
          std::enable_if_t<std::is_floating_point_v<Number>, int> = 0>
auto fps(Container const& points, Number samples, fps_params params = {}) {
  static_assert(detail::never<Number>, "farpoint: the number of samples of fps() is an integer");
  return fps(points, static_cast<index_t>(samples), params);
}

/// poisson_subset() of one cloud in a host container, on all cores; allocates the workspace and the answer:
/// `auto indices = farpoint::poisson_subset(points, 0.1);`
///
/// @param points  contiguous container of a type that point_layout knows
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
std::vector<std::int32_t> poisson_subset(Container const& points, double radius) {
  fps_params params;
  params.stop_below = radius;
  return fps(points, static_cast<index_t>(points.size()), params).indices;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
