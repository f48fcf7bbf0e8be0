// Random calls of estimate_normals(), mean_knn_distance(), interpolate() and gather().
#include <farpoint/estimate_normals.cuh>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/gather.cuh>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/mean_knn_distance.hpp>

#include "../search/device/neighborhood_kernels.cuh"
#include "arrays.cuh"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

using farpoint::cuda_exec;
using farpoint::host_exec;
using farpoint::knn_report;
using farpoint::span;
using farpoint::detail::host_workspace;

using problem_type = knn_problem<float>;

std::size_t rows_of(problem_type const& problem) {
  return static_cast<std::size_t>(problem.query_count());
}

/// A call that takes a problem's clouds: on the host, on the device, and the guards of the device's memory.
template <class OnHost, class Bytes, class OnDevice>
std::string run(problem_type const& problem, OnHost const& on_host, Bytes const& bytes, OnDevice const& on_device) {
  std::string text = refusal("host", on_host());
  clouds_on_device<problem_type> const clouds{problem};
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  call_workspace workspace;
  text += refusal("device", on_device(exec, clouds, workspace.of_size(bytes(exec, clouds))));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  if (!clouds.intact()) text += "a guard of the clouds was written; ";
  if (!workspace.intact()) text += "a guard of the workspace was written; ";
  return text;
}

std::string normals(random_source& random, problem_type const& problem) {
  farpoint::normals_params params;
  params.k = 3 + random.below(one_in(random, 5) ? 200 : 30);
  if (one_in(random, 3)) params.max_radius = static_cast<double>(random.uniform());
  params.viewpoint = {{random.uniform(), 3, -1}};
  twin_array<float> const normals{3 * rows_of(problem)}, curvatures{rows_of(problem)};
  twin_array<float> const covariances{6 * rows_of(problem)};
  twin_array<knn_report> const report{1};
  auto const points = clouds_in_place(problem.points);
  std::string const text = run(
      problem,
      [&] {
        host_workspace const memory{knn_workspace_bytes(one_thread, points, knn_params{params.k})};
        return estimate_normals(one_thread, points, params,
                                farpoint::normals_output<float>{normals.host(), curvatures.host(), report.host().data(),
                                                                covariances.host()},
                                memory.get());
      },
      [&](cuda_exec exec, auto const& clouds) {
        return estimate_normals_workspace_bytes(exec, clouds.points(), params);
      },
      [&](cuda_exec exec, auto const& clouds, farpoint::bytes memory) {
        farpoint::normals_output<float> const output{normals.device(), curvatures.device(), report.device().data(),
                                                     covariances.device()};
        return estimate_normals(exec, clouds.points(), params, output, memory);
      });
  return text + normals.difference("normals") + curvatures.difference("curvatures") +
         covariances.difference("covariances") + report.difference("report");
}

std::string means(random_source& random, problem_type const& problem) {
  index_t const k = 1 + random.below(one_in(random, 5) ? 200 : 30);
  twin_array<float> const means{rows_of(problem)};
  twin_array<knn_report> const report{1};
  auto const points = clouds_in_place(problem.points);
  std::string const text = run(
      problem,
      [&] {
        host_workspace const memory{knn_workspace_bytes(one_thread, points, knn_params{k})};
        return mean_knn_distance(one_thread, points, {k}, {means.host(), report.host().data()}, memory.get());
      },
      [&](cuda_exec exec, auto const& clouds) { return mean_knn_distance_workspace_bytes(exec, clouds.points(), {k}); },
      [&](cuda_exec exec, auto const& clouds, farpoint::bytes memory) {
        return mean_knn_distance(exec, clouds.points(), {k}, {means.device(), report.device().data()}, memory);
      });
  return text + means.difference("means") + report.difference("report");
}

std::string interpolation(random_source& random, problem_type problem) {
  index_t const clouds = problem.points.cloud_count();
  problem.ask(random_cloud(random, one_in(random, 6) ? 30000 : 2000));
  draw_batch(random, problem.queries, clouds);
  if (problem.queries.cloud_count() != clouds) {
    problem.queries.offsets.assign(static_cast<std::size_t>(clouds) + 1, 0);
    problem.queries.offsets.back() = problem.queries.points;
  }
  index_t const channels = 1 + random.below(one_in(random, 5) ? 100 : 8);
  std::vector<float> values(static_cast<std::size_t>(problem.points.points * channels));
  for (float& value : values) value = random.uniform() - 0.5f;
  twin_array<float> const features{values};
  twin_array<float> const rows{rows_of(problem) * static_cast<std::size_t>(channels)};
  twin_array<knn_report> const report{1};
  auto const points = clouds_in_place(problem.points);
  auto const queries = clouds_in_place(problem.queries);
  std::string const text = run(
      problem,
      [&] {
        host_workspace const memory{knn_workspace_bytes(one_thread, points, queries, knn_params{3})};
        return interpolate(one_thread, points, span<float const>{features.host()}, queries, channels,
                           {rows.host(), report.host().data()}, memory.get());
      },
      [&](cuda_exec exec, auto const& on_device) {
        return interpolate_workspace_bytes(exec, on_device.points(), on_device.queries());
      },
      [&](cuda_exec exec, auto const& on_device, farpoint::bytes memory) {
        return interpolate(exec, on_device.points(), span<float const>{features.device()}, on_device.queries(),
                           channels, {rows.device(), report.device().data()}, memory);
      });
  return text + rows.difference("rows") + report.difference("report");
}

template <class Value, class Index>
std::string gathering(random_source& random) {
  index_t const rows = random.below(3000);
  index_t const channels = 1 + random.below(20);
  std::vector<Value> values(static_cast<std::size_t>(rows * channels));
  for (Value& value : values) value = static_cast<Value>(random.below(1000000));
  auto const wanted = garbage_indices(random, rows, random.below(5000));
  twin_array<Value> const features{values};
  twin_array<Index> const indices{std::vector<Index>(wanted.begin(), wanted.end())};
  twin_array<Value> const output{wanted.size() * static_cast<std::size_t>(channels)};
  twin_array<farpoint::gather_report> const report{1};
  test_stream const stream;
  std::string const text =
      refusal("host", gather(one_thread, span<Value const>{features.host()}, channels, indices.host(), output.host(),
                             report.host().data())) +
      refusal("device", gather(cuda_exec{stream.get()}, span<Value const>{features.device()}, channels,
                               indices.device(), output.device(), report.device().data()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return text + output.difference("rows") + report.difference("report") + features.difference("features") +
         indices.difference("indices");
}

}  // namespace

std::string random_neighborhood(std::uint64_t seed) {
  random_source random{seed};
  problem_type problem{random_cloud(random, 4000), 1};
  draw_batch(random, problem.points, draw_clouds(random));
  switch (random.below(3)) {
    case 0: return normals(random, problem);
    case 1: return means(random, problem);
    default: return interpolation(random, problem);
  }
}

std::string random_gather(std::uint64_t seed) {
  random_source random{seed};
  switch (random.below(3)) {
    case 0: return gathering<double, std::int64_t>(random);
    case 1: return gathering<unsigned char, std::int32_t>(random);
    default: return gathering<float, std::int32_t>(random);
  }
}

}  // namespace farpoint_tests
