// Voxel maps on a stream: what the host's tests expect, in graphs too.
#include <farpoint/scale/voxel_map.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../../voxelize/device/voxelize_on_device.cuh"
#include "../voxel_map_problem.hpp"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::dynamic;
using farpoint::hard;

namespace {

template <class Problem>
voxel_map_answer map_on_device(Problem const& problem) {
  auto const& cloud = problem.cloud;
  voxelize_arrays const arrays{cloud};
  voxel_map_totals totals;
  test_stream const stream;
  auto const wait = [&stream] { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); };
  auto const outcome = run_voxel_map<device_array>(cuda_exec{stream.get()}, problem, wait,
                                                   cloud.clouds_at(arrays.memory.data(), nullptr).points(),
                                                   arrays.params(cloud), arrays.output(cloud), totals);
  return {answer_of(cloud, arrays.parts, outcome), std::move(totals)};
}

template <class Problem>
void check_on_device(Problem const& problem) {
  check_same(map_on_device(problem), all_tiles_at_once(problem));
}

}  // namespace

TEST_CASE("voxel map, device: tiles of random problems give what one call gives",
          "[voxelize][voxel_map][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    check_on_device(random_voxel_map_problem<float>(seed, 3000));
  }
}

TEST_CASE("voxel map, device: large tiles, and a map that fills up", "[voxelize][voxel_map][device]") {
  for (index_t const capacity : {300000, 20000, 0}) {
    for (farpoint::voxel_mode const mode : {farpoint::voxel_mode{dynamic{}}, farpoint::voxel_mode{hard{250000, 3}}}) {
      CAPTURE(capacity, mode.max_points);
      random_source random{static_cast<std::uint64_t>(capacity)};
      auto const cloud = make_cloud(shape::cube, 300000, 5);
      voxelize_problem<float> problem{cloud, fitted_grid<float>(cloud, {90, 80, 20}), mode, packed_features(2)};
      problem.capacity = capacity;
      check_on_device(in_tiles(problem, random, 5));
    }
  }
}

TEST_CASE("voxel map, device: an insertion is captured once, and inserts again in every replay",
          "[voxelize][voxel_map][device][graph]") {
  auto const cloud = make_cloud(shape::cube, 20000, 1);
  voxelize_problem<float> const problem{cloud, fitted_grid<float>(cloud, {50, 40, 5}), dynamic{}};
  device_array<unsigned char> const points{problem.memory};
  using view = farpoint::point_view<float>;
  farpoint::voxel_map<float> map;
  map.params.grid = problem.grid;
  map.params.capacity = 10000;
  device_array<unsigned char> const memory{farpoint::voxel_map_bytes(map.params)};
  map.memory = {memory.data(), memory.size()};
  farpoint::voxel_map_tile<view> const tile{problem.clouds_at(points.data(), nullptr).points(), {}, {}};
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  device_array<unsigned char> const workspace{voxel_map_insert_workspace_bytes(exec, map, tile)};
  device_array<farpoint::voxel_map_report> const report{1};
  farpoint::voxel_map_output<float> output;
  output.report = report.data();
  REQUIRE(voxel_map_clear(exec, map));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  farpoint::result outcome;
  captured_graph const graph{stream.get(), [&] {
                               outcome = voxel_map_insert(exec, map, tile, {workspace.data(), workspace.size()});
                               if (outcome) outcome = voxel_map_read(exec, map, output);
                             }};
  REQUIRE(outcome);
  for (unsigned long long round = 1; round <= 3; ++round) {
    graph.replay();
    auto const seen = report.download()[0];
    CHECK(seen.points == round * cloud.size());
    CHECK(seen.voxels > 100);
  }
  CHECK(memory.intact());
  CHECK(workspace.intact());
}
