// Functions on top of neighbor searches, on cuda_exec: bit-identical to host_exec, which tests of its own check.
#include <farpoint/estimate_normals.cuh>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/gather.cuh>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/mean_knn_distance.hpp>

#include "../../support/catch.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/run_call.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../ragged_batches.hpp"
#include "neighborhood_kernels.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::host_exec;
using farpoint::span;
using farpoint::detail::host_workspace;

namespace {

/// Returns `size` elements with the initial bytes of a device_array.
template <class T>
std::vector<T> poisoned(index_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  if (size > 0) std::memset(values.data(), 0xa5, values.size() * sizeof(T));
  return values;
}

/// Calls `enqueue()`, which returns a result: in every other call by capturing and launching a graph.
template <class Enqueue>
void run_on_stream(cudaStream_t stream, Enqueue const& enqueue) {
  static bool in_graph = false;
  in_graph = !in_graph;
  farpoint::result outcome;
  if (in_graph) {
    captured_graph const graph{stream, [&] { outcome = enqueue(); }};
    graph.replay();
  } else {
    outcome = enqueue();
    REQUIRE_CUDA(cudaStreamSynchronize(stream));
  }
  INFO(outcome.reason);
  REQUIRE(outcome);
}

/// Runs `call(clouds, exec, workspace)` on a new stream, with a workspace of `size(clouds, exec)` bytes.
template <class Problem, class Size, class Call>
void run_on_device(Problem const& problem, Size const& size, Call const& call) {
  clouds_on_device<Problem> const clouds{problem};
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  call_workspace workspace;
  auto const memory = workspace.of_size(size(clouds, exec));
  run_on_stream(stream.get(), [&] { return call(clouds, exec, memory); });
  REQUIRE(workspace.intact());
  REQUIRE(clouds.intact());
}

void check_report(device_array<farpoint::knn_report> const& report, farpoint::knn_report const& expected) {
  CHECK(report.intact());
  CHECK(same_bits(report.download(), std::vector<farpoint::knn_report>{expected}));
}

template <class Problem>
void check_means(Problem const& problem) {
  using scalar = typename Problem::scalar;
  auto const clouds = clouds_in_place(problem.points);
  host_workspace const workspace{knn_workspace_bytes(host_exec{}, clouds, knn_params{problem.k})};
  auto expected = poisoned<scalar>(problem.points.points);
  farpoint::knn_report counted;
  REQUIRE(farpoint::mean_knn_distance(host_exec{}, clouds, {problem.k}, {span<scalar>{expected}, &counted},
                                      workspace.get()));

  auto const check_on_device = [&](auto selector) {
    using selector_type = decltype(selector);
    device_array<scalar> const means{expected.size()};
    device_array<farpoint::knn_report> const report{1};
    run_on_device(
        problem,
        [&](auto const& device, cuda_exec exec) {
          return mean_knn_distance_workspace_bytes(exec, device.points(), {problem.k});
        },
        [&](auto const& device, cuda_exec exec, farpoint::bytes memory) {
          return farpoint::mean_knn_distance<selector_type>(exec, device.points(), {problem.k},
                                                            {span_of<scalar>(means), report.data()}, memory);
        });
    CHECK(means.intact());
    check_report(report, counted);
    CHECK(same_bits(means.download(), expected));
  };
  check_on_device(farpoint::knn_selector{});
  check_on_device(always_index{});
}

template <class Problem>
void check_normals(Problem const& problem, farpoint::normals_params params) {
  using scalar = typename Problem::scalar;
  params.k = problem.k;
  auto const clouds = clouds_in_place(problem.points);
  host_workspace const workspace{knn_workspace_bytes(host_exec{}, clouds, knn_params{problem.k})};
  auto normals = poisoned<scalar>(3 * problem.points.points);
  auto curvatures = poisoned<scalar>(problem.points.points);
  auto covariances = poisoned<scalar>(6 * problem.points.points);
  farpoint::knn_report counted;
  farpoint::normals_output<scalar> const on_host{normals, curvatures, &counted, covariances};
  REQUIRE(farpoint::estimate_normals(host_exec{}, clouds, params, on_host, workspace.get()));

  auto const check_on_device = [&](auto selector) {
    using selector_type = decltype(selector);
    device_array<scalar> const device_normals{normals.size()};
    device_array<scalar> const device_curvatures{curvatures.size()};
    device_array<scalar> const device_covariances{covariances.size()};
    device_array<farpoint::knn_report> const report{1};
    farpoint::normals_output<scalar> const output{span_of<scalar>(device_normals), span_of<scalar>(device_curvatures),
                                                  report.data(), span_of<scalar>(device_covariances)};
    run_on_device(
        problem,
        [&](auto const& device, cuda_exec exec) {
          return estimate_normals_workspace_bytes(exec, device.points(), params);
        },
        [&](auto const& device, cuda_exec exec, farpoint::bytes memory) {
          return farpoint::estimate_normals<selector_type>(exec, device.points(), params, output, memory);
        });
    CHECK(device_normals.intact());
    CHECK(device_curvatures.intact());
    CHECK(same_bits(device_normals.download(), normals));
    CHECK(same_bits(device_curvatures.download(), curvatures));
    CHECK(device_covariances.intact());
    CHECK(same_bits(device_covariances.download(), covariances));
    check_report(report, counted);
  };
  check_on_device(farpoint::knn_selector{});
  check_on_device(always_index{});
}

template <class Problem>
void check_interpolation(Problem const& problem, index_t channels) {
  auto const clouds = clouds_in_place(problem.points);
  auto const queries = clouds_in_place(problem.queries);
  std::vector<float> features(static_cast<std::size_t>(problem.points.points * channels));
  random_source random{static_cast<std::uint64_t>(channels)};
  for (float& value : features) value = random.uniform() - 0.5f;
  auto expected = poisoned<float>(problem.queries.points * channels);
  host_workspace const workspace{knn_workspace_bytes(host_exec{}, clouds, queries, knn_params{3})};
  farpoint::knn_report counted;
  REQUIRE(
      farpoint::interpolate(host_exec{}, clouds, features, queries, channels, {expected, &counted}, workspace.get()));

  auto const check_on_device = [&](auto selector) {
    using selector_type = decltype(selector);
    device_array<float> const device_features{features};
    device_array<float> const output{expected.size()};
    device_array<farpoint::knn_report> const report{1};
    run_on_device(
        problem,
        [&](auto const& device, cuda_exec exec) {
          return interpolate_workspace_bytes(exec, device.points(), device.queries());
        },
        [&](auto const& device, cuda_exec exec, farpoint::bytes memory) {
          return farpoint::interpolate<selector_type>(exec, device.points(), span_of<float const>(device_features),
                                                      device.queries(), channels,
                                                      {span_of<float>(output), report.data()}, memory);
        });
    CHECK(output.intact());
    check_report(report, counted);
    CHECK(same_bits(output.download(), expected));
  };
  check_on_device(farpoint::knn_selector{});
  check_on_device(always_index{});
}

/// Calls `check(problem)` for clouds of each shape and for batches.
template <class Coord, class Check>
void for_problems(Check const& check) {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 3u, 9u, 65u, 1000u}) {
      CAPTURE(static_cast<int>(which), n);
      check(knn_problem<Coord>{make_cloud(which, n, n + 1), 1});
    }
  }
  knn_problem<Coord> batched{make_cloud(shape::non_finite, 3000, 53), 1};
  batched.points.clouds = 8;
  check(batched);
  batched.points.offsets = {5, 5, 6, 40, 40, 1200, 1201, 1300, 2900};
  check(batched);
}

}  // namespace

