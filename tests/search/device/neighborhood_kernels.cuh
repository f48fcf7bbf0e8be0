// The kernels of functions on neighbors of float points are compiled in kernels/neighborhoods.cu only, not in every
// test.
#pragma once

#include <farpoint/estimate_normals.cuh>
#include <farpoint/interpolate.cuh>

#include "mean_distance_kernels.cuh"

// `how` is `extern template` or `template`.
#define NEIGHBOR_LISTS_OF_FLOATS(how, Writer)                                                                   \
  how void farpoint::detail::run_neighbor_lists<farpoint::knn_selector>(                                        \
      farpoint::detail::kernel_launcher&, farpoint::detail::search_queries<farpoint::point_view<float>> const&, \
      farpoint::detail::knn_request<float> const&, Writer const&, farpoint::knn_report*) noexcept;

#define NEIGHBORHOODS_OF_FLOATS(how)                                                                            \
  NEIGHBOR_LISTS_OF_FLOATS(how, farpoint::detail::normals_writer<farpoint::point_view<float>>)                  \
  NEIGHBOR_LISTS_OF_FLOATS(how, farpoint::detail::mean_distance_writer<float>)                                  \
  how void farpoint::detail::run_interpolate(                                                                   \
      farpoint::detail::kernel_launcher&, farpoint::detail::search_queries<farpoint::point_view<float>> const&, \
      farpoint::span<float const>, farpoint::index_t, farpoint::interpolate_output const&) noexcept;

NEIGHBORHOODS_OF_FLOATS(extern template)
