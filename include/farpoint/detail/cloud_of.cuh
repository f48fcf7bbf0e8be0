/// @file
#pragma once

#include <farpoint/core/batch.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of the cloud that point `i` of the view is in, or else of one beside it. Fewer than 2^32 points, at least one
/// cloud.
template <class Points>
FARPOINT_HD index_t cloud_of(batch<Points> const& clouds, index_t i) noexcept {
  if (clouds.size() == 1) return 0;
  if (!clouds.is_ragged()) {
    return static_cast<index_t>(static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(clouds.largest()));
  }
  // The last cloud that begins at or before the point.
  index_t low = 0;
  index_t high = clouds.size();
  while (high - low > 1) {
    index_t const middle = (low + high) / 2;
    if (clouds.begin_of(middle) <= i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
