/// @file
/// Rows of knn_shard(). See README.md.

#include "ranks/neighbor_lists.cuh"
#include "ranks/register.cuh"

#include <farpoint/knn.cuh>
#include <farpoint/scale/knn_shard.cuh>

namespace farpoint_bench {
namespace {

constexpr index_t k = 8;

struct knn_case : neighbor_lists<k> {
  static constexpr char const* function = "knn_shard";

  bool along_curve;  ///< points move to owners first

  std::string name() const {
    return std::to_string(points) + "_k" + std::to_string(k) + (tile_points > 0 ? "/tiles" : "/no_tiles") +
           (along_curve ? "_along_curve" : "");
  }
  class whole;
  class part;
};

class knn_case::whole : public lists_of_all<k> {
 public:
  whole(knn_case const& what, cudaStream_t stream) : lists_of_all{what, stream} {
    lists_.reserve(knn_workspace_bytes(exec_, cloud_.cloud(), farpoint::knn_params{k}));
  }
  void call() const {
    auto const output = lists_.output<farpoint::knn_output<float>>();
    check(knn(exec_, cloud_.cloud(), farpoint::knn_params{k}, output, lists_.workspace()), "knn");
  }
};

class knn_case::part : public lists_of_part<k> {
  /// Calls `call(method)`.
  template <class Call>
  auto by_method(Call const& call) const {
    index_t const ranks = rank_.exec.ranks();
    if (!what_.along_curve) return call(farpoint::knn_params{k});
    return call(farpoint::along_curve{{k}, (what_.points + ranks - 1) / ranks, 0});
  }

 public:
  part(knn_case const& what, farpoint::nccl_exec const& exec) : lists_of_part{what, exec}, what_{what} {
    by_method([this](auto const& method) {
      lists_.reserve(knn_shard_workspace_bytes(rank_.stream(), rank_.exec.ranks(), rank_.shard(), rank_.points(),
                                               method, output()));
    });
  }
  farpoint::result call() {
    return by_method([this](auto const& method) {
      return knn_shard(rank_.stream(), rank_.exec, rank_.shard(), rank_.points(), method, output(), lists_.workspace());
    });
  }

 private:
  farpoint::knn_shard_output<float> output() {
    // Without tiles all go to all other ranks; between owners few do.
    index_t const n = rank_.points().size();
    index_t const capacity = what_.along_curve ? n / 4 : n * (rank_.exec.ranks() - 1);
    return lists_of_part::output<farpoint::knn_shard_output<float>>(capacity);
  }

  knn_case what_;
};

}  // namespace

void register_knn(std::vector<int> const& gpus) {
  register_case(knn_case{{20'000'000, 10'000'000}, false}, gpus);
  register_case(knn_case{{20'000'000, 0}, false}, gpus);
  register_case(knn_case{{20'000'000, 0}, true}, gpus);
}

}  // namespace farpoint_bench
