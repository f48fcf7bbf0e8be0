/// @file
/// The mean of the distances in a list of neighbours, the same on host and device.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/knn_request.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Points>
result check_mean_distance(batch<Points> const& points, index_t k, span<typename Points::scalar> means) noexcept {
  if (k < 1 || k > max_neighbours) return reject("mean_knn_distance: k is not between 1 and 1,024");
  if (static_cast<index_t>(means.size()) < points.points().size()) {
    return reject("mean_knn_distance: fewer means than points");
  }
  return {};
}

/// The mean of the squared distances in a list, added in its order; +inf for an empty one.
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
