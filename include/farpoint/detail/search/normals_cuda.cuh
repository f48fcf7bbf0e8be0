/// @file
/// The CUDA backend of estimate_normals(), when the index is there.
#pragma once

#include <farpoint/detail/search/neighbourhood_cuda.cuh>
#include <farpoint/detail/search/normal_from_neighbours.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Points>
struct normals_writer {
  using scalar = typename Points::scalar;

  batch<Points> points;
  vec<double, 3> viewpoint;
  normals_output<scalar> output;

  template <class Key>
  FARPOINT_HD void operator()(search_query<scalar> const& q, Key const* keys, int count) const noexcept {
    write_normal(output, q.row, normal_of(points[q.cloud], q.at, keys, count, viewpoint));
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    write_normal(output, row, normal_and_curvature<scalar>{});
  }
};

/// Enqueues estimate_normals(); the arguments have been checked.
template <class Selector, class Points>
cudaError_t normals_on_device(bvh_build_args<Points> const& index, normals_params const& params,
                              normals_output<typename Points::scalar> const& output,
                              neighbour_key<typename Points::scalar>* memory, cudaStream_t stream) noexcept {
  using scalar = typename Points::scalar;
  knn_request<scalar> const request{static_cast<int>(params.k), squared_radius<scalar>(params.max_radius), false};
  return neighbours_on_device<Selector>(index, request, normals_writer<Points>{index.points, params.viewpoint, output},
                                        memory, stream);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
