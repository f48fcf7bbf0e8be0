/// @file
/// Means over a list of neighbors, of distances and by inverse distance, the same on host and device.
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

/// Weights proportional to the inverse squared distance, which add up to 1 within rounding. Neighbors at distance 0
/// share all of the weight.
template <class Key>
FARPOINT_HD void inverse_distance_weights(Key const* keys, int count, float (&weights)[3]) noexcept {
  using scalar = decltype(keys->distance2());
  scalar inverse[3] = {};
  scalar sum = 0;
  scalar const nearest = count > 0 ? keys[0].distance2() : scalar(0);
  for (int j = 0; j < count; ++j) {
    // Relative to the nearest: the inverse of a distance may overflow, this ratio cannot.
    scalar const d = keys[j].distance2();
    inverse[j] = d == nearest ? scalar(1) : div_rn(nearest, d);
    sum = add_rn(sum, inverse[j]);
  }
  for (int j = 0; j < 3; ++j) weights[j] = j < count ? static_cast<float>(div_rn(inverse[j], sum)) : 0.0f;
}

/// Weighted sum of the neighbors' values, added from the nearest on.
FARPOINT_CALLS_BACK
template <class ValueOf>
FARPOINT_HD FARPOINT_ALWAYS_INLINE float weighted_sum(float const* weights, int count,
                                                      ValueOf const& value_of) noexcept {
  float sum = 0;
  for (int j = 0; j < count; ++j) sum = fma_rn(weights[j], value_of(j), sum);
  return sum;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
