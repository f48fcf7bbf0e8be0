// Batches whose numbers are at the limits of their types, for calls and questions about sizes.
#pragma once

#include <farpoint/core/batch.hpp>

#include <limits>

namespace farpoint_tests {

/// Calls `check(batch, refused)` with batches of memory that does not exist. `refused`: a call must refuse the batch,
/// and not look for points in it: there are more clouds or points than one takes.
template <class Check>
void for_batches_at_limits(Check const& check) {
  using farpoint::index_t;
  using view = farpoint::point_view<float>;
  using batch = farpoint::batch<view>;
  constexpr index_t most = std::numeric_limits<index_t>::max();
  constexpr index_t least = std::numeric_limits<index_t>::min();
  for (index_t const count : {most, most - 1, least, least + 1, index_t{-1}, index_t{1} << 31, index_t{1} << 62}) {
    // Clouds without points.
    check(batch::regular(view{nullptr, 0}, count), true);
    // Points of one cloud; 2^31 may be there.
    if (count != index_t{1} << 31) check(batch{view{nullptr, count}}, true);
    check(batch::regular(view{nullptr, count}, 3), count != index_t{1} << 31);
    static index_t const offsets[] = {0, 0};
    check(batch::ragged(view{nullptr, count}, {offsets, 2}, most), count != index_t{1} << 31);
  }
}

}  // namespace farpoint_tests
