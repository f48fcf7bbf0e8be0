/// @file
/// Hard voxelization on one thread with one open-addressing hash table: the baseline on the host, and the oracle where
/// the reference's trees would take tens of seconds.
#pragma once

#include "voxelize/expected.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {

/// Keeps its memory from call to call. Cell numbers must fit in 32 bits, as in all grids of the bench.
class serial_voxelizer {
 public:
  serial_voxelizer(voxelize_row const& row, farpoint::voxel_order order)
      : grid_{row.grid()},
        by_occurrence_{order == farpoint::voxel_order::first_occurrence},
        max_voxels_{static_cast<std::size_t>(row.max_voxels)},
        max_points_{static_cast<std::uint32_t>(row.max_points)},
        slots_(table_size(row.points)) {
    if (grid_.cells() == 0 || grid_.cells() >= none) throw std::logic_error{"the grid needs 64-bit numbers"};
    // In the grid's order no voxel is known to be dropped before the last point has been seen.
    auto const points = static_cast<std::size_t>(row.points);
    std::size_t const rows = by_occurrence_ ? std::min(max_voxels_, points) : points;
    cells_.resize(rows);
    counts_.resize(rows);
    sums_.resize(5 * rows);
  }

  /// Fills the first rows of `out`, which has room for the row's max_voxels.
  void run(std::vector<lidar_point> const& points, voxel_rows& out) {
    std::fill(slots_.begin(), slots_.end(), slot{});
    rows_ = 0;
    out.report = {};
    for (lidar_point const& point : points) add(point, out.report);
    if (by_occurrence_) {
      for (std::size_t row = 0; row < rows_; ++row) write(row, row, out);
    } else {
      order_.resize(rows_);
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) { return cells_[a] < cells_[b]; });
      for (std::size_t v = 0; v < rows_; ++v) write(order_[v], v, out);
    }
    out.voxels = static_cast<std::int32_t>(std::min(rows_, max_voxels_));
    out.report.voxels = static_cast<unsigned long long>(out.voxels);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct slot {
    std::uint32_t cell = none;
    std::uint32_t row = none;  ///< none: the voxel is dropped
  };

  /// Power of two, at most half full.
  static std::size_t table_size(farpoint::index_t points) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(points)) size *= 2;
    return size;
  }

  /// The slot of a cell, or the empty one where it belongs.
  slot& find(std::uint32_t cell) {
    std::uint64_t const hash = cell * std::uint64_t{0x9e3779b97f4a7c15};
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash >> 32) & mask;
    while (slots_[at].cell != cell && slots_[at].cell != none) at = (at + 1) & mask;
    return slots_[at];
  }

  void add(lidar_point const& point, voxelize_report& report) {
    farpoint::vec<float> const position{{point[0], point[1], point[2]}};
    farpoint::vec<std::int32_t> at{};
    if (!farpoint::voxel_of(grid_, position, at)) {
      ++(farpoint::is_finite(position) ? report.outside : report.non_finite);
      return;
    }
    auto const cell = static_cast<std::uint32_t>(farpoint::cell_of(grid_, at));
    slot& place = find(cell);
    if (place.cell == none) open(place, cell, report);
    if (place.row == none) {
      ++report.dropped_points;
      return;
    }
    if (counts_[place.row]++ >= max_points_) return;
    for (std::size_t f = 0; f < 5; ++f) sums_[5 * std::size_t{place.row} + f] += point[f];
  }

  void open(slot& place, std::uint32_t cell, voxelize_report& report) {
    place.cell = cell;
    if (rows_ == cells_.size()) {
      ++report.dropped_voxels;
      return;
    }
    place.row = static_cast<std::uint32_t>(rows_);
    cells_[rows_] = cell;
    counts_[rows_] = 0;
    std::fill_n(&sums_[5 * rows_], 5, 0.0f);
    ++rows_;
  }

  /// Voxel `row` of the table becomes row `v` of the output, if there is one.
  void write(std::size_t row, std::size_t v, voxel_rows& out) const {
    if (v >= max_voxels_) {
      ++out.report.dropped_voxels;
      out.report.dropped_points += counts_[row];
      return;
    }
    std::uint32_t const kept = std::min(counts_[row], max_points_);
    farpoint::vec<std::int32_t> const at = farpoint::voxel_at(grid_, cells_[row]);
    for (int axis = 0; axis < 3; ++axis) out.coords[3 * v + static_cast<std::size_t>(axis)] = at[axis];
    out.counts[v] = static_cast<std::int32_t>(kept);
    out.report.surplus_points += counts_[row] - kept;
    for (std::size_t f = 0; f < 5; ++f) {
      float const mean = sums_[5 * row + f] / static_cast<float>(kept);
      out.means[5 * v + f] = mean == mean ? mean : std::numeric_limits<float>::quiet_NaN();
    }
  }

  farpoint::voxel_grid<float> grid_;
  bool by_occurrence_;
  std::size_t max_voxels_;
  std::uint32_t max_points_;
  std::vector<slot> slots_;
  std::size_t rows_ = 0;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> counts_;  ///< all points of a voxel
  std::vector<float> sums_;            ///< sums over the kept points
  std::vector<std::size_t> order_;
};

inline voxel_rows serial_voxels(voxelize_row const& row, std::vector<lidar_point> const& points,
                                farpoint::voxel_order order) {
  voxel_rows voxels{row};
  serial_voxelizer{row, order}.run(points, voxels);
  return voxels;
}

}  // namespace farpoint_bench
