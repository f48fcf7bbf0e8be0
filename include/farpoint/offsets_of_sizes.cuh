/// @file
/// Offsets of clouds whose sizes are known, on a CUDA stream. See offsets_of_sizes.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/offsets_of_sizes.hpp>

FARPOINT_BEGIN_NAMESPACE

/// offsets_of_sizes(), enqueued on a stream: the same answer. `sizes` and `offsets` are device memory.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph.
/// @return ok | bad_argument | cuda_failure. Never clears or returns a pending error of other work.
/// Complexity: one launch; a thread adds up to `clouds` sizes. Thread-safe.
template <class = void>  // another symbol than the compiled library's function has, which calls it
result offsets_of_sizes(cuda_exec exec, index_view sizes, span<index_t> offsets) noexcept {
  detail::profile_range const range{"farpoint::offsets_of_sizes"};
  detail::offsets_by_sizes const add{sizes, offsets};
  if (result const checked = add.check(); !checked) return checked;
  if (result const checked = detail::check_pointers(exec, sizes, offsets); !checked) return checked;
  return for_each_index(exec, add.count(), add);
}

FARPOINT_END_NAMESPACE
