// The parts of voxelize_output, as numbers and bits.
#pragma once

#include <cstddef>

namespace farpoint_tests {

/// The parts of voxelize_output, each an array of its own.
struct part {
  enum name : std::size_t {
    coords,
    points_per_voxel,
    gathered,
    mean,
    max,
    first,
    centroid,
    list_offsets,
    list_points,
    point_voxel,
    voxel_count,
    voxel_offsets,
    report
  };
  static constexpr std::size_t count = 13;
  static constexpr char const* names[count] = {
      "coords",       "points_per_voxel", "gathered",    "mean",        "max",           "first", "centroid",
      "list_offsets", "list_points",      "point_voxel", "voxel_count", "voxel_offsets", "report"};
};

constexpr unsigned bit(part::name which) {
  return 1u << which;
}
inline constexpr unsigned all_parts = (1u << part::count) - 1;

}  // namespace farpoint_tests
