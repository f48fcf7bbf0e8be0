/// @file
/// Farthest point sampling on a CUDA stream. See fps.hpp for what fps() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/fps/cuda.cuh>
#include <farpoint/detail/fps/workspace_bound.cuh>
#include <farpoint/fps.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that fps() needs for these clouds on the current GPU; 256-byte aligned memory. Exact,
/// O(1), and a function of the clouds' sizes, params.samples, the selector, the device, and what `exec` may use of it:
/// a workspace for the whole device is enough for any 8 multiprocessors or more. No point takes more than 40 bytes, in
/// any dimension. By kernel (docs/fps.md):
///   in_registers, in_block  0, and 256 in all for a ragged batch of more than 2,048 clouds
///   maxima_in_block         0
///   maxima_in_grid          28 to 31 bytes a point, and 1.1 KiB for each block; as much in maxima_in_cluster
///   in_global_memory        (Dim + 1) scalars a point, or as many as 40 bytes hold
///   in_cluster, in_grid     (Dim + 1) scalars and an index a point, or 17 bytes, whichever is more (20 for three
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
/// blocks at once, a cluster until one graphics processing cluster has room for it, all else for nobody
/// (docs/beside_other_work.md). Thread-safe: concurrent calls must not share output or workspace.
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

FARPOINT_END_NAMESPACE
