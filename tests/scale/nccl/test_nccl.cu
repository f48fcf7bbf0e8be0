// Calls on shards by NCCL, on two GPUs: the answers of one call.
#include <farpoint/scale/neighborhood_shard.cuh>
#include <farpoint/scale/repartition.cuh>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../device/fps_shards_on_device.cuh"
#include "../device/knn_shards_on_device.cuh"
#include "../device/radius_shards_on_device.cuh"
#include "../device/shards_on_device.cuh"
#include "../neighborhood_shard_problem.hpp"
#include "../repartition_problem.hpp"
#include "nccl_ranks.cuh"

using namespace farpoint_tests;
using farpoint::status;

namespace {

template <class Problem>
std::vector<rank_answer> voxelize_by_nccl(nccl_ranks const& ranks, Problem const& problem,
                                          std::vector<rank_call> const& calls) {
  std::vector<rank_answer> answers(calls.size());
  ranks.run([&](farpoint::nccl_exec const& exec) {
    auto const rank = static_cast<std::size_t>(exec.rank());
    answers[rank] = voxelize_rank(problem, calls[rank], exec, exec.stream);
  });
  return answers;
}

/// @param odd  rank whose call has one sample more; -1 for no rank
template <class Problem>
std::vector<fps_shard_answer<float>> fps_by_nccl(nccl_ranks const& ranks, Problem const& problem, int odd = -1) {
  std::vector<fps_shard_answer<float>> answers(problem.ranks());
  ranks.run([&](farpoint::nccl_exec const& exec) {
    answers[static_cast<std::size_t>(exec.rank())] =
        fps_of_rank(problem, exec, exec.stream, exec.rank() == odd ? 1 : 0);
  });
  return answers;
}

}  // namespace

TEST_CASE("nccl: voxelize_shard and gather_voxels give what one call gives", "[nccl]") {
  nccl_ranks const ranks{2};
  auto const check = [&](auto const& problem, std::vector<rank_call> const& calls, int) {
    check_gathered_answers(problem, voxelize_by_nccl(ranks, problem, gathering(calls)));
  };
  for_each_seed(problems(150), [&](std::uint64_t seed) {
    random_source random{seed + 3000};
    auto const problem = for_shards(random_voxelize_problem<float>(seed, 2500));
    check(problem, share_out(problem, random, ranks.size()), 1);
  });
  for_each_large(ranks.size(), check);
}

TEST_CASE("nccl: fps_shard gives what one call gives, with a window and without", "[nccl]") {
  bool const has_window = GENERATE(false, true);
  bool const blocks = GENERATE(true, false);
  CAPTURE(has_window, blocks);
  nccl_ranks ranks{2, blocks};
  if (has_window) ranks.open_windows(farpoint::fps_shard_window_bytes(ranks.size(), 3000));
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < problems(150); ++seed) {
    auto const problem = random_stream_problem(seed);
    if (problem.ranks() != static_cast<std::size_t>(ranks.size())) continue;
    CAPTURE(seed);
    ++tried;
    check_fps_answers(fps_by_nccl(ranks, problem), one_call(problem));
  }
  for (shape const which : {shape::cube, shape::rings, shape::clusters}) {
    auto const problem = shared_out<float>(make_cloud(which, 200000, 7), 3000, ranks.size());
    check_fps_answers(fps_by_nccl(ranks, problem), one_call(problem, true));
  }
}

TEST_CASE("nccl: fps_shard of large clouds by a window gives what one GPU gives", "[nccl]") {
  nccl_ranks ranks{2};
  ranks.open_windows(farpoint::fps_shard_window_bytes(ranks.size(), 20000));
  // In the registers of the blocks, and in memory; and with all of it on one rank.
  for (index_t const points : {300000, 2500000}) {
    for (shape const which : {shape::cube, shape::rings}) {
      auto problem = shared_out<float>(make_cloud(which, static_cast<std::size_t>(points), 7), 20000, ranks.size());
      auto const expected = one_call(problem, true);
      CAPTURE(points, static_cast<int>(which));
      check_fps_answers(fps_by_nccl(ranks, problem), expected);
      problem.cuts[1] = 0;
      check_fps_answers(fps_by_nccl(ranks, problem), expected);
    }
  }
}

