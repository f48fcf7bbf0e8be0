/// @file
/// Arguments of point_window_slide(), their checks, and the test of a point, for every backend.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/types/point_window.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest capacity of a window, and largest number of points of a scan: as of a BVH.
inline constexpr index_t max_window_points = index_t{1} << 30;

/// Outcome of an entry, which is a row of the window or a point of the scan's view; `none` if it holds no point.
enum class slide_state : int { none, kept, erased, appended, outside, non_finite };

FARPOINT_HD constexpr bool is_in_window(slide_state state) noexcept {
  return state == slide_state::kept || state == slide_state::appended;
}

/// One call. Its entries are the rows of the window, then the points of the scan's view.
template <class Points>
struct slide_call {
  using scalar = typename Points::scalar;
  using point = vec<scalar, 3>;

  point_window<scalar> window;
  batch<Points> scan;
  slide_params<scalar> params;
  slide_output output;

  /// Number of entries; known without reading the arrays.
  index_t entries() const noexcept { return entries_of(window.capacity(), scan.points().size()); }
  /// Number of entries for these sizes, clamped: the arguments of a call that will be refused may be any numbers.
  static index_t entries_of(index_t capacity, index_t scan_points) noexcept {
    return smaller(larger(capacity, index_t{0}), max_window_points) +
           smaller(larger(scan_points, index_t{0}), max_window_points);
  }

  /// Positions of a cloud's points in its view; empty if its offsets are wrong.
  struct range {
    index_t begin = 0, end = 0;
    FARPOINT_HD bool has(index_t i) const noexcept { return i >= begin && i < end; }
  };
  FARPOINT_HD range window_rows(bool is_wrong) const noexcept {
    return is_wrong ? range{} : range{window.offsets[0], window.offsets[1]};
  }
  FARPOINT_HD range scan_points(bool is_wrong) const noexcept {
    if (is_wrong) return {};
    index_t const begin = scan.begin_of(0);
    return {begin, begin + scan[0].size()};
  }

  FARPOINT_HD point window_point(index_t row) const noexcept {
    auto const at = static_cast<std::size_t>(3 * row);
    return {{window.points[at], window.points[at + 1], window.points[at + 2]}};
  }

  /// True for a finite point in the box, or where the origin is not finite.
  FARPOINT_HD bool is_inside(point const& p) const noexcept {
    bool inside = true;
    bool has_origin = true;
    for (int axis = 0; axis < 3; ++axis) {
      auto position = static_cast<double>(p[axis]);
      if (!params.origin.empty()) {
        auto const origin = static_cast<double>(params.origin[static_cast<std::size_t>(axis)]);
        has_origin = has_origin && is_finite_number(origin);
        position = sub_rn(position, origin);
      }
      inside = inside && position >= static_cast<double>(params.box.low[axis]) &&
               position < static_cast<double>(params.box.high[axis]);
    }
    return inside || !has_origin;
  }

  /// Returns the outcome of an entry. If its point is in the window afterwards, sets `p` to the point, and `source` to
  /// its value of slide_output::sources.
  FARPOINT_HD slide_state find(index_t entry, range const& rows, range const& points, point& p,
                               std::uint32_t& source) const noexcept {
    index_t const capacity = window.capacity();
    source = static_cast<std::uint32_t>(entry);
    if (entry < capacity) {
      if (!rows.has(entry)) return slide_state::none;
      p = window_point(entry);
      return is_finite(p) && is_inside(p) ? slide_state::kept : slide_state::erased;
    }
    index_t const i = entry - capacity;
    if (!points.has(i)) return slide_state::none;
    p = scan.points()[i];
    source = static_cast<std::uint32_t>(capacity + i - points.begin);
    if (!is_finite(p)) return slide_state::non_finite;
    return is_inside(p) ? slide_state::appended : slide_state::outside;
  }

  /// Writes a point to a row of the window.
  FARPOINT_HD void write(index_t row, point const& p, std::uint32_t source) const noexcept {
    auto const at = static_cast<std::size_t>(3 * row);
    for (int axis = 0; axis < 3; ++axis) window.points[at + static_cast<std::size_t>(axis)] = p[axis];
    if (!output.sources.empty()) output.sources.set(row, index_t{source});
  }

  /// Writes the size of the window.
  FARPOINT_HD void finish(index_t size) const noexcept {
    window.offsets[0] = 0;
    window.offsets[1] = size;
  }

  /// Checks what can be checked without reading the arrays, which may be in device memory.
  /// @param index_bytes  point_bvh_bytes() of the window
  result check(std::size_t index_bytes) const noexcept {
    static_assert(Points::dim == 3, "farpoint: a point window takes points of three coordinates");
    constexpr batch_reasons reasons{
        "point_window_slide: the scan's number of clouds is negative",
        "point_window_slide: the scan's number of points is negative", "point_window_slide: the scan is a null pointer",
        "point_window_slide: the scan is not one cloud", "point_window_slide: the scan is not one cloud"};
    if (result const checked = check_window(window, index_bytes); !checked) return checked;
    if (result const checked = check_batch(scan, reasons); !checked) return checked;
    if (scan.size() != 1) return reject(reasons.not_a_multiple);
    if (scan.points().size() > max_window_points) return reject("point_window_slide: a scan of more than 2^30 points");
    for (int axis = 0; axis < 3; ++axis) {
      if (is_nan(params.box.low[axis]) || is_nan(params.box.high[axis])) {
        return reject("point_window_slide: a bound of the box is NaN");
      }
    }
    if (!params.origin.empty() && params.origin.size() < 3) {
      return reject("point_window_slide: the origin has fewer than 3 coordinates");
    }
    if (!output.sources.empty() && output.sources.size() < window.capacity()) {
      return reject("point_window_slide: output.sources is smaller than the capacity");
    }
    if (!output.sources.empty() && !output.sources.wide() && entries() > max_narrow_points) {
      return reject("point_window_slide: a capacity and a scan of 2^30 points need 64-bit sources");
    }
    return {};
  }

  static result check_window(point_window<scalar> const& window, std::size_t index_bytes) noexcept {
    if (window.capacity() > max_window_points) return reject("point_window: a capacity of more than 2^30 points");
    if (window.offsets.size() < 2) {
      return reject("point_window: offsets has fewer than two entries: call point_window_clear() first");
    }
    return check_workspace(window.index, index_bytes,
                           FARPOINT_TOO_SMALL("point_window_slide", "window.index", "point_window_bytes"));
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
