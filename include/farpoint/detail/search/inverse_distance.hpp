/// @file
/// Weights of neighbours by the inverse of their squared distance, the same on host and device.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/types/interpolate.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Points, class Queries>
result check_interpolate(batch<Points> const& points, span<float const> features, batch<Queries> const& queries,
                         index_t channels, interpolate_output const& output) noexcept {
  if (channels < 1) return reject("interpolate: channels is not positive");
  if (!holds(static_cast<index_t>(features.size()), points.points().size(), channels)) {
    return reject("interpolate: features is smaller than points x channels");
  }
  if (!holds(static_cast<index_t>(output.features.size()), queries.points().size(), channels)) {
    return reject("interpolate: output.features is smaller than queries x channels");
  }
  return {};
}

/// Weights that fall with the squared distance and add up to 1, but for rounding; where points coincide with the query
/// they share it alone.
template <class Key>
FARPOINT_HD void inverse_distance_weights(Key const* keys, int count, float (&weights)[3]) noexcept {
  using scalar = decltype(keys->distance2());
  scalar inverse[3] = {};
  scalar sum = 0;
  scalar const nearest = count > 0 ? keys[0].distance2() : scalar(0);
  for (int j = 0; j < count; ++j) {
    // Relative to the nearest: the inverse of a distance could overflow, the ratio cannot.
    scalar const d = keys[j].distance2();
    inverse[j] = d == nearest ? scalar(1) : div_rn(nearest, d);
    sum = add_rn(sum, inverse[j]);
  }
  for (int j = 0; j < 3; ++j) weights[j] = j < count ? static_cast<float>(div_rn(inverse[j], sum)) : 0.0f;
}

/// The values of the neighbours, weighted, and added from the nearest on.
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
