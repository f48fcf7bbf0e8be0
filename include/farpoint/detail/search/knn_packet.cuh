/// @file
/// The kernel of knn() for small k: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/bvh/build_args.cuh>
#include <farpoint/detail/search/packet_traversal.cuh>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr std::uint32_t no_row = ~0u;

/// Largest k whose list is in registers.
template <class Scalar>
inline constexpr int most_in_packets = sizeof(Scalar) == 4 ? 32 : 16;

/// Who asks for what.
template <class Queries>
struct knn_cuda_args {
  using scalar = typename Queries::scalar;

  search_queries<Queries> queries;
  index_t threads;              ///< queries.threads()
  index_t rows;                 ///< of the output
  unsigned const* bad_offsets;  ///< not 0: nobody has neighbours; may be null
  bool exclude_self;
  int k;
  scalar radius2;
  knn_output<scalar> output;

  /// The query of a thread, and the row of one that is not finite.
  __device__ search_query<scalar> query_of(index_t thread, index_t& bad_row) const noexcept {
    if (bad_offsets == nullptr || *bad_offsets == 0) {
      return thread < threads ? queries.of_thread(thread, bad_row) : search_query<scalar>{};
    }
    if (thread < rows) bad_row = thread;
    return {};
  }
  __device__ std::uint32_t excluded(search_query<scalar> const& mine) const noexcept {
    return exclude_self && mine.exists() ? static_cast<std::uint32_t>(mine.index) : no_index;
  }
  /// A query without neighbours.
  __device__ void leave_empty(index_t row) const noexcept {
    if (row < 0) return;
    for (int j = 0; j < k; ++j) output.indices.set(row * k + j, -1);
    if (!output.counts.empty()) output.counts.set(row, 0);
    if (output.distances.empty()) return;
    for (int j = 0; j < k; ++j) output.distances[static_cast<std::size_t>(row * k + j)] = infinity<scalar>;
  }
  /// All lanes of a warp call it.
  __device__ void count_bad(bool is_bad) const noexcept {
    if (output.report == nullptr || (bad_offsets != nullptr && *bad_offsets != 0)) return;
    int const count = __popc(cuda_warp::ballot(is_bad));
    if (count > 0 && cuda_warp::lane() == 0) {
      atomicAdd(&output.report->non_finite_queries, static_cast<unsigned long long>(count));
    }
  }
};

/// A call of its own: the search that follows needs the registers, and few searches need this.
template <class Scalar>
__device__ __noinline__ std::uint32_t leaf_near_apart(point_bvh_ref<Scalar> index, vec<Scalar, 3> q) noexcept {
  return index.leaf_near(q);
}

/// Fills the lists of a warp's queries: together where they are of one cloud, as nearly all are.
template <class Queries, int Capacity>
__device__ void search_together(search_queries<Queries> const& queries,
                                search_query<typename Queries::scalar> const& mine,
                                packet_memory<typename Queries::scalar>& shared,
                                warp_topk<typename Queries::scalar, Capacity>& found) noexcept {
  vec<typename Queries::scalar, 3> const q = mine.at;
  for (unsigned left = cuda_warp::ballot(mine.exists()); left != 0;) {
    int const first = lowest_bit(left);
    bool const is_here = mine.cloud == cuda_warp::shuffle(mine.cloud, first);
    auto const index = queries.index_of(cuda_warp::shuffle(mine.cloud, first));
    __syncwarp();
    if (cuda_warp::lane() == 0) {
#pragma unroll
      for (int level = 0; level < point_bvh_levels; ++level) shared.levels[level] = index.boxes()[level];
    }
    std::uint32_t start = mine.start;
    if (is_here && start == no_index) start = leaf_near_apart(index, q);
    found.activate(is_here);
    packet_visitor<typename Queries::scalar, Capacity> visitor{found, shared, q};
    index.visit(q, cuda_warp::shuffle(start, first), visitor, shared.levels);
    visitor.finish(q);
    found.merge_all();
    left &= ~cuda_warp::ballot(is_here);
  }
}

