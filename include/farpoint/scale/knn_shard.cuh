/// @file
/// knn_shard.hpp for ranks that are GPUs.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/stream/curve/owner_index.cuh>
#include <farpoint/scale/stream/curve/split.cuh>
#include <farpoint/scale/stream/search_call.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Search function of shard_index on a GPU.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, knn_params const& params,
                    query_rows<knn_output<typename Queries::scalar>> const& to) noexcept {
  launch_knn<knn_selector>(launcher,
                           knn_cuda_args<Queries>{asked, request_of<typename Queries::scalar>(params), to.rows,
                                                  non_finite_counter(to.rows.report), to.first_index, to.limits});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
