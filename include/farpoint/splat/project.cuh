/// @file
/// Projects a cloud to a z-buffer, on a CUDA stream. See project.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/screen/project.cuh>

FARPOINT_BEGIN_NAMESPACE

/// project(), enqueued on a stream: equal to the host overload's z-buffer to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @param exec     the stream
/// @param points   one cloud, perhaps with offsets, meters, three coordinates
/// @param camera   see geometry/camera.hpp; of the points' scalar type, 1 to 8192 px wide and high
/// @param zbuffer  of the camera's width and height; cleared first, whatever it holds
/// @param report   optional; overwritten, not added to
/// @return ok | bad_argument | cuda_failure. Never clears or returns a pending error of other work.
/// Complexity: O(points + pixels); a memset and a launch, and a memset for the report. 8 bytes are written for a pixel;
/// a point is read once, and costs a load and at most one atomic minimum. Thread-safe for different z-buffers.
template <class Selector = knn_screen_selector, class Points, class Camera>
result project(cuda_exec exec, batch<Points> const& points, Camera const& camera, zbuffer_ref zbuffer,
               project_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::project"};
  span<std::uint64_t> const words{zbuffer.data(), static_cast<std::size_t>(zbuffer.size())};
  if (result const checked = detail::check_pointers(exec, points, words, report); !checked) return checked;
  return detail::project_cuda<Selector>(exec, points, camera, zbuffer, report);
}

FARPOINT_END_NAMESPACE
