/// @file
/// The mean of the squared distances in a list of neighbors, the same on host and device.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/knn_request.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Mean of the squared distances of a list, added in its order; +inf if it is empty.
template <class Key>
FARPOINT_HD auto mean_distance2(Key const* keys, int count) noexcept {
  using scalar = decltype(keys->distance2());
  if (count == 0) return no_distance<scalar>;
  scalar sum = 0;
  for (int j = 0; j < count; ++j) sum = add_rn(sum, keys[j].distance2());
  return div_rn(sum, static_cast<scalar>(count));
}

}  // namespace detail
FARPOINT_END_NAMESPACE
