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

/// Returns the size in bytes of the workspace of fps() for these clouds on the host; 256-byte aligned memory.
///
/// Exact, O(1). A point takes (Dim + 1) scalars, 8.2 bytes, and 1/64 of a bucket's box (2 Dim + 1 scalars): 25 bytes
/// for three floats. Each cloud is padded to whole buckets of 64 points. A cloud on which one thread works takes this
/// memory once per thread; a cloud on which all threads work takes it once in total. A candidate list of up to 512
/// points adds 24 kB, and 12 kB per thread.
template <class Points>
std::size_t fps_workspace_bytes(host_exec exec, batch<Points> const& clouds, fps_params const& params) noexcept {
  return detail::fps_host_plan<Points>{exec, clouds, params}.bytes();
}

/// Computes a number of bytes of workspace that suffices for fps() of all batches within the limits on the host, with
/// any parameters. The bound is monotonic in the limits, whereas fps_workspace_bytes() varies with the number of
/// threads that a batch uses. O(threads).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result fps_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  detail::fps_host_plan<Points> const plan{host_exec{1}, batch<Points>{Points{}}, {}};
  bound = plan.bytes_at_most(limits.points, limits.clouds, resolve_threads(exec.threads));
  return {};
}

/// Farthest point sampling: repeatedly picks the point with the largest distance to its nearest picked point (Gonzalez
/// 1985; Eldar et al. 1997). Samples every cloud independently.
///
/// - The result is deterministic: the same bits on every backend, for every block size and number of threads. Ties go
///   to the lowest index.
/// - The first k of m samples are the result for k samples.
/// - A point is picked at most once, so `samples` = n yields a permutation even if all points coincide.
/// - Non-finite points are never picked and do not affect others; the report counts them.
/// - Squared distances that overflow are +inf, and tie.
/// - An empty cloud yields count 0. With `samples` = 0 every cloud does, and the report counts invalid offsets only.
///
/// @param exec       number of threads; blocks until done
/// @param clouds     `[clouds, n]` or ragged, meters, host memory
/// @param params     number of samples, first samples and stopping distance, see fps_params
/// @param output     see fps_output
/// @param workspace  at least fps_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a negative count, params.first out of range in all clouds, an output of the wrong size,
///         more than 2^31 - 1 points in a cloud with 32-bit indices or 4e9 with 64-bit indices, stop_below negative or
///         NaN, a misaligned workspace) | workspace_too_small. On failure nothing is written.
///
/// Invalid array contents do not fail the call; on every backend the report counts them. A cloud without a valid entry
/// of `chosen` whose first sample is out of range comes out empty. An entry of `chosen` out of range is skipped. If any
/// offset is invalid (see batch), all clouds come out empty.
///
/// Complexity: O(n) to sort the points into spatial buckets, then O(samples * n) in the worst case. Each sample visits
/// the buckets whose box is nearer to it than their farthest point: nearly all for the first few dozen samples, few
/// later if the cloud is spread out. Vectorized with AVX-512, or AVX2 and FMA, if the processor has it. One thread of a
/// shared server takes 3 ms for 4,096 of 49,497 points of a LiDAR sweep, and 0.15 s for 100,000 of 996,033.
/// Thread-safe: concurrent calls must not share output or workspace.
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

