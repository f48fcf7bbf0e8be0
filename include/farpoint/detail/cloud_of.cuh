/// @file
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/last_not_above.hpp>

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
  return last_not_above(clouds.size(), i, [&clouds](index_t b) { return clouds.begin_of(b); });
}

}  // namespace detail
FARPOINT_END_NAMESPACE
