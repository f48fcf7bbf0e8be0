/// @file
/// Calls on 1, 2 and 4 ranks that are threads of the host, and one call with the same number of threads. See README.md.

#include "ranks/cube.hpp"
#include "support/check.hpp"
#include "support/counters.hpp"
#include "support/host_timing.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/voxelize.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::host_exec;
using communicator = farpoint::thread_communicator;
using part_view = farpoint::shard<cube_view>;

constexpr index_t points = 200'000;
constexpr index_t samples = 1'000;
constexpr index_t neighbors = 8;
constexpr host_exec one_thread{1};

/// Consecutive points of a cloud.
class part_of_cube {
 public:
  part_of_cube(cube const& all, int rank, int ranks)
      : first_{all.begin(rank, ranks)},
        coordinates_(static_cast<std::size_t>(3 * (all.begin(rank + 1, ranks) - first_))) {
    cube_step const step{coordinates_.data(), first_, all};
    for (std::size_t i = 0; i < coordinates_.size() / 3; ++i) step(i);
  }
  index_t first() const { return first_; }
  index_t size() const { return static_cast<index_t>(coordinates_.size() / 3); }
  cube_view view() const { return {coordinates_.data(), size()}; }
  part_view shard() const { return {view(), first_}; }
  farpoint::batch<cube_view> batch() const { return farpoint::batch<cube_view>{view()}; }

 private:
  index_t first_;
  std::vector<float> coordinates_;
};

/// Outputs of a call: `size` rows of `width` elements, and a number for each row.
struct outputs {
  std::vector<index_t> indices;
  std::vector<float> values;
  std::vector<index_t> counts;
  index_t rows = 0;  ///< number of voxels

  outputs(index_t size, index_t width)
      : indices(static_cast<std::size_t>(size * width)),
        values(indices.size()),
        counts(static_cast<std::size_t>(size)) {}
};

// Each call below has
// - `rows(points)`: rows of the output for a part of `points` points;
// - `whole()`: one call for all points; `shard()`: the call of a rank;
// - `equal()`: true if the output of a rank equals one call's.

struct fps_call {
  static constexpr char const* name = "fps_shard/200000_to_1000";
  static constexpr index_t width = 1;
  static constexpr bool in_tiles = false;

  static index_t rows(index_t) { return samples; }
  static farpoint::fps_params params() {
    farpoint::fps_params params;
    params.samples = samples;
    return params;
  }
  static farpoint::result whole(host_exec exec, part_of_cube const& all, outputs& out, farpoint::host_scratch& room) {
    farpoint::fps_output<float> output;
    output.indices = out.indices;
    check(room.reserve(fps_workspace_bytes(exec, all.batch(), params())), "workspace");
    return fps(exec, all.batch(), params(), output, room);
  }
  static farpoint::result shard(communicator& to, part_of_cube const& own, outputs& out, farpoint::host_scratch& room) {
    farpoint::fps_shard_output<float> output;
    output.indices = out.indices;
    check(room.reserve(fps_shard_workspace_bytes(one_thread, to.ranks(), own.shard(), params(), output)), "workspace");
    return fps_shard(one_thread, to, own.shard(), params(), output, room);
  }
  static bool equal(outputs const& all, part_of_cube const&, outputs const& own) { return own.indices == all.indices; }
};

/// True if the rows of a rank's points are the rows of one call.
inline bool equal_lists(outputs const& all, part_of_cube const& part, outputs const& own) {
  auto const at = static_cast<std::ptrdiff_t>(part.first() * neighbors);
  return std::equal(own.indices.begin(), own.indices.end(), all.indices.begin() + at) &&
         std::equal(own.values.begin(), own.values.end(), all.values.begin() + at);
}

struct knn_call {
  static constexpr char const* name = "knn_shard/200000_k8/tiles";
  static constexpr index_t width = neighbors;
  static constexpr bool in_tiles = true;
  static constexpr farpoint::knn_params params{neighbors};

