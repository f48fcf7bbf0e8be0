/// @file
/// The CUDA backend of estimate_normals().
#pragma once

#include <farpoint/detail/search/built_index.cuh>
#include <farpoint/detail/search/neighborhood_cuda.cuh>
#include <farpoint/detail/search/normal_from_neighbors.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Consumer of the lists of each point; see register_lists.
template <class Points>
struct normals_writer {
  using scalar = typename Points::scalar;

  batch<Points> points;
  normal_request wanted;
  normals_output<scalar> output;

  template <class Key>
  FARPOINT_HD void operator()(search_query<scalar> const& q, Key const* keys, int count) const noexcept {
    write_normal(output, q.row, normal_of(points[q.cloud], q.at, keys, count, wanted));
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept { write_normal(output, row, normal_row<scalar>{}); }
};

/// estimate_normals() for cuda_exec.
/// @param source  own_points, or a device_point_bvh of the points
template <class Selector, class Source, class Points>
FARPOINT_HIDDEN result estimate_normals_cuda(cuda_exec exec, Source const& source, batch<Points> const& points,
                                             normals_params const& params,
                                             normals_output<typename Points::scalar> const& output,
                                             bytes workspace) noexcept {
  if (result const checked = check_source(source, points); !checked) return checked;
  if (result const checked = check_normals(points.points().size(), params, output); !checked) return checked;
  normals_writer<Points> const writer{points, normal_request::of(params, output), output};
  return neighbors_on_device<Selector>(exec, source, points,
                                       request_of<typename Points::scalar>(knn_params{params.k, params.max_radius}),
                                       writer, output.report, workspace);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
