/// @file
/// Arguments of the kernels that write lists of nearest points to rows, and functions that write them.
#pragma once

#include <farpoint/detail/search/packets/kernel.cuh>
#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr std::uint32_t no_row = ~0u;

/// Position of a row in a column of shared memory in which a warp's 32 rows are transposed. Columns are rotated, so
/// that lanes that read rows of `Width` keys access different banks.
template <class Key, int Width>
__device__ constexpr int turned_row(int row, int column) noexcept {
  constexpr int lanes_at_once = 128 / int{sizeof(Key)};
  return (row + column * larger(lanes_at_once / Width, 1)) % cuda_warp::lanes;
}

/// Writes a neighbor to a cell of the rows; a key with no_index stands for a missing neighbor.
template <class Args, class Key>
__device__ FARPOINT_ALWAYS_INLINE void write_neighbor(Args const& args, index_t cell, Key const& found) noexcept {
  args.output.indices.set(cell, args.written(found.index()));
  if (args.output.distances.empty()) return;
  args.output.distances[static_cast<std::size_t>(cell)] =
      found.index() == no_index ? no_distance<typename Args::scalar> : found.distance2();
}

/// Writes the lists of a packet to the rows of a knn_output, transposed in shared memory so that stores coalesce.
/// @param row     row of the calling lane's query; no_row if it has no query
/// @param shared  shared memory of the warp, free for use
/// @tparam K  args.request.k, for unrolled loops; 0 for any k, without unrolling: unrolled loops for any k would evict
///            the search from the instruction cache
template <int Capacity, int K, class Args>
__device__ void write_rows_of(Args const& args, std::uint32_t row,
                              typename warp_topk<typename Args::scalar, Capacity>::storage& shared,
                              warp_topk<typename Args::scalar, Capacity> const& keys) noexcept {
  using list = warp_topk<typename Args::scalar, Capacity>;
  using key = typename list::key;
  constexpr int columns = smaller(Capacity, list::slots);
  constexpr int unrolled = larger(K, 1);
  int const k = K > 0 ? K : args.request.k;
  int const lane = cuda_warp::lane();
#pragma unroll
  for (int first = 0; first < Capacity; first += columns) {
    // The last k keys are the list.
    int const begin = larger(Capacity - k - first, 0);
    int const width = columns - begin;
    if (width <= 0) continue;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < columns; ++i) shared.at[i][turned_row<key, columns>(lane, i)] = keys[first + i];
    __syncwarp();
    index_t const from = first + begin - (Capacity - k);
    int r = lane / width;
    int j = lane % width;
#pragma unroll unrolled
    for (int i = 0; i < width; ++i) {
      std::uint32_t const to = cuda_warp::shuffle(row, r);
      key const& found = shared.at[begin + j][turned_row<key, columns>(r, begin + j)];
      if (to != no_row) write_neighbor(args, index_t{to} * k + from + j, found);
      // Advances to the lane's next cell.
      r += cuda_warp::lanes / width;
      j += cuda_warp::lanes % width;
      if (j < width) continue;
      j -= width;
      ++r;
    }
  }
  if (args.output.counts.empty() && args.counters.found == nullptr) return;
  int count = 0;
#pragma unroll
  for (int i = 0; i < Capacity; ++i) {
    if (i >= Capacity - k && keys[i].index() != no_index) ++count;
  }
  if (row == no_row) count = 0;
  count_in_report_by_warp(args.counters.found, static_cast<unsigned long long>(count));
  if (!args.output.counts.empty() && row != no_row) args.output.counts.set(row, count);
}

/// Writes the lists of a packet, with unrolled loops if lists are full.
template <int Capacity, class Args>
__device__ void write_rows(Args const& args, std::uint32_t row,
                           typename warp_topk<typename Args::scalar, Capacity>::storage& shared,
                           warp_topk<typename Args::scalar, Capacity> const& keys) noexcept {
  if constexpr (Capacity <= cuda_warp::lanes) {
    if (args.request.k == Capacity) {
      write_rows_of<Capacity, Capacity>(args, row, shared, keys);
      return;
    }
  }
  write_rows_of<Capacity, 0>(args, row, shared, keys);
}

