// mean_knn_distance() of floats is compiled in kernels/neighborhoods.cu only, not in every test of what is made of it.
#pragma once

#include <farpoint/mean_knn_distance.cuh>

#include "point_bvh_kernels.cuh"

// `how` is `extern template` or `template`.
#define MEAN_DISTANCE_OF_FLOATS(how)                                                                  \
  how farpoint::result farpoint::detail::mean_knn_distance_cuda<farpoint::knn_selector>(              \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<float>> const&,                       \
      farpoint::batch<farpoint::point_view<float>> const&, farpoint::mean_knn_distance_params const&, \
      farpoint::mean_knn_distance_output<float> const&, farpoint::bytes) noexcept;

MEAN_DISTANCE_OF_FLOATS(extern template)