TEST_CASE("mean_knn_distance, device: the bits of the host", "[mean_knn_distance][device]") {
  for_problems<float>([](auto problem) {
    for (index_t const k : {1, 3, 8, 11, 32, 33, 200}) {
      CAPTURE(k);
      problem.k = k;
      check_means(problem);
    }
  });
  for_problems<double>([](auto problem) {
    for (index_t const k : {3, 17, 150}) {
      CAPTURE(k);
      problem.k = k;
      check_means(problem);
    }
  });
}

TEST_CASE("mean_knn_distance, device: the longest lists", "[mean_knn_distance][device]") {
  check_means(knn_problem<float>{make_cloud(shape::rings, 20000, 7), 1024});
}

TEST_CASE("estimate_normals, device: the bits of the host", "[normals][device]") {
  farpoint::normals_params params;
  params.viewpoint = {{0.25, 3, 1}};
  for_problems<float>([&](auto problem) {
    for (index_t const k : {3, 8, 16, 20, 33, 100}) {
      CAPTURE(k);
      problem.k = k;
      params.max_radius = k == 20 ? 0.2 : std::numeric_limits<double>::infinity();
      check_normals(problem, params);
    }
  });
  for_problems<double>([&](auto problem) {
    for (index_t const k : {16, 40}) {
      CAPTURE(k);
      problem.k = k;
      check_normals(problem, params);
    }
  });
}