/// Number of blocks that a multiprocessor's registers must hold: shorter lists leave room for more warps.
///
/// h100, 1 M points of a cube, us by number of warps:
/// k = 8:  24: 567, 28: 550, 32: 560
/// k = 16: 16: 900, 20: 863, 24: 841
/// k = 32: 12: 1,780, 16: 1,684, 20: 1,727
template <class Scalar>
constexpr int knn_packet_blocks(int capacity, int block_size) noexcept {
  int const warps = sizeof(Scalar) == 4 ? (capacity <= 8    ? 28
                                           : capacity <= 16 ? 24
                                           : capacity <= 32 ? 16
                                                            : 8)
                                        : (capacity <= 4    ? 20
                                           : capacity <= 8  ? 16
                                           : capacity <= 16 ? 12
                                                            : 8);
  return warps * cuda_warp::lanes / block_size;
}

/// Queries whose lists are written to a knn_output. Its report is not used.
template <class Queries>
struct knn_cuda_args {
  using scalar = typename Queries::scalar;
  static constexpr int min_capacity = 1;
  static constexpr int max_capacity = max_rows_in_packets<scalar>;
  static constexpr bool is_external = false;
  static constexpr bool may_be_external = search_queries<Queries>::may_be_external;
  static constexpr bool keeps_lists = false;

  search_queries<Queries> queries;
  knn_request<scalar> request;
  knn_output<scalar> output;
  query_counters counters = {};
  index_t first_index = 0;           ///< added to the indices of neighbors
  query_limits<scalar> limits = {};  ///< limits of the rows
  /// First row of the launch. The rows of a launch are numbered from there with 32 bits.
  index_t first_row = 0;

  static constexpr int min_blocks(int capacity, int block_size) noexcept {
    return knn_packet_blocks<scalar>(capacity, block_size);
  }

  /// Makes a launch begin with a row. Thread i then answers row `row` + i.
  void begin_with(index_t row) noexcept {
    first_row = row;
    output.indices = output.indices.from(row * request.k);
    if (!output.distances.empty()) {
      output.distances = output.distances.subspan(static_cast<std::size_t>(row * request.k));
    }
    if (!output.counts.empty()) output.counts = output.counts.from(row);
    if (limits.of_query != nullptr) limits.of_query += row * limits.step;
  }
  /// Returns the query of a thread. Sets `bad_row` to the row that the thread must leave empty, if any.
  __device__ search_query<scalar> query_of(index_t thread, index_t& bad_row) const noexcept {
    search_query<scalar> query = queries.of_thread(first_row + thread, bad_row);
    query.row -= first_row;
    if (bad_row >= 0) bad_row -= first_row;
    return query;
  }
  __device__ scalar limit2(search_query<scalar> const& mine) const noexcept {
    return limits.limit2(mine.row, request.radius2);
  }
  /// Output value for a point of the query's cloud; -1 for no_index.
  __device__ FARPOINT_ALWAYS_INLINE index_t written(std::uint32_t index) const noexcept {
    return index == no_index ? -1 : first_index + index_t{index};
  }
  /// Writes the row of a query without neighbors; does nothing for row -1.
  __device__ void leave_empty(index_t row) const noexcept {
    if (row < 0) return;
    int const k = request.k;
    for (int j = 0; j < k; ++j) output.indices.set(row * k + j, -1);
    if (!output.counts.empty()) output.counts.set(row, 0);
    if (output.distances.empty()) return;
    for (int j = 0; j < k; ++j) output.distances[static_cast<std::size_t>(row * k + j)] = no_distance<scalar>;
  }
  /// Counts the warp's non-finite queries in the report. All lanes call it.
  __device__ void count_non_finite(bool is_bad) const noexcept {
    if (counters.non_finite == nullptr || queries.has_bad_offsets()) return;
    auto const count = static_cast<unsigned long long>(__popc(cuda_warp::ballot(is_bad)));
    if (cuda_warp::lane() == 0) count_in_report(counters.non_finite, count);
  }
  template <int Capacity>
  __device__ FARPOINT_ALWAYS_INLINE void finish(search_query<scalar> const& mine,
                                                warp_topk<scalar, Capacity> const& found,
                                                typename warp_topk<scalar, Capacity>::storage& free) const noexcept {
    write_rows<Capacity>(*this, mine.exists() ? static_cast<std::uint32_t>(mine.row) : no_row, free, found);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
