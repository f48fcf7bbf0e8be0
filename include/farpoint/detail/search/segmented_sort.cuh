/// @file
/// Sorts the rows of radius_rows(), a warp per row.
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/warp_merge_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points, class Queries>
struct segmented_sort_args {
  batch<Points> points;
  search_queries<Queries> queries;
  index_t rows;
  radius_rows_output<typename Points::scalar> output;
};

/// Sorts rows of up to radius_sorted_row elements, and writes their distances.
template <class Key, class Points, class Queries>
__global__ void __launch_bounds__(search_block_size)
    segmented_sort_kernel(segmented_sort_args<Points, Queries> const args) {
  using scalar = typename Points::scalar;
  constexpr int warps = search_block_size / cuda_warp::lanes;
  using sort_type = warp_merge_sort<Key, static_cast<int>(radius_sorted_row)>;
  __shared__ typename sort_type::storage shared[warps];
  auto& mine = shared[threadIdx.x / cuda_warp::lanes];
  Key* const keys = mine.keys;
  auto const& output = args.output;
  int const lane = cuda_warp::lane();
  index_t const step = index_t{gridDim.x} * warps;
  for (index_t row = index_t{blockIdx.x} * warps + threadIdx.x / cuda_warp::lanes; row < args.rows; row += step) {
    index_t const begin = output.offsets.get(row);
    index_t const end = output.offsets.get(row + 1);
    if (begin == end || end - begin > radius_sorted_row) continue;
    if (!row_fits(end, output.indices.size(), output.offsets.wide())) continue;
    auto const q = args.queries.query_of(row);
    Points const cloud = args.points[q.cloud];
    auto const count = static_cast<int>(end - begin);
    int size = 2;
    while (size < count) size *= 2;
    for (int j = lane; j < size; j += cuda_warp::lanes) {
      keys[j] = list_order<Key>::limit(no_distance<scalar>);
      if (j >= count) continue;
      index_t const i = output.indices.get(begin + j);
      keys[j] = {distance2(cloud[i], q.at), static_cast<std::uint32_t>(i)};
    }
    cuda_warp::sync();
    sort_type::sort(mine, size);
    for (int j = lane; j < count; j += cuda_warp::lanes) {
      output.indices.set(begin + j, index_t{keys[j].index()});
      if (!output.distances.empty()) output.distances[static_cast<std::size_t>(begin + j)] = keys[j].distance2();
    }
    cuda_warp::sync();
  }
}

/// Enqueues it.
template <class Key, class Points, class Queries>
FARPOINT_HIDDEN void segmented_sort(kernel_launcher& launcher,
                                    segmented_sort_args<Points, Queries> const& args) noexcept {
  launcher.launch_strided(args.rows * cuda_warp::lanes, search_block_size, segmented_sort_kernel<Key, Points, Queries>,
                          args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
