/// @file
/// All blocks of a cooperative grid, shared out among the clouds, over clouds that were sorted before.
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/fps/multi_block_args.cuh>
#include <farpoint/grid/grid_barrier.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The barrier of a group's blocks; zero when the kernel starts.
template <class Scalar>
struct alignas(128) grid_exchange {
  unsigned arrivals;
  alignas(64) round_counters<Scalar> counters;
};

template <class Config>
struct fps_grid_args {
  fps_multi_block_args<Config> common;
  grid_exchange<typename Config::scalar>* meeting_points;  ///< `[groups]`
  typename Config::exchange* exchanges;                    ///< `[groups]`
  index_t points_per_block;                                ///< smaller shares than this are not worth it
};

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

  /// The first cloud that block r may work on.
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

/// Samples all clouds, each by a group of blocks.
template <class Config>
__global__ void __launch_bounds__(Config::block_size) fps_grid_kernel(fps_grid_args<Config> const args) {
  __shared__ typename Config::shared own;

  auto const& call = args.common.call;
  auto const& clouds = call.clouds;
  // The blocks could not agree on their groups.
  if (*call.bad_offsets != 0) return fps_leave_empty<Config::block_size>(call);
  int const blocks = static_cast<int>(gridDim.x);
  int const r = static_cast<int>(blockIdx.x);
  fps_grid_shares<typename Config::points> const shares{clouds, blocks};
  for (index_t b = shares.first_of(r); b < clouds.size() && shares.start(b) <= r; ++b) {
    int const first = shares.start(b);
    int size = shares.start(b + 1) - first;
    if (size == 0 ? first != r : first + size <= r) continue;
    auto const cloud = clouds[b];
    index_t const useful = divide_up(cloud.size(), args.points_per_block);
    if (size > useful) size = static_cast<int>(useful);
    if (size == 0) size = 1;
    int const rank = r - first;
    if (rank >= size) continue;

    auto const& sorted = args.common.sorted;
    auto const partition = sorted.partition_of(clouds, b, cloud.size(), rank, size, args.common.shared_bytes);
    // Two groups of two blocks or more lead from blocks that are two or more apart.
    index_t const place = clouds.size() <= blocks / 2 ? b : first / 2;
    auto& meeting_point = args.meeting_points[place];
    grid_barrier group{rank, size, &meeting_point.arrivals};
    auto* const exchange = size > 1 ? &args.exchanges[place] : nullptr;
    fps_run_rounds<Config>(call, b, cloud, partition, sorted.order + clouds.begin_of(b), group,
                           {own, &meeting_point.counters, exchange});
    __syncthreads();
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
