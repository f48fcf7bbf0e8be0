// Searches of floats with the default tuning are compiled in their own tests only, not in every test that makes one.
#pragma once

#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/radius.cuh>

// `how` is `extern template` or `template`.
#define RADIUS_OF_FLOATS(how)                                                                                       \
  how farpoint::result farpoint::detail::radius_cuda<farpoint::knn_selector>(                                       \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<float>> const&,                                     \
      farpoint::batch<farpoint::point_view<float>> const&, bool, farpoint::radius_params const&, farpoint::index_t, \
      farpoint::radius_output<float> const&, farpoint::bytes) noexcept;

#define MEAN_DISTANCE_OF_FLOATS(how)                                                               \
  how farpoint::result farpoint::detail::mean_knn_distance_cuda<farpoint::knn_selector>(           \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<float>> const&, farpoint::index_t, \
      farpoint::span<float>, farpoint::bytes, farpoint::knn_report*) noexcept;

RADIUS_OF_FLOATS(extern template)
MEAN_DISTANCE_OF_FLOATS(extern template)
