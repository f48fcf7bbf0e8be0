/// @file
/// Rows of radius_shard(). See README.md.

#include "ranks/cube.cuh"
#include "ranks/neighbour_lists.hpp"
#include "ranks/register.cuh"
#include "support/device_lists.cuh"

#include <farpoint/radius.cuh>
#include <farpoint/scale/radius_shard.cuh>

namespace farpoint_bench {
namespace {

/// Balls around all points: of 21 points on average, where tiles of 10 M points are cubes of 100 m.
struct radius_case {
  static constexpr char const* function = "radius_shard";
  static constexpr index_t max = 32;

  index_t points;
  index_t tile_points;

  std::string name() const { return std::to_string(points) + "_max" + std::to_string(max) + "/tiles"; }
  cube cloud() const { return {points, 100, tile_points}; }
  farpoint::radius_params params() const {
    farpoint::radius_params ball;
    ball.radius = 0.8;
    return ball;
  }
  workload work() const {
    auto const n = static_cast<double>(points);
    return {n, 0, 12 * n + 12 * n * static_cast<double>(max)};
  }

  using answer = neighbour_lists::answer;
  using share = neighbour_lists::share;
  class whole;
  class part;

  void compare(answer const& expected, std::vector<share> const& shares) const {
    neighbour_lists::compare(expected, shares);
  }
  void count(benchmark::State& state, std::vector<share> const& shares) const {
    neighbour_lists::count(state, shares, max);
  }
};

class radius_case::whole {
 public:
  whole(radius_case const& what, cudaStream_t stream)
      : cloud_{what.cloud(), 0, 1, stream},
        exec_{stream},
        params_{what.params()},
        lists_{static_cast<std::size_t>(what.points * max)},
        counts_{static_cast<std::size_t>(what.points)} {
    lists_.reserve(radius_workspace_bytes(exec_, cloud_.cloud()));
  }
  void call() const {
    auto output = lists_.output<farpoint::radius_output<float>>();
    output.counts = farpoint::span<std::int32_t>{counts_.data(), counts_.size()};
    check(radius(exec_, cloud_.cloud(), params_, max, output, lists_.workspace()), "radius");
  }
  radius_case::answer answer() const { return {lists_.download_indices(), lists_.download_distances()}; }

 private:
  part_of_cube cloud_;
  farpoint::cuda_exec exec_;
  farpoint::radius_params params_;
  device_lists lists_;
  device_buffer<std::int32_t> counts_;
};

/// Queries are the rank's own points.
class radius_case::part {
 public:
  part(radius_case const& what, farpoint::nccl_exec const& exec)
      : rank_{what.cloud(), exec},
        params_{what.params()},
        lists_{static_cast<std::size_t>(rank_.points().size() * max)},
        counts_{static_cast<std::size_t>(rank_.points().size())} {
    lists_.reserve(radius_shard_workspace_bytes(rank_.stream(), exec.ranks(), rank_.shard(), rank_.points(), params_,
                                                max, output()));
  }
  farpoint::result call() {
    return radius_shard(rank_.stream(), rank_.exec, rank_.shard(), rank_.points(), params_, max, output(),
                        lists_.workspace());
  }
  radius_case::share share() const {
    return {static_cast<std::size_t>(rank_.shard().first_index * max), lists_.download_indices(),
            lists_.download_distances(), exchanged_};
  }

 private:
  farpoint::radius_shard_output<float> output() {
    auto output = lists_.output<farpoint::radius_shard_output<float>>();
    output.counts = farpoint::span<index_t>{counts_.data(), counts_.size()};
    output.exchanged_capacity = rank_.points().size() * (rank_.exec.ranks() - 1);
    output.exchanged = &exchanged_;
    return output;
  }

  cube_rank rank_;
  farpoint::radius_params params_;
  basic_device_lists<index_t> lists_;
  device_buffer<index_t> counts_;
  index_t exchanged_ = 0;
};

}  // namespace

void register_radius(std::vector<int> const& gpus) {
  register_case(radius_case{20'000'000, 10'000'000}, gpus);
}

}  // namespace farpoint_bench
