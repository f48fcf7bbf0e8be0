// voxelize_shard() on streams: ranks are threads, and the rows of all ranks together equal the rows of one call.
#include "../../support/catch.hpp"
#include "shards_on_device.cuh"

using namespace farpoint_tests;
using farpoint::status;

TEST_CASE("voxelize_shard, device: random problems on 1 to 4 ranks give what one call gives",
          "[voxelize][shard][device][sanitize]") {
  for_each_shared_out(100, 2000, check_on_streams);
}

TEST_CASE("voxelize_shard, device: doubles", "[voxelize][shard][device]") {
  for_each_shared_out<double>(12, 0, check_on_streams);
}

TEST_CASE("voxelize_shard, device: max_voxels that cuts all ranks", "[voxelize][shard][device]") {
  for_each_cut(12, 5, check_on_streams);
}

TEST_CASE("voxelize_shard, device: room for the voxels within max_voxels is enough", "[voxelize][shard][device]") {
  for_few_of_many_voxels(check_on_streams);
}

TEST_CASE("voxelize_shard, device: large parts", "[voxelize][shard][device]") {
  for_each_large(3, check_on_streams);
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
