// Voxel maps that forget, on host threads; and what is refused.
#include <farpoint/point_bvh.hpp>
#include <farpoint/scale/voxel_map.hpp>

#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../live_voxel_map.hpp"

using namespace farpoint_tests;

namespace {

struct host_backend {
  template <class T>
  using array = host_array<T>;
  farpoint::host_exec exec;
  void wait() const {}
};

template <class Check>
void on_backend(Check const& check) {
  for (int const threads : {1, 3}) {
    CAPTURE(threads);
    check(host_backend{farpoint::host_exec{threads}});
  }
}

constexpr std::uint64_t scans_of_drive = 10000;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../voxel_map_keep_tests.inc"

TEST_CASE("voxel map, host: many voxels, which threads share", "[voxelize][voxel_map]") {
  // Threads are started where there is enough to do: here for each step.
  on_backend([](auto const& backend) { check_many_voxels(backend, {400, 100000, 0, 40000, 180, 60000}); });
}

TEST_CASE("voxel map, host: erasures that are refused write nothing", "[voxelize][voxel_map]") {
  using farpoint::status;
  host_backend const backend{farpoint::host_exec{1}};
  auto params = small_params(20);
  auto map = make_live(backend, params);
  map.insert(row_tile(-4, 4));
  auto const before = map.save();
  std::vector<std::int32_t> new_numbers(20);
  std::size_t const needed = voxel_map_keep_workspace_bytes(backend.exec, params);
  host_array<unsigned char> const workspace{needed + 64};
  farpoint::bytes const memory{workspace.data(), needed};
  farpoint::voxel_map<float> live = map.map();
  voxel_map_keep_params<float> const good;
  farpoint::voxel_map_keep_output output;
  auto const refused = [&](voxel_map_keep_params<float> const& keep, farpoint::bytes bytes, status code) {
    auto const outcome = voxel_map_keep(backend.exec, live, keep, output, bytes);
    INFO(outcome.reason);
    return outcome.code == code && *outcome.reason != '\0' && map.save() == before && workspace.untouched();
  };
  auto const refuses = [&](auto const& change) {
    auto keep = good;
    change(keep);
    return refused(keep, memory, status::bad_argument);
  };
  using keep_type = voxel_map_keep_params<float>;
  CHECK(refuses([](keep_type& keep) { keep.box.low[1] = nan_of<float>; }));
  CHECK(refuses([](keep_type& keep) { keep.box.high[2] = nan_of<float>; }));
  CHECK(refuses([](keep_type& keep) { keep.center[0] = nan_of<float>; }));
  CHECK(refuses([](keep_type& keep) { keep.center[0] = infinity_of<float>; }));
  CHECK(refuses([](keep_type& keep) { keep.radius = nan_of<float>; }));
  CHECK(refuses([](keep_type& keep) { keep.radius = -1; }));
  CHECK(refuses([](keep_type& keep) { keep.max_age = -1; }));
  CHECK(refuses([](keep_type& keep) { keep.max_voxels = -1; }));
  std::vector<float> const two{0, 0};
  CHECK(refuses([&](keep_type& keep) { keep.origin = two; }));
  CHECK(refused(good, memory.subspan(0, memory.size() - 1), status::workspace_too_small));
  CHECK(refused(good, {workspace.data() + 64, needed}, status::bad_argument));
  output.new_numbers = farpoint::span<std::int32_t>{new_numbers.data(), 19};
  CHECK(refused(good, memory, status::bad_argument));
  output.new_numbers = {};
  live.memory = live.memory.subspan(0, live.memory.size() - 1);
  live.params.capacity = 2000;
  CHECK(refused(good, memory, status::workspace_too_small));
  live = map.map();
  CHECK(voxel_map_keep(farpoint::host_exec{-1}, live, good, output, memory).code == status::bad_argument);
  live.params.capacity = -1;
  CHECK(voxel_map_keep_workspace_bytes(backend.exec, live.params) == 0);
  CHECK(refused(good, memory, status::bad_argument));

  // Ages need the last tile.
  params.parts.last_tile = false;
  auto ageless = make_live(backend, params);
  for (bool const by_age : {true, false}) {
    auto keep = good;
    (by_age ? keep.max_age : keep.max_voxels) = 5;
    CHECK(voxel_map_keep(backend.exec, ageless.map(), keep, output, memory).code == status::bad_argument);
  }
  CHECK(farpoint::voxel_map_bytes(params) <= farpoint::voxel_map_bytes(small_params(20)));
}

TEST_CASE("voxel map, host: the nearest voxel, by an index over as many centroids as the map has",
          "[voxelize][voxel_map]") {
  using view = farpoint::point_view<float>;
  host_backend const backend{farpoint::host_exec{2}};
  auto const params = small_params(300);
  auto map = make_live(backend, params);
  random_source random{8};
  std::vector<std::array<float, 3>> centroids(300);  // rows of erased voxels stay in it
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    plain_tile<float> tile;
    for (int i = 0; i < 300; ++i) {
      tile.points.push_back({8 * random.uniform() - 4, 8 * random.uniform() - 4, 8 * random.uniform() - 4});
    }
    map.insert(tile);
    voxel_map_keep_params<float> keep;
    keep.max_voxels = 200 - 30 * round;
    map.keep(keep);

    std::vector<index_t> offsets{0, 0};
    farpoint::voxel_map_output<float> rows;
    rows.capacity = 300;
    rows.centroid = {&centroids[0][0], 900};
    rows.voxel_count = farpoint::span<index_t>{offsets}.subspan(1);
    REQUIRE(voxel_map_read(backend.exec, map.map(), rows));
    REQUIRE(offsets[1] == keep.max_voxels);
    auto const voxels = farpoint::batch<view>::ragged(farpoint::view_points(centroids), offsets);
    host_array<unsigned char> const memory{point_bvh_bytes(backend.exec, voxels)};
    farpoint::point_bvh<float> tree;
    REQUIRE(build_point_bvh(backend.exec, voxels, {memory.data(), memory.size()}, tree));
    std::vector<std::int32_t> nearest(tile.points.size());
    farpoint::batch<view> const queries{farpoint::view_points(tile.points)};
    REQUIRE(knn(backend.exec, tree, queries, farpoint::knn_params{1}, {nearest}));
    std::vector<std::int32_t> expected;
    for (auto const& query : tile.points) {
      int best = 0;
      float least = infinity_of<float>;
      for (int v = 0; v < static_cast<int>(offsets[1]); ++v) {
        float distance2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          float const off = query[axis] - centroids[static_cast<std::size_t>(v)][axis];
          distance2 = std::fma(off, off, distance2);
        }
        if (distance2 < least) best = v;
        least = std::min(least, distance2);
      }
      expected.push_back(best);
    }
    CHECK(nearest == expected);
  }
}

TEST_CASE("voxel map, host: the workspace of an erasure grows with the capacity", "[voxelize][voxel_map]") {
  std::size_t last = 0;
  for (index_t const capacity : {0, 1, 100, 1000, 1000000, 1 << 30}) {
    std::size_t const size = voxel_map_keep_workspace_bytes(farpoint::host_exec{1}, small_params(capacity));
    CHECK(size >= last);
    CHECK(size <= 4 * static_cast<std::size_t>(capacity) + 2048);
    last = size;
  }
}
