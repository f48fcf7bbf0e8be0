/// @file
/// The largest problem that memory is to be enough for.
#pragma once

#include <farpoint/core/check.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Limits of the batches that a workspace is for: it is enough for every batch of no more points and clouds, regular or
/// ragged, however the points are shared out among the clouds.
struct batch_limits {
  index_t points = 0;  ///< of the view: of all clouds together, and between them
  index_t clouds = 1;
};

namespace FARPOINT_HIDDEN detail {

inline result check_limits(batch_limits const& limits) noexcept {
  if (limits.points < 0 || limits.clouds < 0) return reject("limits: a number is negative");
  if (limits.clouds > max_clouds || limits.points > max_points) {
    return reject("limits: more than 2^31 - 1 clouds, or 2^48 points");
  }
  return {};
}

/// The batch within `limits` that takes most memory: any cloud may have all points. Points and offsets must not be
/// read.
template <class Points>
batch<Points> largest_batch(batch_limits const& limits) noexcept {
  static constexpr index_t nothing[2] = {};
  return batch<Points>::ragged(Points{nothing, limits.points, 0},
                               span<index_t const>{nothing, static_cast<std::size_t>(limits.clouds) + 1});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
