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

/// True for an offset that makes a list wrong: it is not in `[0, size]`, or below the one before it.
///
/// The rule of every call: one wrong offset, and no cloud of the batch has points. Rows and clouds come out empty, and
/// the report counts the wrong offsets. The cloud of a point depends on the whole list, so answers from the valid part
/// of a wrong list would differ from kernel to kernel.
FARPOINT_HD constexpr bool is_bad_offset(span<index_t const> offsets, index_t i, index_t size) noexcept {
  index_t const offset = offsets[static_cast<std::size_t>(i)];
  index_t const before = i == 0 ? 0 : offsets[static_cast<std::size_t>(i) - 1];
  return offset < before || offset < 0 || offset > size;
}

/// Wrong offsets of a list that can be read here. O(offsets).
FARPOINT_HD constexpr index_t count_bad_offsets(span<index_t const> offsets, index_t size) noexcept {
  index_t count = 0;
  for (index_t i = 0; i < static_cast<index_t>(offsets.size()); ++i) count += is_bad_offset(offsets, i, size) ? 1 : 0;
  return count;
}

/// True if count_bad_offsets() is not 0. Stops at the first: nvcc unrolls the loop that counts, and a kernel that must
/// keep its registers for something else spills them for it.
FARPOINT_HD constexpr bool any_bad_offset(span<index_t const> offsets, index_t size) noexcept {
  for (index_t i = 0; i < static_cast<index_t>(offsets.size()); ++i) {
    if (is_bad_offset(offsets, i, size)) return true;
  }
  return false;
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
