/// @file
/// The Morton order of a cloud that one block sorts in shared memory.
#pragma once

#include <farpoint/detail/fps/taken.hpp>
#include <farpoint/geometry/morton_cell.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <cub/block/block_radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Sorts at most BlockSize * PointsPerThread points.
template <class Points, int BlockSize, int PointsPerThread>
class fps_block_order {
  using scalar = typename Points::scalar;
  using sort_type = CUB_NS_QUALIFIER::BlockRadixSort<std::uint32_t, BlockSize, PointsPerThread, std::uint32_t>;
  static constexpr int axes = morton_axes<Points::dim>;
  static constexpr int warps = BlockSize / 32;

  /// Bits of an axis: cells enough that a chunk of 32 points has several.
  static constexpr int enough_bits() noexcept {
    int bits = 2;
    while (bits < 10 && (1 << (axes * (bits - 1))) < 4 * BlockSize * PointsPerThread) ++bits;
    return bits;
  }
  static constexpr int bits = enough_bits();

 public:
  /// Shared memory; free after run().
  union storage {
    typename sort_type::TempStorage sort;
    struct {
      vec<scalar, axes> low[warps];
      vec<scalar, axes> high[warps];
    } extent;
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
      if (is_finite(point)) keys[i] = grid.code(point);
    }
    // Padding must come behind all points: the bit above the code.
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
  /// The cells of the cloud's bounding box, on all threads.
  __device__ static auto grid_of(Points const& cloud, storage& shared) noexcept {
    vec<scalar, axes> low;
    vec<scalar, axes> high;
#pragma unroll
    for (int axis = 0; axis < axes; ++axis) {
      low[axis] = not_yet_measured<scalar>;
      high[axis] = -not_yet_measured<scalar>;
    }
    for (index_t i = threadIdx.x; i < cloud.size(); i += BlockSize) {
      auto const point = cloud[i];
      if (is_finite(point)) grow(low, high, point, point);
    }
#pragma unroll
    for (int axis = 0; axis < axes; ++axis) {
      low[axis] = cuda_warp::min(low[axis]);
      high[axis] = cuda_warp::max(high[axis]);
    }
    int const warp = static_cast<int>(threadIdx.x) / 32;
    if (cuda_warp::lane() == 0) {
      shared.extent.low[warp] = low;
      shared.extent.high[warp] = high;
    }
    __syncthreads();
#pragma unroll
    for (int other = 0; other < warps; ++other) grow(low, high, shared.extent.low[other], shared.extent.high[other]);
    __syncthreads();
    return morton_grid<scalar, Points::dim>::over(low, high, bits);
  }

  template <class Low, class High>
  __device__ static void grow(vec<scalar, axes>& low, vec<scalar, axes>& high, Low const& at_least,
                              High const& at_most) noexcept {
#pragma unroll
    for (int axis = 0; axis < axes; ++axis) {
      low[axis] = min_number(low[axis], at_least[axis]);
      high[axis] = max_number(high[axis], at_most[axis]);
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
