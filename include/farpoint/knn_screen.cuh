/// @file
/// k nearest neighbors among the points that a camera sees, on a CUDA stream. See knn_screen.hpp for the rules of
/// knn() in screen space.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/screen/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of knn() in screen space on the current GPU; 256-byte aligned
/// memory. 0 for arguments that knn() rejects.
///
/// O(1), exact: 8 bytes per pixel and layer, 4 per point, and 20 (double: 36) per point that can be visible, where each
/// square of 64 x 64 pixels of a layer counts up to 63 points more. An approximate search takes 28 (double: 52) bytes
/// instead of 20 (36), plus the tree (quadtree_layout), and for k > 32 up to 64 MB of neighbor lists.
template <class Selector = knn_screen_selector, class Points, class Camera>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, screen_space<Camera> const& method) noexcept {
  if (!detail::check_bvh_points(points) || !detail::check_screen_method(method)) return 0;
  return detail::knn_screen_plan<Selector, Points, Camera>{points, method}.bytes();
}

/// Computes a number of bytes of device workspace that suffices for knn() in screen space of all searches within the
/// limits, for every camera, on any GPU. O(1). The bound is monotonic in the limits, whereas knn_workspace_bytes() may
/// be slightly smaller for a larger image.
/// @tparam Points    view type of the points, for example point_view<float>
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points, class Selector = knn_screen_selector>
result knn_screen_workspace_bound(cuda_exec, screen_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_screen_bytes<Points>(limits, bound, [](auto const& cloud, auto const& method) {
    using camera = typename std::decay_t<decltype(method)>::camera_type;
    return detail::knn_screen_plan<Selector, Points, camera>{cloud, method}.bytes_of_smaller();
  });
}

/// knn() in screen space, enqueued on a stream: same rules and same bits as the host overload.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory that `points`, `output` and
/// `workspace` refer to is device memory, which must stay valid until the stream has executed the call. The number of
/// visible points stays on the device (knn_screen_output::visible_count).
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: O(layers * (points + pixels)), then as knn() among the visible points. Four launches and one per layer;
/// seven for an approximate search. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_screen_selector, class Points, class Camera>
result knn(cuda_exec exec, batch<Points> const& points, screen_space<Camera> const& method,
           knn_screen_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::knn (screen space)"};
  if (result const checked =
          detail::check_pointers(exec, workspace, points, output.indices, output.distances, output.counts,
                                 output.report, output.pixels, output.visible, output.visible_count);
      !checked)
    return checked;
  return detail::knn_screen_cuda<Selector>(exec, points, method, output, workspace);
}

FARPOINT_END_NAMESPACE
