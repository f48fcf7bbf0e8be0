/// @file
/// The CUDA backend of mean_knn_distance(), when the index is there.
#pragma once

#include <farpoint/detail/search/mean_distance.hpp>
#include <farpoint/detail/search/neighbourhood_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

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

/// Enqueues mean_knn_distance(); the arguments have been checked.
template <class Selector, class Points>
cudaError_t mean_distance_on_device(bvh_build_args<Points> const& index, index_t k, span<typename Points::scalar> means,
                                    neighbour_key<typename Points::scalar>* memory, cudaStream_t stream) noexcept {
  using scalar = typename Points::scalar;
  knn_request<scalar> const request{static_cast<int>(k), no_distance<scalar>, true};
  return neighbours_on_device<Selector>(index, request, mean_distance_writer<scalar>{means}, memory, stream);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