  static index_t rows(index_t own) { return own; }
  static farpoint::result whole(host_exec exec, part_of_cube const& all, outputs& out, farpoint::host_scratch& room) {
    check(room.reserve(knn_workspace_bytes(exec, all.batch(), params)), "workspace");
    return knn(exec, all.batch(), params, farpoint::knn_output<float>{out.indices, out.values}, room);
  }
  static farpoint::result shard(communicator& to, part_of_cube const& own, outputs& out, farpoint::host_scratch& room) {
    farpoint::knn_shard_output<float> output;
    output.indices = out.indices;
    output.distances = out.values;
    output.exchanged_capacity = own.size() * to.ranks();
    cube_view const asked = own.view();
    check(room.reserve(knn_shard_workspace_bytes(one_thread, to.ranks(), own.shard(), asked, params, output)),
          "workspace");
    return knn_shard(one_thread, to, own.shard(), asked, params, output, room);
  }
  static bool equal(outputs const& all, part_of_cube const& part, outputs const& own) {
    return equal_lists(all, part, own);
  }
};

struct radius_call {
  static constexpr char const* name = "radius_shard/200000_max8/tiles";
  static constexpr index_t width = neighbors;
  static constexpr bool in_tiles = true;

  static index_t rows(index_t own) { return own; }
  /// A ball has 27 points on average if there are four tiles, and 7 if there is one.
  static farpoint::radius_params params() {
    farpoint::radius_params params;
    params.radius = 2;
    params.max_neighbors = neighbors;
    return params;
  }
  static farpoint::result whole(host_exec exec, part_of_cube const& all, outputs& out, farpoint::host_scratch& room) {
    farpoint::radius_output<float> output{out.indices, out.values};
    output.counts = out.counts;
    check(room.reserve(radius_workspace_bytes(exec, all.batch())), "workspace");
    return radius(exec, all.batch(), params(), output, room);
  }
  static farpoint::result shard(communicator& to, part_of_cube const& own, outputs& out, farpoint::host_scratch& room) {
    farpoint::radius_shard_output<float> output;
    output.indices = out.indices;
    output.distances = out.values;
    output.counts = out.counts;
    output.exchanged_capacity = own.size() * to.ranks();
    cube_view const asked = own.view();
    check(room.reserve(radius_shard_workspace_bytes(one_thread, to.ranks(), own.shard(), asked, params(), output)),
          "workspace");
    return radius_shard(one_thread, to, own.shard(), asked, params(), output, room);
  }
  static bool equal(outputs const& all, part_of_cube const& part, outputs const& own) {
    return equal_lists(all, part, own);
  }
};

/// Centroids of voxels of five points.
struct voxelize_call {
  static constexpr char const* name = "voxelize_shard/200000/dynamic";
  static constexpr index_t width = 3;
  static constexpr bool in_tiles = false;

  /// Parts have room for twice their share of the voxels.
  static index_t rows(index_t own) { return own == points ? own : 2 * own + 1000; }
  static farpoint::voxelize_params<float> params() {
    farpoint::voxelize_params<float> params;
    params.grid = {{{0, 0, 0}}, {{3, 3, 3}}, {{34, 34, 34}}};
    params.mode = farpoint::voxel_mode{farpoint::dynamic{}};
    params.hash_seed = 1;
    return params;
  }
  static farpoint::voxelize_output<float> rows_of(outputs& out) {
    farpoint::voxelize_output<float> output;
    output.capacity = static_cast<index_t>(out.counts.size());
    output.centroid = farpoint::span<float>{out.values};
    output.voxel_count = farpoint::span<index_t>{&out.rows, 1};
    return output;
  }
  static farpoint::result whole(host_exec exec, part_of_cube const& all, outputs& out, farpoint::host_scratch& room) {
    check(room.reserve(voxelize_workspace_bytes(exec, all.batch(), params(), rows_of(out))), "workspace");
    return voxelize(exec, all.batch(), params(), rows_of(out), room);
  }
  static farpoint::result shard(communicator& to, part_of_cube const& own, outputs& out, farpoint::host_scratch& room) {
    farpoint::voxelize_shard_output<float> output;
    output.rows = rows_of(out);
    output.numbers = out.counts;
    output.received_capacity = output.rows.capacity;
    check(room.reserve(voxelize_shard_workspace_bytes(one_thread, to.ranks(), own.shard(), params(), output)),
          "workspace");
    return voxelize_shard(one_thread, to, own.shard(), params(), output, room);
  }
  static bool equal(outputs const& all, part_of_cube const&, outputs const& own) {
    bool same = true;
    for (std::size_t r = 0; r < static_cast<std::size_t>(own.rows); ++r) {
      same = same && std::memcmp(&own.values[3 * r], &all.values[static_cast<std::size_t>(3 * own.counts[r])], 12) == 0;
    }
    return same;
  }
};

