// Runs a cloud of fps_shard_problem on ranks that are streams, and brings the answers back.
#pragma once

#include <farpoint/scale/fps_shard.cuh>

#include <deque>

#include "../../support/device/run_call.cuh"
#include "../../support/together.hpp"
#include "../fps_shard_problem.hpp"
#include "stream_ranks.cuh"

namespace farpoint_tests {

/// Makes the call of one rank, with device memory of its own.
/// @param multiprocessors  limit of the call; 0: no limit
template <int Dim, class Communicator>
fps_shard_answer<float> fps_of_rank(fps_shard_problem<float, Dim> const& problem, Communicator& communicator,
                                    cudaStream_t stream, index_t more_samples = 0, int multiprocessors = 0) {
  auto const rank = static_cast<std::size_t>(communicator.rank());
  index_t const begin = problem.cuts[problem.part[rank]];
  index_t const end = problem.cuts[problem.part[rank] + 1];
  std::vector<std::array<float, Dim>> const mine{problem.cloud.begin() + begin, problem.cloud.begin() + end};
  device_array<std::array<float, Dim>> const points{mine};
  using view = farpoint::point_view<float, Dim>;
  farpoint::shard<view> const part{view{points.data(), end - begin}, problem.first_index + begin};
  farpoint::fps_params params = problem.params;
  params.first += problem.first_index;
  params.samples += more_samples;
  device_array<index_t> const chosen{problem.chosen_of_all()};
  params.chosen = farpoint::index_view{farpoint::span<index_t const>{chosen.data(), problem.chosen.size()}};
  auto const size = static_cast<std::size_t>(params.samples);
  device_array<index_t> const indices{size};
  device_array<float> const distances{size};
  device_array<index_t> const count{1};
  device_array<farpoint::fps_report> const report{1};
  fps_shard_answer<float> answer;
  farpoint::fps_shard_output<float> output;
  output.indices = {indices.data(), size};
  output.distances = {distances.data(), size};
  output.count = count.data();
  output.exchanges = &answer.exchanges;
  output.report = report.data();
  farpoint::cuda_exec const exec{stream, multiprocessors};
  call_workspace workspace;
  auto const room =
      workspace.of_size(farpoint::fps_shard_workspace_bytes(exec, communicator.ranks(), part, params, output));
  answer.outcome = fps_shard(exec, communicator, part, params, output, room);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  bool const kept = workspace.intact() && indices.intact() && distances.intact() && points.intact();
  if (!kept) answer.outcome = {farpoint::status::bad_argument, -1, "test: memory was overrun"};
  answer.indices = indices.download();
  answer.distances = distances.download();
  answer.count = count.download()[0];
  answer.report = report.download()[0];
  return answer;
}

/// Runs all ranks as threads with streams on one GPU.
template <int Dim>
std::vector<fps_shard_answer<float>> fps_on_streams(fps_shard_problem<float, Dim> const& problem) {
  auto const ranks = static_cast<int>(problem.ranks());
  farpoint::thread_ranks group{ranks};
  std::vector<fps_shard_answer<float>> answers(problem.ranks());
  together(ranks, [&](int rank) {
    test_stream const stream;
    stream_thread_communicator communicator{group, rank, stream.get()};
    answers[static_cast<std::size_t>(rank)] = fps_of_rank(problem, communicator, stream.get());
  });
  return answers;
}

/// Runs all ranks with peer memory: their kernels run concurrently on one GPU.
/// @param missing_bytes  bytes by which the last rank's window is too small
/// @param leaves         rank that stops after it has sent its first sample; -1: none
template <int Dim>
std::vector<fps_shard_answer<float>> fps_by_peers(fps_shard_problem<float, Dim> const& problem,
                                                  std::size_t missing_bytes = 0, int leaves = -1) {
  auto const ranks = static_cast<int>(problem.ranks());
  farpoint::thread_ranks group{ranks};
  std::vector<fps_shard_answer<float>> answers(problem.ranks());
  std::size_t const size = farpoint::fps_shard_window_bytes(ranks, problem.params.samples);
  // Garbage, as an earlier call may have left it.
  std::deque<device_array<unsigned char>> memory;
  for (int r = 0; r < ranks; ++r) memory.emplace_back(std::vector<unsigned char>(size, 0x9d));
  int const share = farpoint::detail::device_properties::multiprocessor_count() / ranks;
  together(ranks, [&](int rank) {
    test_stream const stream;
    farpoint::peer_memory peers;
    for (std::size_t r = 0; r < memory.size(); ++r) peers.memory[r] = memory[r].data();
    peers.size = rank == ranks - 1 ? size - missing_bytes : size;
    peers.timeout = leaves >= 0 ? std::chrono::milliseconds{200} : std::chrono::seconds{20};
    stream_thread_communicator communicator{group, rank, stream.get(), peers};
    auto& answer = answers[static_cast<std::size_t>(rank)];
    if (rank == leaves) {
      // Two exchanges: arguments, then the first sample.
      leaving_communicator left{communicator, 2};
      answer = fps_of_rank(problem, left, stream.get(), 0, share);
    } else {
      answer = fps_of_rank(problem, communicator, stream.get(), 0, share);
    }
  });
  for (auto const& each : memory) CHECK(each.intact());
  return answers;
}

}  // namespace farpoint_tests
