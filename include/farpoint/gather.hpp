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

/// Copies rows by index: row r of the output is row `indices[r]` of the features, or zeros for the index -1, with which
/// knn(), radius() and fps() pad.
///
/// Indices count from the first row of the features, as those of a single cloud do. Indices that count within the
/// clouds of a batch, as all functions return them, need the overload for feature_rows.
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

/// Copies rows by index within the clouds of a batch: row r of the output is in one of its clouds, and row `indices[r]`
/// is of the same cloud of the features. Zeros for -1, as above.
///
/// The indices of fps() are `[clouds, samples]`: the output is regular, whatever the features are. Those of knn() and
/// radius() are `[queries, k]`: the output is as regular as the queries, or ragged by their offsets, k rows each.
///
/// @param exec      threads to use; blocks until done
/// @param features  the clouds' rows, see feature_rows; any trivially copyable type, host memory
/// @param indices   one for each row of the output, in the order of its clouds
/// @param output    as many clouds and channels; need not lie in memory as the features do. Rows that are in no cloud
///                  of a ragged batch are not written
/// @param report    optional; overwritten, not added to
/// @return ok | bad_argument (numbers of clouds or channels that differ or are wrong, values that are no whole rows or
///         do not fit their memory, rows of output that share memory, another number of indices than rows of output);
///         nothing is written on failure. Where offsets are wrong (see batch), all rows are zeros, and the report
///         counts such offsets.
/// Complexity: O(indices * channels), and O(log clouds) for each row of a ragged output. Thread-safe.
template <class Value>
result gather(host_exec exec, detail::type_identity_t<feature_rows<Value const>> features, index_view indices,
              feature_rows<Value> output, gather_report* report = nullptr) noexcept {
  return detail::gather_host<Value>(exec, {features, indices, output, report});
}

#if defined(__cpp_exceptions)

/// gather() of one cloud's rows in a host container, on all cores: `auto sampled = farpoint::gather(points,
/// picks.indices);`. Allocates the answer.
/// @param features  contiguous container of any trivially copyable type: points, or `[points, channels]` values
/// @param indices   contiguous container of a signed 32- or 64-bit integer; zeros for -1, and for what is out of range
/// @return `[indices, channels]`
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Features, class Indices, class Element = detail::host_elements<Features const>,
          class = detail::host_elements<Indices const>>
auto gather(Features const& features, Indices const& indices, index_t channels = 1) {
  using value = std::remove_const_t<Element>;
  auto const rows = static_cast<std::size_t>(indices.size());
  std::vector<value> found(channels < 1 ? 0 : rows * static_cast<std::size_t>(channels));
  detail::require_ok(gather(host_exec{}, span<value const>{features}, channels, indices, span<value>{found}));
  return found;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
