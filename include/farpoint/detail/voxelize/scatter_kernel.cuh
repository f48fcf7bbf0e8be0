/// @file
/// voxelize(), third step: the points of each voxel come together; the rows of the clouds are laid out.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>

#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Voxels that cloud `b` has.
template <class Points>
__device__ inline std::uint32_t voxels_of_cloud(voxelize_args<Points> const& task, index_t b) noexcept {
  if (task.clouds.size() == 1) return task.state->voxels + task.state->more_voxels;
  return task.cloud_begin[b + 1] - task.cloud_begin[b];
}

/// Those of them that max_voxels lets pass.
template <class Points>
__device__ inline std::uint32_t allowed_voxels(voxelize_args<Points> const& task, std::uint32_t voxels) noexcept {
  return task.params.mode.max_voxels < index_t{voxels} ? static_cast<std::uint32_t>(task.params.mode.max_voxels)
                                                       : voxels;
}

/// One block lays out the rows: where each cloud's begin, and how many there are.
template <int BlockSize, class Points>
__device__ inline void lay_out_rows(voxelize_args<Points> const& task) noexcept {
  using scan = CUB_NS_QUALIFIER::BlockScan<index_t, BlockSize>;
  __shared__ typename scan::TempStorage storage;
  auto const capacity = static_cast<index_t>(task.row_limit);
  index_t rows = 0;
  index_t found = 0;
  for (index_t first = 0; first < task.clouds.size(); first += BlockSize) {
    index_t const b = first + threadIdx.x;
    bool const exists = b < task.clouds.size();
    std::uint32_t const voxels = exists ? voxels_of_cloud(task, b) : 0;
    index_t before = 0;
    index_t sum = 0;
    scan{storage}.ExclusiveSum(index_t{allowed_voxels(task, voxels)}, before, sum);
    __syncthreads();
    if (exists) {
      index_t const row = rows + before < capacity ? rows + before : capacity;
      task.cloud_row[b] = static_cast<std::uint32_t>(row);
      if (!task.output.voxel_offsets.empty()) task.output.voxel_offsets.set(b, row);
    }
    rows += sum;
  }
  if (threadIdx.x != 0) return;
  found = index_t{task.state->voxels} + task.state->more_voxels;
  index_t const written = rows < capacity ? rows : capacity;
  task.state->rows = static_cast<std::uint32_t>(written);
  task.cloud_row[task.clouds.size()] = static_cast<std::uint32_t>(written);
  if (!task.output.voxel_offsets.empty()) task.output.voxel_offsets.set(task.clouds.size(), written);
  if (!task.output.voxel_count.empty()) task.output.voxel_count.set(0, written);
  if (task.output.report == nullptr) return;
  task.output.report->voxels = static_cast<unsigned long long>(written);
  task.output.report->dropped_voxels = static_cast<unsigned long long>(found - written);
  task.output.report->over_capacity = static_cast<unsigned long long>(rows - written);
}

/// Puts points beside the others of their voxel, in any order. The last block does not: it lays out the rows.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_scatter_kernel(voxelize_args<Points> const task) {
  if (blockIdx.x + 1 == gridDim.x) {
    lay_out_rows<BlockSize>(task);
    return;
  }
  voxel_frame const frame = frame_of(task);
  std::uint32_t const step = (gridDim.x - 1) * BlockSize;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size; first += step) {
    std::uint64_t const i = first + threadIdx.x;
    std::uint32_t const slot = i < frame.size ? task.slots[i] : voxel_none;
    if (task.ranked) {
      if (slot != voxel_none) task.members[task.offsets[slot] + task.places[i]] = static_cast<std::uint32_t>(i);
      continue;
    }
    warp_run const run = warp_run::of(slot);
    std::uint32_t to = voxel_dropped;
    if (slot != voxel_none && run.leads()) to = atomicAdd(&task.cursors[slot], run.size);
    to = cuda_warp::shuffle(to, run.leader);
    if (to < voxel_dropped) task.members[to + static_cast<std::uint32_t>(run.rank)] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
