/// @file
/// radius_shard.hpp for ranks that are GPUs.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/radius.cuh>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/stream/search_call.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Search function of shard_index on a GPU.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, radius_params const& params,
                    query_rows<radius_output<typename Queries::scalar>> const& to) noexcept {
  run_radius<knn_selector>(launcher, asked, params, to.rows, to.first_index);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
