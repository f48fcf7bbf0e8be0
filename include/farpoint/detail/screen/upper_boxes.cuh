/// @file
/// The upper levels of an index of visible points.
#pragma once

#include <farpoint/detail/bvh/build_levels.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Makes the levels of boxes above groups of leaves. Any blocks of whole warps may work on it together.
template <class Scalar>
class upper_box_builder {
 public:
  /// @param done  zero when the kernel starts
  __device__ upper_box_builder(point_bvh_arrays<Scalar> const& index, unsigned* done) noexcept
      : index_{index}, done_{done} {}

  /// All blocks of the grid call it: some make the first level, and the last of them to be done the others.
  __device__ void fill() const noexcept {
    __shared__ bool is_last;
    index_t nodes = index_.clouds[0].size / screen_group_points;
    unsigned const needed = static_cast<unsigned>((nodes + (blockDim.x - 1)) / blockDim.x);
    unsigned const blocks = needed < gridDim.x ? needed : gridDim.x;
    if (blockIdx.x >= blocks) return;
    raise(1, nodes, blockIdx.x, blocks);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(done_, 1u) + 1 == blocks;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    nodes = parents(nodes);
    for (int level = 2; nodes > 1; ++level, nodes = parents(nodes)) {
      raise(level, nodes, 0, 1);
      __syncthreads();
    }
  }

 private:
  __device__ static index_t parents(index_t nodes) noexcept {
    return (nodes + (point_bvh_width - 1)) / point_bvh_width;
  }

  /// Makes the boxes of the level above this one's groups, unless there is only one, and empty boxes behind the last
  /// node. Whole warps stay together.
  __device__ void raise(int level, index_t nodes, unsigned block, unsigned blocks) const noexcept {
    index_t const places = parents(nodes) * point_bvh_width;
    if (nodes <= 1) return;
    for (index_t first = index_t{block} * blockDim.x + threadIdx.x - cuda_warp::lane(); first < places;
         first += index_t{blocks} * blockDim.x) {
      index_t const node = first + cuda_warp::lane();
      bvh_box<Scalar> box;
      if (node < places) {
        point_boxes<Scalar>& group = index_.boxes[level][node / point_bvh_width];
        auto const lane = static_cast<int>(node % point_bvh_width);
        if (node >= nodes) box.write(group, lane);
        if (node < nodes) {
          box = bvh_box<Scalar>::read(group, lane);
        }
      }
      join_over_lanes<1, point_bvh_width>(box);
      index_t const parent = node / point_bvh_width;
      if (node >= nodes || node % point_bvh_width != 0 || places == point_bvh_width) continue;
      box.write(index_.boxes[level + 1][parent / point_bvh_width], static_cast<int>(parent % point_bvh_width));
    }
  }

  point_bvh_arrays<Scalar> const& index_;
  unsigned* done_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
