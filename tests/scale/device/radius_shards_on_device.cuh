// Runs a cloud of radius_shard_problem on ranks that are streams, and brings the answers back.
#pragma once

#include <farpoint/scale/radius_shard.cuh>

#include "../../support/device/cuda_check.hpp"
#include "../../support/together.hpp"
#include "../radius_shard_problem.hpp"
#include "stream_ranks.cuh"

namespace farpoint_tests {

/// One rank's call, with all of its device memory.
template <class Communicator, class Coord>
radius_shard_answer<Coord> radius_of_stream_rank(Communicator& communicator, cudaStream_t stream,
                                                 radius_shard_problem<Coord> const& problem,
                                                 radius_rank_call const& call) {
  return radius_of_rank<device_array>(farpoint::cuda_exec{stream}, communicator, problem, call,
                                      [stream] { REQUIRE_CUDA(cudaStreamSynchronize(stream)); });
}

/// All ranks as threads with streams on one GPU.
template <class Coord>
std::vector<radius_shard_answer<Coord>> radius_on_streams(radius_shard_problem<Coord> const& problem,
                                                          std::vector<radius_rank_call> const& calls) {
  auto const ranks = static_cast<int>(calls.size());
  farpoint::thread_ranks group{ranks};
  std::vector<radius_shard_answer<Coord>> answers(calls.size());
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    test_stream const stream;
    stream_thread_communicator communicator{group, number, stream.get()};
    answers[rank] = radius_of_stream_rank(communicator, stream.get(), problem, calls[rank]);
  });
  return answers;
}

}  // namespace farpoint_tests
