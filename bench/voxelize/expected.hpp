/// @file
/// Answers of voxelize(), and the proof that two of them are the same: no row is timed before its answer is checked.
#pragma once

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
  params.features = farpoint::feature_view::packed(reinterpret_cast<float const*>(points), row.view_points(), 5);
  return params;
}

/// What the detectors take: of each voxel its place, its number of points, and the means of the features.
struct voxelize_answer {
  std::vector<std::int32_t> coords;  ///< `[voxels, 3]`
  std::vector<std::int32_t> counts;  ///< `[voxels]`
  std::vector<float> means;          ///< `[voxels, 5]`
  std::int32_t voxels = 0;
  voxelize_report report;

  voxelize_answer() = default;
  explicit voxelize_answer(voxelize_row const& row)
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

inline void check_host(farpoint::result outcome) {
  if (!outcome) throw std::runtime_error{std::string{farpoint::to_string(outcome.code)} + ": " + outcome.reason};
}

/// The definition's answer. `points` must be as many as the row's, and no more: the room of a ragged row changes no
/// answer.
inline voxelize_answer reference_answer(voxelize_row row, std::vector<lidar_point> const& points,
                                        farpoint::voxel_order order) {
  row.room = 0;
  voxelize_answer answer{row};
  check_host(farpoint::reference::voxelize(view_of(row, points.data()), params_of(row, points.data(), order),
                                           answer.output()));
  return answer;
}

inline bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Throws, naming the first difference, unless all voxels are the same, to the bit and in the same order.
inline void expect_equal(voxelize_answer const& got, voxelize_answer const& wanted, char const* what) {
  auto const fail = [what](std::string const& where, auto is, auto should) {
    throw std::runtime_error{std::string{"MISMATCH, "} + what + ": " + where + ": got " + std::to_string(is) +
                             ", wanted " + std::to_string(should)};
  };
  if (got.voxels != wanted.voxels) fail("number of voxels", got.voxels, wanted.voxels);
  auto const voxels = static_cast<std::size_t>(wanted.voxels);
  for (std::size_t v = 0; v < voxels; ++v) {
    std::string const row = "voxel " + std::to_string(v);
    for (std::size_t i = 3 * v; i < 3 * v + 3; ++i) {
      if (got.coords[i] != wanted.coords[i]) fail(row + ", coords", got.coords[i], wanted.coords[i]);
    }
    if (got.counts[v] != wanted.counts[v]) fail(row + ", points", got.counts[v], wanted.counts[v]);
    for (std::size_t i = 5 * v; i < 5 * v + 5; ++i) {
      if (!same_bits(got.means[i], wanted.means[i])) fail(row + ", mean", got.means[i], wanted.means[i]);
    }
  }
}

/// The same for the counters.
inline void expect_equal(voxelize_report const& got, voxelize_report const& wanted, char const* what) {
  auto const same = [what](char const* counter, unsigned long long is, unsigned long long should) {
    if (is == should) return;
    throw std::runtime_error{std::string{"MISMATCH, "} + what + ": report, " + counter + ": got " + std::to_string(is) +
                             ", wanted " + std::to_string(should)};
  };
  same("voxels", got.voxels, wanted.voxels);
  same("non_finite", got.non_finite, wanted.non_finite);
  same("outside", got.outside, wanted.outside);
  same("dropped_voxels", got.dropped_voxels, wanted.dropped_voxels);
  same("dropped_points", got.dropped_points, wanted.dropped_points);
  same("surplus_points", got.surplus_points, wanted.surplus_points);
  same("over_capacity", got.over_capacity, wanted.over_capacity);
  same("bad_offsets", got.bad_offsets, wanted.bad_offsets);
}

}  // namespace farpoint_bench
