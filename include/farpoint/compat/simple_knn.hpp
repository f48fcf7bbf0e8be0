/// @file
/// distCUDA2() of simple-knn, by which 3D Gaussian splatting chooses the first sizes of its splats.
#pragma once

#include <farpoint/compat/execution.hpp>
#include <farpoint/mean_knn_distance.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Stands for a neighbor that is missing.
inline constexpr float missing_distance = std::numeric_limits<float>::max();

/// Writes the means of a cloud of fewer than four points.
struct mean_of_few {
  point_view<float> points;
  float* means;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    float nearest[3] = {missing_distance, missing_distance, missing_distance};
    for (Number other = 0; other < static_cast<Number>(points.size()); ++other) {
      if (other == i) continue;
      float distance = distance2(points[static_cast<index_t>(other)], points[static_cast<index_t>(i)]);
      for (float& place : nearest) {
        float const was = place;
        place = was > distance ? distance : was;
        distance = was > distance ? was : distance;
      }
    }
    means[i] = div_rn(add_rn(add_rn(nearest[0], nearest[1]), nearest[2]), 3.0f);
  }
};

}  // namespace detail

/// Bytes of workspace that distCUDA2() needs; 256-byte aligned memory.
template <class Exec>
std::size_t distCUDA2_workspace_bytes(Exec exec, int P) noexcept {
  if (P < 4) return 0;
  auto const cloud = detail::published_clouds(nullptr, 1, P);
  return mean_knn_distance_workspace_bytes(detail::execution_of(exec), cloud, {3});
}

/// Mean squared distance (m^2) of each point to the three nearest others: the same bits as simple-knn, for finite
/// points.
///
/// A duplicate is a neighbor at distance 0. Fewer than four points have missing neighbors, for each of which the
/// largest float is taken. A point that is not finite gets +inf; a point that has fewer than three finite neighbors
/// because of it gets the mean over its finite neighbors.
///
/// @param P          number of points
/// @param points     `[P, 3]`
/// @param meanDists  `[P]`
/// @param exec       a cudaStream_t or cuda_exec, with compat/simple_knn.cuh, and device memory; or a host_exec and
///                   host memory
/// @param workspace  at least distCUDA2_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result distCUDA2(int P, float const* points, float* meanDists, Exec exec, bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(P); !checked) return checked;
  result const checked = detail::check_arrays(exec, workspace, detail::launcher_array{points, index_t{P} * 3},
                                              detail::launcher_array{meanDists, P});
  if (!checked || P == 0) return checked;
  auto const on = detail::execution_of(exec);
  if (P < 4) return for_each_index(on, P, detail::mean_of_few{detail::published_points(points, P), meanDists});
  return mean_knn_distance(on, detail::published_clouds(points, 1, P), {3},
                           {span<float>{meanDists, static_cast<std::size_t>(P)}}, workspace);
}

}  // namespace compat
FARPOINT_END_NAMESPACE
