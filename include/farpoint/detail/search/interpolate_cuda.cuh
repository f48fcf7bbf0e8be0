/// @file
/// The CUDA backend of interpolate(), when the index is there.
#pragma once

#include <farpoint/detail/search/inverse_distance.hpp>
#include <farpoint/detail/search/neighbour_lists.hpp>
#include <farpoint/detail/search/query_order.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Points, class Queries>
struct interpolate_args {
  batch<Points> points;
  search_queries<Queries> queries;
  index_t threads;
  span<float const> features;
  index_t channels;
  interpolate_output output;
};

/// What goes into a row of the output.
struct interpolated_row {
  index_t row;      ///< -1: not written
  index_t from[3];  ///< rows of the features
  float weights[3];
  int count;
};

template <class Points, class Queries>
__device__ interpolated_row find_interpolated_row(interpolate_args<Points, Queries> const& work,
                                                  index_t thread) noexcept {
  using key = neighbour_key<typename Queries::scalar>;
  interpolated_row found{-1, {}, {}, 0};
  index_t bad_row = -1;
  auto const q = work.queries.of_thread(thread, bad_row);
  found.row = q.exists() ? q.row : bad_row;
  if (!q.exists()) return found;
  auto const index = work.queries.index_of(q);
  topk_list<key, 3> list{3, list_order<key>::limit(no_distance<typename Queries::scalar>)};
  index.search(q.at, start_of(q, index), list, no_index);
  key keys[3];
  list.write(keys, 3);
  found.count = count_keys(keys, 3);
  inverse_distance_weights(keys, found.count, found.weights);
  index_t const begin = work.points.begin_of(q.cloud);
  for (int j = 0; j < found.count; ++j) found.from[j] = begin + keys[j].index();
  return found;
}

/// A thread finds the neighbours of a query. Then a warp writes the rows of its queries, one value a lane, so that
/// neighbouring lanes read and write neighbouring channels.
template <class Points, class Queries>
__global__ void __launch_bounds__(search_block_size) interpolate_kernel(interpolate_args<Points, Queries> const work) {
  __shared__ interpolated_row shared[search_block_size];
  interpolated_row* const rows = shared + threadIdx.x / cuda_warp::lanes * cuda_warp::lanes;
  index_t const step = index_t{gridDim.x} * search_block_size;
  for (index_t first = index_t{blockIdx.x} * search_block_size; first < work.threads; first += step) {
    rows[cuda_warp::lane()] = find_interpolated_row(work, first + threadIdx.x);
    cuda_warp::sync();
    index_t channel = cuda_warp::lane();
    for (int j = 0; j < cuda_warp::lanes;) {
      if (channel >= work.channels) {
        channel -= work.channels;
        ++j;
        continue;
      }
      interpolated_row const& row = rows[j];
      if (row.row >= 0) {
        work.output.features[static_cast<std::size_t>(row.row * work.channels + channel)] = weighted_sum(
            row.weights, row.count,
            [&](int n) { return work.features[static_cast<std::size_t>(row.from[n] * work.channels + channel)]; });
      }
      channel += cuda_warp::lanes;
    }
    cuda_warp::sync();
  }
}

/// Enqueues interpolate(); the arguments have been checked.
template <class Points, class Queries>
FARPOINT_HIDDEN cudaError_t interpolate_on_device(batch<Points> const& points,
                                                  point_bvh_arrays<typename Points::scalar> const& index,
                                                  span<float const> features, batch<Queries> const& queries,
                                                  index_t channels, interpolate_output const& output,
                                                  query_order_memory const& memory, cudaStream_t stream) noexcept {
  search_queries<Queries> spread{queries, index, false};
  index_t const leaves = most_leaves(points.points().size(), points.size());
  if (cudaError_t const error = order_queries(spread, leaves, memory, stream); error != cudaSuccess) return error;
  interpolate_args<Points, Queries> const work{points, spread, spread.threads(), features, channels, output};
  return search_launch(interpolate_kernel<Points, Queries>, work.threads, stream, work);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
