/// @file
/// Exchanges of calls on more ranks than this machine has GPUs: ranks are threads of the host, and their communicator
/// counts. See README.md.

#include "ranks/cube.hpp"
#include "support/check.hpp"
#include "support/counters.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace farpoint_bench {
namespace {

/// Exchanges of a rank.
struct traffic {
  double all_gathers = 0;
  double all_gather_bytes = 0;  ///< received
  double all_to_alls = 0;
  double all_to_all_bytes = 0;  ///< sent or received, the larger of both in each, without its own
};

/// Counts what passes.
class counting_communicator {
 public:
  counting_communicator(farpoint::thread_ranks& all, int rank) : to_{all, rank} {}

  int ranks() const noexcept { return to_.ranks(); }
  int rank() const noexcept { return to_.rank(); }
  void abort() noexcept { to_.abort(); }
  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    counts_.all_gathers += 1;
    counts_.all_gather_bytes += static_cast<double>(size) * (ranks() - 1);
    return to_.all_gather(mine, all, size);
  }
  farpoint::result all_to_all(farpoint::all_to_all_messages const& exchange) noexcept {
    double out = 0;
    double in = 0;
    for (std::size_t r = 0; r < exchange.outgoing.size(); ++r) {
      if (static_cast<int>(r) == rank()) continue;
      out += static_cast<double>(exchange.outgoing[r].size);
      in += static_cast<double>(exchange.incoming[r].size);
    }
    counts_.all_to_alls += 1;
    counts_.all_to_all_bytes += std::max(out, in);
    return to_.all_to_all(exchange);
  }
  traffic const& counts() const { return counts_; }

 private:
  farpoint::thread_communicator to_;
  traffic counts_;
};

/// A rank's points.
class part_on_host {
 public:
  part_on_host(cube const& all, int rank, int ranks)
      : first_{all.begin(rank, ranks)},
        coordinates_(static_cast<std::size_t>(3 * (all.begin(rank + 1, ranks) - first_))) {
    cube_step const step{coordinates_.data(), first_, all};
    for (std::size_t i = 0; i < coordinates_.size() / 3; ++i) step(i);
  }
  farpoint::shard<cube_view> shard() const {
    return {cube_view{coordinates_.data(), static_cast<index_t>(coordinates_.size() / 3)}, first_};
  }

 private:
  index_t first_;
  std::vector<float> coordinates_;
};

/// Memory that is aligned as workspaces are.
class host_memory {
 public:
  explicit host_memory(std::size_t bytes) : memory_{new unsigned char[bytes + 256]} {
    auto const address = reinterpret_cast<std::uintptr_t>(memory_.get());
    all_ = {memory_.get() + (256 - address % 256) % 256, bytes};
  }
  farpoint::bytes all() const { return all_; }

 private:
  std::unique_ptr<unsigned char[]> memory_;
  farpoint::bytes all_;
};

using call_on_rank = farpoint::result (*)(counting_communicator&, farpoint::shard<cube_view> const&);

constexpr farpoint::host_exec one_thread{1};

template <index_t Samples>
farpoint::result sample(counting_communicator& communicator, farpoint::shard<cube_view> const& part) {
  farpoint::fps_params params;
  params.samples = Samples;
  std::vector<index_t> indices(Samples);
  farpoint::fps_shard_output<float> output;
  output.indices = indices;
  host_memory const memory{fps_shard_workspace_bytes(one_thread, communicator.ranks(), part, params, output)};
  return fps_shard(one_thread, communicator, part, params, output, memory.all());
}

farpoint::result voxelize(counting_communicator& communicator, farpoint::shard<cube_view> const& part) {
  farpoint::voxelize_params<float> params;
  params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{58, 58, 58}}};  // 5 points a voxel
  params.mode = farpoint::voxel_mode{farpoint::dynamic{}};
  params.hash_seed = 1;
  farpoint::voxelize_shard_output<float> output;
  output.received_capacity = 2 * part.points.size() + 1000;
  output.rows.capacity = output.received_capacity;
  std::vector<float> centroids(static_cast<std::size_t>(3 * output.rows.capacity));
  output.rows.centroid = farpoint::span<float>{centroids};
  host_memory const memory{voxelize_shard_workspace_bytes(one_thread, communicator.ranks(), part, params, output)};
  return voxelize_shard(one_thread, communicator, part, params, output, memory.all());
}

farpoint::result search(counting_communicator& communicator, farpoint::shard<cube_view> const& part) {
  constexpr index_t k = 8;
  auto const size = static_cast<std::size_t>(part.points.size() * k);
  std::vector<index_t> indices(size);
  std::vector<float> distances(size);
  farpoint::knn_shard_output<float> output;
  output.indices = indices;
  output.distances = distances;
  output.exchanged_capacity = part.points.size() * 8;
  farpoint::knn_params const params{k};
  host_memory const memory{
      knn_shard_workspace_bytes(one_thread, communicator.ranks(), part, part.points, params, output)};
  return knn_shard(one_thread, communicator, part, part.points, params, output, memory.all());
}

/// Makes the call once on `count` ranks, and counts its exchanges.
void count_exchanges(benchmark::State& state, cube const& cloud, int count, call_on_rank call) {
  farpoint::thread_ranks all{count, std::chrono::minutes{10}};
  std::vector<traffic> counts(static_cast<std::size_t>(count));
  std::vector<farpoint::result> outcomes(counts.size());
  auto const begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      part_on_host const part{cloud, rank, count};
      counting_communicator communicator{all, rank};
      auto const at = static_cast<std::size_t>(rank);
      outcomes[at] = call(communicator, part.shard());
      counts[at] = communicator.counts();
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& outcome : outcomes) check(outcome, "a rank");
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (auto _ : state) {
    static_cast<void>(_);
    state.SetIterationTime(seconds);
  }
  count_times(state, {static_cast<double>(cloud.points)}, {seconds});
  traffic most;
  for (traffic const& own : counts) {
    most.all_gathers = std::max(most.all_gathers, own.all_gathers);
    most.all_gather_bytes = std::max(most.all_gather_bytes, own.all_gather_bytes);
    most.all_to_alls = std::max(most.all_to_alls, own.all_to_alls);
    most.all_to_all_bytes = std::max(most.all_to_all_bytes, own.all_to_all_bytes);
  }
  state.counters["n"] = static_cast<double>(cloud.points);
  state.counters["ranks"] = count;
  state.counters["all_gathers"] = most.all_gathers;
  state.counters["all_gather_bytes"] = most.all_gather_bytes;
  state.counters["all_to_alls"] = most.all_to_alls;
  state.counters["all_to_all_bytes"] = most.all_to_all_bytes;
}

void register_call(std::string const& name, cube const& cloud, call_on_rank call, bool in_tiles = false) {
  for (int const ranks : {1, 2, 4, 8, 64}) {
    cube all = cloud;
    if (in_tiles) all.tile_points = cloud.points / ranks;
    register_row(name + "/ranks_" + std::to_string(ranks), 1,
                 [=](benchmark::State& state) { count_exchanges(state, all, ranks, call); });
  }
}

}  // namespace

int run_program(arguments const& args) {
  constexpr index_t points = 1'000'000;
  register_call("fps_shard/1000000_to_1000", {points}, sample<1000>);
  register_call("fps_shard/1000000_to_10000", {points}, sample<10000>);
  register_call("voxelize_shard/1000000/dynamic", {points, 58}, voxelize);
  register_call("knn_shard/1000000_k8/tiles", {points}, search, true);
  return run_host_suite("ranks_simulated", args);
}

}  // namespace farpoint_bench
