// Real scans in parts on two GPUs: even and uneven ones, and a rank without points. The answers of one call.
#include <farpoint/knn.hpp>

#include "../../support/catch.hpp"
#include "../device/fps_shards_on_device.cuh"
#include "../device/knn_shards_on_device.cuh"
#include "../device/shards_on_device.cuh"
#include "nccl_ranks.cuh"

using namespace farpoint_tests;

namespace {

/// Calls check(cuts) for some ways to share out n points.
template <class Check>
void for_each_split(index_t n, Check const& check) {
  for (index_t const cut : {n / 2, n / 7, index_t{0}, n}) {
    CAPTURE(n, cut);
    check(std::vector<index_t>{0, cut, n});
  }
}

/// Calls check(points) for every scan, which knows its name when it fails.
template <class Check>
void for_each_scan(Check const& check) {
  auto const scans = real_scans();
  if (scans.empty()) WARN("FARPOINT_DATA_DIR is not set: no real scan was tested");
  for (auto const& scan : scans) {
    CAPTURE(scan.name);
    check(scan.points);
  }
}

}  // namespace

TEST_CASE("nccl: real scans, fps_shard, with a window and without", "[nccl][scans]") {
  constexpr index_t samples = 4096;
  nccl_ranks ranks{2};
  bool const has_window = GENERATE(false, true);
  if (has_window) ranks.open_windows(farpoint::fps_shard_window_bytes(ranks.size(), samples));
  for_each_scan([&](xyz_cloud const& points) {
    auto problem = shared_out<float>(points, std::min(samples, static_cast<index_t>(points.size())), ranks.size());
    auto const expected = one_call(problem, true);
    for_each_split(static_cast<index_t>(points.size()), [&](std::vector<index_t> const& cuts) {
      problem.cuts = cuts;
      std::vector<fps_shard_answer<float>> answers(2);
      ranks.run([&](farpoint::nccl_exec const& exec) {
        answers[static_cast<std::size_t>(exec.rank())] = fps_of_rank(problem, exec, exec.stream);
      });
      check_fps_answers(answers, expected);
    });
  });
}

TEST_CASE("nccl: real scans, voxelize_shard", "[nccl][scans]") {
  nccl_ranks const ranks{2};
  farpoint::voxel_mode const mode =
      GENERATE(farpoint::voxel_mode{farpoint::dynamic{}}, farpoint::voxel_mode{farpoint::hard{60000, 4}});
  for_each_scan([&](xyz_cloud const& points) {
    auto const n = static_cast<index_t>(points.size());
    auto const problem = for_shards(
        voxelize_problem<float>{points, fitted_grid<float>(points, {400, 400, 40}), mode, packed_features(2)});
    for_each_split(n, [&](std::vector<index_t> const& cuts) {
      std::vector<rank_answer> answers(2);
      ranks.run([&](farpoint::nccl_exec const& exec) {
        auto const rank = static_cast<std::size_t>(exec.rank());
        rank_call const call{cuts[rank], cuts[rank + 1], cuts[rank], n, n};
        answers[rank] = voxelize_rank(problem, call, exec, exec.stream);
      });
      check_rank_answers(problem, answers);
    });
  });
}

TEST_CASE("nccl: real scans, knn_shard", "[nccl][scans]") {
  nccl_ranks const ranks{2};
  for_each_scan([&](xyz_cloud const& points) {
    knn_shard_problem<float> problem;
    problem.cloud = packed<float>(points);
    problem.k = 8;
    problem.in_place = true;
    auto const size = points.size() * static_cast<std::size_t>(problem.k);
    std::vector<index_t> indices(size);
    std::vector<float> distances(size);
    farpoint::host_exec const host;
    farpoint::batch const cloud{view_of(problem.cloud)};
    host_workspace const workspace{knn_workspace_bytes(host, cloud, problem.nearest())};
    REQUIRE(knn(host, cloud, problem.nearest(), farpoint::knn_output<float>{indices, distances}, workspace.get()));
    for_each_split(static_cast<index_t>(points.size()), [&](std::vector<index_t> const& cuts) {
      problem.cuts = cuts;
      std::vector<knn_shard_answer<float>> answers(2);
      ranks.run([&](farpoint::nccl_exec const& exec) {
        auto const rank = static_cast<std::size_t>(exec.rank());
        answers[rank] = knn_of_rank(problem, exec, exec.stream, static_cast<index_t>(2 * points.size()));
      });
      std::vector<index_t> seen;
      std::vector<float> seen_distances;
      for (auto const& answer : answers) {
        INFO(answer.outcome.reason);
        REQUIRE(answer.outcome);
        seen.insert(seen.end(), answer.indices.begin(), answer.indices.end());
        seen_distances.insert(seen_distances.end(), answer.distances.begin(), answer.distances.end());
      }
      // A million differences are not worth printing.
      CHECK((seen == indices));
      CHECK((seen_distances == distances));
    });
  });
}
