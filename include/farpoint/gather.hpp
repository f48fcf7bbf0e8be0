/// @file
/// Copies rows by index: host backend.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/types/gather.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE

/// Copies rows by index: row r of the output is row `indices[r]` of the features, or zeros for the index -1, with which
/// knn(), radius() and fps() pad.
///
/// @param exec      threads to use; blocks until done
/// @param features  `[points, channels]`, any trivially copyable type, host memory
/// @param channels  values of a row, at least 1
/// @param indices   -1 to points - 1; the row of any other index is zeros, and counted
/// @param output    `[indices, channels]`
/// @param report    optional; overwritten, not added to
/// @return ok | bad_argument (channels not positive, a size of features that is no multiple of channels, an output that
///         is too small); nothing is written on failure
/// Complexity: O(indices * channels). Thread-safe.
template <class Value>
result gather(host_exec exec, span<Value const> features, index_t channels, index_view indices, span<Value> output,
              gather_report* report = nullptr) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_gather(features, channels, indices.size(), output); !checked) return checked;
  index_t const rows = static_cast<index_t>(features.size()) / channels;
  std::atomic<unsigned long long> out_of_range{0};
  // To start a thread takes as long as to copy 65,536 values.
  index_t const worth = 1 + indices.size() * channels / 65536;
  run_team(static_cast<int>(std::min<index_t>(resolve_threads(exec.threads), worth)), [&](int rank, int threads) {
    unsigned long long bad = 0;
    for (index_t r = indices.size() * rank / threads; r < indices.size() * (rank + 1) / threads; ++r) {
      Value* const to = output.data() + r * channels;
      index_t const from = indices[r];
      if (from >= 0 && from < rows) {
        std::copy_n(features.data() + from * channels, channels, to);
      } else {
        std::fill_n(to, channels, Value{});
        bad += from != -1 ? 1 : 0;
      }
    }
    out_of_range.fetch_add(bad, std::memory_order_relaxed);
  });
  if (report != nullptr) *report = {out_of_range.load()};
  return {};
}

FARPOINT_END_NAMESPACE
