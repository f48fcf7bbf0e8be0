// Voxel maps that forget, on a stream: the cases of the host, and a captured insertion and erasure that follow a
// sensor.
#include <farpoint/scale/voxel_map.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../../support/test_scale.hpp"
#include "../live_voxel_map.hpp"

using namespace farpoint_tests;

namespace {

struct device_backend {
  template <class T>
  using array = device_array<T>;
  farpoint::cuda_exec exec;
  void wait() const { REQUIRE_CUDA(cudaStreamSynchronize(exec.stream)); }
};

template <class Check>
void on_backend(Check const& check) {
  test_stream const stream;
  check(device_backend{farpoint::cuda_exec{stream.get()}});
}

constexpr std::uint64_t scans_of_drive = 10000;

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../voxel_map_keep_tests.inc"

TEST_CASE("voxel map, device: many voxels", "[voxelize][voxel_map][device]") {
  on_backend([](auto const& backend) { check_many_voxels(backend, {1000, 1200000, 2, 300000, 480, 600000}); });
}

TEST_CASE("voxel map, device: a captured insertion and erasure follow a sensor by an origin in memory",
          "[voxelize][voxel_map][device][graph]") {
  auto params = small_params(200);
  params.hash_seed = 9;
  plain_voxel_map<float> model{params};
  device_array<unsigned char> const memory{farpoint::voxel_map_bytes(params)};
  farpoint::voxel_map<float> const map{params, {memory.data(), memory.size()}};
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  constexpr index_t points_of_tile = 40;
  device_array<std::array<float, 3>> points{points_of_tile};
  device_array<float> origin{3};
  using view = farpoint::point_view<float>;
  farpoint::voxel_map_tile<view> tile;
  tile.points = view{points.data(), points_of_tile};
  device_array<unsigned char> const insert_memory{voxel_map_insert_workspace_bytes(exec, map, tile)};
  device_array<unsigned char> const keep_memory{voxel_map_keep_workspace_bytes(exec, params)};
  device_array<farpoint::voxel_map_keep_report> const report{1};
  voxel_map_keep_params<float> keep;
  keep.origin = {origin.data(), 3};
  keep.box = {{{-2, -3, -4}}, {{2, 3, 4}}};
  keep.radius = 2.5f;
  keep.max_age = 3;
  keep.max_voxels = 25;
  farpoint::voxel_map_keep_output output;
  output.report = report.data();
  farpoint::result outcome = voxel_map_clear(exec, map);
  REQUIRE(outcome);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  captured_graph const graph{
      stream.get(), [&] {
        outcome = voxel_map_insert(exec, map, tile, {insert_memory.data(), insert_memory.size()});
        if (outcome) {
          outcome = voxel_map_keep(exec, map, keep, output, {keep_memory.data(), keep_memory.size()});
        }
      }};
  REQUIRE(outcome);
  random_source random{6};
  unsigned long long erased = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    std::vector<float> const sensor{static_cast<float>(round % 16) * 0.5f - 4, 0, 0};
    plain_tile<float> plain;
    for (index_t i = 0; i < points_of_tile; ++i) {
      plain.points.push_back({sensor[0] + 4 * random.uniform() - 2, 4 * random.uniform() - 2, random.uniform()});
    }
    points.upload(plain.points);
    origin.upload(sensor);
    graph.replay();
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    model.insert(plain);
    std::vector<std::int32_t> new_numbers;
    auto const expected = model.keep(keep, sensor, new_numbers);
    CHECK(counters_of(report.download()[0]) == counters_of(expected));
    erased += expected.outside + expected.expired + expected.evicted;
  }
  CHECK(erased > 100);
  CHECK(memory.intact());
  CHECK(insert_memory.intact());
  CHECK(keep_memory.intact());
}
