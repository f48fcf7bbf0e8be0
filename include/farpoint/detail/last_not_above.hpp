/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The last of `count` numbers, not descending from the first on, that is not above `value`; 0 if the first one is.
template <class NumberOf>
FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t last_not_above(index_t count, index_t value,
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

}  // namespace detail
FARPOINT_END_NAMESPACE
