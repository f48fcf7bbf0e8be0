/// @file
/// Expected result of voxelize() for a row, and the check of a contender's result, which comes before any timing.
#pragma once

#include "support/check.hpp"
#include "voxelize/row.hpp"

#include <farpoint/reference/voxelize.hpp>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {

using voxelize_clouds = farpoint::batch<farpoint::point_view<float>>;
using farpoint::voxelize_report;

/// Points of a row, in host or device memory. `offsets`: {0, points} in the same memory, for a ragged row.
inline voxelize_clouds view_of(voxelize_row const& row, lidar_point const* points,
                               farpoint::span<farpoint::index_t const> offsets = {}) {
  farpoint::point_view<float> const view{points, row.view_points(), farpoint::index_t{sizeof(lidar_point)}};
  return row.ragged() ? voxelize_clouds::ragged(view, offsets) : voxelize_clouds{view};
}

/// `points` in the memory of the execution.
inline farpoint::voxelize_params<float> params_of(voxelize_row const& row, lidar_point const* points,
                                                  farpoint::voxel_order order) {
  farpoint::voxelize_params<float> params;
  params.grid = row.grid();
  params.mode = farpoint::hard{row.max_voxels, row.max_points};
  params.order = order;
  params.hash_seed = 1;  // a random seed of each process moves rows by several percent
  params.features = farpoint::feature_view::packed(reinterpret_cast<float const*>(points), row.view_points(), 5);
  return params;
}

/// Input of a detector in host memory: coordinates, number of points, and means of the features of each voxel.
struct voxel_rows {
  std::vector<std::int32_t> coords;  ///< `[voxels, 3]`
  std::vector<std::int32_t> counts;  ///< `[voxels]`
  std::vector<float> means;          ///< `[voxels, 5]`
  std::int32_t voxels = 0;
  voxelize_report report;

  voxel_rows() = default;
  explicit voxel_rows(voxelize_row const& row)
      : coords(static_cast<std::size_t>(3 * row.max_voxels)),
        counts(static_cast<std::size_t>(row.max_voxels)),
        means(static_cast<std::size_t>(5 * row.max_voxels)) {}

  farpoint::voxelize_output<float> output() {
    farpoint::voxelize_output<float> output;
    output.capacity = static_cast<farpoint::index_t>(counts.size());
    output.coords = {coords.data(), coords.size()};
    output.points_per_voxel = counts;
    output.mean = means;
    output.voxel_count = farpoint::span<std::int32_t>{&voxels, 1};
    output.report = &report;
    return output;
  }
};

/// The reference's voxels. `points` are the row's: the room of a ragged row changes no output.
inline voxel_rows expected_voxels(voxelize_row row, std::vector<lidar_point> const& points,
                                  farpoint::voxel_order order) {
  row.room = 0;
  voxel_rows expected{row};
  check(farpoint::reference::voxelize(view_of(row, points.data()), params_of(row, points.data(), order),
                                      expected.output()),
        "farpoint::reference::voxelize");
  return expected;
}

inline bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Throws, naming the first difference, unless all voxels are the same, to the bit and in the same order.
inline void expect_equal(voxel_rows const& got, voxel_rows const& expected, char const* what) {
  auto const fail = [what](std::string const& where, auto is, auto should) {
    throw std::runtime_error{std::string{"MISMATCH, "} + what + ": " + where + ": got " + std::to_string(is) +
                             ", expected " + std::to_string(should)};
  };
  if (got.voxels != expected.voxels) fail("number of voxels", got.voxels, expected.voxels);
  auto const voxels = static_cast<std::size_t>(expected.voxels);
  for (std::size_t v = 0; v < voxels; ++v) {
    std::string const row = "voxel " + std::to_string(v);
    for (std::size_t i = 3 * v; i < 3 * v + 3; ++i) {
      if (got.coords[i] != expected.coords[i]) fail(row + ", coords", got.coords[i], expected.coords[i]);
    }
    if (got.counts[v] != expected.counts[v]) fail(row + ", points", got.counts[v], expected.counts[v]);
    for (std::size_t i = 5 * v; i < 5 * v + 5; ++i) {
      if (!same_bits(got.means[i], expected.means[i])) fail(row + ", mean", got.means[i], expected.means[i]);
    }
  }
}

/// Compares the counters; throws if one differs.
inline void expect_equal(voxelize_report const& got, voxelize_report const& expected, char const* what) {
  auto const same = [what](char const* counter, unsigned long long is, unsigned long long should) {
    if (is == should) return;
    throw std::runtime_error{std::string{"MISMATCH, "} + what + ": report, " + counter + ": got " + std::to_string(is) +
                             ", expected " + std::to_string(should)};
  };
  same("voxels", got.voxels, expected.voxels);
  same("non_finite", got.non_finite, expected.non_finite);
  same("outside", got.outside, expected.outside);
  same("dropped_voxels", got.dropped_voxels, expected.dropped_voxels);
  same("dropped_points", got.dropped_points, expected.dropped_points);
  same("surplus_points", got.surplus_points, expected.surplus_points);
  same("over_capacity", got.over_capacity, expected.over_capacity);
  same("bad_offsets", got.bad_offsets, expected.bad_offsets);
}

}  // namespace farpoint_bench
