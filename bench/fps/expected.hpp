/// @file
/// Expected result of fps() for a row, and the check of a contender's result, which comes before any timing.
#pragma once

#include "fps/row.hpp"
#include "support/check.hpp"

#include <farpoint/fps.hpp>
#include <farpoint/reference/fps.hpp>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

using fps_clouds = farpoint::batch<farpoint::point_view<float>>;

/// Packed clouds of a row, in host or device memory. `offsets`: row.offsets() in the same memory, for a ragged row.
inline fps_clouds view_of(fps_row const& row, float const* xyz, farpoint::span<farpoint::index_t const> offsets = {}) {
  farpoint::point_view<float> const points{xyz, row.all_points()};
  return row.ragged() ? fps_clouds::ragged(points, offsets) : fps_clouds::regular(points, row.clouds);
}

inline farpoint::fps_params params_of(fps_row const& row) {
  farpoint::fps_params params;
  params.samples = row.samples;
  return params;
}

/// Result of fps() in host memory: `[all clouds, samples]` each.
struct fps_samples {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;

  explicit fps_samples(fps_row const& row)
      : indices(static_cast<std::size_t>(row.all_clouds() * row.samples)), distances(indices.size()) {}
  fps_samples(std::vector<std::int32_t> i, std::vector<float> d) : indices(std::move(i)), distances(std::move(d)) {}

  farpoint::fps_output<float> output() { return {indices, distances, {}, nullptr}; }
};

/// Source of the expected samples.
enum class oracle {
  serial_loop,  ///< the definition: farpoint::reference::fps
  host_threads  ///< farpoint::fps on all cores, where the serial loop would take seconds
};

/// The serial loop does 0.1 to 0.5 G pairs per second: at most three seconds for a row.
inline oracle oracle_for(fps_row const& row) {
  return row.work().pairs <= 3e8 ? oracle::serial_loop : oracle::host_threads;
}

inline char const* to_string(oracle who) {
  return who == oracle::serial_loop ? "equals the serial loop" : "equals host_exec";
}

inline fps_samples expected_samples(oracle who, fps_row const& row, std::vector<float> const& xyz) {
  fps_samples expected{row};
  std::vector<farpoint::index_t> const offsets = row.offsets();
  fps_clouds const clouds = view_of(row, xyz.data(), {offsets.data(), offsets.size()});
  farpoint::fps_params const params = params_of(row);
  if (who == oracle::serial_loop) {
    check(farpoint::reference::fps(clouds, params, expected.output()), "farpoint::reference::fps");
  } else {
    farpoint::host_exec const exec;
    farpoint::detail::host_workspace workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    check(farpoint::fps(exec, clouds, params, expected.output(), workspace.get()), "farpoint::fps");
  }
  return expected;
}

/// Throws, naming the first difference, unless indices and bits of distances are equal.
inline void expect_equal(fps_samples const& got, fps_samples const& expected, fps_row const& row, char const* what) {
  for (std::size_t i = 0; i < expected.indices.size(); ++i) {
    bool const same = got.indices[i] == expected.indices[i] &&
                      std::memcmp(&got.distances[i], &expected.distances[i], sizeof(float)) == 0;
    if (same) continue;
    auto const samples = static_cast<std::size_t>(row.samples);
    throw std::runtime_error{std::string{"MISMATCH, "} + what + ": cloud " + std::to_string(i / samples) + ", sample " +
                             std::to_string(i % samples) + ": got index " + std::to_string(got.indices[i]) + " at " +
                             std::to_string(got.distances[i]) + ", expected " + std::to_string(expected.indices[i]) +
                             " at " + std::to_string(expected.distances[i])};
  }
}

}  // namespace farpoint_bench
