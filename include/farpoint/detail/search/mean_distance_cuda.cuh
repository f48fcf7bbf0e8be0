/// @file
/// The CUDA backend of mean_knn_distance().
#pragma once

#include <farpoint/detail/search/built_index.cuh>
#include <farpoint/detail/search/mean_distance.hpp>
#include <farpoint/detail/search/neighborhood_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Consumer of the lists of each point; see register_lists.
template <class Scalar>
struct mean_distance_writer {
  span<Scalar> means;

  template <class Key>
  FARPOINT_HD void operator()(search_query<Scalar> const& q, Key const* keys, int count) const noexcept {
    means[static_cast<std::size_t>(q.row)] = mean_distance2(keys, count);
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    means[static_cast<std::size_t>(row)] = no_distance<Scalar>;
  }
};

/// mean_knn_distance() for cuda_exec.
/// @param source  own_points, or a device_point_bvh of the points
template <class Selector, class Source, class Points>
FARPOINT_HIDDEN result mean_knn_distance_cuda(cuda_exec exec, Source const& source, batch<Points> const& points,
                                              mean_knn_distance_params const& params,
                                              mean_knn_distance_output<typename Points::scalar> const& output,
                                              bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  if (result const checked = check_source(source, points); !checked) return checked;
  if (result const checked = check_mean_distance(points.points().size(), params, output); !checked) return checked;
  knn_request<scalar> const request{static_cast<int>(params.k), no_distance<scalar>, true};
  mean_distance_writer<scalar> const writer{output.means};
  return neighbors_on_device<Selector>(exec, source, points, request, writer, output.report, workspace);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
