/// @file
/// The functions that use neighbors, on the GPU; each row's output equals host_exec's.

#include "knn/neighborhood.cuh"

#include "knn/expected.hpp"
#include "support/cuda_handles.hpp"
#include "support/register_row.hpp"
#include "support/timing.cuh"

#include <farpoint/estimate_normals.cuh>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::cuda_exec;
using farpoint::host_exec;

/// Points in both memories, and outputs with a number of 32-bit words per point.
struct neighborhood_memory {
  knn_row row;
  std::vector<float> xyz;
  device_buffer<float> device_xyz;
  std::vector<std::int32_t> host_words;
  device_buffer<std::int32_t> device_words;
  owned_stream stream;

  neighborhood_memory(knn_row const& r, std::size_t words_of_point)
      : row{r},
        xyz{r.make({})},
        device_xyz{xyz},
        host_words(words_of_point * (static_cast<std::size_t>(r.points) + 1), -1),
        device_words{host_words} {}

  knn_clouds host_clouds() const { return cloud_of(xyz.data(), row.points); }
  knn_clouds device_clouds() const { return cloud_of(device_xyz.data(), row.points); }
};

/// `[size]` values from word `begin` on.
template <class Value>
farpoint::span<Value> part_of(std::int32_t* words, farpoint::index_t begin, farpoint::index_t size) {
  return {reinterpret_cast<Value*>(words + begin), static_cast<std::size_t>(size)};
}

/// Enough for every function on the host.
std::size_t host_bytes(knn_clouds const& clouds, farpoint::index_t k) {
  return std::max(knn_workspace_bytes(host_exec{}, clouds, farpoint::knn_params{k}),
                  radius_workspace_bytes(host_exec{}, clouds, clouds));
}

/// Measures a call that both backends have: `device_bytes(exec, clouds)` is the size of its workspace on the device,
/// and `run(exec, clouds, words, workspace)` calls it.
template <class Bytes, class Run>
void measure(benchmark::State& state, knn_row const& row, std::size_t words_of_point, bool flush_l2,
             Bytes const& device_bytes, Run const& run) {
  neighborhood_memory memory{row, words_of_point};
  farpoint::detail::host_workspace const workspace{host_bytes(memory.host_clouds(), row.k)};
  check(run(host_exec{}, memory.host_clouds(), memory.host_words.data(), workspace.get()), "the call on the host");

  cuda_exec const exec{memory.stream.get()};
  device_buffer<unsigned char> const device_workspace{device_bytes(exec, memory.device_clouds())};
  auto const enqueue = [&](cudaStream_t stream) {
    check(run(cuda_exec{stream}, memory.device_clouds(), memory.device_words.data(),
              farpoint::bytes{device_workspace.data(), device_workspace.size()}),
          "the call on the device");
  };
  enqueue(memory.stream.get());
  if (memory.device_words.download() != memory.host_words) throw std::runtime_error{"MISMATCH with host_exec"};
  state.SetLabel("equals host_exec");
  row.count(state);
  state.counters["workspace_bytes"] = static_cast<double>(device_workspace.size());
  double const bytes = static_cast<double>(row.points) * (12 + 4 * static_cast<double>(words_of_point));
  time_graph_replays(state, memory.stream.get(), {static_cast<double>(row.points), 0, bytes}, flush_l2, enqueue);
}

/// Registers body(state, row).
template <class Body>
void register_function(knn_row const& row, char const* function, Body body) {
  register_row("made/" + row.name() + "/" + function, row.calls,
               [row, body](benchmark::State& state) { body(state, row); });
}

void register_means(knn_row const& row, bool flush_l2) {
  register_function(row, "mean_knn_distance", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1, flush_l2,
        [&](cuda_exec exec, knn_clouds const& clouds) {
          return mean_knn_distance_workspace_bytes(exec, clouds, {r.k});
        },
        [&](auto exec, knn_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          return mean_knn_distance(exec, clouds, {r.k}, {part_of<float>(words, 0, r.points)}, workspace);
        });
  });
}

