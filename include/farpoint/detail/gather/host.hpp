/// @file
/// The host backend of gather().
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/detail/gather/rows.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Calls `copy(begin, end)` for all rows, by a team with a thread per 65,536 values at most, and adds up the numbers
/// that it returns.
template <class Copy>
unsigned long long gather_by_team(host_exec exec, index_t rows, index_t channels, Copy const& copy) noexcept {
  std::atomic<unsigned long long> out_of_range{0};
  // To start a thread takes as long as to copy 65,536 values.
  index_t const worth = 1 + rows * channels / 65536;
  run_team(exec.pool, static_cast<int>(std::min<index_t>(resolve_threads(exec.threads), worth)),
           [&](int rank, int threads) {
             unsigned long long const bad = copy(rows * rank / threads, rows * (rank + 1) / threads);
             out_of_range.fetch_add(bad, std::memory_order_relaxed);
           });
  return out_of_range.load();
}

/// Copies the rows `[begin, end)`, some at a time; returns how many indices are out of range.
template <class Value>
unsigned long long gather_rows(gather_rows_args<Value> const& args, bool empty, index_t begin, index_t end) noexcept {
  constexpr index_t at_once = 64;
  index_t const channels = args.output.channels();
  index_t const from_stride = args.features.strides().channel;
  index_t const to_stride = args.output.strides().channel;
  unsigned long long bad = 0;
  while (begin < end) {
    gathered_row<Value> rows[at_once];
    index_t count = 0;
    for (; count < at_once && begin < end; ++begin, ++count) {
      rows[count] = args.row(begin, empty);
      bad += rows[count].out_of_range ? 1 : 0;
    }
    auto const copy = [&](gathered_row<Value> const& row, index_t c) {
      if (row.to != nullptr) row.to[c * to_stride] = row.from == nullptr ? Value{} : row.from[c * from_stride];
    };
    // Copies in the order of the output's memory.
    if (is_channels_first(args.output)) {
      for (index_t c = 0; c < channels; ++c) {
        for (index_t r = 0; r < count; ++r) copy(rows[r], c);
      }
    } else {
      for (index_t r = 0; r < count; ++r) {
        for (index_t c = 0; c < channels; ++c) copy(rows[r], c);
      }
    }
  }
  return bad;
}

/// gather() for host_exec, within the clouds of a batch.
template <class Value>
result gather_host(host_exec exec, gather_rows_args<Value> const& args) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  index_t const rows = args.indices.size();
  if (result const checked = check_gather(args.features, rows, args.output); !checked) return checked;
  gather_report counted;
  if (args.output.clouds() > 0) {
    for (index_t i = 0; i < args.offsets(); ++i) counted.bad_offsets += args.is_bad(i) ? 1u : 0u;
    bool const empty = counted.bad_offsets > 0;
    counted.out_of_range = gather_by_team(exec, rows, args.output.channels(), [&](index_t begin, index_t end) {
      return gather_rows(args, empty, begin, end);
    });
  }
  if (args.report != nullptr) *args.report = counted;
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