template <class Call>
cube cloud_of(int ranks) {
  cube all{points};
  if (Call::in_tiles) all.tile_points = points / ranks;
  return all;
}

void count(benchmark::State& state, int ranks, int threads) {
  state.counters["n"] = static_cast<double>(points);
  state.counters["ranks"] = ranks;
  state.counters["host_threads"] = threads;
}

/// One call by `threads` threads, for all points.
template <class Call>
void time_whole(benchmark::State& state, int threads) {
  part_of_cube const all{cloud_of<Call>(threads), 0, 1};
  outputs out{Call::rows(points), Call::width};
  farpoint::host_scratch room;
  time_blocking_calls(state, {static_cast<double>(points)},
                      [&] { check(Call::whole(host_exec{threads}, all, out, room), Call::name); });
  count(state, 1, threads);
}

/// Ranks of one thread each, until the slowest is done; the outputs are compared with one call's.
template <class Call>
void time_ranks(benchmark::State& state, int ranks) {
  cube const cloud = cloud_of<Call>(ranks);
  std::vector<part_of_cube> parts;
  std::vector<outputs> own;
  std::vector<farpoint::host_scratch> rooms(static_cast<std::size_t>(ranks));
  std::vector<farpoint::result> outcomes(rooms.size());
  for (int rank = 0; rank < ranks; ++rank) {
    parts.emplace_back(cloud, rank, ranks);
    own.emplace_back(Call::rows(parts.back().size()), Call::width);
  }
  farpoint::thread_ranks group{ranks};
  time_blocking_calls(state, {static_cast<double>(points)}, [&] {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        auto const at = static_cast<std::size_t>(rank);
        communicator to{group, rank};
        outcomes[at] = Call::shard(to, parts[at], own[at], rooms[at]);
        if (!outcomes[at]) to.abort();
      });
    }
    for (auto& thread : threads) thread.join();
    for (auto const& outcome : outcomes) check(outcome, Call::name);
  });
  farpoint::host_scratch room;
  outputs expected{Call::rows(points), Call::width};
  check(Call::whole(host_exec{}, part_of_cube{cloud, 0, 1}, expected, room), Call::name);
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    if (!Call::equal(expected, parts[rank], own[rank]))
      throw std::runtime_error{"a rank's answer differs from one call's"};
  }
  state.SetLabel("equal to one call");
  count(state, ranks, ranks);
}

template <class Call>
void register_call() {
  for (int const number : {1, 2, 4}) {
    std::string const name = std::string{Call::name} + "/threads_" + std::to_string(number) + "/";
    register_row(name + "one_call", 9, [number](benchmark::State& state) { time_whole<Call>(state, number); });
    register_row(name + "ranks", 9, [number](benchmark::State& state) { time_ranks<Call>(state, number); });
  }
}

}  // namespace

int run_program(arguments const& args) {
  register_call<fps_call>();
  register_call<voxelize_call>();
  register_call<knn_call>();
  register_call<radius_call>();
  return run_host_suite("ranks_host", args);
}

}  // namespace farpoint_bench