void register_normals(knn_row const& row, bool flush_l2) {
  register_function(row, "estimate_normals", [flush_l2](benchmark::State& state, knn_row const& r) {
    farpoint::normals_params params;
    params.k = r.k;
    measure(
        state, r, 4, flush_l2,
        [&](cuda_exec exec, knn_clouds const& clouds) {
          return estimate_normals_workspace_bytes(exec, clouds, params);
        },
        [&](auto exec, knn_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::normals_output<float> const output{part_of<float>(words, 0, 3 * r.points),
                                                       part_of<float>(words, 3 * r.points, r.points)};
          return estimate_normals(exec, clouds, params, output, workspace);
        });
  });
}

/// Coordinates, interpolated where the points are: their neighbors, and no work to speak of on the features.
void register_interpolation(knn_row const& row, bool flush_l2) {
  register_function(row, "interpolate", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 3, flush_l2,
        [&](cuda_exec exec, knn_clouds const& clouds) { return interpolate_workspace_bytes(exec, clouds, clouds); },
        [&](auto exec, knn_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::span<float const> const features{reinterpret_cast<float const*>(clouds.points().base()),
                                                     static_cast<std::size_t>(3 * r.points)};
          return interpolate(exec, clouds, features, clouds, 3, {part_of<float>(words, 0, 3 * r.points)}, workspace);
        });
  });
}

void register_radius(knn_row const& row, char const* function, farpoint::radius_order order, bool flush_l2) {
  register_function(row, function, [order, flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1 + static_cast<std::size_t>(r.k), flush_l2,
        [](cuda_exec exec, knn_clouds const& clouds) { return radius_workspace_bytes(exec, clouds); },
        [&](auto exec, knn_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::radius_output<float> output;
          output.indices = part_of<std::int32_t>(words, 0, r.points * r.k);
          output.counts = part_of<std::int32_t>(words, r.points * r.k, r.points);
          return radius(exec, clouds, ball_of(r, order), output, workspace);
        });
  });
}

void register_radius_rows(knn_row const& row, bool flush_l2) {
  register_function(row, "radius_rows", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1 + 2 * static_cast<std::size_t>(r.k), flush_l2,
        [](cuda_exec exec, knn_clouds const& clouds) { return radius_workspace_bytes(exec, clouds); },
        [&](auto exec, knn_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::radius_rows_output<float> output;
          output.indices = part_of<std::int32_t>(words, 0, 2 * r.points * r.k);
          output.offsets = part_of<std::int32_t>(words, 2 * r.points * r.k, r.points + 1);
          return radius_rows(exec, clouds, ball_of(r, farpoint::radius_order::nearest), output, workspace);
        });
  });
}

}  // namespace

void register_neighborhood(bool flush_l2) {
  knn_row row{1'000'000, 3, knn_cloud::cube, 30};
  for (knn_cloud const kind : {knn_cloud::cube, knn_cloud::sphere, knn_cloud::lidar}) {
    row.kind = kind;
    row.k = 3;
    register_means(row, flush_l2);
    register_mean_peers(row, flush_l2);
    register_interpolation(row, flush_l2);
    row.k = 16;
    register_normals(row, flush_l2);
  }
  row.kind = knn_cloud::cube;
  for (farpoint::index_t const k : {8, 32, 64}) {
    row.k = k;
    register_radius(row, "ball_query", farpoint::radius_order::index, flush_l2);
    register_ball_peers(row, flush_l2);
    register_radius(row, "radius_nearest", farpoint::radius_order::nearest, flush_l2);
    register_radius_peers(row, flush_l2);
    register_radius_rows(row, flush_l2);
  }
  register_means(row, flush_l2);
  register_normals(row, flush_l2);
}

}  // namespace farpoint_bench
