// The kernels that build a BVH are compiled in kernels/point_bvh_*.cu only, not in every test of a search.
#pragma once

#include <farpoint/point_bvh.cuh>

#include "selectors.cuh"

// `how` is `extern template` or `template`.
#define POINT_BVH_KERNEL(how, Coord, Selector, shape)                                                     \
  how cudaError_t farpoint::detail::bvh_plan<Selector, farpoint::point_view<Coord>>::launch_build<shape>( \
      farpoint::detail::bvh_build_args<farpoint::point_view<Coord>> const&, farpoint::cuda_exec) const noexcept;

#define POINT_BVH_KERNELS_OF(how, Coord, Selector) \
  POINT_BVH_KERNEL(how, Coord, Selector, 0)        \
  POINT_BVH_KERNEL(how, Coord, Selector, 1)        \
  POINT_BVH_KERNEL(how, Coord, Selector, 2)        \
  POINT_BVH_KERNEL(how, Coord, Selector, 3)

#define POINT_BVH_KERNELS(how, Coord)                            \
  POINT_BVH_KERNELS_OF(how, Coord, farpoint::knn_selector)       \
  POINT_BVH_KERNELS_OF(how, Coord, farpoint_tests::always_index) \
  POINT_BVH_KERNELS_OF(how, Coord, farpoint_tests::always_scan)

POINT_BVH_KERNELS(extern template, float)
POINT_BVH_KERNELS(extern template, double)
POINT_BVH_KERNELS(extern template, farpoint::float16)
