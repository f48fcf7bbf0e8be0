// The kernels that write lists of nearest points are compiled in knn.cu only; radius.cu launches them, too.
#pragma once

#include <farpoint/knn.cuh>

// `how` is `extern template` or `template`.
#define FARPOINT_KNN_KERNELS_OF_KIND(how, Scalar, kind)                                              \
  how void farpoint::detail::launch_knn<farpoint::knn_selector, farpoint::detail::query_kind::kind>( \
      farpoint::detail::kernel_launcher&,                                                            \
      farpoint::detail::knn_cuda_args<farpoint::point_view<Scalar>> const&) noexcept;

#define FARPOINT_KNN_SCAN(how, Scalar)                                                                          \
  how void farpoint::detail::launch_scan_nearest(                                                               \
      farpoint::detail::kernel_launcher&, farpoint::detail::knn_cuda_args<farpoint::point_view<Scalar>> const&, \
      farpoint::detail::scanned_queries<farpoint::point_view<Scalar>, farpoint::point_view<Scalar>> const&) noexcept;

#define FARPOINT_KNN_KERNELS_OF(how, Scalar)        \
  FARPOINT_KNN_SCAN(how, Scalar)                    \
  FARPOINT_KNN_KERNELS_OF_KIND(how, Scalar, points) \
  FARPOINT_KNN_KERNELS_OF_KIND(how, Scalar, others)

#define FARPOINT_KNN_KERNELS(how)     \
  FARPOINT_KNN_KERNELS_OF(how, float) \
  FARPOINT_KNN_KERNELS_OF(how, double)
