/// @file
/// The arguments of the kernels with several blocks per cloud.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/rounds.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays in the workspace for all points of a batch.
template <class Config>
struct fps_sorted_points {
  using scalar = typename Config::scalar;
  using partition = typename Config::partition;
  using chunking = typename Config::chunking;
  static constexpr int dim = Config::dim;

  std::uint32_t* order;  ///< `[points]`: each cloud's indices in Morton order
  scalar* points;        ///< `[dim + 1, points]`, of the clouds of which shared memory does not hold a block's share
  index_t point_pitch;
  scalar* boxes;  ///< of all groups, and of their chunks, where shared memory does not hold a block's

  /// Groups of the clouds before cloud b, which a group from block `first` on samples, or more: a cloud of n points in
  /// m shares has at most n / points of a group + m groups, rounded down, and its group has m blocks unless m is 1.
  FARPOINT_HD static constexpr index_t groups_before(index_t points, index_t b, int first) noexcept {
    return points / (chunking::chunk * chunking::group) + b + first;
  }

  /// Memory for the share that block `rank` of `blocks` has of cloud b: as much of it as fits in shared memory.
  __device__ partition partition_of(batch<typename Config::points> const& clouds, index_t b, index_t size, int rank,
                                    int blocks, std::size_t shared_bytes) const noexcept {
    index_t const chunks = divide_up<index_t>(chunking::chunks(size), blocks);
    if (partition::bytes(chunks) <= shared_bytes) return partition::at(dynamic_shared(), chunks);
    index_t const begin = clouds.begin_of(b);
    auto* own = static_cast<scalar*>(dynamic_shared());
    if (partition::box_bytes(chunks) > shared_bytes) {
      index_t const before =
          groups_before(begin, b, static_cast<int>(blockIdx.x) - rank) + rank * chunking::groups(chunks);
      own = boxes + before * (chunking::group + 1) * (2 * dim + 1);
    }
    return {points + begin,           order + begin, point_pitch, own, chunks, own + (2 * dim + 1) * chunks,
            chunking::groups(chunks), true};
  }
};

template <class Config>
struct fps_multi_block_args {
  fps_args<typename Config::points> call;
  fps_sorted_points<Config> sorted;
  std::size_t shared_bytes;  ///< dynamic
};

}  // namespace detail
FARPOINT_END_NAMESPACE
