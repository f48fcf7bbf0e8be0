/// @file
/// Rows of knn_shard(). See README.md.

#include "ranks/cube.cuh"
#include "ranks/neighbour_lists.hpp"
#include "ranks/register.cuh"
#include "support/device_lists.cuh"

#include <farpoint/knn.cuh>
#include <farpoint/scale/knn_shard.cuh>

namespace farpoint_bench {
namespace {

struct knn_case {
  static constexpr char const* function = "knn_shard";
  static constexpr index_t k = 8;

  index_t points;
  index_t tile_points;  ///< 0: every part is all over the cube
  bool along_curve;     ///< points move to owners first

  std::string name() const {
    return std::to_string(points) + "_k" + std::to_string(k) + (tile_points > 0 ? "/tiles" : "/no_tiles") +
           (along_curve ? "_along_curve" : "");
  }
  cube cloud() const { return {points, 100, tile_points}; }
  workload work() const {
    auto const n = static_cast<double>(points);
    return {n, 0, 12 * n + 12 * n * static_cast<double>(k)};
  }

  using answer = neighbour_lists::answer;
  using share = neighbour_lists::share;
  class whole;
  class part;

  void compare(answer const& expected, std::vector<share> const& shares) const {
    neighbour_lists::compare(expected, shares);
  }
  void count(benchmark::State& state, std::vector<share> const& shares) const {
    neighbour_lists::count(state, shares, k);
  }
};

class knn_case::whole {
 public:
  whole(knn_case const& what, cudaStream_t stream)
      : cloud_{what.cloud(), 0, 1, stream}, exec_{stream}, lists_{static_cast<std::size_t>(what.points * k)} {
    lists_.reserve(knn_workspace_bytes(exec_, cloud_.cloud(), farpoint::exact{}, k));
  }
  void call() const {
    auto const output = lists_.output<farpoint::knn_output<float>>();
    check(knn(exec_, cloud_.cloud(), farpoint::exact{}, k, output, lists_.workspace()), "knn");
  }
  knn_case::answer answer() const { return {lists_.download_indices(), lists_.download_distances()}; }

 private:
  part_of_cube cloud_;
  farpoint::cuda_exec exec_;
  device_lists lists_;
};

/// Queries are the rank's own points.
class knn_case::part {
  /// Calls `call(method)`.
  template <class Call>
  auto by_method(Call const& call) const {
    index_t const ranks = rank_.exec.ranks();
    if (!what_.along_curve) return call(farpoint::exact{});
    return call(farpoint::along_curve{{}, (what_.points + ranks - 1) / ranks, 0});
  }

 public:
  part(knn_case const& what, farpoint::nccl_exec const& exec)
      : what_{what}, rank_{what.cloud(), exec}, lists_{static_cast<std::size_t>(rank_.points().size() * k)} {
    by_method([this](auto const& method) {
      lists_.reserve(knn_shard_workspace_bytes(rank_.stream(), rank_.exec.ranks(), rank_.shard(), rank_.points(),
                                               method, k, output()));
    });
  }
  farpoint::result call() {
    return by_method([this](auto const& method) {
      return knn_shard(rank_.stream(), rank_.exec, rank_.shard(), rank_.points(), method, k, output(),
                       lists_.workspace());
    });
  }
  knn_case::share share() const {
    return {static_cast<std::size_t>(rank_.shard().first_index * k), lists_.download_indices(),
            lists_.download_distances(), exchanged_};
  }

 private:
  farpoint::knn_shard_output<float> output() {
    auto output = lists_.output<farpoint::knn_shard_output<float>>();
    // Without tiles all go to all other ranks; between owners few do.
    index_t const n = rank_.points().size();
    output.exchanged_capacity = what_.along_curve ? n / 4 : n * (rank_.exec.ranks() - 1);
    output.exchanged = &exchanged_;
    return output;
  }

  knn_case what_;
  cube_rank rank_;
  basic_device_lists<index_t> lists_;
  index_t exchanged_ = 0;
};

}  // namespace

void register_knn(std::vector<int> const& gpus) {
  register_case(knn_case{20'000'000, 10'000'000, false}, gpus);
  register_case(knn_case{20'000'000, 0, false}, gpus);
  register_case(knn_case{20'000'000, 0, true}, gpus);
}

}  // namespace farpoint_bench
