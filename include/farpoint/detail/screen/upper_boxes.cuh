/// @file
/// Builds the upper levels of an index of visible points.
#pragma once

#include <farpoint/detail/bvh/build_levels.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Makes the levels of boxes above groups of leaves. Any number of blocks of whole warps can share the work. A warp
/// reads 64 nodes at a time and makes the two levels above them.
template <class Scalar>
class upper_box_builder {
 public:
  __device__ explicit upper_box_builder(point_bvh_arrays<Scalar> const& index) noexcept : index_{index} {}

  /// Makes all levels, by the calling block.
  __device__ void fill_by_block() const noexcept { fill_from(1, groups()); }

  /// Makes all levels. All blocks of the grid call it: several make the first two levels, and the last block to finish
  /// makes the others.
  /// @param done  zero when the kernel starts
  __device__ void fill_by_grid(unsigned* done) const noexcept {
    __shared__ bool is_last;
    unsigned const blocks = smaller(divide_up(groups(), 2 * blockDim.x), gridDim.x);
    if (blockIdx.x >= blocks) return;
    raise(1, groups(), blockIdx.x, blocks);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(done, 1u) + 1 == blocks;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    fill_from(3, parents(parents(groups())));
  }

 private:
  using box = bvh_box<Scalar>;
  static constexpr std::uint32_t width = point_bvh_width;
  static constexpr std::uint32_t taken = 2 * cuda_warp::lanes;  ///< number of nodes that a warp reads at a time
  static_assert(taken == width * width);

  /// Number of groups of leaves.
  __device__ std::uint32_t groups() const noexcept {
    return static_cast<std::uint32_t>(index_.clouds[0].size) / screen_group_points;
  }
  __device__ static std::uint32_t parents(std::uint32_t nodes) noexcept { return divide_up(nodes, width); }

  /// Makes all levels above these nodes, by the calling block.
  __device__ void fill_from(int level, std::uint32_t nodes) const noexcept {
    for (; nodes > 1; level += 2, nodes = parents(parents(nodes))) {
      raise(level, nodes, 0, 1);
      __syncthreads();
    }
  }

  /// Makes the boxes of the two levels above these nodes, up to the level with a single node, and empty boxes behind
  /// the last node. Two sets of 64 nodes are loaded at once to overlap the loads.
  __device__ void raise(int level, std::uint32_t nodes, unsigned block, unsigned blocks) const noexcept {
    std::uint32_t const warp = (block * blockDim.x + threadIdx.x) / cuda_warp::lanes;
    std::uint32_t const step = blocks * blockDim.x / cuda_warp::lanes * taken;
    for (std::uint32_t first = warp * taken; first < nodes; first += 2 * step) {
      std::uint32_t const second = first + step;
      box boxes[2][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        boxes[0][i] = node_of(level, first + i * cuda_warp::lanes, nodes);
        boxes[1][i] = node_of(level, second + i * cuda_warp::lanes, nodes);
      }
      join(level, first, nodes, boxes[0]);
      if (second < nodes) join(level, second, nodes, boxes[1]);
    }
  }
  /// Returns the calling lane's node, counted from `first`. Behind the last node, writes and returns an empty box.
  __device__ box node_of(int level, std::uint32_t first, std::uint32_t nodes) const noexcept {
    std::uint32_t const node = first + static_cast<std::uint32_t>(cuda_warp::lane());
    if (node < nodes) return box::read(group_of(level, node), lane_of(node));
    box const none;
    if (node < parents(nodes) * width) none.write(group_of(level, node), lane_of(node));
    return none;
  }
  /// @param boxes  the calling lane's boxes of nodes `first` + lane and `first` + 32 + lane
  __device__ void join(int level, std::uint32_t first, std::uint32_t nodes, box (&boxes)[2]) const noexcept {
    if (nodes <= width) return;
    auto const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    box all;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      join_over_lanes<1, width>(boxes[i]);
      std::uint32_t const parent = (first + i * cuda_warp::lanes + lane) / width;
      if (lane % width == 0) boxes[i].write(group_of(level + 1, parent), lane_of(parent));
      all.grow(boxes[i]);
    }
    if (nodes <= taken) return;
    join_over_lanes<width, cuda_warp::lanes>(all);
    if (lane == 0) all.write(group_of(level + 2, first / taken), lane_of(first / taken));
  }

  __device__ point_boxes<Scalar>& group_of(int level, std::uint32_t node) const noexcept {
    return index_.boxes[level][node / width];
  }
  __device__ static int lane_of(std::uint32_t node) noexcept {
    return static_cast<int>(node % width);
  }

  point_bvh_arrays<Scalar> const& index_;
};

template <class Scalar>
struct upper_boxes_args {
  point_bvh_arrays<Scalar> index;
  unsigned* done;  ///< zero-initialized
};

template <class Scalar, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_upper_kernel(upper_boxes_args<Scalar> const args) {
  upper_box_builder<Scalar>{args.index}.fill_by_grid(args.done);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
