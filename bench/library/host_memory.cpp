/// @file
/// The compiled library's calls on host memory, against what they are made of: the copies of the same arrays and the
/// same call on a stream. Plain C++. See README.md.

#include "support/clouds.hpp"
#include "support/counters.hpp"
#include "support/cuda_check.hpp"
#include "support/cuda_handles.hpp"
#include "support/device_context.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/runtime.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::bytes;
using farpoint::index_t;
using farpoint::result;
using farpoint::span;
namespace runtime = farpoint::runtime;

using clouds = farpoint::batch<farpoint::point_view<float>>;

/// A cloud and room for what is made of it, in host or device memory.
struct frame_arrays {
  span<float> points;          ///< `[n, 3]`
  span<std::int32_t> indices;  ///< `[n, 8]`
  span<float> values;          ///< `[n, 8]`
  span<index_t> counts;        ///< `[n + 1]`

  clouds cloud() const { return clouds{{points.data(), static_cast<index_t>(points.size() / 3)}}; }
};

constexpr index_t k = 8;

/// A function: on host memory, on a stream, and what it takes and gives.
struct contender {
  char const* name;
  result (*on_host)(frame_arrays const&);
  result (*on_stream)(farpoint::cuda_exec, frame_arrays const&, bytes);
  std::size_t (*workspace)(farpoint::cuda_exec, frame_arrays const&);
  std::size_t indices, values, counts;  ///< elements that come back for each row; of fps() the samples
  bool is_counted;                      ///< counts[0] says how many rows there are
};

farpoint::fps_params sampling() {
  farpoint::fps_params params;
  params.samples = 1024;
  return params;
}

farpoint::voxelize_params<float> grid_of(frame_arrays const& at) {
  farpoint::voxelize_params<float> params;
  params.grid = {{{-80, -80, -5}}, {{0.4f, 0.4f, 0.4f}}, {{400, 400, 25}}};
  params.features = farpoint::feature_view::packed(at.points.data(), at.cloud().points().size(), 3);
  return params;
}

farpoint::voxelize_output<float> voxels_of(frame_arrays const& at) {
  farpoint::voxelize_output<float> output;
  output.capacity = at.cloud().points().size();
  output.coords = at.indices;
  output.mean = at.values;
  output.voxel_count = at.counts.first(1);
  return output;
}

/// The points' memory as records of x, y, z and two features, as drivers of sensors write them. The coordinates of
/// points differ; the bytes that are copied do not.
clouds records_of(frame_arrays const& at) {
  return clouds{{at.points.data(), static_cast<index_t>(at.points.size() / 5), 20}};
}

farpoint::voxelize_params<float> grid_of_records(frame_arrays const& at) {
  auto params = grid_of(at);
  params.features = farpoint::feature_view::packed(at.points.data(), records_of(at).points().size(), 5);
  return params;
}

farpoint::radius_params ball() {
  farpoint::radius_params params;
  params.radius = 0.3;
  params.max_neighbors = k;
  return params;
}

farpoint::radius_output<float> lists_of(frame_arrays const& at) {
  return {at.indices, at.values, at.counts};
}

farpoint::knn_screen_output<float> seen_of(frame_arrays const& at) {
  farpoint::knn_screen_output<float> output{at.indices, at.values};
  output.visible_count = at.counts.first(1);
  return output;
}

farpoint::screen_space<farpoint::spherical_camera<float>> sensor() {
  farpoint::spherical_camera<float> camera;
  camera.top = 0.06f;
  camera.bottom = -0.45f;
  camera.width = 1024;
  camera.height = 64;
  return {camera, k};
}

constexpr farpoint::knn_params nearest{k};
constexpr farpoint::normals_params normals{};

