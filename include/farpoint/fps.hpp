/// @file
/// Farthest point sampling: host backend and convenience overload. fps.cuh adds the CUDA backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/fps/host.hpp>
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
/// first k of m samples are the answer for k. An empty cloud, no cloud or no sample is a no-op with count 0. Distances
/// that overflow are +inf, and tie.
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

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
