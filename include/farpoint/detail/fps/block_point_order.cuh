/// @file
/// Morton order of a cloud, by one block in shared memory.
#pragma once

#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <cub/block/block_radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts at most BlockSize * PointsPerThread points.
template <class Points, int BlockSize, int PointsPerThread>
class fps_block_order {
  using scalar = typename Points::scalar;
  using sort_type = CUB_NS_QUALIFIER::BlockRadixSort<std::uint32_t, BlockSize, PointsPerThread, std::uint32_t>;
  using grid_type = curve_grid<scalar, Points::dim>;
  using box_type = typename grid_type::box;
  static constexpr int axes = grid_type::axes;
  static constexpr int warps = BlockSize / 32;

  /// Returns the number of bits per axis, with enough cells that a chunk of 32 points covers several.
  static constexpr int enough_bits() noexcept {
    int enough = 2;
    while (enough < 10 && (1 << (axes * (enough - 1))) < 4 * BlockSize * PointsPerThread) ++enough;
    return enough;
  }
  static constexpr int bits = enough_bits();

 public:
  /// Shared memory; free after run().
  union storage {
    typename sort_type::TempStorage sort;
    box_type extent[std::size_t{warps}];
  };

  /// Writes the cloud's indices in Morton order to `order`, which may share the memory of `shared`.
  __device__ static void run(Points const& cloud, storage& shared, std::uint32_t* order) noexcept {
    auto const grid = grid_of(cloud, shared);
    auto const size = static_cast<unsigned>(cloud.size());
    std::uint32_t keys[PointsPerThread];
    std::uint32_t values[PointsPerThread];
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      unsigned const index = i * BlockSize + threadIdx.x;
      keys[i] = (1u << (axes * bits)) - 1;
      values[i] = index;
      if (index >= size) continue;
      auto const point = cloud[index];
      if (is_finite(point)) keys[i] = grid.key_of(point, morton_curve{}, bits);
    }
    // A bit above the code makes padding sort behind all points.
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) keys[i] |= values[i] >= size ? 1u << (axes * bits) : 0u;
    sort_type{shared.sort}.SortBlockedToStriped(keys, values, 0, axes * bits + 1);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      unsigned const place = i * BlockSize + threadIdx.x;
      if (place < size) order[place] = values[i];
    }
    __syncthreads();
  }

 private:
  /// Returns the grid of cells in the cloud's bounding box, to all threads.
  __device__ static grid_type grid_of(Points const& cloud, storage& shared) noexcept {
    box_type box = box_type::empty();
    for (index_t i = threadIdx.x; i < cloud.size(); i += BlockSize) {
      auto const point = cloud[i];
      if (is_finite(point)) box.grow(point);
    }
#pragma unroll
    for (int axis = 0; axis < axes; ++axis) {
      box.low[axis] = cuda_warp::min(box.low[axis]);
      box.high[axis] = cuda_warp::max(box.high[axis]);
    }
    if (cuda_warp::lane() == 0) shared.extent[threadIdx.x / cuda_warp::lanes] = box;
    __syncthreads();
#pragma unroll
    for (int other = 0; other < warps; ++other) box.grow(shared.extent[other]);
    __syncthreads();
    return {box, bits};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
