/// @file
/// Offsets: where the segments of an array begin that lie one after another, as in a CSR matrix.
#pragma once

#include <farpoint/core/index_span.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The segment that `value` is in: the last of `count` whose begin is not above it. Also 0 if the
/// first one begins above it: a caller with values before the first segment must check for that.
/// @param begin_of  `begin_of(i)`: where segment i begins; must not descend
FARPOINT_CALLS_BACK
template <class BeginOf>
FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t segment_of(index_t count, index_t value, BeginOf const& begin_of) noexcept {
  index_t low = 0;
  for (index_t high = count; high - low > 1;) {
    index_t const middle = (low + high) / 2;
    if (begin_of(middle) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// True when offsets in host memory ascend from 0 or more to `size` or less.
inline bool offsets_ascend(span<index_t const> offsets, index_t size) noexcept {
  index_t before = 0;
  for (index_t const offset : offsets) {
    if (offset < before || offset > size) return false;
    before = offset;
  }
  return true;
}

/// The largest offset that an array of 64-bit (`wide`) or 32-bit offsets can hold.
FARPOINT_HD constexpr index_t largest_offset(bool wide) noexcept {
  return wide ? INT64_MAX : max_narrow_points;
}

/// False for a row that ends beyond the capacity, or beyond what its offsets can hold.
FARPOINT_HD constexpr bool row_fits(index_t end, index_t capacity, bool wide_offsets) noexcept {
  return end <= capacity && (wide_offsets || end < max_narrow_points);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
