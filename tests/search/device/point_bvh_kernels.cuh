// The kernels that build a BVH are compiled in kernels/point_bvh_*.cu only, not in every test of a search.
#pragma once

#include <farpoint/point_bvh.cuh>

// `how` is `extern template` or `template`.
#define POINT_BVH_KERNELS(how, Coord)                                                                            \
  how cudaError_t farpoint::detail::bvh_plan<farpoint::knn_selector, farpoint::point_view<Coord>>::launch_build( \
      farpoint::detail::bvh_build_args<farpoint::point_view<Coord>> const&, farpoint::cuda_exec) const noexcept;

POINT_BVH_KERNELS(extern template, float)
POINT_BVH_KERNELS(extern template, double)
POINT_BVH_KERNELS(extern template, farpoint::float16)
