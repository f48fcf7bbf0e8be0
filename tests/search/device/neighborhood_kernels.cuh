// The kernels of functions on neighbors of float points are compiled in kernels/neighborhoods.cu only, not in every
// test.
#pragma once

#include <farpoint/estimate_normals.cuh>
#include <farpoint/interpolate.cuh>

#include "mean_distance_kernels.cuh"

// `how` is `extern template` or `template`.
#define NEIGHBOR_LISTS(how, Selector, Queries, Writer)                                                                \
  how void farpoint::detail::run_neighbor_lists<Selector>(farpoint::detail::kernel_launcher&, Queries const&,         \
                                                          farpoint::detail::knn_request<float> const&, Writer const&, \
                                                          farpoint::knn_report*) noexcept;

#define NEIGHBORHOODS_OF(how, Selector, Queries)                                                           \
  NEIGHBOR_LISTS(how, Selector, Queries, farpoint::detail::normals_writer<farpoint::point_view<float>>)    \
  NEIGHBOR_LISTS(how, Selector, Queries, farpoint::detail::mean_distance_writer<float>)                    \
  how void farpoint::detail::run_interpolate<Selector>(farpoint::detail::kernel_launcher&, Queries const&, \
                                                       farpoint::span<float const>, farpoint::index_t,     \
                                                       farpoint::interpolate_output const&) noexcept;

namespace farpoint_tests {

using float_queries = farpoint::detail::search_queries<farpoint::point_view<float>>;
using float_scanned_queries =
    farpoint::detail::scanned_queries<farpoint::point_view<float>, farpoint::point_view<float>>;

}  // namespace farpoint_tests

#define NEIGHBORHOODS_OF_FLOATS(how)                                                 \
  NEIGHBORHOODS_OF(how, farpoint::knn_selector, farpoint_tests::float_queries)       \
  NEIGHBORHOODS_OF(how, farpoint_tests::always_index, farpoint_tests::float_queries) \
  NEIGHBORHOODS_OF(how, farpoint::knn_selector, farpoint_tests::float_scanned_queries)

NEIGHBORHOODS_OF_FLOATS(extern template)
