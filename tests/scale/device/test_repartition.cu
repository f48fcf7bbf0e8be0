// repartition() on streams: ranks are threads, and own the points that a sort along the curve gives them.
#include <farpoint/scale/repartition.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../repartition_problem.hpp"
#include "stream_ranks.cuh"

using namespace farpoint_tests;

namespace {

/// All ranks as threads with streams on one GPU.
template <class Coord>
std::vector<repartition_answer<Coord>> solve_repartition(repartition_problem<Coord> const& problem,
                                                         std::vector<repartition_rank_call> const& calls) {
  auto const ranks = static_cast<int>(calls.size());
  farpoint::thread_ranks group{ranks};
  std::vector<repartition_answer<Coord>> answers(calls.size());
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    test_stream const stream;
    stream_thread_communicator communicator{group, number, stream.get()};
    answers[rank] =
        repartition_of_rank<device_array>(farpoint::cuda_exec{stream.get()}, communicator, problem, calls[rank],
                                          [&] { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); });
  });
  return answers;
}

constexpr std::uint64_t random_problems = 150;

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../repartition_tests.inc"

TEST_CASE("repartition, device: large parts, compact and not", "[repartition][shard][device]") {
  for (bool const compact : {true, false}) {
    CAPTURE(compact);
    auto cloud = make_cloud(shape::cube, 200000, 3);
    if (compact) std::sort(cloud.begin(), cloud.end());
    check_both(repartition_problem<float>{packed<float>(cloud), {0, 20000, 120000, 200000}});
  }
}
