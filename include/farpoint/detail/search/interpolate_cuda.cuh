/// @file
/// The CUDA backend of interpolate().
#pragma once

#include <farpoint/detail/search/neighbor_means.hpp>
#include <farpoint/detail/search/packets/kernel.cuh>
#include <farpoint/detail/search/scan/kernel.cuh>
#include <farpoint/detail/search/with_index.cuh>
#include <farpoint/types/interpolate.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Parts of a row of the output.
struct interpolated_row {
  index_t row;      ///< row of the output; -1: none
  index_t from[3];  ///< rows of the features
  float weights[3];
  int count;
};

/// Row of a query, made of its three nearest points. Missing ones are at the end.
template <class Queries>
__device__ interpolated_row interpolated_row_of(search_queries<Queries> const& queries,
                                                search_query<typename Queries::scalar> const& q,
                                                neighbor_key<typename Queries::scalar> const (&keys)[3]) noexcept {
  interpolated_row row{q.row, {}, {}, count_keys(keys, 3)};
  inverse_distance_weights(keys, row.count, row.weights);
  index_t const begin = queries.points_begin(q);
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    if (j < row.count) row.from[j] = begin + keys[j].index();
  }
  return row;
}

/// Writes the 32 rows of a warp, a value per lane, so that neighboring lanes read and write neighboring channels.
/// @param rows  `[32]`, shared memory, which all lanes see
template <class Args>
__device__ void write_interpolated(Args const& args, interpolated_row const* rows) noexcept {
  index_t channel = cuda_warp::lane();
  for (int j = 0; j < cuda_warp::lanes;) {
    if (channel >= args.channels) {
      channel -= args.channels;
      ++j;
      continue;
    }
    interpolated_row const& row = rows[j];
    if (row.row >= 0) {
      args.output.features[static_cast<std::size_t>(row.row * args.channels + channel)] = weighted_sum(
          row.weights, row.count,
          [&](int n) { return args.features[static_cast<std::size_t>(row.from[n] * args.channels + channel)]; });
    }
    channel += cuda_warp::lanes;
  }
}

/// Arguments of packet_kernel: a warp finds the neighbors of 32 queries together, and writes their rows.
template <class Queries>
struct interpolate_args : packet_queries<Queries> {
  using scalar = typename Queries::scalar;
  static constexpr int min_capacity = 4;
  static constexpr int max_capacity = 4;

  span<float const> features;
  index_t channels;
  interpolate_output output;

  __device__ void leave_empty(index_t row) const noexcept {
    if (row < 0) return;
    for (index_t channel = 0; channel < channels; ++channel) {
      output.features[static_cast<std::size_t>(row * channels + channel)] = 0;
    }
  }
  template <int Capacity>
  __device__ FARPOINT_ALWAYS_INLINE void finish(search_query<scalar> const& mine,
                                                warp_topk<scalar, Capacity> const& found,
                                                typename warp_topk<scalar, Capacity>::storage& free) const noexcept {
    using storage = typename warp_topk<scalar, Capacity>::storage;
    static_assert(sizeof(storage) >= cuda_warp::lanes * sizeof(interpolated_row));
    static_assert(alignof(storage) >= alignof(interpolated_row));
    auto* const rows = reinterpret_cast<interpolated_row*>(&free);
    interpolated_row row{-1, {}, {}, 0};
    if (mine.exists()) {
      neighbor_key<scalar> const keys[3] = {found[Capacity - 3], found[Capacity - 2], found[Capacity - 1]};
      row = interpolated_row_of(this->queries, mine, keys);
    }
    // Lanes may still read candidates.
    cuda_warp::sync();
    rows[cuda_warp::lane()] = row;
    cuda_warp::sync();
    write_interpolated(*this, rows);
  }
};

/// Enqueues the kernel.
template <class Selector = knn_selector, class Asked>
FARPOINT_HIDDEN void run_interpolate(kernel_launcher& launcher, Asked const& asked, span<float const> features,
                                     index_t channels, interpolate_output const& output) noexcept {
  using args_type = interpolate_args<typename Asked::queries_type>;
  knn_request<typename Asked::scalar> const request{3, no_distance<typename Asked::scalar>, false};
  args_type const args{{asked, request, non_finite_counter(output.report)}, features, channels, output};
  if constexpr (Asked::is_scanned) {
    launch_scan<args_type::max_capacity>(launcher, args, asked);
  } else {
    launch_packets<Selector, query_kind::others>(launcher, args, asked.threads());
  }
}

/// interpolate() for cuda_exec.
/// @param source  points, or a device_point_bvh
template <class Selector, class Source, class Queries>
FARPOINT_HIDDEN result interpolate_cuda(cuda_exec exec, Source const& source, span<float const> features,
                                        batch<Queries> const& queries, index_t channels,
                                        interpolate_output const& output, bytes workspace) noexcept {
  result const searchable = check_search_on(exec, workspace, source, queries, features, output.features, output.report);
  if (!searchable) return searchable;
  index_t const rows = queries.points().size();
  if (result const checked = check_interpolate(point_count(source), features, rows, channels, output); !checked) {
    return checked;
  }
  auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
    run_interpolate<Selector>(launcher, asked, features, channels, output);
  };
  return search_on_device<Selector>(exec, source, queries, false, output.report, workspace, 3, answer);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
