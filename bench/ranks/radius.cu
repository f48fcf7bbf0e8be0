/// @file
/// Rows of radius_shard(). See README.md.

#include "ranks/neighbor_lists.cuh"
#include "ranks/register.cuh"

#include <farpoint/radius.cuh>
#include <farpoint/scale/radius_shard.cuh>

namespace farpoint_bench {
namespace {

constexpr index_t max = 32;

/// Balls around all points: of 21 points on average, where tiles of 10 M points are cubes of 100 m.
struct radius_case : neighbor_lists<max> {
  static constexpr char const* function = "radius_shard";

  std::string name() const { return std::to_string(points) + "_max" + std::to_string(max) + "/tiles"; }
  static farpoint::radius_params params() {
    farpoint::radius_params ball;
    ball.radius = 0.8;
    ball.max_neighbors = max;
    return ball;
  }
  class whole;
  class part;
};

class radius_case::whole : public lists_of_all<max> {
 public:
  whole(radius_case const& what, cudaStream_t stream)
      : lists_of_all{what, stream}, counts_{static_cast<std::size_t>(what.points)} {
    lists_.reserve(radius_workspace_bytes(exec_, cloud_.cloud()));
  }
  void call() const {
    auto output = lists_.output<farpoint::radius_output<float>>();
    output.counts = farpoint::span<std::int32_t>{counts_.data(), counts_.size()};
    check(radius(exec_, cloud_.cloud(), params(), output, lists_.workspace()), "radius");
  }

 private:
  device_buffer<std::int32_t> counts_;
};

class radius_case::part : public lists_of_part<max> {
 public:
  part(radius_case const& what, farpoint::nccl_exec const& exec)
      : lists_of_part{what, exec}, counts_{static_cast<std::size_t>(rank_.points().size())} {
    lists_.reserve(
        radius_shard_workspace_bytes(rank_.stream(), exec.ranks(), rank_.shard(), rank_.points(), params(), output()));
  }
  farpoint::result call() {
    return radius_shard(rank_.stream(), rank_.exec, rank_.shard(), rank_.points(), params(), output(),
                        lists_.workspace());
  }

 private:
  farpoint::radius_shard_output<float> output() {
    index_t const capacity = rank_.points().size() * (rank_.exec.ranks() - 1);
    auto output = lists_of_part::output<farpoint::radius_shard_output<float>>(capacity);
    output.counts = farpoint::span<index_t>{counts_.data(), counts_.size()};
    return output;
  }

  device_buffer<index_t> counts_;
};

}  // namespace

void register_radius(std::vector<int> const& gpus) {
  register_case(radius_case{{20'000'000, 10'000'000}}, gpus);
}

}  // namespace farpoint_bench
