// radius_shard() on streams: ranks are threads, and get the rows of one call.
#include "../../search/device/radius_kernels.cuh"
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "radius_shards_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Coord>
std::vector<radius_shard_answer<Coord>> solve_radius_shard(radius_shard_problem<Coord> const& problem,
                                                           std::vector<radius_rank_call> const& calls) {
  return radius_on_streams(problem, calls);
}

constexpr std::uint64_t random_problems = 150;

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../radius_shard_tests.inc"

TEST_CASE("radius_shard, device: large parts, compact and not", "[radius][shard][device]") {
  for (bool const compact : {true, false}) {
    auto cloud = make_cloud(shape::cube, 6000, 3);
    if (compact) std::sort(cloud.begin(), cloud.end());
    radius_shard_problem<float> problem{cloud, {0, 2000, 4000, 6000}};
    problem.params.radius = 0.1;
    for (bool const in_place : {true, false}) {
      // Lists in registers, in packets and in rows of the output.
      for (index_t const max : {16, 24, 64}) {
        for (auto const order : {radius_order::index, radius_order::nearest}) {
          CAPTURE(compact, in_place, max, static_cast<int>(order));
          problem.in_place = in_place;
          problem.k = max;
          problem.params.order = order;
          check_radius_shards(problem);
        }
      }
    }
  }
}

TEST_CASE("radius_shard, device: enough queries that they are put in order", "[radius][shard][device]") {
  radius_shard_problem<float> problem{make_cloud(shape::cube, 300, 5), {0, 100, 300}};
  problem.self = false;
  problem.others = packed<float>(make_cloud(shape::non_finite, 70000, 6));
  problem.params.radius = 0.25;
  for (index_t const max : {0, 12, 40}) {
    CAPTURE(max);
    problem.k = max;
    check_radius_shards(problem);
  }
}
