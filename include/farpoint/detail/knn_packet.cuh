/// @file
/// The kernel of knn() for small k: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/index_task.cuh>
#include <farpoint/detail/packet_search.cuh>
#include <farpoint/knn_types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Who asks for what. Row r belongs to point r of the queries' view.
template <class Queries>
struct knn_cuda_task {
  using scalar = typename Queries::scalar;

  batch<Queries> queries;
  point_index_arrays<scalar> index;
  index_state* state;
  std::uint32_t const* order;  ///< `[queries]`: rows in the order in which they are answered; null: as they come
  bool is_self;                ///< the queries are the points, and the order is that of the leaves
  bool exclude_self;
  int k;
  scalar radius2;
  knn_output<scalar> output;
};

inline constexpr std::uint32_t no_row = ~0u;

/// What one lane asks.
template <class Scalar>
struct knn_question {
  vec<Scalar, 3> q{};
  std::uint32_t row = no_row;
  std::uint32_t excluded = no_index;
  bool is_finite = false;
};

/// 32 queries of one cloud.
struct knn_packet {
  index_t cloud;
  index_t first;  ///< of the queries, in the order of the cloud

  /// Packets of a cloud follow one another, those of cloud b from floor(begin / 32) + b on.
  template <class Queries>
  __device__ static knn_packet find(batch<Queries> const& queries, index_t number) noexcept {
    index_t low = 0;
    index_t high = queries.size();
    while (high - low > 1) {
      index_t const middle = (low + high) / 2;
      if (queries.begin_of(middle) / cuda_warp::lanes + middle <= number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return {low, (number - queries.begin_of(low) / cuda_warp::lanes - low) * cuda_warp::lanes};
  }
};

template <class Queries>
__device__ knn_question<typename Queries::scalar> question_of(knn_cuda_task<Queries> const& task,
                                                              knn_packet const& packet) noexcept {
  knn_question<typename Queries::scalar> mine;
  index_t const place = packet.first + cuda_warp::lane();
  auto const cloud = task.queries[packet.cloud];
  if (place < 0 || place >= cloud.size()) return mine;
  index_t const begin = task.queries.begin_of(packet.cloud);
  if (task.is_self && place < task.index.clouds[packet.cloud].size) {
    auto const& leaf = task.index.leaves_of(packet.cloud, begin)[place / point_index_width];
    auto const lane = static_cast<int>(place % point_index_width);
    mine.q = leaf.at(lane);
    mine.is_finite = true;
    mine.row = static_cast<std::uint32_t>(begin) + leaf.index[lane];
  } else {
    mine.row = task.order == nullptr ? static_cast<std::uint32_t>(begin + place) : task.order[begin + place];
    mine.q = task.queries.points()[mine.row];
    mine.is_finite = is_finite(mine.q);
  }
  if (task.exclude_self) mine.excluded = mine.row - static_cast<std::uint32_t>(begin);
  return mine;
}

/// Shared memory in which the rows of a warp are turned: row r in columns, element j of it in row j.
template <class T, int BlockSize>
class turned_rows {
 public:
  __device__ explicit turned_rows(void* shared) noexcept
      : at_{static_cast<T*>(shared) + threadIdx.x / cuda_warp::lanes * cuda_warp::lanes} {}
  /// Columns are shifted by four a row, so that neighbours in a row of eight are in different banks.
  __device__ T& operator()(int r, int j) const noexcept {
    return at_[j * BlockSize + (r + 4 * j) % cuda_warp::lanes];
  }

 private:
  T* at_;
};

/// Writes the rows of a packet, coalesced: by way of shared memory.
/// @param shared  of the block: Capacity columns for each thread
template <int Capacity, int BlockSize, class Task, class Keys>
__device__ void write_rows(Task const& task, std::uint32_t row, void* shared, Keys const& keys) noexcept {
  using scalar = typename Task::scalar;
  int const k = task.k;
  int const lane = cuda_warp::lane();
  auto const for_each_cell = [&](auto&& function) {
    __syncwarp();
    for (int e = lane; e < cuda_warp::lanes * k; e += cuda_warp::lanes) {
      int const r = e / k;
      std::uint32_t const to = __shfl_sync(~0u, row, r);
      if (to != no_row) function(r, e - r * k, index_t{to} * k + (e - r * k));
    }
    __syncwarp();
  };
  turned_rows<std::uint32_t, BlockSize> const indices{shared};
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
  turned_rows<scalar, BlockSize> const distances{shared};
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j < Capacity - k) continue;
    distances(lane, j - (Capacity - k)) = keys[j].index() == no_index ? infinity<scalar> : keys[j].distance2();
  }
  for_each_cell([&](int r, int j, index_t to) {
    task.output.distances[static_cast<std::size_t>(to)] = distances(r, j);
  });
}

/// A warp for each packet.
template <class Queries, int Capacity, int BlockSize>
__global__ void __launch_bounds__(BlockSize) knn_packet_kernel(knn_cuda_task<Queries> const task) {
  using scalar = typename Queries::scalar;
  using list = warp_topk<scalar, Capacity, BlockSize>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  __shared__ typename list::storage candidates;

  index_t const number = index_t{blockIdx.x} * warps + threadIdx.x / cuda_warp::lanes;
  if (number >= task.queries.points().size() / cuda_warp::lanes + task.queries.size()) return;
  knn_packet const packet = knn_packet::find(task.queries, number);
  knn_question<scalar> const asked = question_of(task, packet);
  if (cuda_warp::ballot(asked.row != no_row) == 0) return;

  neighbour_key<scalar> const limit{task.radius2, no_index};
  list found{candidates, task.k, limit, asked.excluded, asked.is_finite};
  unsigned const asking = cuda_warp::ballot(asked.is_finite);
  point_index_ref<scalar> const index = task.index[packet.cloud];
  if (asking != 0 && index.size() > 0) {
    packet_visitor<scalar, Capacity, BlockSize> visitor{found, asked.q};
    std::uint32_t const start =
        task.is_self ? static_cast<std::uint32_t>(packet.first / point_index_width)
                     : index.leaf_near(cuda_warp::shuffle(asked.q, lowest_bit(asking)));
    index.visit(asked.q, start, visitor);
    found.merge_all();
  }
  write_rows<Capacity, BlockSize>(task, asked.row, &candidates, found);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