/// Shared memory of a warp in which its rows are turned: row r in columns, element j of it in row j.
template <class T>
class turned_rows {
 public:
  __device__ explicit turned_rows(void* shared) noexcept : at_{static_cast<T*>(shared)} {}
  /// Columns are shifted by four a row, so that neighbours in a row of eight are in different banks.
  __device__ T& operator()(int r, int j) const noexcept {
    return at_[j * cuda_warp::lanes + (r + 4 * j) % cuda_warp::lanes];
  }

 private:
  T* at_;
};

/// Writes the rows of a packet, coalesced: by way of shared memory.
/// @param shared  the warp's, free
template <int Capacity, class Task>
__device__ void write_rows(Task const& task, std::uint32_t row,
                           typename warp_topk<typename Task::scalar, Capacity>::storage& shared,
                           warp_topk<typename Task::scalar, Capacity> const& keys) noexcept {
  using scalar = typename Task::scalar;
  static_assert(Capacity * cuda_warp::lanes * sizeof(scalar) <= sizeof shared,
                "farpoint: rows that do not fit in the candidates'");
  int const k = task.k;
  int const lane = cuda_warp::lane();
  // From one cell of a lane to the next.
  int const down = cuda_warp::lanes / k;
  int const along = cuda_warp::lanes % k;
  auto const for_each_cell = [&](auto&& function) {
    __syncwarp();
    int r = lane / k;
    int j = lane % k;
    for (int i = 0; i < k; ++i) {
      std::uint32_t const to = __shfl_sync(~0u, row, r);
      if (to != no_row) function(r, j, index_t{to} * k + j);
      r += down;
      j += along;
      if (j < k) continue;
      j -= k;
      ++r;
    }
    __syncwarp();
  };
  turned_rows<std::uint32_t> const indices{&shared};
  int count = 0;
  __syncwarp();
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j < Capacity - k) continue;
    indices(lane, j - (Capacity - k)) = keys[j].index();
    if (keys[j].index() != no_index) ++count;
  }
  for_each_cell([&](int r, int j, index_t to) {
    std::uint32_t const index = indices(r, j);
    task.output.indices.set(to, index == no_index ? -1 : index_t{index});
  });
  if (!task.output.counts.empty() && row != no_row) task.output.counts.set(row, count);
  if (task.output.distances.empty()) return;
  turned_rows<scalar> const distances{&shared};
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j < Capacity - k) continue;
    distances(lane, j - (Capacity - k)) = keys[j].index() == no_index ? infinity<scalar> : keys[j].distance2();
  }
  for_each_cell(
      [&](int r, int j, index_t to) { task.output.distances[static_cast<std::size_t>(to)] = distances(r, j); });
}

/// Blocks of a multiprocessor that registers must be enough for: shorter lists leave them for more warps.
template <class Scalar>
constexpr int knn_packet_blocks(int capacity, int block_size) noexcept {
  int const warps = sizeof(Scalar) == 4 ? (capacity <= 8    ? 32
                                           : capacity <= 16 ? 20
                                                            : 16)
                                        : (capacity <= 4   ? 20
                                           : capacity <= 8 ? 16
                                                           : 12);
  return warps * cuda_warp::lanes / block_size;
}

/// A warp for 32 queries.
template <class Queries, int Capacity, int BlockSize>
__global__ void __launch_bounds__(BlockSize, knn_packet_blocks<typename Queries::scalar>(Capacity, BlockSize))
    knn_packet_kernel(knn_cuda_args<Queries> const task) {
  using scalar = typename Queries::scalar;
  using list = warp_topk<scalar, Capacity>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  static_assert(packets_fit<scalar, Capacity>(warps),
                "farpoint: a block_size of knn_selector that shared memory is too small for");
  __shared__ typename list::storage candidates[warps];
  __shared__ packet_memory<scalar> shared[warps];
  int const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
  index_t bad_row = -1;
  search_query<scalar> const mine = task.query_of(index_t{blockIdx.x} * BlockSize + threadIdx.x, bad_row);
  task.leave_empty(bad_row);
  task.count_bad(bad_row >= 0);
  if (cuda_warp::ballot(mine.exists()) == 0) return;
  list found{candidates[warp], task.k, {task.radius2, no_index}, task.excluded(mine)};
  search_together(task.queries, mine, shared[warp], found);
  write_rows<Capacity>(task, mine.exists() ? static_cast<std::uint32_t>(mine.row) : no_row, candidates[warp], found);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
