// project(), normals_from_neighbours() and draw_splats() on a stream: the bits of the host, also from a graph.
#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/normals_from_neighbours.cuh>
#include <farpoint/splat/project.cuh>

#include "../catch.hpp"
#include "../shared/splat_problem.hpp"
#include "../stress/device_space.cuh"
#include "stream_citizen.cuh"

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

TEST_CASE("normals_from_neighbours, device: the rows of the host", "[normals][device][graph][sanitize]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    check_on_device(random_neighbour_rows<float>(seed, all_shapes[seed % std::size(all_shapes)]));
    if (seed % 8 == 0) check_on_device(random_neighbour_rows<double>(seed, shape::cube));
  }
}

TEST_CASE("draw_splats, device: the image of the host", "[splats][device][graph][sanitize]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check_on_device(random_splats<float>(seed, all_shapes[seed % std::size(all_shapes)]));
    if (seed % 8 == 0) check_on_device(random_splats<double>(seed, shape::cube));
  }
}

TEST_CASE("draw_splats, device: boxes above and below what a warp draws", "[splats][device]") {
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
