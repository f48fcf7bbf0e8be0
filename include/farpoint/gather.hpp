/// @file
/// Copies rows by index: host backend.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE

/// Copies rows by index: row r of the output is row `indices[r]` of the features, or zeros for the index -1, with which
/// knn(), radius() and fps() pad.
///
/// @param exec      threads to use; blocks until done
/// @param features  `[points, channels]`, any trivially copyable type, host memory
/// @param channels  values of a row, at least 1
/// @param indices   -1 to points - 1
/// @param output    `[indices, channels]`
/// @return ok | bad_argument (channels not positive, a size of features that is no multiple of channels, an index out
/// of
///         range, an output that is too small); nothing is written on failure
/// Complexity: O(indices * channels). Thread-safe.
template <class Value>
result gather(host_exec exec, span<Value const> features, index_t channels, index_view indices,
              span<Value> output) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_gather(features, channels, indices.size(), output); !checked) return checked;
  index_t const rows = static_cast<index_t>(features.size()) / channels;
  for (index_t r = 0; r < indices.size(); ++r) {
    if (indices[r] < -1 || indices[r] >= rows) return detail::reject("gather: an element of indices is out of range");
  }
  // To start a thread takes as long as to copy 65,536 values.
  index_t const worth = 1 + indices.size() * channels / 65536;
  run_team(static_cast<int>(std::min<index_t>(resolve_threads(exec.threads), worth)), [&](int rank, int threads) {
    for (index_t r = indices.size() * rank / threads; r < indices.size() * (rank + 1) / threads; ++r) {
      Value* const to = output.data() + r * channels;
      if (indices[r] < 0) {
        std::fill_n(to, channels, Value{});
      } else {
        std::copy_n(features.data() + indices[r] * channels, channels, to);
      }
    }
  });
  return {};
}

FARPOINT_END_NAMESPACE
