// Runs a cloud of voxelize_problem on ranks that are streams, and brings the answers back.
#pragma once

#include <farpoint/scale/gather_voxels.cuh>
#include <farpoint/scale/voxelize_shard.cuh>

#include "../../support/device/run_call.cuh"
#include "../../voxelize/device/voxelize_arrays.cuh"
#include "../shard_problem.hpp"
#include "stream_ranks.cuh"

namespace farpoint_tests {

/// Every rank's rows on this one.
template <class Problem, class Communicator, class Params, class Own>
voxelize_answer gather_on_stream(Problem problem, rank_call const& call, Communicator& communicator,
                                 Params const& params, Own const& own, cudaStream_t stream) {
  if (call.room >= 0) problem.capacity = call.room;
  voxelize_arrays const arrays{problem};
  auto const all = arrays.output(problem);
  farpoint::cuda_exec const exec{stream};
  call_workspace workspace;
  auto const room = workspace.of_size(gather_voxels_workspace_bytes(exec, communicator.ranks(), params, own, all));
  auto outcome = gather_voxels(exec, communicator, params, own, all, room);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  if (!workspace.intact()) outcome = memory_was_written;
  return answer_of(problem, arrays.parts, outcome);
}

/// One rank's call, with all of its device memory.
template <class Problem, class Communicator>
rank_answer voxelize_rank(Problem const& whole, rank_call const& call, Communicator& communicator,
                          cudaStream_t stream) {
  auto problem = whole;
  problem.capacity = call.capacity;
  rank_answer answer;
  voxelize_arrays const arrays{problem};
  using points_type = typename Problem::view;
  index_t const size = call.end - call.begin;
  auto const points = problem.clouds_at(arrays.memory.data(), nullptr).points().subview(call.begin, size);
  farpoint::shard<points_type> const part{points, call.first_index};
  auto params = arrays.params(problem);
  params.features = features_of(params.features, call.begin, size);
  params.hash_seed = call.hash_seed;
  device_array<index_t> const numbers{static_cast<std::size_t>(std::max<index_t>(call.capacity, 0))};
  farpoint::voxelize_shard_output<typename points_type::scalar> output;
  output.rows = arrays.output(problem);
  output.numbers = {numbers.data(), numbers.size()};
  output.received_capacity = call.received_capacity;
  output.received = &answer.received;
  farpoint::cuda_exec const exec{stream};
  std::size_t const needed = voxelize_shard_workspace_bytes(exec, communicator.ranks(), part, params, output);
  call_workspace workspace;
  auto const room = workspace.of_size(needed);
  auto outcome = voxelize_shard(exec, communicator, part, params, output,
                                room.subspan(0, needed - std::min(needed, call.workspace_less)));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  if (!workspace.intact() || !numbers.intact()) outcome = memory_was_written;
  answer.rows = answer_of(problem, arrays.parts, outcome);
  answer.numbers = numbers.download();
  if (outcome && call.gathers) {
    answer.all = gather_on_stream(whole, call, communicator, params, output, stream);
  }
  return answer;
}

/// All ranks as threads with streams; rank r is on device r % devices.
template <class Problem>
std::vector<rank_answer> voxelize_on_streams(Problem const& problem, std::vector<rank_call> const& calls,
                                             int devices = 1) {
  farpoint::thread_ranks group{static_cast<int>(calls.size())};
  std::vector<rank_answer> answers(calls.size());
  together(static_cast<int>(calls.size()), [&](int rank) {
    REQUIRE_CUDA(cudaSetDevice(rank % devices));
    test_stream const stream;
    stream_thread_communicator communicator{group, rank, stream.get()};
    auto const r = static_cast<std::size_t>(rank);
    answers[r] = voxelize_rank(problem, calls[r], communicator, stream.get());
  });
  return answers;
}

/// A check of the rows of ranks that are streams, for random problems.
inline constexpr auto check_on_streams = [](auto const& problem, std::vector<rank_call> const& calls, int) {
  check_gathered_answers(problem, voxelize_on_streams(problem, gathering(calls)));
};

}  // namespace farpoint_tests
