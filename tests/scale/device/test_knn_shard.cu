// knn_shard() on streams: ranks are threads, and get the rows of one call.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "knn_shards_on_device.cuh"

using namespace farpoint_tests;

TEST_CASE("knn_shard, device: random problems on 1 to 4 ranks give what one call gives",
          "[knn][shard][device][sanitize]") {
  for_each_seed(150, [](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<float>(seed);
    problem.planned = seed % 3 == 0;
    check_knn_answers(problem, knn_on_streams(problem));
  });
}

TEST_CASE("knn_shard along a curve, device: random problems on 1 to 4 ranks give what one call gives",
          "[knn][shard][device][sanitize]") {
  for_each_seed(150, [](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<float>(seed + 9000);
    problem.along_curve = true;
    check_knn_answers(problem, knn_on_streams(problem));
  });
}

TEST_CASE("knn_shard, device: large parts, compact and not", "[knn][shard][device]") {
  for (int const which : {0, 1, 2, 3}) {
    bool const compact = which % 2 == 0;
    CAPTURE(compact, which);
    auto cloud = make_cloud(shape::cube, 6000, 3);
    if (compact) std::sort(cloud.begin(), cloud.end());
    knn_shard_problem<float> problem;
    problem.cloud = packed<float>(cloud);
    problem.cuts = {0, 2000, 4000, 6000};
    problem.k = 8;
    problem.along_curve = which >= 2;
    problem.in_place = true;
    check_knn_answers(problem, knn_on_streams(problem));
  }
}
