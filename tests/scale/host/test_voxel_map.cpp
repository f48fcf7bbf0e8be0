// Voxel maps on the host: the bits of one call on all tiles, with several numbers of threads; and what is refused.
#include <farpoint/scale/voxel_map.hpp>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../voxel_map_problem.hpp"

using namespace farpoint_tests;
using farpoint::dynamic;
using farpoint::hard;
using farpoint::host_exec;

namespace {

template <class Problem>
voxel_map_answer map_on_host(Problem const& problem, int threads) {
  voxel_map_totals totals;
  auto answer = collect_voxels(problem.cloud, [&](auto const& clouds, auto const& params, auto const& output) {
    auto const outcome = run_voxel_map<host_array>(
        host_exec{threads}, problem, [] {}, clouds.points(), params, output, totals);
    if (output.report != nullptr && outcome) *output.report = {};
    return outcome;
  });
  return {std::move(answer), std::move(totals)};
}

template <class Problem>
void check_on_host(Problem const& problem) {
  auto const expected = all_tiles_at_once(problem);
  for (int const threads : {1, 3}) {
    CAPTURE(threads);
    check_same(map_on_host(problem, threads), expected);
  }
}

/// A map of one cell, and a point in it.
struct small_map {
  std::vector<float> point{0.5f, 0.5f, 0.5f};
  farpoint::voxel_map<float> map;
  farpoint::voxel_map_tile<farpoint::point_view<float>> tile{{point.data(), 1, 12}, {}, {}};
  host_array<unsigned char> memory{4096};
  host_array<unsigned char> workspace{8192};

  small_map() {
    map.params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}}};
    map.params.capacity = 1;
    map.memory = {memory.data(), memory.size()};
  }
  farpoint::result clear() const { return voxel_map_clear(host_exec{1}, map); }
  farpoint::result insert() const {
    return voxel_map_insert(host_exec{1}, map, tile, {workspace.data(), workspace.size()});
  }
  farpoint::result read(farpoint::voxel_map_output<float> const& output) const {
    return voxel_map_read(host_exec{1}, map, output);
  }
};

}  // namespace

TEST_CASE("voxel map, host: tiles of random problems give what one call gives", "[voxelize][voxel_map]") {
  for (std::uint64_t seed = 0; seed < rounds(150); ++seed) {
    CAPTURE(seed);
    check_on_host(random_voxel_map_problem<float>(seed, 3000));
  }
}

NUMBERS_TEST_CASE("voxel map, host: double and UTM coordinates", "[voxelize][voxel_map][numbers]") {
  for (std::uint64_t seed = 0; seed < rounds(60); ++seed) {
    CAPTURE(seed);
    check_on_host(random_voxel_map_problem<double>(seed, 2000));
    random_source random{seed};
    auto const cloud = make_cloud(shape::utm, 500, seed);
    voxelize_problem<double> const utm{cloud, fitted_grid<double>(cloud, {70, 60, 3}), dynamic{}};
    check_on_host(in_tiles(utm, random, 4));
  }
}

TEST_CASE("voxel map, host: a map that fills up in the middle of a tile keeps the first voxels",
          "[voxelize][voxel_map]") {
  auto const cloud = make_cloud(shape::lattice, 4000, 3);
  for (index_t const capacity : {0, 1, 37, 215, 216, 300}) {
    for (bool const by_mode : {false, true}) {
      CAPTURE(capacity, by_mode);
      random_source random{static_cast<std::uint64_t>(capacity)};
      farpoint::voxel_mode const limited = hard{capacity, 4};
      voxelize_problem<float> problem{
          cloud, {{{0, 0, 0}}, {{1, 1, 1}}, {{6, 6, 6}}}, by_mode ? limited : farpoint::voxel_mode{dynamic{}}};
      if (!by_mode) problem.capacity = capacity;
      check_on_host(in_tiles(problem, random, 60));
    }
  }
}

TEST_CASE("voxel map, host: points on the boundaries of voxels and of the grid", "[voxelize][voxel_map]") {
  xyz_cloud cloud;
  for (int i = -2; i <= 9; ++i) {
    for (double const delta : {-1e-6, 0.0, 1e-6}) cloud.push_back({i * 0.1 + delta, -0.0, 0.7999999});
  }
  random_source random{1};
  for (int repeat = 0; repeat < 20; ++repeat) {
    voxelize_problem<float> const problem{cloud, {{{0, 0, 0}}, {{0.1f, 0.1f, 0.1f}}, {{8, 8, 8}}}, hard{100, 2}};
    check_on_host(in_tiles(problem, random, 5));
  }
}

