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

/// Returns the exact size in bytes of the device workspace of fps() for these clouds on the current GPU; 256-byte
/// aligned memory. O(1). Depends on the clouds' sizes, the numbers of samples and of chosen points in `params`, the
/// selector, the device, and the multiprocessors that `exec` may use: a workspace for the whole device suffices for any
/// 8 multiprocessors or more. By kernel (docs/design/fps.md):
///   in_regions        0; 256 in total for a ragged batch of more than 2,048 clouds
///   in_teams          in three dimensions at most 32 bytes and 1 bit per point of floats, 56 bytes and 1 bit per point
///                     of doubles; 2.2 KiB per multiprocessor, and some 40 bytes per cloud. If a cloud may have more
///                     points than the registers of a block hold (4,096; doubles 2,048), 4 KiB per cloud
///   in_global_memory  (Dim + 1) scalars per point, or the number of scalars that fits in 40 bytes, if fewer
template <class Selector = fps_selector, class Points>
std::size_t fps_workspace_bytes(cuda_exec exec, batch<Points> const& clouds, fps_params const& params) noexcept {
  return detail::fps_cuda_plan<Selector, Points>{clouds, params, detail::device_properties::of(exec)}.bytes();
}

/// Computes a number of bytes of device workspace that suffices for fps() of all batches within the limits on the
/// current GPU, with fps_selector, any parameters, and any stream that has 8 multiprocessors or more. The bound is
/// monotonic in the limits, whereas fps_workspace_bytes() depends on the selected kernel: it may be 0 for 45 clouds of
/// a size of which 44 take megabytes. O(multiprocessors).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument | cuda_failure (no device); on failure `bound` is unchanged
template <class Points>
result fps_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  auto const device = detail::device_properties::current();
  if (device.multiprocessors == 0) return detail::cuda_failure(cudaErrorNoDevice, "fps: there is no device to ask");
  bound = detail::fps_bytes_at_most<Points>(limits, device);
  return {};
}

/// Farthest point sampling, enqueued on a stream: same rules and same bits as the host overload.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory that `clouds`, `params`,
/// `output` and `workspace` refer to is device memory, which must stay valid until the stream has executed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: at most O(samples * n) distances per cloud; in_regions and in_teams skip most of these. Launches: one in
/// regions and in global memory; two to eight in teams, one of them a memset; two more for a ragged batch of more than
/// 2,048 clouds; one more for params.sample_counts, and a memset for a report. Teams are a cooperative launch: it
/// starts when the multiprocessors of `exec` have room for all of its blocks at once; no other launch waits for room
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

/// fps_extend(), enqueued on a stream: same rules and same bits as the host overload, with the guarantees of fps() on a
/// stream. The earlier samples are read on the device.
template <class Selector = fps_selector, class Points>
result fps_extend(cuda_exec exec, Points const& cloud, index_t earlier, fps_params params,
                  fps_output<typename Points::scalar> output, bytes workspace) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return fps<Selector>(exec, batch<Points>{cloud}, params, output, workspace);
}

/// Returns the size in bytes of the device workspace of poisson_subset() on the current GPU, for at most `room` points
/// of each cloud. It equals fps_workspace_bytes() for `room` samples.
template <class Selector = fps_selector, class Points>
std::size_t poisson_subset_workspace_bytes(cuda_exec exec, batch<Points> const& clouds, index_t room) noexcept {
  fps_params params;
  params.samples = room;
  return fps_workspace_bytes<Selector>(exec, clouds, params);
}

/// poisson_subset(), enqueued on a stream: same rules and same bits as the host overload, with the guarantees of fps()
/// on a stream.
template <class Selector = fps_selector, class Points>
result poisson_subset(cuda_exec exec, batch<Points> const& clouds, double radius,
                      fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return fps<Selector>(exec, clouds, params, output, workspace);
}

/// Returns the exact size in bytes of the device workspace of fps_weighted() for these clouds, Dim + 1 scalars per
/// point of the view; 256-byte aligned memory. O(1).
template <class Points>
std::size_t fps_weighted_workspace_bytes(cuda_exec, batch<Points> const& clouds) noexcept {
  return detail::fps_weighted_cuda_bytes<Points>(clouds.points().size());
}

/// Computes a number of bytes of device workspace that suffices for fps_weighted() of all batches within the limits.
/// Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result fps_weighted_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::fps_weighted_cuda_bytes<Points>(limits.points);
  return {};
}

/// Weighted farthest point sampling, enqueued on a stream: same rules and same bits as the host overload.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory that the arguments refer to
/// is device memory, which must stay valid until the stream has executed the call.
///
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: O(samples * n) per cloud, by one block per cloud: meant for many clouds of some thousand points. One
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
