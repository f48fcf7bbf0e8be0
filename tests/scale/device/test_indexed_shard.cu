// knn_shard() and radius_shard() with BVHs that are built once, on streams: ranks are threads, and get the rows of one
// call.
#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/radius_shard.cuh>
#include <farpoint/scale/repartition.cuh>

#include "../../search/device/radius_kernels.cuh"
#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../indexed_shard_problem.hpp"
#include "stream_ranks.cuh"

using namespace farpoint_tests;

namespace {

/// All ranks as threads with streams on one GPU.
template <class Coord>
std::vector<std::vector<indexed_search_answer<Coord>>> solve_indexed(indexed_shard_problem<Coord> const& problem,
                                                                     std::vector<odd_index> const& odds) {
  std::vector<std::vector<indexed_search_answer<Coord>>> answers(problem.ranks);
  farpoint::thread_ranks group{static_cast<int>(problem.ranks)};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    test_stream const stream;
    stream_thread_communicator communicator{group, number, stream.get()};
    answers[rank] = search_on_rank<device_array, farpoint::device_point_bvh<Coord>>(
        farpoint::cuda_exec{stream.get()}, communicator, problem, odds[rank],
        [&] { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); });
  });
  return answers;
}

constexpr std::uint64_t random_problems = 100;

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../indexed_shard_tests.inc"

TEST_CASE("indexed_shard, device: large parts, compact and not", "[shard][indexed][device]") {
  for (bool const compact : {true, false}) {
    CAPTURE(compact);
    auto problem = cube_of_three_ranks();
    problem.cloud = packed<float>(make_cloud(shape::cube, 6000, 3));
    if (compact) std::sort(problem.cloud.begin(), problem.cloud.end());
    problem.owners.clear();
    for (std::size_t i = 0; i < problem.cloud.size(); ++i) problem.owners.push_back(compact ? i / 2000 : i % 3);
    problem.searches[1].params.radius = 0.1;
    check_indexed(problem);
  }
}