// The functions of runtime:: are overloads: each is named with its arguments.
contender const contenders[] = {
    {"fps", [](frame_arrays const& at) { return runtime::fps(at.cloud(), sampling(), {at.indices.first(1024)}); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return fps(exec, at.cloud(), sampling(), {at.indices.first(1024)}, memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) { return fps_workspace_bytes(exec, at.cloud(), sampling()); },
     0, 0, 0, false},
    {"voxelize", [](frame_arrays const& at) { return runtime::voxelize(at.cloud(), grid_of(at), voxels_of(at)); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return voxelize(exec, at.cloud(), grid_of(at), voxels_of(at), memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) {
       return voxelize_workspace_bytes(exec, at.cloud(), grid_of(at), voxels_of(at));
     },
     3, 3, 0, true},
    {"voxelize_records",
     [](frame_arrays const& at) { return runtime::voxelize(records_of(at), grid_of_records(at), voxels_of(at)); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return voxelize(exec, records_of(at), grid_of_records(at), voxels_of(at), memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) {
       return voxelize_workspace_bytes(exec, records_of(at), grid_of_records(at), voxels_of(at));
     },
     3, 5, 0, true},
    {"knn",
     [](frame_arrays const& at) {
       return runtime::knn(at.cloud(), nearest, {at.indices, at.values});
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return knn(exec, at.cloud(), nearest, {at.indices, at.values}, memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) { return knn_workspace_bytes(exec, at.cloud(), nearest); }, k,
     k, 0, false},
    {"radius", [](frame_arrays const& at) { return runtime::radius(at.cloud(), ball(), lists_of(at)); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return radius(exec, at.cloud(), ball(), lists_of(at), memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) { return radius_workspace_bytes(exec, at.cloud()); }, k, k, 1,
     false},
    {"estimate_normals",
     [](frame_arrays const& at) { return runtime::estimate_normals(at.cloud(), normals, {at.values}); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return estimate_normals(exec, at.cloud(), normals, {at.values}, memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) {
       return estimate_normals_workspace_bytes(exec, at.cloud(), normals);
     },
     0, 3, 0, false},
    {"mean_knn_distance",
     [](frame_arrays const& at) { return runtime::mean_knn_distance(at.cloud(), {3}, {at.values}); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return mean_knn_distance(exec, at.cloud(), {3}, {at.values}, memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) {
       return mean_knn_distance_workspace_bytes(exec, at.cloud(), {3});
     },
     0, 1, 0, false},
    {"interpolate",
     [](frame_arrays const& at) { return runtime::interpolate(at.cloud(), at.points, at.cloud(), 3, {at.values}); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return interpolate(exec, at.cloud(), at.points, at.cloud(), 3, {at.values}, memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) {
       return interpolate_workspace_bytes(exec, at.cloud(), at.cloud());
     },
     0, 3, 0, false},
    {"knn_screen", [](frame_arrays const& at) { return runtime::knn(at.cloud(), sensor(), seen_of(at)); },
     [](farpoint::cuda_exec exec, frame_arrays const& at, bytes memory) {
       return knn(exec, at.cloud(), sensor(), seen_of(at), memory);
     },
     [](farpoint::cuda_exec exec, frame_arrays const& at) { return knn_workspace_bytes(exec, at.cloud(), sensor()); },
     k, k, 0, true},
};

/// The arrays of one caller.
class caller {
 public:
  explicit caller(std::vector<float> const& points)
      : points_{points},
        indices_(points.size() / 3 * k),
        values_(points.size() / 3 * k),
        counts_(points.size() / 3 + 1),
        device_points_{points.size()},
        device_indices_{indices_.size()},
        device_values_{values_.size()},
        device_counts_{counts_.size()} {}

  frame_arrays on_host() { return {points_, indices_, values_, counts_}; }
  frame_arrays on_device() {
    return {{device_points_.data(), points_.size()},
            {device_indices_.data(), indices_.size()},
            {device_values_.data(), values_.size()},
            {device_counts_.data(), counts_.size()}};
  }
  /// The copies that a caller makes by hand, between memory from new and the device: the points there, the answer back.
  void copy(contender const& of) {
    std::size_t const rows = of.is_counted ? static_cast<std::size_t>(counts_[0]) : points_.size() / 3;
    bool const samples = of.indices + of.values == 0;
    check(cudaMemcpy(device_points_.data(), points_.data(), points_.size() * sizeof(float), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    copy_back(indices_, device_indices_.data(), samples ? 1024 : rows * of.indices);
    copy_back(values_, device_values_.data(), rows * of.values);
    copy_back(counts_, device_counts_.data(), rows * of.counts);
  }

 private:
  template <class T>
  void copy_back(std::vector<T>& to, T const* from, std::size_t count) {
    if (count > 0) check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

  std::vector<float> points_;
  std::vector<std::int32_t> indices_;
  std::vector<float> values_;
  std::vector<index_t> counts_;
  device_buffer<float> device_points_;
  device_buffer<std::int32_t> device_indices_;
  device_buffer<float> device_values_;
  device_buffer<index_t> device_counts_;
};

using clock = std::chrono::steady_clock;

double seconds_of(std::function<void()> const& call) {
  auto const begin = clock::now();
  call();
  return std::chrono::duration<double>(clock::now() - begin).count();
}

double median_of(int calls, std::function<void()> const& call) {
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) call();
  for (int i = 0; i < calls; ++i) seconds.push_back(seconds_of(call));
  std::sort(seconds.begin(), seconds.end());
  return percentile(seconds, 0.5);
}

void check_call(result const& outcome) {
  if (!outcome) throw std::runtime_error{outcome.reason};
}

/// One caller: the call, its copies, and the call on a stream; `over_us` is what is left.
void run_one(benchmark::State& state, contender const& of, std::vector<float> const& points) {
  caller one{points};
  frame_arrays const host = one.on_host();
  frame_arrays const device = one.on_device();
  owned_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  device_buffer<unsigned char> workspace{of.workspace(exec, device)};
  check_call(of.on_host(host));
  int const calls = static_cast<int>(state.max_iterations);
  double const copies = median_of(calls, [&] { one.copy(of); });
  double const on_stream = median_of(calls, [&] {
    check_call(of.on_stream(exec, device, {workspace.data(), workspace.size()}));
    check(cudaStreamSynchronize(stream.get()), "the call on a stream");
  });
  for (int i = 0; i < 3; ++i) check_call(of.on_host(host));
  std::vector<double> seconds;
  for (auto _ : state) {
    static_cast<void>(_);
    seconds.push_back(seconds_of([&] { check_call(of.on_host(host)); }));
    state.SetIterationTime(seconds.back());
  }
  workload work;
  work.points = static_cast<double>(points.size() / 3);
  double const call = count_times(state, work, seconds);
  state.counters["copies_us"] = copies * 1e6;
  state.counters["stream_us"] = on_stream * 1e6;
  state.counters["over_us"] = (call - copies - on_stream) * 1e6;
}

/// Eight concurrent callers: the time of a call, and of an equal number of serial calls.
void run_eight(benchmark::State& state, contender const& of, std::vector<float> const& points) {
  constexpr int threads = 8;
  int const calls = static_cast<int>(state.max_iterations);
  std::vector<std::unique_ptr<caller>> callers;
  for (int t = 0; t < threads; ++t) callers.push_back(std::make_unique<caller>(points));
  double const alone = median_of(calls, [&] { check_call(of.on_host(callers[0]->on_host())); });
  std::vector<std::vector<double>> seconds(threads);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      frame_arrays const host = callers[t]->on_host();
      for (int i = -3; i < calls; ++i) {
        double const one = seconds_of([&] { static_cast<void>(of.on_host(host)); });
        if (i >= 0) seconds[t].push_back(one);
      }
    });
  }
  for (auto& thread : team) thread.join();
  std::vector<double> all;
  for (auto const& of_thread : seconds) all.insert(all.end(), of_thread.begin(), of_thread.end());
  std::size_t i = 0;
  for (auto _ : state) {
    static_cast<void>(_);
    state.SetIterationTime(all[i++]);
  }
  workload work;
  work.points = static_cast<double>(points.size() / 3);
  double const call = count_times(state, work, all);
  state.counters["alone_us"] = alone * 1e6;
  // 1: eight callers take as long as one; 8: their calls are serialized.
  state.counters["times_alone"] = call / alone;
}

}  // namespace

int run_program(arguments const& args) {
  if (!runtime::cuda_available()) {
    std::fprintf(stderr, "SKIPPED: no usable CUDA device; nothing was measured\n");
    return 77;
  }
  for (std::size_t const n : {std::size_t{10'000}, std::size_t{100'000}}) {
    auto const points = std::make_shared<std::vector<float>>(lidar_rings(n, 1));
    for (contender const& of : contenders) {
      std::string const name = std::string{"library/"} + of.name + "/" + std::to_string(n) + "/";
      register_row(name + "1_thread", 50, [&of, points](benchmark::State& state) { run_one(state, of, *points); });
      register_row(name + "8_threads", 50, [&of, points](benchmark::State& state) { run_eight(state, of, *points); });
    }
  }
  if (!args.list_only) add_device_context();
  return run_host_suite("library", args);
}

}  // namespace farpoint_bench
