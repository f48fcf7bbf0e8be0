/// @file
/// Projects a cloud to a z-buffer: host backend.
#pragma once

#include <farpoint/detail/screen/project.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Projects a cloud to an image: each pixel shows the nearest point that the camera sees in it; ties go to the lowest
/// index.
///
/// Points that are not finite, behind the camera, outside of the image or of its depth range are not drawn. Depths of a
/// double-precision camera are rounded to float before they are compared. The result has the same bits on every backend
/// and for every number of threads. It is the input of build_quadtree(); knn() in screen space projects in the same
/// way.
///
/// @param exec     number of threads; blocks until done
/// @param points   one cloud, with or without offsets, meters, three coordinates, host memory
/// @param camera   see geometry/camera.hpp; scalar type of the points, 1 to 8192 px wide and high
/// @param zbuffer  width and height of the camera, host memory; cleared by the call
/// @param report   optional; overwritten, not added to
/// @return ok | bad_argument (a side of the image out of range, a z-buffer of another size or without memory, not one
///         cloud, more than 2^30 points); on failure nothing is written. A cloud with invalid offsets (see batch) is
///         empty, and the report counts them.
/// Complexity: O(points + pixels). Thread-safe for different z-buffers.
template <class Points, class Camera>
result project(host_exec exec, batch<Points> const& points, Camera const& camera, zbuffer_ref zbuffer,
               project_report* report = nullptr) noexcept {
  return detail::project_host(exec, points, camera, zbuffer, report);
}

FARPOINT_END_NAMESPACE
