// voxelize_shard() on streams: ranks are threads, and all rows together are those of one call.
#include "../catch.hpp"
#include "shards_on_device.cuh"

using namespace farpoint_tests;
using farpoint::status;

namespace {

constexpr std::uint64_t random_problems = 100;
constexpr std::uint64_t other_cuts = 2000;

auto const check_ranks = [](auto const& problem, std::vector<rank_call> const& calls, int) {
  check_gathered_answers(problem, voxelize_on_streams(problem, gathering(calls)));
};

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/voxelize_shard_tests.inc"

TEST_CASE("voxelize_shard, device: large parts", "[voxelize][shard][device]") {
  for (farpoint::voxel_mode const mode :
       {farpoint::voxel_mode{farpoint::dynamic{}}, farpoint::voxel_mode{farpoint::hard{150000, 3}}}) {
    CAPTURE(mode.max_points);
    random_source random{3};
    auto const cloud = make_cloud(shape::cube, 300000, 5);
    auto const problem =
        for_shards(voxelize_problem<float>{cloud, fitted_grid<float>(cloud, {90, 80, 20}), mode, packed_features(2)});
    check_ranks(problem, share_out(problem, random, 3), 1);
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
  SECTION("a rank has too little room to gather, or asks for other parts") {
    calls = gathering(calls);
    auto const gathered = [&] { return gathered_codes_of(voxelize_on_streams(four.problem, calls)); };
    calls[2].room = 216;
    CHECK(gathered() == std::vector<status>(4, status::ok));
    calls[2].room = 215;
    CHECK(gathered() == std::vector<status>(4, status::workspace_too_small));
    calls[2].room = 0;
    CHECK(gathered() == expected);
  }
  SECTION("a rank receives more points than it has room for") {
    calls[2].received_capacity = 1;
    CHECK(outcomes() == std::vector<status>(4, status::workspace_too_small));
  }
}
