/// @file
/// A window of points that slides, with a BVH that is built again: host backend. point_window.cuh adds cuda_exec.
#pragma once

#include <farpoint/detail/subset/slide_host.hpp>
#include <farpoint/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// Lays out a window in memory.
/// @param index_bytes  `index_bytes(window)`: point_bvh_bytes() of a window of this capacity
/// @param used         set to the size in bytes
template <class Scalar, class IndexBytes>
point_window<Scalar> lay_out_window(unsigned char* memory, index_t capacity, IndexBytes const& index_bytes,
                                    std::size_t& used) noexcept {
  workspace_cutter cutter{memory};
  point_window<Scalar> window;
  window.points = {cutter.take<Scalar>(3 * capacity), static_cast<std::size_t>(3 * capacity)};
  window.offsets = {cutter.take<index_t>(2), 2};
  // Sizes do not depend on addresses, but are 0 for points at a null pointer.
  Scalar nowhere[1] = {};
  index_t none[2] = {};
  window.index =
      cutter.take_workspace(index_bytes(point_window<Scalar>{{nowhere, window.points.size()}, {none, 2}, {}}));
  used = workspace_aligned(cutter.used());
  return window;
}

/// Lays out a window in memory that is checked.
template <class Scalar, class IndexBytes>
result make_window(index_t capacity, bytes memory, IndexBytes const& index_bytes,
                   point_window<Scalar>& window) noexcept {
  if (capacity < 0 || capacity > max_window_points) {
    return reject("point_window_clear: the capacity is negative or above 2^30");
  }
  std::size_t needed = 0;
  auto const made = lay_out_window<Scalar>(memory.data(), capacity, index_bytes, needed);
  result const checked =
      check_workspace(memory, needed, FARPOINT_TOO_SMALL("point_window_clear", "memory", "point_window_bytes"));
  if (checked) window = made;
  return checked;
}

template <class Scalar>
auto window_index_bytes(host_exec exec) noexcept {
  return [exec](point_window<Scalar> const& window) { return point_bvh_bytes(exec, window.clouds()); };
}

}  // namespace detail

/// Returns the size in bytes of the host memory of a window, with the BVH of its points; 256-byte aligned. O(1): in
/// float 32 bytes a point, in double 60, and 64 a thread. 0 for a capacity that is refused.
/// @tparam Scalar    float or double
/// @param exec       number of threads, as in the slides
/// @param capacity   number of points, 0 to 2^30
template <class Scalar>
std::size_t point_window_bytes(host_exec exec, index_t capacity) noexcept {
  if (capacity < 0 || capacity > detail::max_window_points) return 0;
  std::size_t size = 0;
  detail::lay_out_window<Scalar>(nullptr, capacity, detail::window_index_bytes<Scalar>(exec), size);
  return size;
}

/// Makes a window without points.
/// @param exec      number of threads, as in the slides
/// @param capacity  number of points, 0 to 2^30
/// @param memory    at least point_window_bytes() bytes, 256-byte aligned, host memory; the window lives in it
/// @param window    set on success
/// @return ok | bad_argument | workspace_too_small
template <class Scalar>
result point_window_clear(host_exec exec, index_t capacity, bytes memory, point_window<Scalar>& window) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  result const made = detail::make_window(capacity, memory, detail::window_index_bytes<Scalar>(exec), window);
  if (made) window.offsets[0] = window.offsets[1] = 0;
  return made;
}

/// Erases all points of a window.
/// @return ok | bad_argument
template <class Scalar>
result point_window_clear(host_exec exec, point_window<Scalar> const& window) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (window.offsets.size() < 2) return detail::reject("point_window_clear: the window was never made");
  window.offsets[0] = window.offsets[1] = 0;
  return {};
}

/// Returns 0: on the host, point_window_slide() needs no workspace.
template <class Points>
std::size_t point_window_slide_workspace_bytes(host_exec, point_window<typename Points::scalar> const&,
                                               batch<Points> const&) noexcept {
  return 0;
}

/// Erases the points of a window outside of a box, appends the points of a scan in the box, and builds the BVH of all.
///
/// Points keep their order, oldest first, and appended points have the scan's. Where they exceed the capacity, the
/// oldest ones are dropped, so that the newest remain. Points that are not finite are not appended. The window, the
/// outputs and the results of searches do not depend on the backend or the number of threads. All indices in results
/// are rows of window.points; pass window.clouds() where a search needs the points as well.
///
/// @param exec       number of threads, at most those of point_window_bytes(); blocks until done
/// @param window     made by point_window_clear(); its points and offsets are changed
/// @param scan       one cloud, with or without offsets, meters, three coordinates, host memory; it may not overlap the
///                   window
/// @param params     see slide_params
/// @param output     see slide_output
/// @param workspace  unused; the parameter exists because calls on a stream take one
/// @param index      BVH of the window, set on success
/// @return ok | bad_argument (a bound that is NaN, a scan of several clouds or more than 2^30 points, an output that is
///         too small) | workspace_too_small (the window is of fewer threads); nothing is written on failure
/// Complexity: two passes over window and scan on one thread, and build_point_bvh(). Thread-safe for different windows.
template <class Points>
result point_window_slide(host_exec exec, point_window<typename Points::scalar> const& window,
                          batch<Points> const& scan, slide_params<typename Points::scalar> const& params,
                          slide_output const& output, [[maybe_unused]] bytes workspace,
                          point_bvh<typename Points::scalar>& index) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  detail::slide_call<Points> const call{window, scan, params, output};
  if (result const checked = call.check(point_bvh_bytes(exec, window.clouds())); !checked) return checked;
  detail::slide_on_host(call);
  return build_point_bvh(exec, window.clouds(), window.index, index);
}

FARPOINT_END_NAMESPACE
