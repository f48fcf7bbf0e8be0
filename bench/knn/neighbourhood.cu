/// @file
/// What is made of neighbours, on the GPU: every row's answer equals that of host_exec.

#include "knn/neighbourhood.cuh"

#include "knn/row.hpp"
#include "support/cuda_handles.hpp"
#include "support/failures.hpp"
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

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

using made_clouds = farpoint::batch<farpoint::point_view<float>>;
using farpoint::cuda_exec;
using farpoint::host_exec;

/// Points in both memories, and room for answers of so many words of 32 bits.
struct made_memory {
  knn_row row;
  std::vector<float> xyz;
  device_buffer<float> device_xyz;
  std::vector<std::int32_t> host_words;
  device_buffer<std::int32_t> device_words;
  owned_stream stream;

  made_memory(knn_row const& r, std::size_t words_of_point)
      : row{r},
        xyz{r.make({})},
        device_xyz{xyz},
        host_words(words_of_point * (static_cast<std::size_t>(r.points) + 1), -1),
        device_words{host_words} {}

  made_clouds host_clouds() const { return made_clouds{farpoint::point_view<float>{xyz.data(), row.points}}; }
  made_clouds device_clouds() const { return made_clouds{farpoint::point_view<float>{device_xyz.data(), row.points}}; }
};

/// `[size]` values from word `begin` on.
template <class Value>
farpoint::span<Value> part_of(std::int32_t* words, farpoint::index_t begin, farpoint::index_t size) {
  return {reinterpret_cast<Value*>(words + begin), static_cast<std::size_t>(size)};
}

/// A call in both backends: `bytes(exec, clouds)`, and `run(exec, clouds, words, workspace)`.
template <class Bytes, class Run>
void measure(benchmark::State& state, knn_row const& row, std::size_t words_of_point, bool flush_l2,
             Bytes const& bytes_of, Run const& run) {
  made_memory memory{row, words_of_point};
  farpoint::detail::host_workspace const workspace{bytes_of(host_exec{}, memory.host_clouds())};
  check(run(host_exec{}, memory.host_clouds(), memory.host_words.data(), workspace.get()), "the call on the host");

  cuda_exec const exec{memory.stream.get()};
  device_buffer<unsigned char> const device_workspace{bytes_of(exec, memory.device_clouds())};
  auto const enqueue = [&](cudaStream_t stream) {
    check(run(cuda_exec{stream}, memory.device_clouds(), memory.device_words.data(),
              farpoint::bytes{device_workspace.data(), device_workspace.size()}),
          "the call on the device");
  };
  enqueue(memory.stream.get());
  if (memory.device_words.download() != memory.host_words) throw std::runtime_error{"MISMATCH with host_exec"};
  state.SetLabel("equals host_exec");
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["k"] = static_cast<double>(row.k);
  state.counters["workspace_bytes"] = static_cast<double>(device_workspace.size());
  double const bytes = static_cast<double>(row.points) * (12 + 4 * static_cast<double>(words_of_point));
  time_graph_replays(state, memory.stream.get(), {static_cast<double>(row.points), 0, bytes}, flush_l2, enqueue);
}

template <class Body>
void register_row(knn_row const& row, char const* function, Body body) {
  std::string const name = "made/" + row.name() + "/" + function;
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { guarded(state, [&] { body(state, row); }); })
      ->UseManualTime()
      ->Iterations(row.calls)
      ->Unit(benchmark::kMillisecond);
}

void register_means(knn_row const& row, bool flush_l2) {
  register_row(row, "mean_knn_distance", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1, flush_l2,
        [&](auto exec, made_clouds const& clouds) {
          if constexpr (std::is_same_v<decltype(exec), host_exec>) {
            return knn_workspace_bytes(exec, clouds, farpoint::exact{}, r.k);
          } else {
            return mean_knn_distance_workspace_bytes(exec, clouds, r.k);
          }
        },
        [&](auto exec, made_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          return mean_knn_distance(exec, clouds, r.k, part_of<float>(words, 0, r.points), workspace);
        });
  });
}