TEST_CASE("interpolate, device: the bits of the host", "[interpolate][device]") {
  for_problems<float>([](auto problem) {
    auto const which = static_cast<std::uint64_t>(problem.points.points);
    problem.ask(make_cloud(shape::non_finite, 200, which));
    problem.queries.clouds = problem.points.cloud_count();
    if (problem.queries.clouds == 8) problem.queries.offsets = {0, 3, 3, 20, 30, 40, 41, 41, 190};
    for (index_t const channels : {1, 3, 32, 45}) {
      CAPTURE(channels);
      check_interpolation(problem, channels);
    }
  });
  check_interpolation(knn_problem<float>{make_cloud(shape::rings, 2000, 1), 1}.ask(make_cloud(shape::rings, 5000, 2)),
                      130);
  // The call sorts this many queries.
  check_interpolation(knn_problem<float>{make_cloud(shape::cube, 3000, 1), 1}.ask(make_cloud(shape::cube, 40000, 2)),
                      3);
  knn_problem<float> batched{make_cloud(shape::cube, 3000, 1), 1};
  batched.points.clouds = 6;
  batched.ask(make_cloud(shape::non_finite, 30000, 2));
  batched.queries.offsets = {3, 5000, 5000, 5001, 20000, 29000, 29990};
  check_interpolation(batched, 2);
  check_interpolation(knn_problem<double>{make_cloud(shape::cube, 500, 1), 1}.ask(make_cloud(shape::cube, 700, 2)), 5);
}

namespace {

void check_batch(std::vector<index_t> const& points, std::vector<index_t> const& queries) {
  knn_problem<float> problem{make_cloud(shape::non_finite, ragged_points, 31), 3};
  set_offsets(problem, points, queries);
  check_means(problem);
  problem.k = 40;
  check_means(problem);
  problem.k = 8;
  check_normals(problem, {});
  problem.ask(make_cloud(shape::non_finite, ragged_queries, 32));
  set_offsets(problem, points, queries);
  check_interpolation(problem, 3);
}

}  // namespace

TEST_CASE("neighborhoods, device: ragged batches that begin and end anywhere in the view", "[neighborhoods][device]") {
  for_ragged_batches(check_batch);
}

TEST_CASE("neighborhoods, device: garbage in the offsets", "[neighborhoods][device][sanitize]") {
  for_garbage_batches(12, check_batch);
}

namespace {

template <class Value, class Index>
void check_gather(index_t rows, index_t channels, index_t count) {
  random_source random{static_cast<std::uint64_t>(rows + channels + count)};
  std::vector<Value> features(static_cast<std::size_t>(rows * channels));
  for (Value& value : features) value = static_cast<Value>(random.below(1000000));
  std::vector<Index> indices(static_cast<std::size_t>(count));
  for (Index& index : indices) index = static_cast<Index>(random.below(rows + 1) - 1);
  if (count > 2) {
    indices[1] = static_cast<Index>(rows);
    indices[2] = std::numeric_limits<Index>::min();
  }
  auto expected = poisoned<Value>(count * channels);
  farpoint::gather_report counted;
  span<Value> const on_host{expected};
  REQUIRE(farpoint::gather(host_exec{}, span<Value const>{features}, channels, indices, on_host, &counted));
  CHECK(counted.out_of_range == (count > 2 ? 2 : 0));
  device_array<Value> const device_features{features};
  device_array<Index> const device_indices{indices};
  device_array<Value> const output{expected.size()};
  device_array<farpoint::gather_report> const report{1};
  test_stream const stream;
  CAPTURE(rows, channels, count);
  run_on_stream(stream.get(), [&] {
    return farpoint::gather(cuda_exec{stream.get()}, span_of<Value const>(device_features), channels,
                            span_of<Index>(device_indices), span_of<Value>(output), report.data());
  });
  CHECK(output.intact());
  CHECK(report.intact());
  CHECK(report.download()[0].out_of_range == counted.out_of_range);
  CHECK(same_bits(output.download(), expected));
}

}  // namespace

