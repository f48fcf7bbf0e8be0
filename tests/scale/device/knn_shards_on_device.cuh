// Runs a cloud of knn_shard_problem on ranks that are streams, and brings the answers back.
#pragma once

#include <farpoint/scale/knn_shard.cuh>

#include "../../support/device/run_call.cuh"
#include "../../support/together.hpp"
#include "../knn_shard_problem.hpp"
#include "stream_ranks.cuh"

namespace farpoint_tests {

/// One rank's call, with all of its device memory.
template <class Communicator>
knn_shard_answer<float> knn_of_rank(knn_shard_problem<float> const& problem, Communicator& communicator,
                                    cudaStream_t stream, index_t capacity) {
  auto const rank = static_cast<std::size_t>(communicator.rank());
  device_array<std::array<float, 3>> const points{problem.part(rank)};
  device_array<std::array<float, 3>> const asked{problem.queries(rank)};
  using view = farpoint::point_view<float>;
  farpoint::shard<view> const part{view{points.data(), static_cast<index_t>(points.size())},
                                   problem.first_index + problem.cuts[rank]};
  view const queries = problem.in_place ? part.points : view{asked.data(), static_cast<index_t>(asked.size())};
  auto const size = asked.size() * static_cast<std::size_t>(problem.k);
  device_array<index_t> const indices{size};
  device_array<float> const distances{size};
  device_array<farpoint::knn_report> const report{1};
  knn_shard_answer<float> answer;
  farpoint::knn_shard_output<float> output;
  output.indices = {indices.data(), size};
  output.distances = {distances.data(), size};
  output.exchanged_capacity = capacity;
  output.exchanged = &answer.exchanged;
  output.report = report.data();
  farpoint::cuda_exec const exec{stream};
  call_workspace workspace;
  output.owned_queries = &answer.owned_queries;
  auto const call = [&](auto const& method) {
    auto const room =
        workspace.of_size(knn_shard_workspace_bytes(exec, communicator.ranks(), part, queries, method, output));
    return knn_shard(exec, communicator, part, queries, method, output, room);
  };
  call_workspace second;
  auto const call_in_two_halves = [&] {
    auto const method = problem.nearest();
    auto const room =
        workspace.of_size(knn_shard_plan_workspace_bytes(exec, communicator.ranks(), part, queries, method, output));
    auto search = knn_shard_plan(exec, communicator, part, queries, method, output, room);
    if (search.outcome()) answer.exchanged = search.exchanged();
    return search.run(second.of_size(search.workspace_bytes()));
  };
  answer.outcome = problem.along_curve ? call(problem.curve(rank))
                   : problem.planned   ? call_in_two_halves()
                                       : call(problem.nearest());
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  if (!workspace.intact() || !second.intact() || !indices.intact() || !distances.intact()) {
    answer.outcome = {farpoint::status::bad_argument, -1, "test: memory was overrun"};
  }
  answer.indices = indices.download();
  answer.distances = distances.download();
  answer.report = report.download()[0];
  return answer;
}

/// All ranks as threads with streams on one GPU.
inline std::vector<knn_shard_answer<float>> knn_on_streams(knn_shard_problem<float> const& problem) {
  auto const ranks = static_cast<int>(problem.ranks());
  farpoint::thread_ranks group{ranks};
  std::vector<knn_shard_answer<float>> answers(problem.ranks());
  auto const room = room_for_all(problem);
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    test_stream const stream;
    stream_thread_communicator communicator{group, number, stream.get()};
    answers[rank] = knn_of_rank(problem, communicator, stream.get(), room[rank]);
  });
  return answers;
}

}  // namespace farpoint_tests
