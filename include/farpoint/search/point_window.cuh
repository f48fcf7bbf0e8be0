/// @file
/// A window of points that slides, with a BVH that is built again, on a CUDA stream. See point_window.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/subset/slide_cuda.cuh>
#include <farpoint/point_bvh.cuh>
#include <farpoint/search/point_window.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

template <class Selector, class Scalar>
auto window_index_bytes(cuda_exec exec) noexcept {
  return [exec](point_window<Scalar> const& window) { return point_bvh_bytes<Selector>(exec, window.clouds()); };
}

/// Enqueues the offsets of a window without points.
template <class Scalar>
FARPOINT_HIDDEN result clear_window_on_device(cuda_exec exec, point_window<Scalar> const& window) noexcept {
  kernel_launcher launcher{exec.stream};
  launcher.clear(window.offsets.data(), 2 * sizeof(index_t));
  return cuda_failure(launcher.error(), "point_window_clear: a memset could not be enqueued");
}

}  // namespace detail

/// Returns the size in bytes of the device memory of a window, with the BVH of its points; 256-byte aligned. O(1): in
/// float 41 bytes a point, in double 70. 0 for a capacity that is refused.
/// @tparam Selector  selector of the slides
template <class Scalar, class Selector = knn_selector>
std::size_t point_window_bytes(cuda_exec exec, index_t capacity) noexcept {
  if (capacity < 0 || capacity > detail::max_window_points) return 0;
  std::size_t size = 0;
  detail::lay_out_window<Scalar>(nullptr, capacity, detail::window_index_bytes<Selector, Scalar>(exec), size);
  return size;
}

/// Makes a window without points in device memory, enqueued on a stream; arguments as in the host overload.
/// @tparam Selector  selector of the slides
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Selector = knn_selector, class Scalar>
result point_window_clear(cuda_exec exec, index_t capacity, bytes memory, point_window<Scalar>& window) noexcept {
  if (result const checked = detail::check_pointers(exec, memory); !checked) return checked;
  result const made = detail::make_window(capacity, memory, detail::window_index_bytes<Selector, Scalar>(exec), window);
  return made ? detail::clear_window_on_device(exec, window) : made;
}

/// Erases all points of a window, enqueued on a stream.
/// @return ok | bad_argument | cuda_failure
template <class Scalar>
result point_window_clear(cuda_exec exec, point_window<Scalar> const& window) noexcept {
  if (window.offsets.size() < 2) return detail::reject("point_window_clear: the window was never made");
  if (result const checked = detail::check_pointers(exec, window.offsets); !checked) return checked;
  return detail::clear_window_on_device(exec, window);
}

/// Returns the size in bytes of the device workspace of point_window_slide(); 256-byte aligned memory. O(1): for each
/// point of the capacity and of the scan's view 16 bytes in float and 28 in double, and less than 1 kB. Monotonic in
/// both: the size for the largest scan is enough for all.
template <class Points>
std::size_t point_window_slide_workspace_bytes(cuda_exec, point_window<typename Points::scalar> const& window,
                                               batch<Points> const& scan) noexcept {
  using call_type = detail::slide_call<Points>;
  using memory_type = detail::slide_memory<typename Points::scalar>;
  return memory_type::cut(nullptr, call_type::entries_of(window.capacity(), scan.points().size())).used;
}

/// point_window_slide(), enqueued on a stream: same window, outputs and results of searches as on the host, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph, where each replay slides the window
/// again. All memory of the arguments is device memory, which must stay valid until the stream has passed the call;
/// params are passed by value, except for the origin. The number of points stays on the device, in window.offsets:
/// searches by `index`, and calls that take window.clouds(), read it there. The workspace has
/// point_window_slide_workspace_bytes() bytes, 256-byte aligned.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument (as the host overload) | workspace_too_small | cuda_failure. A pending error of other work
///         is neither cleared nor returned.
/// Complexity: O(capacity + scan): three memsets, and up to five launches, one of which builds the BVH. Thread-safe for
/// different windows.
template <class Selector = knn_selector, class Points>
result point_window_slide(cuda_exec exec, point_window<typename Points::scalar> const& window,
                          batch<Points> const& scan, slide_params<typename Points::scalar> const& params,
                          slide_output const& output, bytes workspace,
                          device_point_bvh<typename Points::scalar>& index) noexcept {
  detail::profile_range const range{"farpoint::point_window_slide"};
  result const there = detail::check_pointers(exec, workspace, scan, window.points, window.offsets, window.index,
                                              params.origin, output.sources, output.report);
  if (!there) return there;
  detail::slide_call<Points> const call{window, scan, params, output};
  if (result const checked = call.check(point_bvh_bytes<Selector>(exec, window.clouds())); !checked) return checked;
  std::size_t const needed = point_window_slide_workspace_bytes(exec, window, scan);
  result const fits = detail::check_workspace(
      workspace, needed, FARPOINT_TOO_SMALL("point_window_slide", "workspace", "point_window_slide_workspace_bytes"));
  if (!fits) return fits;
  if (result const slid = detail::slide_on_device(exec, call, workspace); !slid) return slid;
  return build_point_bvh<Selector>(exec, window.clouds(), window.index, index);
}

FARPOINT_END_NAMESPACE
