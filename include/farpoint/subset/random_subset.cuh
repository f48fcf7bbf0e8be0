/// @file
/// A random subset of each cloud, on a CUDA stream. See random_subset.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/subset/random_subset_call.hpp>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE

/// random_subset(), enqueued on a stream: the output of the host overload. How many points a cloud has is read on the
/// device, from the offsets.
///
/// Only enqueues: no synchronization, no allocation, no workspace; may be captured in a graph, with the seed that it
/// has then. Offsets, indices and report are device memory, which must stay valid until the stream has passed the call.
///
/// @param exec     the stream
/// @param clouds   `[clouds, n]` or ragged; points are not read
/// @param samples  points to draw from each cloud
/// @param seed     any number
/// @param output   see random_subset_output
/// @return ok | bad_argument (as the host overload) | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: O(clouds * samples) expected, as the host overload; two launches. Thread-safe: concurrent calls must not
/// share output.
template <class Points>
result random_subset(cuda_exec exec, batch<Points> const& clouds, index_t samples, std::uint64_t seed,
                     random_subset_output const& output) noexcept {
  detail::profile_range const range{"farpoint::random_subset"};
  result const checked = detail::check_pointers(exec, clouds.offsets(), output.indices, output.offsets, output.report);
  if (!checked) return checked;
  return detail::random_subset_by(exec, {detail::sizes_of(clouds), samples, seed, output},
                                  [](cuda_exec on, index_t count, auto const& body, index_t work) {
                                    return for_each_index(on, count, body, work);
                                  });
}

FARPOINT_END_NAMESPACE
