// The kernels that build a BVH are compiled in point_bvh_kernels.cu only, not in every test of a search.
#pragma once

#include <farpoint/point_bvh.cuh>

// `how` is `extern template` or `template`.
#define POINT_BVH_KERNEL(how, Coord, items)                                                                      \
  how cudaError_t farpoint::detail::bvh_plan<farpoint::knn_selector, farpoint::point_view<Coord>>::launch_build< \
      farpoint::knn_selector::items>(farpoint::detail::bvh_build_args<farpoint::point_view<Coord>> const&,       \
                                     cudaStream_t) const noexcept;

#define POINT_BVH_KERNELS(how)                          \
  POINT_BVH_KERNEL(how, float, small_items)             \
  POINT_BVH_KERNEL(how, float, large_items)             \
  POINT_BVH_KERNEL(how, double, small_items)            \
  POINT_BVH_KERNEL(how, double, large_items)            \
  POINT_BVH_KERNEL(how, farpoint::float16, small_items) \
  POINT_BVH_KERNEL(how, farpoint::float16, large_items)

POINT_BVH_KERNELS(extern template)
