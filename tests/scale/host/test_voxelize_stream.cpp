// The loops of voxelize_shard() that a stream runs, on the host: voxelize() of the whole cloud gives the same rows.
#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../shard_problem.hpp"

using namespace farpoint_tests;
using farpoint::status;

namespace {

/// Four ranks that run the stream's loops.
struct stream_ranks : four_ranks {
  std::vector<rank_answer> run() const { return run_ranks<stream_steps>(problem, calls, 1); }
  std::vector<status> outcomes() const { return codes_of(run()); }
  std::vector<status> gathered() const { return gathered_codes_of(run()); }
};

}  // namespace

TEST_CASE("voxelize_shard, a stream's loops: random problems on 1 to 4 ranks give what one call gives",
          "[voxelize][shard]") {
  for_each_shared_out(rounds(160), 1000, check_steps<stream_steps>);
}

TEST_CASE("voxelize_shard, a stream's loops: more ranks than points, and max_voxels that cuts all ranks",
          "[voxelize][shard]") {
  for_each_cut(24, 9, check_steps<stream_steps>);
}

NUMBERS_TEST_CASE("voxelize_shard, a stream's loops: double and float16", "[voxelize][shard][numbers]") {
  for_each_shared_out<double>(rounds(40), 0, check_steps<stream_steps>);
  for_each_shared_out<farpoint::float16>(rounds(40), 0, check_steps<stream_steps>);
}

TEST_CASE("voxelize_shard, a stream's loops: parts of many tiles", "[voxelize][shard]") {
  for_each_seed(6, [](std::uint64_t seed) {
    random_source random{seed};
    farpoint::voxel_mode const modes[] = {farpoint::dynamic{}, farpoint::hard{9000, 2}, farpoint::hard{100000, 1}};
    auto const cloud = make_cloud(seed % 2 == 0 ? shape::cube : shape::clusters, 40000, seed);
    auto const grid = fitted_grid<float>(cloud, {30, 25, 20});
    auto const problem =
        for_shards(voxelize_problem<float>{cloud, grid, modes[seed % 3], packed_features(static_cast<int>(seed % 4))});
    check_steps<stream_steps>(problem, share_out(problem, random, static_cast<int>(2 + seed)), 2);
  });
}

TEST_CASE("voxelize_shard, a stream's loops: a rank without room for its rows drops its last ones",
          "[voxelize][shard]") {
  check_dropped_rows<stream_steps>();
}

TEST_CASE("voxelize_shard, a stream's loops: room for the voxels within max_voxels is enough", "[voxelize][shard]") {
  for_few_of_many_voxels(check_steps<stream_steps>);
}

TEST_CASE("voxelize_shard, a stream's loops: what one rank may not do, all ranks return from", "[voxelize][shard]") {
  std::vector<status> const all_refuse(4, status::bad_argument);
  stream_ranks four;
  SECTION("arguments that are refused") {
    four.calls[1].capacity = -1;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("other parameters") {
    four.calls[3].hash_seed = 1;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("parts that overlap") {
    four.calls[1].first_index = 499;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("a workspace that is too small") {
    four.calls[0].workspace_less = 1;
    auto expected = all_refuse;
    expected[0] = status::workspace_too_small;
    CHECK(four.outcomes() == expected);
  }
  SECTION("gathering where one rank has too little room, or arguments that are refused") {
    four.calls = gathering(four.calls);
    four.calls[2].room = 216;
    CHECK(four.gathered() == std::vector<status>(4, status::ok));
    four.calls[2].room = 215;
    CHECK(four.gathered() == std::vector<status>(4, status::workspace_too_small));
    // Room for zero voxels: the arrays are empty, so no parts are requested.
    four.calls[2].room = 0;
    CHECK(four.gathered() == all_refuse);
  }
  SECTION("more points than a rank has room for") {
    auto const enough = four.run();
    four.calls[2].received_capacity = enough[2].received;
    CHECK(four.outcomes() == std::vector<status>(4, status::ok));
    four.calls[2].received_capacity = enough[2].received - 1;
    CHECK(four.outcomes() == std::vector<status>(4, status::workspace_too_small));
    CHECK(four.run()[2].received == enough[2].received);
  }
}
