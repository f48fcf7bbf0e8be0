// project(), normals_from_neighbors() and draw_splats() on a stream: the bits of the host, also from a graph.
#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/normals_from_neighbors.cuh>
#include <farpoint/splat/project.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/device_space.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../splat_problem.hpp"

using namespace farpoint_tests;
using farpoint::index_t;

namespace {

/// Runs a problem on a stream, then as a graph, and holds both against the host.
template <class Problem>
void check_on_device(Problem const& problem) {
  farpoint::result outcome;
  auto const expected = run_on_host(problem, 1, outcome);
  REQUIRE(outcome);
  call_memory<farpoint_stress::device_space> memory;
  test_stream const stream;
  auto const enqueue = [&] {
    memory.rewind();
    outcome = problem.run(farpoint::cuda_exec{stream.get()}, memory);
  };
  enqueue();
  INFO(outcome.reason);
  REQUIRE(outcome);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(memory.outputs() == expected);
  memory.wipe_outputs();
  REQUIRE_CUDA(cudaDeviceSynchronize());
  captured_graph const graph{stream.get(), enqueue};
  REQUIRE(outcome);
  graph.replay();
  CHECK(memory.outputs() == expected);
  CHECK(memory.intact());
}

}  // namespace

TEST_CASE("project, device: the z-buffer of the host", "[project][device][graph][sanitize]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 300u, 20000u}) {
      CAPTURE(static_cast<int>(which), n);
      project_problem<float> problem{records_of<float>(make_cloud(which, n, n)), camera_of_splats<float>(61, 47), {}};
      check_on_device(problem);
      problem.offsets = {static_cast<index_t>(n) / 3, static_cast<index_t>(n) + (which == shape::cube ? 1 : 0)};
      check_on_device(problem);
    }
  }
  check_on_device(project_problem<double>{
      records_of<double>(make_cloud(shape::cube, 5000, 1)), camera_of_splats<double>(1, 1), {}});
}

TEST_CASE("normals_from_neighbors, device: the rows of the host", "[normals][device][graph][sanitize]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    check_on_device(random_neighbor_rows<float>(seed, all_shapes[seed % std::size(all_shapes)]));
    if (seed % 8 == 0) check_on_device(random_neighbor_rows<double>(seed, shape::cube));
  }
}

TEST_CASE("draw_splats, device: the image of the host", "[splats][device][graph][sanitize]") {
  for_random_splats([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("draw_splats, device: dots and what covers many tiles, in images of any size", "[splats][device]") {
  farpoint::vec<std::int32_t, 2> const sizes[] = {{{1, 1}},     {{16, 16}},  {{17, 15}},
                                                  {{203, 150}}, {{8192, 3}}, {{640, 481}}};
  for (auto const& size : sizes) {
    for (float const hidden : {std::numeric_limits<float>::infinity(), 3.0f, 0.0f}) {
      CAPTURE(size[0], size[1], hidden);
      auto problem = many_splats(static_cast<std::uint64_t>(size[0]), 700, size, 0.01f);
      problem.params.hidden = hidden;
      check_on_device(problem);
      problem.count = {-5};
      check_on_device(problem);
      problem.count = {800};
      check_on_device(problem);
    }
  }
}

TEST_CASE("draw_splats, device: sums of more than 32 bits, and more splats in a tile than threads",
          "[splats][device][graph]") {
  auto problem = many_splats(1, 1, {{40, 40}}, 0.01f);
  constexpr std::size_t many = 50'000;
  problem.whose.assign(many, 0);
  problem.extents.assign(2 * many, 0.001f);
  problem.normals.clear();
  problem.tangents.clear();
  problem.colors.assign(3 * many, 1);
  problem.params.light = farpoint::splat_light::none();
  check_on_device(problem);
  for (std::size_t i = 0; i < many; ++i) problem.extents[2 * i] = static_cast<float>(i % 7) * 0.02f;
  problem.params.hidden = 1;
  check_on_device(problem);
}

TEST_CASE("draw_splats, device: a workspace that is a byte too small", "[splats][device]") {
  struct short_memory : call_memory<farpoint_stress::device_space> {
    std::size_t asked = 0;
    farpoint::bytes scratch(std::size_t size) {
      asked = size;
      return {call_memory::scratch(size).data(), size - 1};
    }
  };
  auto problem = many_splats(1, 300, {{64, 64}}, 0.01f);
  std::size_t bound = 0;
  REQUIRE(draw_splats_workspace_bound(farpoint::cuda_exec{nullptr}, 300, 64, 64, bound));
  for (float const hidden : {std::numeric_limits<float>::infinity(), 3.0f}) {
    problem.params.hidden = hidden;
    short_memory memory;
    CHECK(problem.run(farpoint::cuda_exec{nullptr}, memory).code == farpoint::status::workspace_too_small);
    CHECK(memory.asked >= 300 * 80 + (hidden < 4 ? 64 * 64 * 4 : 0));
    CHECK((hidden < 4 ? memory.asked == bound : memory.asked < bound));
  }
}

TEST_CASE("draw_splats, device: boxes above and below what a few lanes draw", "[splats][device]") {
  auto problem = random_splats<float>(3, shape::cube);
  problem.camera = camera_of_splats<float>(200, 150);
  problem.stride = 0;
  problem.points = records_of<float>(make_cloud(shape::cube, 60, 2));
  problem.count.clear();
  for (float const size : {0.02f, 0.1f, 0.15f, 0.3f, 5.0f}) {
    CAPTURE(size);
    for (float& extent : problem.extents) extent = size;
    check_on_device(problem);
  }
}
