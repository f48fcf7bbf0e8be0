/// @file
/// A window of points that slides, and the parameters and outputs of point_window_slide().
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Points of a sliding window, and the memory of their BVH. Non-owning and trivially copyable; all parts are in the
/// memory space of the execution. point_window_clear() makes one.
template <class Scalar = float>
struct point_window {
  using view = point_view<Scalar>;

  span<Scalar> points;    ///< `[capacity, 3]`: x, y, z (m), oldest first; rows past the size are unspecified
  span<index_t> offsets;  ///< `[2]`: 0 and the number of points
  bytes index;            ///< memory of build_point_bvh() for clouds(), 256-byte aligned

  FARPOINT_HD index_t capacity() const noexcept { return static_cast<index_t>(points.size()) / 3; }
  /// The points as a batch of one cloud, whose size is read when a call runs.
  batch<view> clouds() const noexcept {
    return batch<view>::ragged(view{points.data(), capacity()}, span<index_t const>{offsets.data(), offsets.size()});
  }
};

/// Points that a window keeps and takes.
template <class Scalar = float>
struct slide_params {
  /// Box (m), half open: low <= position < high on each axis. An infinite bound excludes nothing. A box whose low is
  /// not below its high holds nothing. The position of a point is its coordinates minus `origin`, in double.
  bounding_box<Scalar> box = everywhere();

  /// `[3]`, optional, in the memory space of the execution: origin of `box` (m), for example where the sensor is. It is
  /// read when the call runs, so that a captured call can follow a sensor. If a coordinate is NaN or infinite, the box
  /// excludes nothing.
  span<Scalar const> origin = {};

  static bounding_box<Scalar> everywhere() noexcept {
    constexpr Scalar end = detail::infinity<Scalar>;
    return {{{-end, -end, -end}}, {{end, end, end}}};
  }
};

/// Counters of one slide. The window then has kept + appended - dropped points.
struct slide_report {
  unsigned long long kept = 0;         ///< points of the window in the box
  unsigned long long erased = 0;       ///< points of the window outside of the box
  unsigned long long appended = 0;     ///< points of the scan in the box
  unsigned long long outside = 0;      ///< finite points of the scan outside of the box
  unsigned long long non_finite = 0;   ///< points of the scan with a NaN or infinite coordinate: not appended
  unsigned long long dropped = 0;      ///< oldest points, of those counted as kept and appended, beyond the capacity
  unsigned long long bad_offsets = 0;  ///< invalid offsets of the scan, which is then not appended; and of the window,
                                       ///< whose points are then erased, uncounted
};

/// Optional outputs of point_window_slide(), in the memory space of the execution.
struct slide_output {
  /// `[capacity]`: for each point of the window, where it was before: its row in the window, or the capacity plus its
  /// index in the scan's cloud. With them gather() moves features of points. Entries past the size are not written.
  index_span sources = {};

  slide_report* report = nullptr;  ///< overwritten, not added to
};

FARPOINT_END_NAMESPACE
