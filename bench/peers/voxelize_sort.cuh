/// @file
/// The other baseline: hard voxelization by CUB's device-wide sort, deterministic, in order of first occurrence. Needs
/// nvcc.
///
/// The points' indices are sorted by cell, stably, so that a run of equal cells is a voxel's points in input order, and
/// its head the voxel's first point. Heads are marked where the points lie; a scan of the marks numbers the voxels by
/// first occurrence. A thread for each head walks its run as far as points are kept.
#pragma once

#include "support/cuda_handles.hpp"
#include "voxelize/row.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace farpoint_bench {

struct sort_arguments {
  float const* points;  ///< `[count, 5]`
  std::uint32_t count;
  farpoint::voxel_grid<float> grid;
  std::uint32_t outside;  ///< key of a point in no voxel; above all others
  std::uint32_t max_voxels;
  std::uint32_t max_points;

  std::uint32_t* cells;         ///< `[count]`
  std::uint32_t* order;         ///< `[count]`
  std::uint32_t* sorted_cells;  ///< `[count]`
  std::uint32_t* sorted_order;  ///< `[count]`
  std::uint32_t* marks;         ///< `[count]`: 1 at the first point of a voxel
  std::uint32_t* before;        ///< `[count]`: marks before a point

  std::int32_t* coords;  ///< `[max_voxels, 3]`
  std::int32_t* counts;  ///< `[max_voxels]`
  float* means;          ///< `[max_voxels, 5]`
  std::int32_t* voxels;  ///< `[1]`
};

static __global__ void __launch_bounds__(256) sort_keys(sort_arguments const a) {
  std::uint32_t const point = blockIdx.x * 256 + threadIdx.x;
  if (point >= a.count) return;
  float const* const p = a.points + std::size_t{point} * 5;
  farpoint::vec<std::int32_t> at;
  bool const inside = farpoint::voxel_of(a.grid, farpoint::vec<float>{{p[0], p[1], p[2]}}, at);
  a.cells[point] = inside ? static_cast<std::uint32_t>(farpoint::cell_of(a.grid, at)) : a.outside;
  a.order[point] = point;
}

__device__ __forceinline__ bool sort_is_head(sort_arguments const& a, std::uint32_t at) {
  std::uint32_t const cell = a.sorted_cells[at];
  return cell != a.outside && (at == 0 || a.sorted_cells[at - 1] != cell);
}

static __global__ void __launch_bounds__(256) sort_mark(sort_arguments const a) {
  std::uint32_t const at = blockIdx.x * 256 + threadIdx.x;
  if (at < a.count) a.marks[a.sorted_order[at]] = sort_is_head(a, at) ? 1 : 0;
}

static __global__ void __launch_bounds__(256) sort_reduce(sort_arguments const a) {
  std::uint32_t const at = blockIdx.x * 256 + threadIdx.x;
  if (at >= a.count) return;
  if (at == a.count - 1) *a.voxels = static_cast<std::int32_t>(min(a.before[at] + a.marks[at], a.max_voxels));
  if (!sort_is_head(a, at)) return;
  std::uint32_t const voxel = a.before[a.sorted_order[at]];
  if (voxel >= a.max_voxels) return;
  std::uint32_t const cell = a.sorted_cells[at];
  std::uint32_t kept = 0;
  float sum[5] = {};
  do {
    float const* const p = a.points + std::size_t{a.sorted_order[at + kept]} * 5;
    for (int f = 0; f < 5; ++f) sum[f] += p[f];
    ++kept;
  } while (kept < a.max_points && at + kept < a.count && a.sorted_cells[at + kept] == cell);
  farpoint::vec<std::int32_t> const where = farpoint::voxel_at(a.grid, cell);
  for (int axis = 0; axis < 3; ++axis) a.coords[std::size_t{voxel} * 3 + static_cast<unsigned>(axis)] = where[axis];
  a.counts[voxel] = static_cast<std::int32_t>(kept);
  for (int f = 0; f < 5; ++f) {
    a.means[std::size_t{voxel} * 5 + static_cast<unsigned>(f)] = farpoint::div_rn(sum[f], static_cast<float>(kept));
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
  void launch(cudaStream_t stream, voxelize_row const& row, lidar_point const* points, std::int32_t* coords,
              std::int32_t* counts, float* means, std::int32_t* voxels) const {
    sort_arguments a{};
    a.points = reinterpret_cast<float const*>(points);
    a.count = static_cast<std::uint32_t>(row.points);
    a.grid = row.grid();
    a.outside = static_cast<std::uint32_t>(a.grid.cells());
    a.max_voxels = static_cast<std::uint32_t>(row.max_voxels);
    a.max_points = static_cast<std::uint32_t>(row.max_points);
    a.cells = cells_.data();
    a.order = order_.data();
    a.sorted_cells = sorted_cells_.data();
    a.sorted_order = sorted_order_.data();
    a.marks = marks_.data();
    a.before = before_.data();
    a.coords = coords;
    a.counts = counts;
    a.means = means;
    a.voxels = voxels;

    unsigned const blocks = (a.count + 255) / 256;
    sort_keys<<<blocks, 256, 0, stream>>>(a);
    check(cudaGetLastError(), "sort_keys");
    std::size_t bytes = scratch_.size();
    check(CUB_NS_QUALIFIER::DeviceRadixSort::SortPairs(scratch_.data(), bytes, a.cells, a.sorted_cells, a.order,
                                                       a.sorted_order, static_cast<int>(a.count), 0, bits(a.outside),
                                                       stream),
          "DeviceRadixSort");
    sort_mark<<<blocks, 256, 0, stream>>>(a);
    check(cudaGetLastError(), "sort_mark");
    check(CUB_NS_QUALIFIER::DeviceScan::ExclusiveSum(scratch_.data(), bytes, a.marks, a.before,
                                                     static_cast<int>(a.count), stream),
          "DeviceScan");
    sort_reduce<<<blocks, 256, 0, stream>>>(a);
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
