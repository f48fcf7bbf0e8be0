/// @file
/// Arguments of the kernels by rounds with several blocks per cloud.
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

  std::uint32_t* order;  ///< `[points]`: point indices of each cloud in Morton order
  /// `[dim + 1, points]`: coordinates and distances, used by blocks whose share does not fit in shared memory.
  scalar* points;
  index_t point_pitch;
  /// Boxes of all groups and their chunks, used by blocks whose boxes do not fit in shared memory.
  scalar* boxes;

  /// Returns an upper bound of the number of groups in the clouds before cloud b, which is sampled by blocks from block
  /// `first` on. A cloud of n points in m shares has at most n / points of a group + m groups, rounded down, and is
  /// sampled by m blocks unless m is 1.
  FARPOINT_HD static constexpr index_t groups_before(index_t points, index_t b, int first) noexcept {
    return points / (chunking::chunk * chunking::group) + b + first;
  }

  /// Returns the memory for the share of block `rank` of `blocks` in cloud b: shared memory for all of it, for its
  /// boxes, or for none, whichever fits.
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
  std::size_t shared_bytes;  ///< bytes of dynamic shared memory per block
};

}  // namespace detail
FARPOINT_END_NAMESPACE
