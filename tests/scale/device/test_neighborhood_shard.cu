// Normals, mean distances and interpolated features on streams: ranks are threads, and get the bits of one call on the
// host.
#include <farpoint/scale/neighborhood_shard.cuh>
#include <farpoint/scale/repartition.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../neighborhood_shard_problem.hpp"
#include "stream_ranks.cuh"

using namespace farpoint_tests;

namespace {

/// All ranks as threads with streams on one GPU.
template <class Coord>
std::vector<neighborhood_answer<Coord>> solve_neighborhoods(indexed_shard_problem<Coord> const& problem,
                                                            neighborhood_calls const& calls,
                                                            std::vector<odd_neighborhood> const& odds) {
  std::vector<neighborhood_answer<Coord>> answers(problem.ranks);
  farpoint::thread_ranks group{static_cast<int>(problem.ranks)};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    test_stream const stream;
    stream_thread_communicator communicator{group, number, stream.get()};
    answers[rank] = neighborhoods_of_rank<device_array, farpoint::device_point_bvh<Coord>>(
        farpoint::cuda_exec{stream.get()}, communicator, problem, calls, odds[rank],
        [&] { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); });
  });
  return answers;
}

constexpr std::uint64_t random_problems = 100;

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../neighborhood_shard_tests.inc"