TEST_CASE("nccl: knn_shard gives what one call gives", "[nccl]") {
  nccl_ranks const ranks{2};
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < problems(300); ++seed) {
    auto problem = random_knn_shard_problem<float>(seed);
    problem.along_curve = tried % 2 == 1;
    if (problem.ranks() != static_cast<std::size_t>(ranks.size())) continue;
    CAPTURE(seed);
    ++tried;
    std::vector<knn_shard_answer<float>> answers(problem.ranks());
    ranks.run([&](farpoint::nccl_exec const& exec) {
      auto const rank = static_cast<std::size_t>(exec.rank());
      answers[rank] = knn_of_rank(problem, exec, exec.stream, room_for_all(problem)[rank]);
    });
    check_knn_answers(problem, answers);
  }
}

TEST_CASE("nccl: radius_shard gives what one call gives", "[nccl]") {
  nccl_ranks const ranks{2};
  auto const solve = [&ranks](radius_shard_problem<float> const& problem, std::vector<radius_rank_call> const& calls) {
    std::vector<radius_shard_answer<float>> answers(calls.size());
    ranks.run([&](farpoint::nccl_exec const& exec) {
      auto const rank = static_cast<std::size_t>(exec.rank());
      answers[rank] = radius_of_stream_rank(exec, exec.stream, problem, calls[rank]);
    });
    return answers;
  };
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < problems(150); ++seed) {
    auto const problem = random_radius_shard_problem<float>(seed);
    if (problem.ranks() != static_cast<std::size_t>(ranks.size())) continue;
    CAPTURE(seed);
    ++tried;
    check_radius_answers(problem, solve(problem, problem.calls()));
  }
  radius_shard_problem<float> const problem{make_cloud(shape::cube, 200, 1), {0, 80, 200}};
  auto calls = problem.calls();
  calls[1].params.max_neighbors = 2;
  for (auto const& answer : solve(problem, calls)) CHECK(answer.outcome.code == status::bad_argument);
}

TEST_CASE("nccl: repartition gives the owners that a sort gives", "[nccl]") {
  nccl_ranks const ranks{2};
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < problems(150); ++seed) {
    auto const problem = random_repartition_problem<float>(seed);
    if (problem.ranks() != static_cast<std::size_t>(ranks.size())) continue;
    CAPTURE(seed);
    ++tried;
    std::vector<repartition_answer<float>> answers(problem.ranks());
    ranks.run([&](farpoint::nccl_exec const& exec) {
      auto const wait = [&exec] { REQUIRE_CUDA(cudaStreamSynchronize(exec.stream)); };
      answers[static_cast<std::size_t>(exec.rank())] =
          repartition_of_rank<device_array>(farpoint::cuda_exec{exec.stream}, exec, problem, {}, wait);
    });
    check_repartition_answers(problem, answers);
  }
}

TEST_CASE("nccl: searches with an indexed_shard, and normals, give what one call gives", "[nccl]") {
  nccl_ranks const ranks{2};
  using bvh = farpoint::device_point_bvh<float>;
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < problems(100); ++seed) {
    auto const problem = random_indexed_problem<float>(seed);
    if (problem.ranks != static_cast<std::size_t>(ranks.size())) continue;
    CAPTURE(seed);
    ++tried;
    auto const calls = random_neighborhood_calls(seed);
    std::vector<std::vector<indexed_search_answer<float>>> searches(problem.ranks);
    std::vector<neighborhood_answer<float>> neighborhoods(problem.ranks);
    ranks.run([&](farpoint::nccl_exec const& communicator) {
      auto const rank = static_cast<std::size_t>(communicator.rank());
      auto const wait = [&communicator] { REQUIRE_CUDA(cudaStreamSynchronize(communicator.stream)); };
      farpoint::cuda_exec const exec{communicator.stream};
      searches[rank] = search_on_rank<device_array, bvh>(exec, communicator, problem, {}, wait);
      neighborhoods[rank] = neighborhoods_of_rank<device_array, bvh>(exec, communicator, problem, calls, {}, wait);
    });
    check_indexed_answers(problem, searches);
    check_neighborhood_answers(problem, calls, neighborhoods);
  }
}

