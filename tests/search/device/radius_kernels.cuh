// radius() and radius_rows() with the default tuning are compiled in kernels/radius_*.cu only, not in every test that
// calls one.
#pragma once

#include <farpoint/radius.cuh>

#include "knn_kernels.cuh"

// `how` is `extern template` or `template`.
#define RADIUS_CALLS_OF(how, Coord, Selector)                                                                   \
  how farpoint::result farpoint::detail::radius_cuda<Selector>(                                                 \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&,                                 \
      farpoint::batch<farpoint::point_view<Coord>> const&, bool, farpoint::radius_params const&,                \
      farpoint::radius_output<farpoint::point_view<Coord>::scalar> const&, farpoint::bytes) noexcept;           \
  how void farpoint::detail::run_radius<Selector>(                                                              \
      farpoint::detail::kernel_launcher&, farpoint::detail::search_queries<farpoint::point_view<Coord>> const&, \
      farpoint::radius_params const&, farpoint::radius_output<farpoint::point_view<Coord>::scalar> const&,      \
      farpoint::index_t) noexcept;

#define RADIUS_CALLS(how, Coord)                                                                                \
  RADIUS_CALLS_OF(how, Coord, farpoint::knn_selector)                                                           \
  RADIUS_CALLS_OF(how, Coord, farpoint_tests::always_index)                                                     \
  RADIUS_CALLS_OF(how, Coord, farpoint_tests::always_scan)                                                      \
  how farpoint::result farpoint::detail::radius_rows_cuda<farpoint::knn_selector>(                              \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&,                                 \
      farpoint::batch<farpoint::point_view<Coord>> const&, bool, farpoint::radius_params const&,                \
      farpoint::radius_rows_output<farpoint::point_view<Coord>::scalar> const&, farpoint::bytes) noexcept;      \
  how farpoint::result farpoint::detail::radius_rows_of_index_cuda(                                             \
      farpoint::cuda_exec, farpoint::device_point_bvh<farpoint::point_view<Coord>::scalar> const&,              \
      farpoint::batch<farpoint::point_view<Coord>> const&, farpoint::batch<farpoint::point_view<Coord>> const&, \
      farpoint::radius_params const&, farpoint::radius_rows_output<farpoint::point_view<Coord>::scalar> const&, \
      farpoint::bytes) noexcept;

RADIUS_CALLS(extern template, float)
RADIUS_CALLS(extern template, double)
RADIUS_CALLS(extern template, farpoint::float16)