void register_normals(knn_row const& row, bool flush_l2) {
  register_row(row, "estimate_normals", [flush_l2](benchmark::State& state, knn_row const& r) {
    farpoint::normals_params params;
    params.k = r.k;
    measure(
        state, r, 4, flush_l2,
        [&](auto exec, made_clouds const& clouds) {
          if constexpr (std::is_same_v<decltype(exec), host_exec>) {
            return knn_workspace_bytes(exec, clouds, farpoint::exact{}, r.k);
          } else {
            return estimate_normals_workspace_bytes(exec, clouds, params);
          }
        },
        [&](auto exec, made_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::normals_output<float> const output{part_of<float>(words, 0, 3 * r.points),
                                                       part_of<float>(words, 3 * r.points, r.points)};
          return estimate_normals(exec, clouds, params, output, workspace);
        });
  });
}

/// Coordinates, interpolated where the points are: their neighbours, and no work to speak of on the features.
void register_interpolation(knn_row const& row, bool flush_l2) {
  register_row(row, "interpolate", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 3, flush_l2,
        [](auto exec, made_clouds const& clouds) {
          if constexpr (std::is_same_v<decltype(exec), host_exec>) {
            return knn_workspace_bytes(exec, clouds, clouds, farpoint::exact{}, 3);
          } else {
            return interpolate_workspace_bytes(exec, clouds, clouds);
          }
        },
        [&](auto exec, made_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::span<float const> const features{reinterpret_cast<float const*>(clouds.points().base()),
                                                     static_cast<std::size_t>(3 * r.points)};
          return interpolate(exec, clouds, features, clouds, 3, {part_of<float>(words, 0, 3 * r.points)}, workspace);
        });
  });
}

/// In a cube, so that a ball holds some k points.
farpoint::radius_params ball_of(knn_row const& row, farpoint::radius_order order) {
  farpoint::radius_params params;
  params.radius = std::cbrt(static_cast<double>(row.k) / (4.18879 * static_cast<double>(row.points)));
  params.order = order;
  return params;
}

std::size_t radius_bytes(host_exec exec, made_clouds const& clouds) {
  return radius_workspace_bytes(exec, clouds, clouds);
}
std::size_t radius_bytes(cuda_exec exec, made_clouds const& clouds) {
  return radius_workspace_bytes(exec, clouds);
}

void register_radius(knn_row const& row, char const* function, farpoint::radius_order order, bool flush_l2) {
  register_row(row, function, [order, flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1 + static_cast<std::size_t>(r.k), flush_l2,
        [](auto exec, made_clouds const& clouds) { return radius_bytes(exec, clouds); },
        [&](auto exec, made_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::radius_output<float> output;
          output.indices = part_of<std::int32_t>(words, 0, r.points * r.k);
          output.counts = part_of<std::int32_t>(words, r.points * r.k, r.points);
          return radius(exec, clouds, ball_of(r, order), r.k, output, workspace);
        });
  });
}

void register_radius_rows(knn_row const& row, bool flush_l2) {
  register_row(row, "radius_rows", [flush_l2](benchmark::State& state, knn_row const& r) {
    measure(
        state, r, 1 + 2 * static_cast<std::size_t>(r.k), flush_l2,
        [](auto exec, made_clouds const& clouds) { return radius_bytes(exec, clouds); },
        [&](auto exec, made_clouds const& clouds, std::int32_t* words, farpoint::bytes workspace) {
          farpoint::radius_rows_output<float> output;
          output.indices = part_of<std::int32_t>(words, 0, 2 * r.points * r.k);
          output.offsets = part_of<std::int32_t>(words, 2 * r.points * r.k, r.points + 1);
          return radius_rows(exec, clouds, ball_of(r, farpoint::radius_order::nearest), output, workspace);
        });
  });
}

}  // namespace

void register_made(bool flush_l2) {
  knn_row row{1'000'000, 3, knn_cloud::cube, 30};
  for (knn_cloud const kind : {knn_cloud::cube, knn_cloud::sphere, knn_cloud::lidar}) {
    row.kind = kind;
    row.k = 3;
    register_means(row, flush_l2);
    register_interpolation(row, flush_l2);
    row.k = 16;
    register_normals(row, flush_l2);
  }
  row.kind = knn_cloud::cube;
  for (farpoint::index_t const k : {8, 32, 64}) {
    row.k = k;
    register_radius(row, "ball_query", farpoint::radius_order::index, flush_l2);
    register_radius(row, "radius_nearest", farpoint::radius_order::nearest, flush_l2);
    register_radius_rows(row, flush_l2);
  }
}

}  // namespace farpoint_bench
