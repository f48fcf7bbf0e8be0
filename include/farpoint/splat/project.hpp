/// @file
/// Projects a cloud to a z-buffer: host backend.
#pragma once

#include <farpoint/detail/screen/project.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Projects a cloud to an image: each pixel shows the nearest of the points that the camera sees in it, and of equally
/// near ones that of the lowest index.
///
/// Points that are not finite, behind the camera, outside of the image or of its depths are drawn nowhere. Depths of a
/// camera in double precision are rounded to float before they are compared. The same bits on every backend and for
/// every number of threads. What build_quadtree() takes; knn() in screen space projects by the same function.
///
/// @param exec     threads to use; blocks until done
/// @param points   one cloud, perhaps with offsets, metres, three coordinates, host memory
/// @param camera   see geometry/camera.hpp; of the points' scalar type, 1 to 8192 px wide and high
/// @param zbuffer  of the camera's width and height, host memory; cleared first, whatever it holds
/// @param report   optional; overwritten, not added to
/// @return ok | bad_argument (a side of the image out of range, a z-buffer of another size or without memory, not one
///         cloud, more than 2^30 points); nothing is written on failure. A cloud whose offsets are wrong (see batch) is
///         empty, and the report counts them.
/// Complexity: O(points + pixels). Thread-safe for different z-buffers.
template <class Points, class Camera>
result project(host_exec exec, batch<Points> const& points, Camera const& camera, zbuffer_ref zbuffer,
               project_report* report = nullptr) noexcept {
  return detail::project_host(exec, points, camera, zbuffer, report);
}

FARPOINT_END_NAMESPACE
