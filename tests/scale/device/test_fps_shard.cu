// fps_shard() on streams: ranks are threads, and all get the samples of one call.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "fps_shards_on_device.cuh"

using namespace farpoint_tests;

TEST_CASE("fps_shard, device: random problems on 1 to 4 ranks give what one call gives",
          "[fps][shard][device][sanitize]") {
  check_random_streams(problems(100), [](auto const& problem) { return fps_on_streams(problem); });
}

TEST_CASE("fps_shard, device: one kernel a rank, random problems on 1 to 4 ranks give what one call gives",
          "[fps][shard][device]") {
  check_random_streams(100, [](auto const& problem) { return fps_by_peers(problem); });
}

// A sanitizer runs one kernel after another.
TEST_CASE("fps_shard, device: one kernel of a single rank gives what one call gives",
          "[fps][shard][device][sanitize]") {
  for_each_seed(30, [](std::uint64_t seed) {
    auto problem = random_stream_problem(seed);
    problem.cuts = {0, static_cast<index_t>(problem.cloud.size())};
    problem.part = {0};
    check_fps_answers(fps_by_peers(problem), one_call(problem));
  });
}

TEST_CASE("fps_shard, device: a rank that leaves keeps the others no longer than their time-out",
          "[fps][shard][device]") {
  auto const problem = shared_out<float>(make_cloud(shape::cube, 5000, 3), 500, 2);
  auto const answers = fps_by_peers(problem, 0, 1);
  CHECK(answers[0].outcome.code == farpoint::status::communication_failure);
  CHECK(answers[1].outcome.code == farpoint::status::communication_failure);
}

TEST_CASE("fps_shard, device: with too little memory that all reach on one rank, all do without",
          "[fps][shard][device]") {
  check_random_streams(6, [](auto const& problem) { return fps_by_peers(problem, 1); });
}

TEST_CASE("fps_shard, device: one and two coordinates", "[fps][shard][device]") {
  auto const on_streams = [](auto const& problem) { return fps_on_streams(problem); };
  auto const by_peers = [](auto const& problem) { return fps_by_peers(problem); };
  check_random_streams<2>(12, on_streams);
  check_random_streams<2>(12, by_peers);
  check_random_streams<1>(12, on_streams);
  check_random_streams<1>(12, by_peers);
}

TEST_CASE("fps_shard, device: parts of many chunks, few samples and many", "[fps][shard][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::lattice, shape::clusters}) {
    for (index_t const samples : {100, 3000}) {
      CAPTURE(static_cast<int>(which), samples);
      auto const problem = shared_out<float>(make_cloud(which, 60000, 7), samples, 3);
      auto const expected = one_call(problem, true);
      check_fps_answers(fps_on_streams(problem), expected);
      check_fps_answers(fps_by_peers(problem), expected);
    }
  }
}