/// Adds samples to the earlier samples of a cloud that has grown. Earlier samples stay, and each new one is the point
/// farthest from all samples, old and new: fps() of one cloud with the earlier samples in `output.indices` as
/// `params.chosen`.
///
/// Old points must keep their indices; new points follow them. Entries of -1 among the earlier samples are skipped, so
/// that a call on a stream need not know the number that an earlier call picked. Without a valid earlier sample it
/// starts like fps(). With `params.stop_below`, only points at least that far from all samples are added: one call per
/// scan maintains a map with a minimum distance between points.
///
/// @param exec       number of threads; blocks until done
/// @param cloud      `[n]`, meters, host memory
/// @param earlier    number of samples at the beginning of `output.indices`
/// @param params     `samples` is the maximum number of new samples; `chosen` must be empty
/// @param output     `[earlier + params.samples]` each: new samples follow the earlier ones, which stay. `counts` is
///                   the number of new samples
/// @param workspace  at least fps_workspace_bytes() bytes for the cloud as a batch and `params`, 256-byte aligned
/// @return as fps(); also bad_argument if `earlier` is negative or exceeds the output, or if `params.chosen` is set
///         Complexity: as fps() with `earlier` more samples. Thread-safe as fps().
template <class Points>
result fps_extend(host_exec exec, Points const& cloud, index_t earlier, fps_params params,
                  fps_output<typename Points::scalar> output, bytes workspace) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return detail::fps_host(exec, batch<Points>{cloud}, params, output, workspace);
}

/// Returns the size in bytes of the workspace of poisson_subset() on the host, for at most `room` points of each cloud.
/// It equals fps_workspace_bytes() for `room` samples.
template <class Points>
std::size_t poisson_subset_workspace_bytes(host_exec exec, batch<Points> const& clouds, index_t room) noexcept {
  fps_params params;
  params.samples = room;
  return fps_workspace_bytes(exec, clouds, params);
}

/// Maximal Poisson-disk subset of each cloud: no two of its points are closer than `radius`, and every other finite
/// point is closer than `radius` to a point of the subset.
///
/// The subset consists of the samples that fps() picks before the first one nearer than `radius`, in the order of
/// fps(), and is the same on every backend. So its first k points are fps()'s first k samples, starting at the finite
/// point of lowest index. Squared distances are compared in the coordinates' scalar type. Radius 0 keeps all finite
/// points, duplicates included; an infinite radius keeps one point, and further ones only if squared distances
/// overflow. Non-finite points are in no subset, and counted.
///
/// @param exec       number of threads; blocks until done
/// @param clouds     `[clouds, n]` or ragged, meters, host memory
/// @param radius     meters, 0 or more
/// @param output     room for `indices.size() / clouds` points of each cloud. If `counts` reaches this number, the
///                   subset may not be maximal; with room for all points it always is
/// @param workspace  at least poisson_subset_workspace_bytes() bytes, 256-byte aligned
/// @return as fps(); also bad_argument for a radius that is negative or NaN
/// Complexity: equal to fps() with the resulting number of samples. Thread-safe as fps().
template <class Points>
result poisson_subset(host_exec exec, batch<Points> const& clouds, double radius,
                      fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return detail::fps_host(exec, clouds, params, output, workspace);
}

/// Returns the exact size in bytes of the workspace of fps_weighted() for these clouds on the host: Dim + 2 scalars per
/// point of the largest cloud, times the smaller of the numbers of threads and clouds; 256-byte aligned memory. O(1).
template <class Points>
std::size_t fps_weighted_workspace_bytes(host_exec exec, batch<Points> const& clouds) noexcept {
  return detail::fps_weighted_host_bytes<Points>(exec, clouds.largest(), clouds.size());
}

/// Computes a number of bytes of workspace that suffices for fps_weighted() of all batches within the limits on the
/// host. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result fps_weighted_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::fps_weighted_host_bytes<Points>(exec, limits.points, limits.clouds);
  return {};
}