TEST_CASE("nccl: what one rank may not do, all ranks return from", "[nccl]") {
  nccl_ranks const ranks{2};
  auto const problem = for_shards(voxelize_problem<float>{
      make_cloud(shape::lattice, 2000, 1), {{{0, 0, 0}}, {{1, 1, 1}}, {{6, 6, 6}}}, farpoint::dynamic{}});
  std::vector<rank_call> calls;
  for (index_t r = 0; r < ranks.size(); ++r) calls.push_back({r * 500, r * 500 + 500, r * 500, 2000, 2000});
  calls[1].workspace_less = 1;
  auto const refused = voxelize_by_nccl(ranks, problem, calls);
  CHECK(refused[0].rows.outcome.code == status::bad_argument);
  CHECK(refused[1].rows.outcome.code == status::workspace_too_small);
  calls[1].workspace_less = 0;
  calls[1].received_capacity = 1;
  for (auto const& answer : voxelize_by_nccl(ranks, problem, calls)) {
    CHECK(answer.rows.outcome.code == status::workspace_too_small);
  }
  calls[1].received_capacity = 2000;
  for (auto const& answer : voxelize_by_nccl(ranks, problem, calls)) CHECK(answer.rows.outcome);
  auto const cloud = shared_out<float>(make_cloud(shape::cube, 500, 1), 20, ranks.size());
  for (auto const& answer : fps_by_nccl(ranks, cloud, 1)) CHECK(answer.outcome.code == status::bad_argument);
}

TEST_CASE("nccl: a call whose rank fails aborts the communicators, and windows outlive them", "[nccl]") {
  nccl_ranks ranks{2, false};
  ranks.open_windows(farpoint::fps_shard_window_bytes(ranks.size(), 100));
  auto const cloud = shared_out<float>(make_cloud(shape::cube, 500, 1), 20, ranks.size());
  for (auto const& answer : fps_by_nccl(ranks, cloud)) CHECK(answer.outcome);
  std::vector<farpoint::result> outcomes(2);
  ranks.run([&](farpoint::nccl_exec exec) {
    if (exec.rank() == 1) return;
    exec.timeout = std::chrono::milliseconds{200};
    outcomes[0] = fps_of_rank(cloud, exec, exec.stream).outcome;
    outcomes[1] = fps_of_rank(cloud, exec, exec.stream).outcome;
  });
  for (auto const& outcome : outcomes) CHECK_FALSE(outcome);
  CHECK(ranks[0].get() == nullptr);
  ranks.close_windows();
}

TEST_CASE("nccl: an execution on another stream than the communicator's is refused on all ranks", "[nccl]") {
  nccl_ranks ranks{2, false};
  auto const cloud = shared_out<float>(make_cloud(shape::cube, 500, 1), 20, ranks.size());
  std::vector<farpoint::result> outcomes(2);
  ranks.run([&](farpoint::nccl_exec const& exec) {
    test_stream const other;
    auto const rank = static_cast<std::size_t>(exec.rank());
    outcomes[rank] = fps_of_rank(cloud, exec, rank == 1 ? other.get() : exec.stream).outcome;
    if (!outcomes[rank]) return;
    REQUIRE_CUDA(cudaStreamSynchronize(exec.stream));
  });
  for (auto const& outcome : outcomes) CHECK(outcome.code == status::bad_argument);
  for (auto const& answer : fps_by_nccl(ranks, cloud)) CHECK(answer.outcome);
}
