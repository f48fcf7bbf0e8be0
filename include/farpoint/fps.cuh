/// @file
/// Farthest point sampling on a CUDA stream. See fps.hpp for what fps() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/fps_cuda.cuh>
#include <farpoint/fps.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that fps() needs for these clouds on a GPU; 256-byte aligned memory. Exact, O(1), and a
/// function of the clouds' sizes only: 0 where the largest cloud fits in a block's registers (16,384 float points of
/// three coordinates), (Dim + 1) scalars a point otherwise.
template <class Selector = fps_selector, class Points>
std::size_t fps_workspace_bytes(cuda_exec, batch<Points> const& clouds, fps_params const& params) noexcept {
  return detail::fps_cuda_plan<Selector, Points>{clouds, params}.bytes();
}

/// Farthest point sampling, enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `clouds`, `params` and
/// `output` point to, and `workspace`, is device memory that must stay valid until the stream has passed the call. What
/// only the data show cannot be refused here: a cloud whose entry of `firsts` (or whose `first`, in a ragged batch) is
/// out of range comes out empty, an entry of `chosen` that is out of range is passed over, and both are counted in the
/// report.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
/// Complexity: O(samples * n) distances per cloud; one block per cloud; one launch, two for a ragged batch that may
/// have clouds beyond the register kernels' capacity, and a memset when a report is asked for. Thread-safe: concurrent
/// calls must not share output or workspace.
template <class Selector = fps_selector, class Points>
result fps(cuda_exec exec, batch<Points> const& clouds, fps_params const& params,
           fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::fps_cuda<Selector>(exec, clouds, params, output, workspace);
}

FARPOINT_END_NAMESPACE