/// Weighted farthest point sampling: each sample is the point with the largest product of its weight and its squared
/// distance to the nearest earlier sample. Weight 4 makes a point compete as if it were at twice its distance; for
/// priorities that multiply distances, pass squared priorities. With weights of 1 the samples equal fps()'s samples.
///
/// Ties go to the lowest index. Products are rounded once, in the coordinates' scalar type; products that overflow tie.
/// A point is never picked if its weight is 0, negative or not finite, or if a coordinate is not finite; the report
/// counts these as `non_finite`, except points of weight 0. These points do not affect others, but `params.chosen` may
/// name points of any weight.
///
/// The first sample is fps()'s, whatever its weight: `params.first` and so on, or the point of lowest index if that one
/// is never picked. `params.stop_below` compares distances: points nearer than that to a sample are not picked, and
/// sampling continues until no other point is left. `output.distances` are squared distances without weights, so they
/// need not descend. All else is as in fps(): the result is the same on every backend, the first k of m samples are the
/// result for k, `chosen` continues an earlier call.
///
/// @param exec       number of threads, each works on one cloud; blocks until done
/// @param clouds     `[clouds, n]` or ragged, meters, host memory
/// @param weights    `[points of the view]`, in its order
/// @param params     number of samples, first samples and stopping distance, see fps_params
/// @param output     see fps_output
/// @param workspace  at least fps_weighted_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (as fps(), or the numbers of weights and points differ, or a cloud has more than 2^31 - 1
///         points) | workspace_too_small. On failure nothing is written.
/// Complexity: O(samples * n) per cloud, vectorized: with weights, no spatial order bounds the products, so no search
/// can skip points. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result fps_weighted(host_exec exec, batch<Points> const& clouds, span<typename Points::scalar const> weights,
                    fps_params const& params, fps_output<typename Points::scalar> const& output,
                    bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_fps_weighted(clouds, weights, params, output); !checked) return checked;
  return detail::fps_weighted_host<Points>(exec, {{clouds, params, output}, weights.data()}, workspace);
}

#if defined(__cpp_exceptions)

/// Samples of one cloud, with the memory that holds them.
template <class Scalar>
struct fps_picks {
  std::vector<std::int32_t> indices;  ///< `[picked]`: in order of selection
  std::vector<Scalar> distances;      ///< `[picked]`: squared distance at selection; +inf for the first
};

/// fps() of one cloud in a host container; allocates the workspace and the result: `auto picks =
/// farpoint::fps(points, 1024);`
///
/// @param points  contiguous container of a type that has a point_layout
/// @param params  see fps_params; `samples` is replaced
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto fps(Container const& points, index_t samples, fps_params params = {}, host_exec exec = {}) {
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
  detail::host_workspace workspace{fps_workspace_bytes(exec, cloud, params)};
  result const outcome =
      fps(exec, cloud, params, fps_output<scalar>{picks.indices, picks.distances, count, &report}, workspace.get());
  if (!outcome) throw std::invalid_argument{outcome.reason};
  if (report.first_out_of_range > 0) throw std::invalid_argument{"fps: the first sample is not a point of the cloud"};
  if (report.chosen_out_of_range > 0) {
    throw std::invalid_argument{"fps: an entry of params.chosen is not a point of the cloud"};
  }
  picks.indices.resize(static_cast<std::size_t>(count[0]));
  picks.distances.resize(static_cast<std::size_t>(count[0]));
  return picks;
}

/// Does not compile: the number of samples is not an integer.
template <class Container, class Number, class = detail::host_elements<Container const>,
          std::enable_if_t<std::is_floating_point_v<Number>, int> = 0>
auto fps(Container const& points, Number samples, fps_params params = {}, host_exec exec = {}) {
  static_assert(detail::never<Number>, "farpoint: the number of samples of fps() is an integer");
  return fps(points, static_cast<index_t>(samples), params, exec);
}

/// poisson_subset() of one cloud in a host container; allocates the workspace and the result: `auto indices =
/// farpoint::poisson_subset(points, 0.1);`
///
/// @param points  contiguous container of a type that has a point_layout
/// @param radius  minimum distance of two points of the subset (m)
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
std::vector<std::int32_t> poisson_subset(Container const& points, double radius, host_exec exec = {}) {
  fps_params params;
  params.stop_below = radius;
  return fps(points, static_cast<index_t>(points.size()), params, exec).indices;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
