// fps_weighted(), fps_extend() and poisson_subset() on a stream: what the host gives.
#include <farpoint/fps.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../fps_weighted_problem.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;
using farpoint::span;
using view = weighted_problem::view;

namespace {

void check_weighted(weighted_problem const& problem) {
  CAPTURE(problem.clouds.points.size(), problem.params.samples, problem.params.stop_below);
  auto const expected = weighted_oracle(problem);
  device_array<std::array<float, 3>> const points{problem.clouds.points};
  device_array<index_t> const offsets{problem.clouds.point_offsets};
  device_array<float> const weights{problem.weights};
  device_array<std::int32_t> const firsts{problem.firsts}, chosen{problem.chosen}, wanted{problem.sample_counts};
  device_array<std::int32_t> const indices{expected.indices.size()}, counts{expected.counts.size()};
  device_array<float> const distances{expected.indices.size()};
  device_array<farpoint::fps_report> const report{1};
  auto const clouds = problem.batch_at(points.data(), offsets.data());
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  device_array<unsigned char> const workspace{fps_weighted_workspace_bytes(exec, clouds)};
  std::size_t bound = 0;
  REQUIRE(farpoint::fps_weighted_workspace_bound<view>(exec, {clouds.points().size(), clouds.size()}, bound));
  CHECK(workspace.size() <= bound);
  auto params = problem.params;
  params.firsts = span_of<std::int32_t>(firsts);
  params.chosen = span_of<std::int32_t>(chosen);
  params.sample_counts = span_of<std::int32_t>(wanted);
  captured_graph const graph{
      stream.get(), [&] {
        REQUIRE(farpoint::fps_weighted(
            exec, clouds, span<float const>{weights.data(), weights.size()}, params,
            {span_of<std::int32_t>(indices), span_of<float>(distances), span_of<std::int32_t>(counts), report.data()},
            span_of<unsigned char>(workspace)));
      }};
  for (int replay = 0; replay < 2; ++replay) {
    graph.replay();
    weighted_answer found{expected.counts.size(), params.samples};
    found.indices = indices.download();
    found.distances = distances.download();
    found.counts = counts.download();
    found.report = report.download();
    CHECK(found == expected);
  }
  CHECK(indices.intact());
  CHECK(distances.intact());
  CHECK(counts.intact());
  CHECK(workspace.intact());
}

void check_random_weighted(std::uint64_t seed, index_t point_limit) {
  CAPTURE(seed);
  check_weighted(random_weighted_problem(seed, point_limit));
}

}  // namespace

TEST_CASE("fps_weighted, device: the serial loop's answer", "[fps][device][graph]") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) check_random_weighted(seed, 600);
  for (std::uint64_t seed = 80; seed < 90; ++seed) check_random_weighted(seed, 4000);
}

TEST_CASE("fps_weighted, device: wrong offsets are counted, whatever is asked for", "[fps][device]") {
  for (index_t const samples : {0, 5}) check_weighted(weighted_problem_with_bad_offsets(samples));
}

TEST_CASE("fps_weighted, device: small clouds under the sanitizers", "[fps][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) check_random_weighted(seed, 40);
}

TEST_CASE("fps_extend and poisson_subset, device: what the host gives", "[fps][device]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    random_source random{seed};
    auto const points = random_points(random, 200 + random.below(9000), seed % 2 == 0);
    double const radius = seed % 2 == 0 ? static_cast<double>(1 + random.below(3)) : 0.05 + 0.1 * random.uniform();
    auto const n = static_cast<index_t>(points.size());
    CAPTURE(seed, n, radius);
    auto const expected = farpoint::poisson_subset(points, radius);
    device_array<std::array<float, 3>> const on_device{points};
    device_array<std::int32_t> const indices{points.size()};
    device_array<std::int32_t> const count{1};
    test_stream const stream;
    farpoint::cuda_exec const exec{stream.get()};
    auto const cloud = farpoint::view_points(on_device.data(), n);
    farpoint::batch<view> const clouds{cloud};
    device_array<unsigned char> const workspace{poisson_subset_workspace_bytes(exec, clouds, n)};
    farpoint::fps_output<float> const output{span_of<std::int32_t>(indices), {}, span_of<std::int32_t>(count)};
    REQUIRE(farpoint::poisson_subset(exec, clouds, radius, output, span_of<unsigned char>(workspace)));
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    auto found = indices.download();
    REQUIRE(count.download()[0] == static_cast<std::int32_t>(expected.size()));
    found.resize(expected.size());
    CHECK(found == expected);

    // Grown point by point: the first half, with padding behind its samples, and then all.
    farpoint::fps_params params;
    params.samples = 40;
    std::vector<std::int32_t> wanted(80);
    device_array<std::int32_t> const grown{80};
    for (index_t earlier = 0; earlier <= 40; earlier += 40) {
      index_t const size = earlier == 0 ? n / 2 : n;
      params.stop_below = earlier == 0 ? radius : 0;
      farpoint::batch<view> const host_cloud{farpoint::view_points(points.data(), size)};
      farpoint::batch<view> const device_cloud{farpoint::view_points(on_device.data(), size)};
      farpoint::host_scratch const scratch{fps_workspace_bytes(farpoint::host_exec{1}, host_cloud, params)};
      device_array<unsigned char> const memory{fps_workspace_bytes(exec, device_cloud, params)};
      auto const end = static_cast<std::size_t>(earlier + 40);
      REQUIRE(farpoint::fps_extend(farpoint::host_exec{1}, host_cloud.points(), earlier, params,
                                   {span<std::int32_t>{wanted.data(), end}}, scratch));
      REQUIRE(farpoint::fps_extend(exec, device_cloud.points(), earlier, params,
                                   {span<std::int32_t>{grown.data(), end}}, span_of<unsigned char>(memory)));
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    }
    CHECK(grown.download() == wanted);
    CHECK(grown.intact());
  }
}
