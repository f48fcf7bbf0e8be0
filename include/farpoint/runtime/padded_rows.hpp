/// @file
/// Zeros in the rows of outputs that voxelize() leaves alone: those past the number of voxels.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Outputs with a row for each voxel, and the number of rows that are written.
struct padded_rows {
  static constexpr int max_parts = 7;

  /// One output.
  struct part {
    std::uint16_t* data = nullptr;
    index_t width = 0;  ///< halfwords of a row
  };

  part parts[max_parts] = {};
  index_t rows = 0;                  ///< of each part
  index_t const* written = nullptr;  ///< `[1]`: rows that stay as they are, in the memory space of the execution

  /// Adds an output with `row_bytes` bytes in a row, an even number. An output without rows or bytes costs nothing.
  void add(void* data, index_t row_bytes) noexcept {
    for (part& each : parts) {
      if (each.width != 0) continue;
      each = {static_cast<std::uint16_t*>(data), row_bytes / 2};
      return;
    }
  }

  /// Halfwords of a row of all parts.
  index_t width() const noexcept {
    index_t sum = 0;
    for (part const& each : parts) sum += each.width;
    return sum;
  }
};

}  // namespace library

namespace FARPOINT_HIDDEN detail {

/// The body of for_each_index() for each word of all parts: the first part's, then the second's, ...
/// @tparam Word  std::uint32_t where all rows have an even number of halfwords, std::uint16_t
template <class Word>
struct zero_rows_past_written {
  static constexpr index_t halfwords = sizeof(Word) / sizeof(std::uint16_t);
  library::padded_rows args;

  index_t words() const noexcept { return args.rows * (args.width() / halfwords); }

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    for (auto const& part : args.parts) {
      auto const width = static_cast<Number>(part.width / halfwords);
      auto const words = width * static_cast<Number>(args.rows);
      if (i < words) {
        if (static_cast<index_t>(i / width) >= *args.written) reinterpret_cast<Word*>(part.data)[i] = 0;
        return;
      }
      i -= words;
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
