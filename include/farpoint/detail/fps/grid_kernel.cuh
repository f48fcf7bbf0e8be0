/// @file
/// Several blocks a cloud, over clouds that were sorted before: as clusters, or as parts of a cooperative grid.
#pragma once

#include <farpoint/detail/fps/block_kernel.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Arrays in the workspace for all points of a batch.
template <class Scalar, int Dim, class Chunking>
struct fps_sorted {
  using memory = chunk_partition<Scalar, Dim, Chunking>;

  std::uint32_t* order;  ///< `[points]`: each cloud's indices in Morton order
  Scalar* points;        ///< `[Dim + 1, points]`, of the clouds whose slices are too large for shared memory
  index_t point_pitch;
  Scalar* boxes;  ///< of all groups, and of their chunks, where shared memory does not hold a block's

  /// Groups of the clouds before cloud b, which a group from block `first` on samples, or more: a cloud of n points in
  /// m slices has at most n / points of a group + m groups, rounded down, and its group has m blocks unless m is 1.
  FARPOINT_HD static constexpr index_t groups_before(index_t points, index_t b, int first) noexcept {
    return points / (Chunking::chunk * Chunking::group) + b + first;
  }

  /// Memory for a member's share of a cloud: as much of it as fits in shared memory.
  template <class Points>
  __device__ memory slice_of(batch<Points> const& clouds, index_t b, index_t size, int rank, int members,
                             std::size_t shared_bytes) const noexcept {
    index_t const chunks = (Chunking::chunks(size) + members - 1) / members;
    if (memory::point_bytes(chunks) + memory::box_bytes(chunks) <= shared_bytes) {
      return chunk_scan_at<Scalar, Dim, Chunking>(dynamic_shared(), chunks);
    }
    index_t const begin = clouds.begin_of(b);
    auto* own = static_cast<Scalar*>(dynamic_shared());
    if (memory::box_bytes(chunks) > shared_bytes) {
      index_t const before =
          groups_before(begin, b, static_cast<int>(blockIdx.x) - rank) + rank * Chunking::groups(chunks);
      own = boxes + before * (Chunking::group + 1) * (2 * Dim + 1);
    }
    return {points + begin,           order + begin, point_pitch, own, chunks, own + (2 * Dim + 1) * chunks,
            Chunking::groups(chunks), true};
  }
};

/// Where the blocks of a grid's group meet; zero when the kernel starts.
template <class Scalar>
struct alignas(128) grid_exchange {
  unsigned arrivals;
  alignas(64) round_counters<Scalar> tally;
};

template <class Points, int ListSize, class Chunking>
struct fps_grid_args {
  using scalar = typename Points::scalar;

  fps_rounds_args<Points> rounds;
  fps_sorted<scalar, Points::dim, Chunking> sorted;
  std::size_t shared_bytes;                                         ///< dynamic
  grid_exchange<scalar>* meetings = nullptr;                        ///< grid only
  round_exchange<scalar, Points::dim, ListSize>* boards = nullptr;  ///< grid only
  unsigned const* broken = nullptr;  ///< grid only: not zero when the offsets do not ascend
  index_t points_per_block = 0;      ///< grid only: smaller shares than this are not worth it
};

/// Blocks of a cluster raise 32-bit counters in each other's shared memory. 64-bit ones lose updates that way (h200,
/// CUDA 13.0), so that double coordinates go to a grid.
template <class Scalar>
inline constexpr bool fps_has_clusters = sizeof(Scalar) == sizeof(unsigned);

/// Cluster c samples cloud c.
template <class Points, int BlockSize, int ListSize, class Chunking>
__global__ void __launch_bounds__(BlockSize)
    fps_rounds_cluster_kernel(fps_grid_args<Points, ListSize, Chunking> const task) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using scalar = typename Points::scalar;
  __shared__ fps_rounds_shared<scalar, Points::dim, ListSize, BlockSize> own;
  __shared__ round_counters<scalar> tally;
  __shared__ round_exchange<scalar, Points::dim, ListSize> board;

  fps_cluster_group group;
  index_t const b = blockIdx.x / group.num_blocks();
  Points const cloud = task.rounds.clouds[b];
  auto const memory = task.sorted.slice_of(task.rounds.clouds, b, cloud.size(), group.block_rank(), group.num_blocks(),
                                           task.shared_bytes);
  if (threadIdx.x == 0) tally = {};
  // No block may reach into another's shared memory before that runs, or after it has ended.
  group.sync();
  fps_run_rounds<Points, BlockSize, ListSize>(task.rounds, b, cloud, memory,
                                              task.sorted.order + task.rounds.clouds.begin_of(b), group, own,
                                              group.of_leader(&tally), group.of_leader(&board));
  group.sync();
