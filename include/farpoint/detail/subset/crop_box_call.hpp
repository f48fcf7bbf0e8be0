/// @file
/// The arguments of crop_box(), their checks, and the test of a point, for every backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/types/crop_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of points of a call: a GPU's grid has a block for each tile of points.
inline constexpr index_t crop_box_max_points = index_t{1} << 40;

/// Where a point of the view is.
enum class crop_side : int { no_cloud, inside, outside, non_finite };

template <class Points>
struct crop_box_call {
  using scalar = typename Points::scalar;
  using point = typename Points::point;

  batch<Points> clouds;
  bounding_box<scalar, Points::dim> box;
  crop_box_output output;

  FARPOINT_HD index_t capacity() const noexcept { return output.indices.size(); }

  /// True if low <= p < high on each axis. `p` is finite.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool holds(point const& p) const noexcept {
    bool inside = true;
    FARPOINT_UNROLL
    for (int axis = 0; axis < Points::dim; ++axis)
      inside = inside && p[axis] >= box.low[axis] && p[axis] < box.high[axis];
    return inside;
  }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE crop_side side_of(point const& p) const noexcept {
    return !is_finite(p) ? crop_side::non_finite : holds(p) ? crop_side::inside : crop_side::outside;
  }

  /// Finds the side of point `i` of the view, and its index in its cloud. There must be a cloud.
  FARPOINT_HD crop_side side_of(index_t i, index_t& in_cloud) const noexcept {
    index_t const b = clouds.cloud_of(i);
    in_cloud = i - clouds.begin_of(b);
    if (in_cloud < 0 || in_cloud >= clouds[b].size()) return crop_side::no_cloud;
    return side_of(clouds.points()[i]);
  }

  /// Position in the view at which offset `b` of the output counts the points before, 0 <= b <= clouds.
  FARPOINT_HD index_t boundary(index_t b) const noexcept {
    if (b < clouds.size()) return clouds.begin_of(b);
    if (!clouds.is_ragged()) return clouds.size() * clouds.largest();
    return clouds.begin_of(b);
  }

  /// Checks what can be checked without reading the arrays, which may be in device memory.
  result check() const noexcept {
    constexpr batch_reasons reasons{"crop_box: the number of clouds is negative",
                                    "crop_box: the number of points is negative",
                                    "crop_box: the points are a null pointer",
                                    "crop_box: the points of a regular batch cannot be divided evenly among its clouds",
                                    "crop_box: more than 2^31 - 1 clouds, or 2^40 points"};
    if (result const checked = check_batch(clouds, reasons); !checked) return checked;
    if (clouds.points().size() > crop_box_max_points) return reject(reasons.too_large);
    for (int axis = 0; axis < Points::dim; ++axis) {
      if (is_nan(box.low[axis]) || is_nan(box.high[axis])) return reject("crop_box: a bound of the box is NaN");
    }
    if (static_cast<index_t>(output.offsets.size()) != clouds.size() + 1) {
      return reject("crop_box: output.offsets does not have clouds + 1 entries");
    }
    if (!output.indices.wide() && output.indices.size() > 0 && clouds.largest() > max_narrow_points) {
      return reject("crop_box: more than 2^31 - 1 points in a cloud need 64-bit indices");
    }
    return {};
  }
};

/// True where no point can be in a cloud, so that nothing has to be read but offsets.
template <class Points>
bool crops_nothing(batch<Points> const& clouds) noexcept {
  return clouds.size() == 0 || clouds.points().size() == 0;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