TEST_CASE("voxel map, host: cleared it is as new, whatever its memory held", "[voxelize][voxel_map]") {
  small_map const small;
  farpoint::voxel_map_report report;
  farpoint::voxel_map_output<float> output;
  output.report = &report;
  for (int round = 0; round < 2; ++round) {
    REQUIRE(small.clear());
    REQUIRE(small.read(output));
    CHECK(report.points == 0);
    CHECK(report.voxels == 0);
    REQUIRE(small.insert());
    REQUIRE(small.insert());
    REQUIRE(small.read(output));
    CHECK(report.points == 2);
    CHECK(report.voxels == 1);
  }
  CHECK(small.memory.intact());
}

TEST_CASE("voxel map, host: what is refused writes nothing", "[voxelize][voxel_map]") {
  small_map small;
  REQUIRE(small.clear());
  REQUIRE(small.insert());
  auto const before = small.memory.download();
  auto const refused = [&](farpoint::result const& outcome, farpoint::status code) {
    INFO(outcome.reason);
    return outcome.code == code && *outcome.reason != '\0' && small.memory.download() == before;
  };
  using farpoint::status;
  auto const good = small.map;

  small.map.params.capacity = -1;
  CHECK(refused(small.clear(), status::bad_argument));
  CHECK(farpoint::voxel_map_bytes(small.map.params) == 0);
  small.map.params.capacity = (index_t{1} << 30) + 1;
  CHECK(refused(small.insert(), status::bad_argument));
  small.map.params = good.params;
  small.map.params.mode = hard{5, 0};
  CHECK(refused(small.clear(), status::bad_argument));
  small.map.params.mode = hard{-1, 1};
  CHECK(refused(small.clear(), status::bad_argument));
  small.map.params.mode = dynamic{};
  small.map.params.grid.size[1] = 0;
  CHECK(refused(small.insert(), status::bad_argument));
  small.map.params = good.params;
  small.map.params.features = 65;
  CHECK(refused(small.insert(), status::bad_argument));
  small.map.params.features = 2;
  CHECK(refused(small.insert(), status::bad_argument));
  small.map.params.features = 0;

  small.map.memory = {small.memory.data(), farpoint::voxel_map_bytes(small.map.params) - 1};
  CHECK(refused(small.clear(), status::workspace_too_small));
  small.map.memory = {small.memory.data() + 64, 4000};
  CHECK(refused(small.insert(), status::bad_argument));
  small.map.memory = good.memory;
  auto const tile = small.tile;
  std::size_t const needed = voxel_map_insert_workspace_bytes(host_exec{1}, small.map, tile);
  CHECK(refused(voxel_map_insert(host_exec{1}, small.map, tile, {small.workspace.data(), needed - 1}),
                status::workspace_too_small));
  CHECK(refused(voxel_map_insert(host_exec{1}, small.map, tile, {small.workspace.data() + 8, needed}),
                status::bad_argument));
  CHECK(refused(voxel_map_insert(host_exec{-1}, small.map, tile, {small.workspace.data(), needed}),
                status::bad_argument));
  small.tile.points = {static_cast<float const*>(nullptr), 1, 12};
  CHECK(refused(small.insert(), status::bad_argument));
  small.tile.points = {small.point.data(), -1, 12};
  CHECK(refused(small.insert(), status::bad_argument));
  small.tile.points = {small.point.data(), (index_t{1} << 30) + 1, 12};
  CHECK(refused(small.insert(), status::bad_argument));
  CHECK(voxel_map_insert_workspace_bytes(host_exec{1}, small.map, small.tile) == 0);

  std::vector<float> values(2);
  farpoint::voxel_map_output<float> output;
  output.capacity = 1;
  output.centroid = values;
  CHECK(refused(small.read(output), status::bad_argument));
  output.centroid = {};
  output.mean = values;
  CHECK(refused(small.read(output), status::bad_argument));
  output.mean = {};
  output.begin = -1;
  CHECK(refused(small.read(output), status::bad_argument));
  output.begin = 0;
  small.map.params.parts.centroid = false;
  values.resize(3);
  output.centroid = values;
  CHECK(refused(small.read(output), status::bad_argument));
}

TEST_CASE("voxel map, host: rows beyond the last voxel are read as none", "[voxelize][voxel_map]") {
  small_map const small;
  REQUIRE(small.clear());
  REQUIRE(small.insert());
  std::vector<std::int32_t> counts(3, -7);
  std::vector<std::int32_t> rows(1);
  farpoint::voxel_map_output<float> output;
  output.capacity = 3;
  output.points_per_voxel = counts;
  output.voxel_count = rows;
  for (index_t const begin : {index_t{1}, index_t{2}, index_t{0x7fffffffffffffff}}) {
    output.begin = begin;
    REQUIRE(small.read(output));
    CHECK(rows[0] == 0);
    CHECK(counts == std::vector<std::int32_t>{-7, -7, -7});
  }
  output.begin = 0;
  REQUIRE(small.read(output));
  CHECK(rows[0] == 1);
  CHECK(counts == std::vector<std::int32_t>{1, -7, -7});
}
