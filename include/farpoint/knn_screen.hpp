/// @file
/// k nearest neighbors among the points that a camera sees: host backend and convenience overload.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/screen/host.hpp>
#include <farpoint/types/knn_screen.hpp>

#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of knn() in screen space on the host; 256-byte aligned memory. 0 for
/// arguments that knn() rejects.
///
/// Exact, O(1). 8 bytes per pixel and layer, 4 per point, 36.0 (double: 63.4) more per point that can be visible, and
/// 64 per thread. An approximate search takes 52 (double: 76) bytes instead of 36.0 (63.4), plus the tree's records
/// (quadtree_layout).
template <class Points, class Camera>
std::size_t knn_workspace_bytes(host_exec exec, batch<Points> const& points,
                                screen_space<Camera> const& method) noexcept {
  if (!detail::check_screen_method(method)) return 0;
  return detail::knn_screen_host_plan<Points, Camera>{exec, points, method, {}}.bytes();
}

/// Computes a number of bytes of workspace that suffices for knn() in screen space of all searches within the limits on
/// the host, for every camera. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result knn_screen_workspace_bound(host_exec exec, screen_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::bound_screen_bytes<Points>(limits, bound, [exec](auto const& cloud, auto const& method) {
    return knn_workspace_bytes(exec, cloud, method);
  });
}

/// Finds the k nearest visible points of each visible point. A camera sees the front-most point of each pixel, or the
/// front-most few.
///
/// If screen_space::rounds is until_exact, the default, no neighbor is missed: the result is unique, with the same
/// bits on every backend and for every number of threads. With a number of rounds it is the approximate search of the
/// thesis: the bits are also the same everywhere, but rows may miss neighbors or have fewer than k
/// (docs/design/knn_screen.md).
///
/// Neighbors are ascending by (squared distance, index); a point is its own neighbor unless the method excludes it.
/// Points that are not finite, behind the camera, outside the image or its depth range, or hidden by another point of
/// their pixel are never neighbors and have none. Squared distances that overflow are +inf, and tie.
///
/// @param exec       number of threads; blocks until done
/// @param points     one cloud, with or without offsets, meters, three coordinates, host memory
/// @param method     camera, number of neighbors and kind of search
/// @param output     see knn_screen_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (k, a side of the image, a radius, the rounds, the candidates or the layers out of range;
///         a first area out of range; rounds with an image too large for its layers, or with a camera without
///         pixel_span(); an output that is too small, not one cloud, more than 2^30 points, a misaligned workspace) |
///         workspace_too_small. On failure nothing is written. A cloud with invalid offsets (see batch) is empty, and
///         the report counts them.
/// Complexity: O(layers * (points + pixels)), then as knn() among the visible points. Thread-safe: concurrent calls
/// must not share output or workspace.
template <class Points, class Camera>
result knn(host_exec exec, batch<Points> const& points, screen_space<Camera> const& method,
           knn_screen_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::knn_screen_host(exec, points, method, output, workspace);
}

#if defined(__cpp_exceptions)

/// Visible points and their neighbors, with the memory that holds them.
template <class Scalar>
struct screen_neighbors {
  index_t k = 0;
  std::vector<std::int32_t> visible;  ///< `[rows]`: indices of the visible points, ascending
  std::vector<std::int32_t> pixels;   ///< `[rows]`: y * width + x
  std::vector<std::int32_t> indices;  ///< `[rows, k]`: indices into the cloud; -1 past the last neighbor
  std::vector<Scalar> distances;      ///< `[rows, k]`, squared (m^2); +inf past the last neighbor
};

/// Deprecated name of screen_neighbors, until 0.2.
template <class Scalar>
using screen_neighbours [[deprecated("farpoint: use screen_neighbors")]] = screen_neighbors<Scalar>;

/// knn() in screen space of one cloud in a host container; allocates the workspace and the result:
/// `auto found = farpoint::knn(points, farpoint::screen_space{camera, 8});`
///
/// @param points  contiguous container of a type that has a point_layout
/// @param method  camera, number of neighbors and kind of search; `rows` is ignored: the result has one row for each
///                visible point
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class Camera, class = detail::host_elements<Container const>>
auto knn(Container const& points, screen_space<Camera> method, host_exec exec = {}) {
  batch const cloud{view_points(points)};
  using scalar = typename Camera::scalar;
  method.rows = screen_rows::visible;
  detail::require_ok(detail::check_screen_method(method));
  auto const most = static_cast<std::size_t>(detail::max_visible(cloud.points().size(), method));
  auto const elements = most * static_cast<std::size_t>(method.k);
  screen_neighbors<scalar> found{method.k, std::vector<std::int32_t>(most), std::vector<std::int32_t>(most),
                                 std::vector<std::int32_t>(elements), std::vector<scalar>(elements)};
  std::vector<index_t> rows(1);
  knn_screen_output<scalar> output{found.indices, found.distances};
  output.pixels = found.pixels;
  output.visible = found.visible;
  output.visible_count = rows;
  detail::host_workspace const workspace{knn_workspace_bytes(exec, cloud, method)};
  detail::require_ok(knn(exec, cloud, method, output, workspace.get()));
  auto const seen = static_cast<std::size_t>(rows[0]);
  found.visible.resize(seen);
  found.pixels.resize(seen);
  found.indices.resize(seen * static_cast<std::size_t>(method.k));
  found.distances.resize(seen * static_cast<std::size_t>(method.k));
  return found;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE
