// Calls of gather() within the clouds of a batch, and their expected outputs, computed by a plain loop.
#pragma once

#include <farpoint/types/gather.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "../support/poison.hpp"
#include "../support/random.hpp"

namespace farpoint_tests {

using farpoint::index_t;
using farpoint::span;

/// Memory layout of rows.
enum class rows_layout { regular, channels_first, strided, ragged };

/// Rows of the input or of the output.
struct rows_side {
  rows_layout layout = rows_layout::regular;
  index_t rows = 0;              ///< rows per cloud; total if ragged
  std::vector<index_t> offsets;  ///< if ragged, in units of `each` rows
  index_t each = 1;

  index_t begin_of(std::size_t b) const {
    return layout == rows_layout::ragged ? offsets[b] * each : static_cast<index_t>(b) * rows;
  }
  index_t size_of(std::size_t b) const {
    return layout == rows_layout::ragged ? (offsets[b + 1] - offsets[b]) * each : rows;
  }
};

/// A batch, and indices of rows within its clouds.
struct gather_problem {
  index_t clouds = 1;
  index_t channels = 1;
  rows_side features;
  rows_side output;
  std::vector<std::int32_t> indices;  ///< one for each row of the output

  farpoint::feature_strides strides_of(rows_side const& side) const {
    switch (side.layout) {
      case rows_layout::channels_first: return {channels * side.rows, 1, side.rows};
      // Rows first, then clouds, then channels, with a gap behind each.
      case rows_layout::strided: return {side.rows * 3 + 2, 3, (side.rows * 3 + 2) * clouds + 1};
      default: return {channels * side.rows, channels, 1};
    }
  }
  /// Returns the offset of value c of row i of cloud b.
  std::size_t at(rows_side const& side, std::size_t b, index_t i, index_t c) const {
    farpoint::feature_strides const strides = strides_of(side);
    index_t const row = side.layout == rows_layout::ragged ? (side.begin_of(b) + i) * channels
                                                           : static_cast<index_t>(b) * strides.cloud + i * strides.row;
    return static_cast<std::size_t>(row + c * strides.channel);
  }
  std::size_t size(rows_side const& side) const {
    index_t const size = side.layout == rows_layout::strided  ? strides_of(side).channel * channels
                         : side.layout == rows_layout::ragged ? side.rows * channels
                                                              : clouds * side.rows * channels;
    return static_cast<std::size_t>(size);
  }
  template <class Value>
  farpoint::feature_rows<Value> rows_of(rows_side const& side, span<Value> values, span<index_t const> offsets) const {
    using rows = farpoint::feature_rows<Value>;
    switch (side.layout) {
      case rows_layout::regular: return rows::regular(values, clouds, channels);
      case rows_layout::channels_first: return rows::channels_first(values, clouds, channels);
      case rows_layout::strided: return rows::strided(values, clouds, side.rows, channels, strides_of(side));
      default: return rows::ragged(values, offsets, channels, side.each);
    }
  }

  static unsigned long long count_wrong(rows_side const& side) {
    unsigned long long wrong = 0;
    index_t before = 0;
    for (index_t const offset : side.offsets) {
      if (offset < 0 || offset < before || offset > side.rows / side.each) ++wrong;
      before = offset;
    }
    return wrong;
  }

  /// Returns the output after a call on memory filled with `poison`.
  template <class Value>
  std::vector<Value> expected(std::vector<Value> const& values, farpoint::gather_report& report) const {
    std::vector<Value> out(size(output));
    if (!out.empty()) std::memset(out.data(), poison, out.size() * sizeof(Value));
    report = {};
    report.bad_offsets = count_wrong(features) + count_wrong(output);
    if (report.bad_offsets > 0 && output.layout == rows_layout::ragged) {
      std::fill(out.begin(), out.end(), Value{});
      return out;
    }
    for (std::size_t b = 0; b < static_cast<std::size_t>(clouds); ++b) {
      for (index_t i = 0; i < output.size_of(b); ++i) {
        index_t const from = indices[static_cast<std::size_t>(output.begin_of(b) + i)];
        bool const is_there = report.bad_offsets == 0 && from >= 0 && from < features.size_of(b);
        if (!is_there && from != -1 && report.bad_offsets == 0) ++report.out_of_range;
        for (index_t c = 0; c < channels; ++c) {
          out[at(output, b, i, c)] = is_there ? values[at(features, b, from, c)] : Value{};
        }
      }
    }
    return out;
  }
};

/// Makes rows of a random layout. Offsets of ragged clouds are random within the rows; if `wrong`, some are invalid.
inline rows_side random_side(random_source& random, index_t clouds, index_t most, bool wrong) {
  rows_side side;
  side.layout = static_cast<rows_layout>(random.below(4));
  side.rows = random.below(most + 1);
  if (side.layout != rows_layout::ragged) return side;
  side.each = 1 + random.below(3);
  index_t const units = side.rows * clouds;
  side.rows = units * side.each;
  for (index_t b = 0; b <= clouds; ++b) side.offsets.push_back(random.below(units + 1));
  std::sort(side.offsets.begin(), side.offsets.end());
  if (wrong) side.offsets[static_cast<std::size_t>(random.below(clouds + 1))] = units + 1 + random.below(3);
  if (wrong && random.below(2) == 0) side.offsets.front() = -1;
  return side;
}

inline gather_problem random_gather_problem(std::uint64_t seed, index_t max_rows = 200) {
  random_source random{seed};
  gather_problem problem;
  problem.clouds = 1 + random.below(6);
  problem.channels = 1 + random.below(20);
  problem.features = random_side(random, problem.clouds, max_rows, random.below(8) == 0);
  problem.output = random_side(random, problem.clouds, max_rows, random.below(8) == 0);
  index_t const rows =
      problem.output.layout == rows_layout::ragged ? problem.output.rows : problem.clouds * problem.output.rows;
  for (index_t i = 0; i < rows; ++i) {
    // Mostly rows of the cloud; rarely rows of another cloud, or no row.
    problem.indices.push_back(static_cast<std::int32_t>(random.below(max_rows + 20) - 4));
  }
  return problem;
}

template <class Value>
std::vector<Value> random_values(std::size_t size) {
  random_source random{size};
  std::vector<Value> values(size);
  for (Value& value : values) value = static_cast<Value>(random.below(200));
  return values;
}

/// Values for a problem, and the expected output.
template <class Value>
struct gather_case {
  explicit gather_case(gather_problem const& problem) : values{random_values<Value>(problem.size(problem.features))} {
    output = problem.expected(values, report);
  }

  std::vector<Value> values;
  std::vector<Value> output;
  farpoint::gather_report report;
};

}  // namespace farpoint_tests
