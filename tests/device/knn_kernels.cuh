// The kernels of knn() of floats with the default tuning are compiled in test_knn.cu only, not in every test that asks
// for neighbours.
#pragma once

#include <farpoint/point_bvh.cuh>

// `how` is `extern template` or `template`.
#define KNN_KERNELS(how)                                         \
  how void farpoint::detail::launch_knn<farpoint::knn_selector>( \
      farpoint::detail::kernel_launcher&,                        \
      farpoint::detail::knn_cuda_args<farpoint::point_view<float>> const&) noexcept;

KNN_KERNELS(extern template)
