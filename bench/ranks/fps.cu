/// @file
/// Rows of fps_shard(). See README.md.

#include "ranks/cube.cuh"
#include "ranks/register.cuh"
#include "support/device_lists.cuh"

#include <farpoint/fps.cuh>
#include <farpoint/scale/fps_shard.cuh>

namespace farpoint_bench {
namespace {

struct fps_case {
  static constexpr char const* function = "fps_shard";

  index_t points;
  index_t samples;
  bool has_window;  ///< the GPUs reach memory of one another

  std::string name() const {
    return std::to_string(points) + "_to_" + std::to_string(samples) + (has_window ? "" : "/no_window");
  }
  cube cloud() const { return {points}; }
  farpoint::fps_params params() const {
    farpoint::fps_params wanted;
    wanted.samples = samples;
    return wanted;
  }
  workload work() const {
    auto const n = static_cast<double>(points);
    auto const m = static_cast<double>(samples);
    return {n, n * m, 12 * n + 12 * m};
  }

  struct answer {
    std::vector<index_t> indices;
    std::vector<float> distances;
    bool operator==(answer const& other) const { return indices == other.indices && distances == other.distances; }
  };
  struct share {
    answer all;
    index_t exchanges;
  };
  class whole;
  class part;

  void compare(answer const& expected, std::vector<share> const& shares) const {
    for (share const& each : shares) {
      if (!(each.all == expected)) throw std::runtime_error{"a rank has other samples than one GPU"};
    }
  }
  void count(benchmark::State& state, std::vector<share> const& shares) const {
    state.counters["exchanges"] = static_cast<double>(shares[0].exchanges);
  }
};

/// Samples on a GPU.
class sample_lists : public basic_device_lists<index_t> {
 public:
  explicit sample_lists(fps_case const& what) : basic_device_lists{static_cast<std::size_t>(what.samples)} {}
  fps_case::answer answer() const { return {download_indices(), download_distances()}; }
};

class fps_case::whole {
 public:
  whole(fps_case const& what, cudaStream_t stream)
      : cloud_{what.cloud(), 0, 1, stream}, params_{what.params()}, exec_{stream}, lists_{what} {
    lists_.reserve(fps_workspace_bytes(exec_, cloud_.cloud(), params_));
  }
  void call() const {
    auto const output = lists_.output<farpoint::fps_output<float>>();
    check(fps(exec_, cloud_.cloud(), params_, output, lists_.workspace()), "fps");
  }
  fps_case::answer answer() const { return lists_.answer(); }

 private:
  part_of_cube cloud_;
  farpoint::fps_params params_;
  farpoint::cuda_exec exec_;
  sample_lists lists_;
};

class fps_case::part {
 public:
  part(fps_case const& what, farpoint::nccl_exec const& exec)
      : rank_{what.cloud(), with_window(what, exec, window_)}, params_{what.params()}, lists_{what} {
    lists_.reserve(fps_shard_workspace_bytes(rank_.stream(), exec.ranks(), rank_.shard(), params_, output()));
  }
  farpoint::result call() {
    return fps_shard(rank_.stream(), rank_.exec, rank_.shard(), params_, output(), lists_.workspace());
  }
  fps_case::share share() const { return {lists_.answer(), exchanges_}; }

 private:
  /// Rank memory that all ranks reach, if the case has it.
  static farpoint::nccl_exec with_window(fps_case const& what, farpoint::nccl_exec exec,
                                         farpoint::nccl_window& window) {
    if (!what.has_window) return exec;
    std::size_t const bytes = farpoint::fps_shard_window_bytes(exec.ranks(), what.samples);
    check(farpoint::nccl_window::create(exec, bytes, window), "nccl_window");
    exec.window = window.memory();
    return exec;
  }

  farpoint::fps_shard_output<float> output() {
    auto output = lists_.output<farpoint::fps_shard_output<float>>();
    output.exchanges = &exchanges_;
    return output;
  }

  farpoint::nccl_window window_;
  cube_rank rank_;
  farpoint::fps_params params_;
  sample_lists lists_;
  index_t exchanges_ = 0;
};

}  // namespace

void register_fps(std::vector<int> const& gpus) {
  for (index_t const points : {1'000'000, 10'000'000}) {
    for (index_t const samples : {1'000, 10'000, 100'000}) {
      for (bool const has_window : {true, false}) register_case(fps_case{points, samples, has_window}, gpus);
    }
  }
}

}  // namespace farpoint_bench