#endif
}

/// How the blocks of a grid are shared out among the clouds of a batch: half by points, and half evenly, since small
/// clouds take as many rounds as large ones. The blocks of a cloud are a group; a cloud too small for a block of its
/// own falls to the block at its place, which samples it before it joins a group.
template <class Points>
class fps_grid_shares {
 public:
  __device__ fps_grid_shares(batch<Points> const& clouds, int blocks) noexcept
      : clouds_{clouds}, blocks_{blocks}, begin_{clouds.begin_of(0)} {
    index_t const points = clouds.begin_of(clouds.size()) - begin_;
    per_point_ = points > 0 ? 0.5 / static_cast<double>(points) : 0;
    per_cloud_ = (points > 0 ? 0.5 : 1.0) / static_cast<double>(clouds.size());
  }

  /// First block of cloud b, or the block that b falls to.
  __device__ int start(index_t b) const noexcept {
    if (b >= clouds_.size()) return blocks_;
    double const before =
        per_point_ * static_cast<double>(clouds_.begin_of(b) - begin_) + per_cloud_ * static_cast<double>(b);
    return ::min(static_cast<int>(before * blocks_), blocks_ - 1);
  }

  /// The first cloud that block r may have to do with.
  __device__ index_t first_of(int r) const noexcept {
    return segment_of(clouds_.size(), index_t{r} - 1, [this](index_t b) { return index_t{start(b)}; });
  }

 private:
  batch<Points> const& clouds_;
  int blocks_;
  index_t begin_;
  double per_point_;
  double per_cloud_;
};

/// All clouds come out empty.
template <class Points>
__device__ void fps_leave_empty(fps_rounds_args<Points> const& task) noexcept {
  index_t const step = index_t{gridDim.x} * blockDim.x;
  index_t const slots = task.clouds.size() * task.params.samples;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < slots; i += step) {
    task.output.indices.set(i, -1);
    if (!task.output.distances.empty()) task.output.distances[static_cast<std::size_t>(i)] = -1;
    if (i < task.clouds.size() && !task.output.counts.empty()) task.output.counts.set(i, 0);
  }
}

/// Samples all clouds, each by a group of blocks.
template <class Points, int BlockSize, int ListSize, class Chunking>
__global__ void __launch_bounds__(BlockSize)
    fps_rounds_grid_kernel(fps_grid_args<Points, ListSize, Chunking> const task) {
  using scalar = typename Points::scalar;
  using board_type = round_exchange<scalar, Points::dim, ListSize>;
  __shared__ fps_rounds_shared<scalar, Points::dim, ListSize, BlockSize> own;

  batch<Points> const& clouds = task.rounds.clouds;
  // The blocks could not agree on who is in which group.
  if (*task.broken != 0) return fps_leave_empty(task.rounds);
  int const blocks = static_cast<int>(gridDim.x);
  int const r = static_cast<int>(blockIdx.x);
  fps_grid_shares<Points> const shares{clouds, blocks};
  for (index_t b = shares.first_of(r); b < clouds.size() && shares.start(b) <= r; ++b) {
    int const first = shares.start(b);
    int size = shares.start(b + 1) - first;
    if (size == 0 ? first != r : first + size <= r) continue;
    Points const cloud = clouds[b];
    index_t const useful = (cloud.size() + task.points_per_block - 1) / task.points_per_block;
    if (size > useful) size = static_cast<int>(useful);
    if (size == 0) size = 1;
    int const rank = r - first;
    if (rank >= size) continue;

    auto const memory = task.sorted.slice_of(clouds, b, cloud.size(), rank, size, task.shared_bytes);
    // Two groups of two blocks or more lead from blocks that are two or more apart.
    index_t const place = clouds.size() <= blocks / 2 ? b : first / 2;
    grid_barrier group{rank, size, &task.meetings[place].arrivals};
    board_type* const board = size > 1 ? &task.boards[place] : nullptr;
    fps_run_rounds<Points, BlockSize, ListSize>(task.rounds, b, cloud, memory, task.sorted.order + clouds.begin_of(b),
                                                group, own, &task.meetings[place].tally, board);
    __syncthreads();
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
