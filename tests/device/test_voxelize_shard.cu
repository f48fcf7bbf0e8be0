// voxelize_shard() on streams: ranks are threads, and all rows together are those of one call.
#include "../catch.hpp"
#include "shards_on_device.cuh"

using namespace farpoint_tests;
using farpoint::dynamic;
using farpoint::hard;
using farpoint::status;

TEST_CASE("voxelize_shard, device: random problems on 1 to 4 ranks give what one call gives",
          "[voxelize][shard][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    random_source random{seed + 2000};
    auto const problem = for_shards(random_voxelize_problem<float>(seed, 2500));
    auto const calls = share_out(problem, random, static_cast<int>(1 + seed % 4));
    check_rank_answers(problem, voxelize_on_streams(problem, calls));
  }
}

TEST_CASE("voxelize_shard, device: doubles, and max_voxels that cuts all ranks", "[voxelize][shard][device]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    auto const wide = for_shards(random_voxelize_problem<double>(seed, 1500));
    check_rank_answers(wide, voxelize_on_streams(wide, share_out(wide, random, 3)));
    auto const cloud = make_cloud(shape::lattice, seed % 6 == 0 ? seed / 6 : 900, seed);
    farpoint::voxel_mode const mode = hard{static_cast<index_t>(seed) * 10, static_cast<index_t>(1 + seed % 3)};
    auto const few =
        for_shards(voxelize_problem<float>{cloud, {{{0, 0, 0}}, {{1, 1, 1}}, {{6, 6, 5}}}, mode, packed_features(3)});
    check_rank_answers(few, voxelize_on_streams(few, share_out(few, random, 5)));
  }
}

TEST_CASE("voxelize_shard, device: large parts", "[voxelize][shard][device]") {
  for (farpoint::voxel_mode const mode : {farpoint::voxel_mode{dynamic{}}, farpoint::voxel_mode{hard{150000, 3}}}) {
    CAPTURE(mode.max_points);
    random_source random{3};
    auto const cloud = make_cloud(shape::cube, 300000, 5);
    auto const problem =
        for_shards(voxelize_problem<float>{cloud, fitted_grid<float>(cloud, {90, 80, 20}), mode, packed_features(2)});
    check_rank_answers(problem, voxelize_on_streams(problem, share_out(problem, random, 3)));
  }
}

TEST_CASE("voxelize_shard, device: what one rank may not do, all ranks return from", "[voxelize][shard][device]") {
  four_ranks four;
  auto& calls = four.calls;
  auto const outcomes = [&] { return codes_of(voxelize_on_streams(four.problem, calls)); };
  std::vector<status> expected(4, status::bad_argument);
  SECTION("parameters differ") {
    calls[3].hash_seed = 1;
    CHECK(outcomes() == expected);
  }
  SECTION("a workspace is too small") {
    calls[0].workspace_less = 1;
    expected[0] = status::workspace_too_small;
    CHECK(outcomes() == expected);
  }
  SECTION("a rank receives more points than it has room for") {
    calls[2].received_capacity = 1;
    CHECK(outcomes() == std::vector<status>(4, status::workspace_too_small));
  }
}
