/// @file
#pragma once

#include <farpoint/core/check.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The last of `count` numbers, not descending from the first on, that is not above `value`; 0 if the first one is.
template <class NumberOf>
FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t segment_of(index_t count, index_t value,
                                                      NumberOf const& number_of) noexcept {
  index_t low = 0;
  for (index_t high = count; high - low > 1;) {
    index_t const middle = (low + high) / 2;
    if (number_of(middle) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Largest offset of a row that can be said.
FARPOINT_HD constexpr index_t largest_offset(bool wide) noexcept {
  return wide ? INT64_MAX : max_narrow_points;
}

/// False for a row that ends beyond the capacity, or beyond what its offsets can say.
FARPOINT_HD constexpr bool row_fits(index_t end, index_t capacity, bool wide_offsets) noexcept {
  return end <= capacity && (wide_offsets || end < max_narrow_points);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
