/// @file
/// Hard voxelization by CUB's device-wide sort: deterministic, in order of first occurrence. Needs nvcc.
///
/// The points' indices are sorted by cell, stably, so that a run of equal cells is a voxel's points in input order, and
/// its head the voxel's first point. Heads are marked at the points' indices; a scan of the marks numbers the voxels by
/// first occurrence. A thread per head walks the kept points of its run.
#pragma once

#include "peers/voxelize_args.hpp"
#include "support/cuda_handles.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace farpoint_bench {

struct voxelize_sort_args : voxelize_args {
  std::int32_t* voxels;         ///< `[1]`
  std::uint32_t outside;        ///< key of a point in no voxel; above all others
  std::uint32_t* cells;         ///< `[count]`
  std::uint32_t* order;         ///< `[count]`
  std::uint32_t* sorted_cells;  ///< `[count]`
  std::uint32_t* sorted_order;  ///< `[count]`
  std::uint32_t* marks;         ///< `[count]`: 1 at the first point of a voxel
  std::uint32_t* before;        ///< `[count]`: marks before a point
};

static __global__ void __launch_bounds__(256) sort_keys(voxelize_sort_args const args) {
  std::uint32_t const point = blockIdx.x * 256 + threadIdx.x;
  if (point >= args.count) return;
  float const* const p = args.points + std::size_t{point} * 5;
  farpoint::vec<std::int32_t> at;
  bool const inside = farpoint::voxel_of(args.grid, farpoint::vec<float>{{p[0], p[1], p[2]}}, at);
  args.cells[point] = inside ? static_cast<std::uint32_t>(farpoint::cell_of(args.grid, at)) : args.outside;
  args.order[point] = point;
}

__device__ __forceinline__ bool sort_is_head(voxelize_sort_args const& args, std::uint32_t at) {
  std::uint32_t const cell = args.sorted_cells[at];
  return cell != args.outside && (at == 0 || args.sorted_cells[at - 1] != cell);
}

static __global__ void __launch_bounds__(256) sort_mark(voxelize_sort_args const args) {
  std::uint32_t const at = blockIdx.x * 256 + threadIdx.x;
  if (at < args.count) args.marks[args.sorted_order[at]] = sort_is_head(args, at) ? 1 : 0;
}

static __global__ void __launch_bounds__(256) sort_reduce(voxelize_sort_args const args) {
  std::uint32_t const at = blockIdx.x * 256 + threadIdx.x;
  if (at >= args.count) return;
  if (at == args.count - 1)
    *args.voxels = static_cast<std::int32_t>(min(args.before[at] + args.marks[at], args.max_voxels));
  if (!sort_is_head(args, at)) return;
  std::uint32_t const voxel = args.before[args.sorted_order[at]];
  if (voxel >= args.max_voxels) return;
  std::uint32_t const cell = args.sorted_cells[at];
  std::uint32_t kept = 0;
  float sum[5] = {};
  do {
    float const* const p = args.points + std::size_t{args.sorted_order[at + kept]} * 5;
    for (int f = 0; f < 5; ++f) sum[f] += p[f];
    ++kept;
  } while (kept < args.max_points && at + kept < args.count && args.sorted_cells[at + kept] == cell);
  farpoint::vec<std::int32_t> const where = farpoint::voxel_at(args.grid, cell);
  for (int axis = 0; axis < 3; ++axis) args.coords[std::size_t{voxel} * 3 + static_cast<unsigned>(axis)] = where[axis];
  args.counts[voxel] = static_cast<std::int32_t>(kept);
  for (int f = 0; f < 5; ++f) {
    args.means[std::size_t{voxel} * 5 + static_cast<unsigned>(f)] = farpoint::div_rn(sum[f], static_cast<float>(kept));
  }
}

/// Its memory for a row.
class sort_voxelizer {
 public:
  explicit sort_voxelizer(voxelize_row const& row)
      : cells_{static_cast<std::size_t>(row.view_points())},
        order_{cells_.size()},
        sorted_cells_{cells_.size()},
        sorted_order_{cells_.size()},
        marks_{cells_.size()},
        before_{cells_.size()},
        scratch_{scratch_bytes(static_cast<std::uint32_t>(row.points))} {}

  /// Enqueues it; a row has at least one point.
  void launch(cudaStream_t stream, voxelize_args const& common, std::int32_t* voxels) const {
    voxelize_sort_args const args{common,
                                  voxels,
                                  static_cast<std::uint32_t>(common.grid.cells()),
                                  cells_.data(),
                                  order_.data(),
                                  sorted_cells_.data(),
                                  sorted_order_.data(),
                                  marks_.data(),
                                  before_.data()};
    unsigned const blocks = (args.count + 255) / 256;
    sort_keys<<<blocks, 256, 0, stream>>>(args);
    check(cudaGetLastError(), "sort_keys");
    std::size_t bytes = scratch_.size();
    check(CUB_NS_QUALIFIER::DeviceRadixSort::SortPairs(scratch_.data(), bytes, args.cells, args.sorted_cells,
                                                       args.order, args.sorted_order, static_cast<int>(args.count), 0,
                                                       bits(args.outside), stream),
          "DeviceRadixSort");
    sort_mark<<<blocks, 256, 0, stream>>>(args);
    check(cudaGetLastError(), "sort_mark");
    check(CUB_NS_QUALIFIER::DeviceScan::ExclusiveSum(scratch_.data(), bytes, args.marks, args.before,
                                                     static_cast<int>(args.count), stream),
          "DeviceScan");
    sort_reduce<<<blocks, 256, 0, stream>>>(args);
    check(cudaGetLastError(), "sort_reduce");
  }

 private:
  static int bits(std::uint32_t largest) {
    int count = 1;
    while (count < 32 && largest >> count != 0) ++count;
    return count;
  }

  static std::size_t scratch_bytes(std::uint32_t count) {
    std::uint32_t* const none = nullptr;
    std::size_t sort = 0;
    std::size_t scan = 0;
    check(CUB_NS_QUALIFIER::DeviceRadixSort::SortPairs(nullptr, sort, none, none, none, none, static_cast<int>(count)),
          "DeviceRadixSort");
    check(CUB_NS_QUALIFIER::DeviceScan::ExclusiveSum(nullptr, scan, none, none, static_cast<int>(count)), "DeviceScan");
    return std::max(sort, scan);
  }

  device_buffer<std::uint32_t> cells_;
  device_buffer<std::uint32_t> order_;
  device_buffer<std::uint32_t> sorted_cells_;
  device_buffer<std::uint32_t> sorted_order_;
  device_buffer<std::uint32_t> marks_;
  device_buffer<std::uint32_t> before_;
  device_buffer<unsigned char> scratch_;
};

}  // namespace farpoint_bench
