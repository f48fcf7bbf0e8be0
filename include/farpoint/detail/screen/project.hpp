/// @file
/// project(): its arguments are checked here for all backends, and its host backend.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/visible_points.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/types/project.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points, class Camera>
result check_project(batch<Points> const& points, Camera const& camera, zbuffer_ref const& zbuffer) noexcept {
  static_assert(std::is_same_v<typename Points::scalar, typename Camera::scalar>,
                "farpoint: points and camera must both be double, or neither");
  if (result const checked = check_bvh_points(points); !checked) return checked;
  if (points.size() != 1) return reject("points: a camera looks at one cloud");
  if (!is_image_size(camera.width, camera.height)) {
    return reject("project: the camera's width or height is not between 1 and 8,192");
  }
  if (zbuffer.width() != camera.width || zbuffer.height() != camera.height) {
    return reject("project: the z-buffer has not the camera's width and height");
  }
  return zbuffer.data() == nullptr ? reject("project: the z-buffer has no memory") : result{};
}

/// The layers of a z-buffer that has one.
inline FARPOINT_HD screen_layers layer_of(zbuffer_ref const& zbuffer) noexcept {
  return {zbuffer.data(), zbuffer.width(), zbuffer.height(), 1};
}

/// project() for host_exec.
template <class Points, class Camera>
result project_host(host_exec exec, batch<Points> const& points, Camera const& camera, zbuffer_ref const& zbuffer,
                    project_report* report) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_project(points, camera, zbuffer); !checked) return checked;
  Points const cloud = cloud_to_draw(points);
  std::atomic<unsigned long long> non_finite{0};
  std::atomic<unsigned long long> unseen{0};
  // A thread takes as long to start as 2,000 points to draw.
  auto const worth = static_cast<int>(1 + cloud.size() / 8192);
  int const wanted = std::min(resolve_threads(exec.threads), worth);
  std::fill_n(zbuffer.data(), zbuffer.size(), zbuffer_ref::clear_value);
  run_team(exec.pool, wanted, [&](int rank, int threads) {
    undrawn_points undrawn;
    index_t const end = cloud.size() * (rank + 1) / threads;
    for (index_t i = cloud.size() * rank / threads; i < end; ++i) {
      draw_point(cloud, i, camera, layer_of(zbuffer), 0, undrawn);
    }
    non_finite.fetch_add(undrawn.non_finite, std::memory_order_relaxed);
    unseen.fetch_add(undrawn.unseen, std::memory_order_relaxed);
  });
  if (report != nullptr) *report = {non_finite, unseen, static_cast<unsigned long long>(count_bad_offsets(points))};
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
