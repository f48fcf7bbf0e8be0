/// @file
/// Farthest point sampling on a CUDA stream. See fps.hpp for what fps() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/fps/cuda.cuh>
#include <farpoint/detail/fps/weighted/kernel.cuh>
#include <farpoint/detail/fps/workspace_bound.cuh>
#include <farpoint/fps.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that fps() needs for these clouds on the current GPU; 256-byte aligned memory. Exact,
/// O(1), and a function of the clouds' sizes, params.samples, the selector, the device, and what `exec` may use of it:
/// a workspace for the whole device is enough for any 8 multiprocessors or more. No point takes more than 40 bytes, in
/// any dimension. By kernel (docs/design/fps.md):
///   in_registers, in_block, in_regions  0, and 256 in all for a ragged batch of more than 2,048 clouds
///   maxima_in_block         0
///   maxima_in_grid          28 to 31 bytes a point, and 1.1 KiB for each block; with fps_choice::shared_out 2.2 KiB
///                           for each block, and for each cloud 4 bytes, or 4 KiB more where a cloud may have more
///                           points than the registers of a block hold: the one exception from 40 bytes a point
///   in_global_memory        (Dim + 1) scalars a point, or as many as 40 bytes hold
///   in_grid                 (Dim + 1) scalars and an index a point, or 17 bytes, whichever is more (20 for three
///                           floats, 36 for doubles); 24 bytes a cloud; 10 KiB (doubles: 20) for each cloud that has
///                           two blocks or more of a grid. A batch of more than some millions of points also keeps its
///                           boxes there: half a byte a point for floats, 0.9 for doubles; 112 a cloud and a block at
///                           most.
template <class Selector = fps_selector, class Points>
std::size_t fps_workspace_bytes(cuda_exec exec, batch<Points> const& clouds, fps_params const& params) noexcept {
  return detail::fps_cuda_plan<Selector, Points>{clouds, params, detail::device_properties::of(exec)}.bytes();
}

/// Bytes of device workspace that are enough for fps() of all batches within the limits on the current GPU, with
/// fps_selector and any parameters, on any stream that has 8 multiprocessors or more. fps_workspace_bytes() goes by
/// what a kernel needs, and may be nothing for 50 clouds of a size of which 49 take megabytes; the bound is never less
/// for higher limits. O(multiprocessors).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument | cuda_failure (no device to ask); then `bound` stays as it is
template <class Points>
result fps_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  auto const device = detail::device_properties::current();
  if (device.multiprocessors == 0) return detail::cuda_failure(cudaErrorNoDevice, "fps: there is no device to ask");
  bound = detail::fps_bytes_at_most<Points>(limits, device);
  return {};
}

/// Farthest point sampling, enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `clouds`, `params` and
/// `output` point to, and `workspace`, is device memory that must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: at most O(samples * n) distances per cloud; the kernels for large clouds leave out most of them. One
/// launch; or one that sorts, one that samples and a memset, or 10 of these above two million points or 32 clouds; or
/// two to six by local maxima in a grid; or two for a ragged batch in registers and in global memory; and a memset for
/// a report. A grid is a cooperative launch: it waits until the multiprocessors of `exec` have room for all of its
/// blocks at once; all other launches wait for nobody (docs/beside_other_work.md). Thread-safe: concurrent calls must
/// not share output or workspace.
template <class Selector = fps_selector, class Points>
result fps(cuda_exec exec, batch<Points> const& clouds, fps_params const& params,
           fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::fps"};
  result const checked =
      detail::check_pointers(exec, workspace, clouds, params.firsts, params.chosen, params.sample_counts,
                             output.indices, output.distances, output.counts, output.report);
  if (!checked) return checked;
  return detail::fps_cuda<Selector>(exec, clouds, params, output, workspace);
}

/// fps_extend(), enqueued on a stream: the rules and the bits of the host overload, and the promises of fps() on a
/// stream. The earlier samples are read on the device.
template <class Selector = fps_selector, class Points>
result fps_extend(cuda_exec exec, Points const& cloud, index_t earlier, fps_params params,
                  fps_output<typename Points::scalar> output, bytes workspace) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return fps<Selector>(exec, batch<Points>{cloud}, params, output, workspace);
}

/// Bytes of device workspace that poisson_subset() needs on the current GPU, with `room` for so many points of each
/// cloud: those of fps() for as many samples.
template <class Selector = fps_selector, class Points>
std::size_t poisson_subset_workspace_bytes(cuda_exec exec, batch<Points> const& clouds, index_t room) noexcept {
  fps_params params;
  params.samples = room;
  return fps_workspace_bytes<Selector>(exec, clouds, params);
}

/// poisson_subset(), enqueued on a stream: the rules and the bits of the host overload, and the promises of fps() on a
/// stream.
template <class Selector = fps_selector, class Points>
result poisson_subset(cuda_exec exec, batch<Points> const& clouds, double radius,
                      fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return fps<Selector>(exec, clouds, params, output, workspace);
}

/// Bytes of device workspace that fps_weighted() needs for these clouds; 256-byte aligned memory. Exact, O(1): Dim + 1
/// scalars for each point of the view.
template <class Points>
std::size_t fps_weighted_workspace_bytes(cuda_exec, batch<Points> const& clouds) noexcept {
  return detail::fps_weighted_cuda_bytes<Points>(clouds.points().size());
}

/// Bytes of device workspace that are enough for fps_weighted() of all batches within the limits. Never less for higher
/// limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result fps_weighted_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::fps_weighted_cuda_bytes<Points>(limits.points);
  return {};
}

/// Farthest point sampling by weights, enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that the arguments point to
/// is device memory that must stay valid until the stream has passed the call.
///
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: O(samples * n) for each cloud, by one block for each: for many clouds of some thousand points. One
/// launch, and a memset for a report. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result fps_weighted(cuda_exec exec, batch<Points> const& clouds, span<typename Points::scalar const> weights,
                    fps_params const& params, fps_output<typename Points::scalar> const& output,
                    bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::fps_weighted"};
  result const pointers =
      detail::check_pointers(exec, workspace, clouds, weights, params.firsts, params.chosen, params.sample_counts,
                             output.indices, output.distances, output.counts, output.report);
  if (!pointers) return pointers;
  if (result const checked = detail::check_fps_weighted(clouds, weights, params, output); !checked) return checked;
  if (clouds.size() > detail::max_narrow_points) {
    return detail::reject("fps_weighted: cuda_exec takes at most 2^31 - 1 clouds");
  }
  return detail::fps_weighted_cuda<Points>(exec, {{clouds, params, output}, weights.data()}, workspace);
}

FARPOINT_END_NAMESPACE
