/// @file
/// Copies rows by index: host backend.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/gather/host.hpp>
#include <farpoint/types/gather.hpp>

#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Copies rows by index: row r of the output is row `indices[r]` of the features, or zeros for index -1, the padding of
/// knn(), radius() and fps().
///
/// Indices count from the first row of the features, as for a single cloud. For indices that count within the clouds of
/// a batch, as all functions return them, use the overload for feature_rows.
///
/// @param exec      number of threads; blocks until done
/// @param features  `[points, channels]`, any trivially copyable type, host memory
/// @param channels  number of values per row, at least 1
/// @param indices   -1 to points - 1; any other index gives a row of zeros, and is counted
/// @param output    `[indices, channels]`
/// @param report    optional; overwritten, not added to
/// @return ok | bad_argument (channels is not positive, the size of features is not a multiple of channels, or an
///         output is too small); on failure nothing is written
/// Complexity: O(indices * channels). Thread-safe.
template <class Value>
result gather(host_exec exec, span<Value const> features, index_t channels, index_view indices, span<Value> output,
              gather_report* report = nullptr) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_gather(features, channels, indices.size(), output); !checked) return checked;
  index_t const rows = static_cast<index_t>(features.size()) / channels;
  auto const copy = [&](index_t begin, index_t end) {
    unsigned long long bad = 0;
    for (index_t r = begin; r < end; ++r) {
      Value* const to = output.data() + r * channels;
      index_t const from = indices[r];
      if (from >= 0 && from < rows) {
        std::copy_n(features.data() + from * channels, channels, to);
      } else {
        std::fill_n(to, channels, Value{});
        bad += from != -1 ? 1 : 0;
      }
    }
    return bad;
  };
  unsigned long long const out_of_range = detail::gather_by_team(exec, indices.size(), channels, copy);
  if (report != nullptr) *report = {out_of_range, 0};
  return {};
}

/// Copies rows by index within the clouds of a batch: row r of the output belongs to one of its clouds, and receives
/// row `indices[r]` of the same cloud of the features, or zeros for index -1.
///
/// Indices from fps() are `[clouds, samples]`: the output is regular even if the features are ragged. Indices from
/// knn() and radius() are `[queries, k]`: the output is regular if the queries are; otherwise it is ragged by the
/// queries' offsets, with k rows per query.
///
/// @param exec      number of threads; blocks until done
/// @param features  rows of the clouds, see feature_rows; any trivially copyable type, host memory
/// @param indices   one index per row of the output, in the order of its clouds
/// @param output    same numbers of clouds and channels as the features; the memory layout may differ. Rows that belong
///                  to no cloud of a ragged batch are not written
/// @param report    optional; overwritten, not added to
/// @return ok | bad_argument (numbers of clouds or channels that differ or are invalid, values that are no whole rows
///         or exceed their memory, output rows that share memory, numbers of indices and output rows that differ); on
///         failure nothing is written. If offsets are invalid (see batch), all rows are zeros, and the report counts
///         these offsets.
/// Complexity: O(indices * channels), and O(log clouds) per row of a ragged output. Thread-safe.
template <class Value>
result gather(host_exec exec, detail::type_identity_t<feature_rows<Value const>> features, index_view indices,
              feature_rows<Value> output, gather_report* report = nullptr) noexcept {
  return detail::gather_host<Value>(exec, {features, indices, output, report});
}

#if defined(__cpp_exceptions)

/// gather() of one cloud's rows in a host container: `auto sampled = farpoint::gather(points, picks.indices);`.
/// Allocates the result.
/// @param features  contiguous container of any trivially copyable type: points, or `[points, channels]` values
/// @param indices   contiguous container of a signed 32- or 64-bit integer; -1 and an index out of range give zeros
/// @param channels  number of values per row, at least 1
/// @param exec      number of threads; all cores by default
/// @return `[indices, channels]`
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Features, class Indices, class Element = detail::host_elements<Features const>,
          class = detail::host_elements<Indices const>>
auto gather(Features const& features, Indices const& indices, index_t channels = 1, host_exec exec = {}) {
  using value = std::remove_const_t<Element>;
  auto const rows = static_cast<std::size_t>(indices.size());
  std::vector<value> found(channels < 1 ? 0 : rows * static_cast<std::size_t>(channels));
  detail::require_ok(gather(exec, span<value const>{features}, channels, indices, span<value>{found}));
  return found;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
