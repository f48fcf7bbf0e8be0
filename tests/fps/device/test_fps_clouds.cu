// fps() of clouds that are not sampled alike, on a stream: what the host gives.
#include <farpoint/fps.cuh>

#include "../../search/index_problem.hpp"
#include "../../support/catch.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../../support/host_array.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::span;
using view = index_problem::view;

namespace {

void check_clouds(index_problem const& problem, bool regular, farpoint::fps_params params, std::uint64_t seed) {
  random_source random{seed};
  auto const clouds = static_cast<index_t>(problem.clouds());
  std::vector<std::int32_t> wanted;
  for (index_t b = 0; b < clouds; ++b) {
    wanted.push_back(static_cast<std::int32_t>(random.below(params.samples + 20) - 5));
  }
  device_array<std::array<float, 3>> const device_points{problem.points};
  device_array<index_t> const offsets{problem.point_offsets};
  device_array<std::int32_t> const device_wanted{wanted};
  auto const count = static_cast<index_t>(problem.points.size()) / clouds * clouds;
  auto const clouds_at = [&](std::array<float, 3> const* points, index_t const* at) {
    if (regular) return batch<view>::regular(farpoint::view_points(points, count), clouds);
    return index_problem::batch_of(points, problem.points.size(), at, problem.clouds());
  };
  auto const on_host = clouds_at(problem.points.data(), problem.point_offsets.data());
  auto const on_device = clouds_at(device_points.data(), offsets.data());

  auto const entries = static_cast<std::size_t>(clouds * params.samples);
  host_array<std::int32_t> const expected{entries};
  host_array<float> const expected_distances{entries};
  host_array<std::int32_t> const expected_counts{static_cast<std::size_t>(clouds)};
  device_array<std::int32_t> const indices{entries};
  device_array<float> const distances{entries};
  device_array<std::int32_t> const counts{static_cast<std::size_t>(clouds)};
  params.sample_counts = wanted;
  host_workspace const workspace{fps_workspace_bytes(host_exec{1}, on_host, params)};
  REQUIRE(farpoint::fps(host_exec{1}, on_host, params,
                        {span<std::int32_t>{expected.data(), entries},
                         {expected_distances.data(), entries},
                         span<std::int32_t>{expected_counts.data(), expected_counts.size()}},
                        workspace.get()));
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  params.sample_counts = device_wanted;
  device_array<unsigned char> const memory{fps_workspace_bytes(exec, on_device, params)};
  auto const enqueue = [&] {
    auto const outcome =
        farpoint::fps(exec, on_device, params,
                      {span_of<std::int32_t>(indices), span_of<float>(distances), span_of<std::int32_t>(counts)},
                      span_of<unsigned char>(memory));
    INFO(outcome.reason);
    REQUIRE(outcome);
  };
  enqueue();
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(indices.download() == expected.download());
  CHECK(distances.download() == expected_distances.download());
  CHECK(counts.download() == expected_counts.download());
  CHECK(indices.intact());
  CHECK(distances.intact());
  CHECK(counts.intact());
  captured_graph const graph{stream.get(), enqueue};
  graph.replay();
  CHECK(indices.download() == expected.download());
  CHECK(counts.download() == expected_counts.download());
}

}  // namespace

// [no_racecheck]: the default's kernels have barriers of a part of the block, see scripts/gpu_test.sh.
TEST_CASE("fps, device: samples of each cloud, and first points from a seed", "[fps][device][sanitize][no_racecheck]") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    // Clouds for regions of small and large shapes, and for teams.
    index_t const most = seed % 3 == 0 ? 300 : seed % 3 == 1 ? 6000 : 40000;
    auto const problem = random_index_problem(seed, most);
    farpoint::fps_params params;
    params.samples = seed % 4 == 0 ? 5 : 100;
    params.random_first = seed % 5 != 0;
    params.seed = seed;
    CAPTURE(seed, problem.points.size(), problem.clouds());
    check_clouds(problem, seed % 2 == 0, params, seed);
  }
}
