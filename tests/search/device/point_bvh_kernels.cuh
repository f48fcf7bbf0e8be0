// The kernels that build a BVH are compiled in kernels/point_bvh_*.cu only, not in every test of a search.
#pragma once

#include <farpoint/point_bvh.cuh>

// `how` is `extern template` or `template`.
#define POINT_BVH_KERNEL(how, Coord, shape)                                                             \
  how cudaError_t                                                                                       \
  farpoint::detail::bvh_plan<farpoint::knn_selector, farpoint::point_view<Coord>>::launch_build<shape>( \
      farpoint::detail::bvh_build_args<farpoint::point_view<Coord>> const&, farpoint::cuda_exec) const noexcept;

#define POINT_BVH_KERNELS(how, Coord) \
  POINT_BVH_KERNEL(how, Coord, 0)     \
  POINT_BVH_KERNEL(how, Coord, 1)     \
  POINT_BVH_KERNEL(how, Coord, 2)     \
  POINT_BVH_KERNEL(how, Coord, 3)

POINT_BVH_KERNELS(extern template, float)
POINT_BVH_KERNELS(extern template, double)
POINT_BVH_KERNELS(extern template, farpoint::float16)
