// Runs under ThreadSanitizer, which must find nothing: four ranks exchange points, then read each other's reports,
// then sample.
//   FARPOINT_MUTATION=1  a rank reads the reports before it knows that the others have returned
// is a race that ThreadSanitizer must report.
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#if !defined(FARPOINT_MUTATION)
#define FARPOINT_MUTATION 0
#endif

int main() {
  constexpr int ranks = 4;
  constexpr farpoint::index_t points = 800;
  using view = farpoint::point_view<float>;
  std::vector<float> cloud;
  for (int i = 0; i < points * 3; ++i) cloud.push_back(static_cast<float>(i * 37 % 101) * 0.1f);
  farpoint::voxelize_params<float> params;
  params.grid = {{{0, 0, 0}}, {{0.2f, 0.2f, 0.2f}}, {{60, 60, 60}}};
  params.mode = farpoint::hard{50, 3};

  farpoint::thread_ranks group{ranks};
  std::array<farpoint::voxelize_report, ranks> reports;
  std::array<bool, ranks> good{};
  std::atomic<int> returned{0};
  std::vector<std::thread> team;
  for (int rank = 0; rank < ranks; ++rank) {
    team.emplace_back([&, rank] {
      auto const me = static_cast<std::size_t>(rank);
      farpoint::thread_communicator communicator{group, rank};
      farpoint::index_t const begin = points * rank / ranks;
      farpoint::index_t const end = points * (rank + 1) / ranks;
      farpoint::shard<view> const part{{cloud.data() + 3 * begin, end - begin, 12}, begin};
      farpoint::voxelize_shard_output<float> output;
      output.received_capacity = points;
      output.rows.capacity = points;
      output.rows.report = &reports[me];
      farpoint::host_exec const exec{1};
      farpoint::host_scratch const own{voxelize_shard_workspace_bytes(exec, ranks, part, params, output)};
      good[me] = true;
      for (int round = 0; round < 3; ++round) {
        bool is_good = static_cast<bool>(voxelize_shard(exec, communicator, part, params, output, own));
        // All have returned, but relaxed operations order nothing: without the barrier the looks below are a race in
        // every run, however the threads are scheduled.
        returned.fetch_add(1, std::memory_order_relaxed);
        while (returned.load(std::memory_order_relaxed) < ranks * (round + 1)) std::this_thread::yield();
#if FARPOINT_MUTATION != 1
        is_good = is_good && communicator.all_gather(nullptr, nullptr, 0);
#endif
        for (auto const& report : reports) is_good = is_good && report.voxels == 50;
        good[me] = good[me] && is_good && communicator.all_gather(nullptr, nullptr, 0);
      }
      farpoint::fps_params sampling;
      sampling.samples = 60;
      std::vector<farpoint::index_t> indices(60);
      farpoint::fps_shard_output<float> samples;
      samples.indices = indices;
      farpoint::host_scratch const room{fps_shard_workspace_bytes(exec, ranks, part, sampling, samples)};
      good[me] = good[me] && fps_shard(exec, communicator, part, sampling, samples, room) && indices.back() >= 0;
    });
  }
  for (auto& thread : team) thread.join();
  for (bool const is_good : good) {
    if (!is_good && FARPOINT_MUTATION == 0) {
      std::puts("wrong answer");
      return 1;
    }
  }
  std::puts("no race");
  return 0;
}
