/// @file
/// Nearest neighbours among the points that a camera sees, on a CUDA stream. See knn_screen.hpp for what knn() in
/// screen space computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/screen/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that knn() in screen space needs on the current GPU; 256-byte aligned memory. 0 for
/// arguments that it refuses.
///
/// O(1), exact: 8 for each pixel and layer and 4 for each point; for each point that can be visible 20 in float and 36
/// in double, and for as many as 63 points more in each square of 64 x 64 pixels of a layer. An approximate search
/// needs 28, or 52, for each of them, the tree (quadtree_layout), and for k > 32 up to 64 MB of lists instead.
template <class Selector = knn_screen_selector, class Points, class Camera>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, screen_space<Camera> const& method,
                                index_t k) noexcept {
  if (!detail::check_bvh_points(points) || !detail::check_screen_method(method, k)) return 0;
  return detail::knn_screen_plan<Selector, Points, Camera>{points, method, k}.bytes();
}

/// Bytes of device workspace that are enough for knn() in screen space of all searches within the limits, by every
/// camera, on any GPU. knn_workspace_bytes() of a larger image may be a little less than that of a smaller one; the
/// bound is never less for higher limits. O(1).
/// @tparam Points    the view of the points: point_view<float>
/// @tparam Selector  that of the calls
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points, class Selector = knn_screen_selector>
result knn_screen_workspace_bound(cuda_exec, screen_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_screen_bytes<Points>(limits, bound, [](auto const& cloud, auto const& method, index_t k) {
    using camera = typename std::decay_t<decltype(method)>::camera_type;
    return detail::knn_screen_plan<Selector, Points, camera>{cloud, method, k}.bytes_of_smaller();
  });
}

/// knn() in screen space, enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `points` and `output`
/// point to, and `workspace`, is device memory that must stay valid until the stream has passed the call. The number of
/// visible points stays on the device (knn_screen_output::visible_count).
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: O(layers * (points + pixels)), then as knn() among the visible points. Four launches and one for each
/// layer; seven for an approximate search. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_screen_selector, class Points, class Camera>
result knn(cuda_exec exec, batch<Points> const& points, screen_space<Camera> const& method, index_t k,
           knn_screen_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::knn (screen space)"};
  if (result const checked =
          detail::check_pointers(exec, workspace, points, output.indices, output.distances, output.counts,
                                 output.report, output.pixels, output.visible, output.visible_count);
      !checked)
    return checked;
  return detail::knn_screen_cuda<Selector>(exec, points, method, k, output, workspace);
}

FARPOINT_END_NAMESPACE
