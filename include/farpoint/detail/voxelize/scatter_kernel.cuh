/// @file
/// Third phase of voxelize(): gathers the points of each voxel, and lays out the rows of the clouds.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>

#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of voxels of cloud `b`.
template <class Points>
__device__ inline std::uint32_t voxels_of_cloud(voxelize_args<Points> const& args, index_t b) noexcept {
  if (args.clouds.size() == 1) return args.state->voxels + args.state->more_voxels;
  return args.cloud_begin[b + 1] - args.cloud_begin[b];
}

/// Number of a cloud's voxels within max_voxels.
template <class Points>
__device__ inline std::uint32_t allowed_voxels(voxelize_args<Points> const& args, std::uint32_t voxels) noexcept {
  return static_cast<std::uint32_t>(smaller(index_t{voxels}, args.params.mode.max_voxels));
}

/// Lays out the rows: computes where each cloud's rows begin, and the total. One block calls it.
template <int BlockSize, class Points>
__device__ inline void lay_out_rows(voxelize_args<Points> const& args) noexcept {
  using scan = CUB_NS_QUALIFIER::BlockScan<index_t, BlockSize>;
  __shared__ typename scan::TempStorage storage;
  auto const capacity = static_cast<index_t>(args.row_limit);
  index_t rows = 0;
  index_t found = 0;
  for (index_t first = 0; first < args.clouds.size(); first += BlockSize) {
    index_t const b = first + threadIdx.x;
    bool const exists = b < args.clouds.size();
    std::uint32_t const voxels = exists ? voxels_of_cloud(args, b) : 0;
    index_t before = 0;
    index_t sum = 0;
    scan{storage}.ExclusiveSum(index_t{allowed_voxels(args, voxels)}, before, sum);
    __syncthreads();
    if (exists) {
      index_t const row = smaller(rows + before, capacity);
      args.cloud_row[b] = static_cast<std::uint32_t>(row);
      if (!args.output.voxel_offsets.empty()) args.output.voxel_offsets.set(b, row);
    }
    rows += sum;
  }
  if (threadIdx.x != 0) return;
  found = index_t{args.state->voxels} + args.state->more_voxels;
  index_t const written = smaller(rows, capacity);
  args.state->rows = static_cast<std::uint32_t>(written);
  args.cloud_row[args.clouds.size()] = static_cast<std::uint32_t>(written);
  if (!args.output.voxel_offsets.empty()) args.output.voxel_offsets.set(args.clouds.size(), written);
  if (!args.output.voxel_count.empty()) args.output.voxel_count.set(0, written);
  if (args.output.report == nullptr) return;
  args.output.report->voxels = static_cast<unsigned long long>(written);
  args.output.report->dropped_voxels = static_cast<unsigned long long>(found - written);
  args.output.report->over_capacity = static_cast<unsigned long long>(rows - written);
}

/// Writes points to the entries of their voxel in members, in any order. The last block lays out the rows instead.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_scatter_kernel(voxelize_args<Points> const args) {
  if (blockIdx.x + 1 == gridDim.x) {
    lay_out_rows<BlockSize>(args);
    return;
  }
  voxel_frame const frame = frame_of(args);
  std::uint32_t const step = (gridDim.x - 1) * BlockSize;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size; first += step) {
    std::uint64_t const i = first + threadIdx.x;
    std::uint32_t const id = i < frame.size ? args.ids[i] : voxel_none;
    if (args.ranked) {
      if (id != voxel_none)
        args.select.members[args.offsets[id] + args.select.places[i]] = static_cast<std::uint32_t>(i);
      continue;
    }
    warp_run const run = warp_run::of(id);
    std::uint32_t to = voxel_dropped;
    if (id != voxel_none && run.leads()) to = atomicAdd(&args.cursors[cursor_of(id)], run.size);
    to = cuda_warp::shuffle(to, run.leader);
    if (to < voxel_dropped)
      args.select.members[to + static_cast<std::uint32_t>(run.rank)] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
