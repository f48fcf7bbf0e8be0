/// @file
/// Copies rows by index, on a CUDA stream. See gather.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/gather/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// gather(), enqueued on a stream. Indices count from the first row of the features.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @param exec      the stream
/// @param features  `[points, channels]`, any trivially copyable type but long double, which on a GPU is a double
/// @param channels  values of a row, at least 1
/// @param indices   -1 to points - 1; the row of any other index is zeros, and counted
/// @param output    `[indices, channels]`
/// @param report    optional; overwritten, not added to
/// @return ok | bad_argument (channels not positive, a size of features that is no multiple of channels, an output that
///         is too small) | cuda_failure. Never clears or returns a pending error of other work.
/// Complexity: O(indices * channels), one launch, and a memset for a report. Thread-safe.
template <class Value>
result gather(cuda_exec exec, span<Value const> features, index_t channels, index_view indices, span<Value> output,
              gather_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::gather"};
  if (result const checked = detail::check_pointers(exec, features, indices, output, report); !checked) return checked;
  return detail::gather_cuda(exec, features, channels, indices, output, report);
}

/// gather() within the clouds of a batch, enqueued on a stream: the rules of the host overload for feature_rows, and
/// the same promises. One launch, and a memset for a report; each block reads all offsets of a ragged batch.
template <class Value>
result gather(cuda_exec exec, detail::type_identity_t<feature_rows<Value const>> features, index_view indices,
              feature_rows<Value> output, gather_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::gather"};
  result const checked = detail::check_pointers(exec, features.values(), features.offsets(), indices, output.values(),
                                                output.offsets(), report);
  if (!checked) return checked;
  return detail::gather_cuda<Value>(exec, {features, indices, output, report});
}

FARPOINT_END_NAMESPACE