TEST_CASE("gather, device: rows by index, zeros for -1", "[gather][device][sanitize]") {
  for (index_t const rows : {0, 1, 100}) {
    for (index_t const channels : {1, 2, 7, 64}) {
      for (index_t const count : {0, 1, 5, 3000}) {
        check_gather<float, std::int32_t>(rows, channels, count);
        check_gather<double, std::int64_t>(rows, channels, count);
        check_gather<unsigned char, std::int64_t>(rows, channels, count);
      }
    }
  }
}

TEST_CASE("neighborhoods, device: the bits of the host on real scans", "[neighborhoods][data][device]") {
  auto const scans = real_scans();
  if (scans.empty()) WARN("FARPOINT_DATA_DIR is not set: no real scan was tested");
  for (auto const& scan : scans) {
    CAPTURE(scan.name);
    knn_problem<float> problem{scan.points, 3};
    check_means(problem);
    problem.k = 16;
    check_normals(problem, {});
  }
}

TEST_CASE("neighborhoods, device: an error of somebody else's is neither reported nor cleared",
          "[neighborhoods][device]") {
  knn_problem<float> const problem{make_cloud(shape::rings, 2000, 3), 3};
  clouds_on_device<knn_problem<float>> const clouds{problem};
  auto const cloud = clouds.points();
  farpoint::normals_params const params;
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  call_workspace memory;
  auto const workspace = memory.of_size(std::max({mean_knn_distance_workspace_bytes(exec, cloud, {3}),
                                                  estimate_normals_workspace_bytes(exec, cloud, params),
                                                  interpolate_workspace_bytes(exec, cloud, cloud)}));
  device_array<float> const features{std::vector<float>(6000, 1.0f)};
  device_array<float> const output{6000};
  device_array<std::int32_t> const indices{std::vector<std::int32_t>(2000, 7)};
  auto const from = span_of<float const>(features);
  auto const to = span_of<float>(output);
  check_foreign_error(stream.get(), [&] {
    CHECK(mean_knn_distance(exec, cloud, {3}, {to}, workspace));
    CHECK(estimate_normals(exec, cloud, params, {to}, workspace));
    CHECK(interpolate(exec, cloud, from, cloud, 3, {to}, workspace));
    CHECK(gather(exec, from, 3, span_of<std::int32_t>(indices), to));
  });
  CHECK(output.download() == std::vector<float>(6000, 1.0f));
}

TEST_CASE("neighborhoods, device: bad arguments are refused at the door", "[neighborhoods][device]") {
  std::vector<std::array<float, 3>> const host(100);
  farpoint::batch const cloud{farpoint::view_points(host)};  // host memory: never read, as the calls are refused
  cuda_exec const exec{cudaStream_t{}};
  auto const is_bad = [](farpoint::result outcome) { return outcome.code == farpoint::status::bad_argument; };
  std::vector<float> values(300);
  span<float> const some{values};
  CHECK(is_bad(mean_knn_distance(exec, cloud, {0}, {some}, {})));
  CHECK(is_bad(mean_knn_distance(exec, cloud, {1025}, {some}, {})));
  CHECK(is_bad(mean_knn_distance(exec, cloud, {3}, {some.first(99)}, {})));
  CHECK(mean_knn_distance(exec, cloud, {3}, {some}, {}).code == farpoint::status::workspace_too_small);
  farpoint::normals_params params;
  CHECK(is_bad(estimate_normals(exec, cloud, params, {some.first(299)}, {})));
  CHECK(estimate_normals(exec, cloud, params, {some}, {}).code == farpoint::status::workspace_too_small);
  params.k = 2;
  CHECK(is_bad(estimate_normals(exec, cloud, params, {some}, {})));
  CHECK(is_bad(interpolate(exec, cloud, some, cloud, 0, {some}, {})));
  CHECK(is_bad(interpolate(exec, cloud, some, cloud, 4, {some}, {})));
  CHECK(interpolate(exec, cloud, some, cloud, 3, {some}, {}).code == farpoint::status::workspace_too_small);
  CHECK(is_bad(gather(exec, span<float const>{some}, 7, farpoint::index_view{}, some)));
}
