// The kernels of knn() are compiled in kernels/knn_*.cu only, not in every test that calls knn().
#pragma once

#include "../../core/device/radix_sort_kernels.cuh"
#include "point_bvh_kernels.cuh"

namespace farpoint_tests {

/// Small tiles, and an index of every cloud: small clouds are divided as large ones are. Large blocks, which kernels of
/// long lists divide.
struct small_tiles : farpoint::knn_selector {
  static constexpr int block_size = 256;
  static constexpr farpoint::bvh_build_tuning builds[] = {{1, 256, 1, 2, 1}, {1000, 256, 2, 2, 3}};
  static constexpr farpoint::index_t build_points = 64;
  static constexpr farpoint::index_t packet_order_from = 1;
  static constexpr farpoint::index_t warp_per_query_below = 0;
  static constexpr farpoint::index_t scan_self = 0;
  static constexpr farpoint::index_t scan_others = 0;
};

}  // namespace farpoint_tests

// `how` is `extern template` or `template`.
#define KNN_KERNELS_OF_KIND(how, Coord, Selector, kind)                                \
  how void farpoint::detail::launch_knn<Selector, farpoint::detail::query_kind::kind>( \
      farpoint::detail::kernel_launcher&,                                              \
      farpoint::detail::knn_cuda_args<farpoint::point_view<Coord>> const&) noexcept;

#define KNN_KERNELS_OF(how, Coord, Selector)        \
  KNN_KERNELS_OF_KIND(how, Coord, Selector, points) \
  KNN_KERNELS_OF_KIND(how, Coord, Selector, others)

#define KNN_SCAN(how, Coord)                                                                                   \
  how void farpoint::detail::launch_scan_nearest(                                                              \
      farpoint::detail::kernel_launcher&, farpoint::detail::knn_cuda_args<farpoint::point_view<Coord>> const&, \
      farpoint::detail::scanned_queries<farpoint::point_view<Coord>, farpoint::point_view<Coord>> const&) noexcept;

#define KNN_KERNELS(how, Coord)                            \
  KNN_SCAN(how, Coord)                                     \
  KNN_KERNELS_OF(how, Coord, farpoint::knn_selector)       \
  KNN_KERNELS_OF(how, Coord, farpoint_tests::always_index) \
  KNN_KERNELS_OF(how, Coord, farpoint_tests::always_scan)  \
  KNN_KERNELS_OF(how, Coord, farpoint_tests::small_tiles)

KNN_KERNELS(extern template, float)
KNN_KERNELS(extern template, double)
KNN_KERNELS(extern template, farpoint::float16)
