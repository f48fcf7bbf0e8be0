/// @file
/// The search for the constants of include/farpoint/tuning/knn.hpp: each varied on its own, on the rows that it is for.
/// A separate program, because it compiles every kernel many times.
///
/// A selector below has one axis as its template parameter; register_rows() lists the values. To try a value, add
/// it to a list; to adopt a winner, write it into knn_selector with the row, the GPU and the factor as its comment.
///
/// Range to search. Block size: 32..256 in whole warps. Build: 256..512 threads, 1..16 keys per thread that fit in
/// 48 KiB of shared memory, 1..4 blocks per multiprocessor, windows of 1..32. Leaves have eight points in all code that
/// reads them; the rows leaves/... of farpoint_bench_knn_host count the work with other leaf sizes.

#include "knn/register.cuh"
#include "support/cuda_suite.cuh"

#include <set>
#include <string>

namespace farpoint_bench {
namespace {

/// Threads of a block that answers queries.
template <int BlockSize>
struct block_selector : farpoint::knn_selector {
  static constexpr int block_size = BlockSize;
};

/// Blocks that build indices of clouds of every size.
template <int Threads, int Items, int Blocks, int Window>
struct build_selector : farpoint::knn_selector {
  static constexpr farpoint::bvh_build_tuning builds[] = {{1, Threads, Items, Blocks, Window}};
};

constexpr knn_row block_rows[] = {
    {100'000, 8, knn_cloud::cube, 50},    {1'000'000, 1, knn_cloud::cube, 30},  {1'000'000, 8, knn_cloud::cube, 30},
    {1'000'000, 16, knn_cloud::cube, 30}, {1'000'000, 32, knn_cloud::cube, 30}, {1'000'000, 8, knn_cloud::lidar, 30},
};

constexpr knn_row build_rows[] = {
    {10'000, 8, knn_cloud::cube, 50},    {100'000, 8, knn_cloud::cube, 50},       {300'000, 8, knn_cloud::cube, 30},
    {1'000'000, 8, knn_cloud::cube, 30}, {1'000'000, 8, knn_cloud::one_cell, 30}, {10'000'000, 8, knn_cloud::cube, 10},
};

/// Registers the selectors that are tried on one row, as graphs.
class search {
 public:
  search(knn_row const& row, bool flush_l2, knn_problem_store& problems) {
    default_ = {"tune/" + row.name() + "/default", row, row.calls, how::replayed, flush_l2, &problems};
  }

  /// Registers the default, which the others are compared with.
  void with_default() const {
    static std::set<std::string> done;
    if (done.insert(default_.name).second) register_farpoint<farpoint::knn_selector>(default_);
  }
  template <int... BlockSize>
  void blocks() const {
    (add<block_selector<BlockSize>>("block_" + std::to_string(BlockSize)), ...);
  }
  template <int Threads, int Items, int Blocks, int Window>
  void build() const {
    add<build_selector<Threads, Items, Blocks, Window>>("build_" + std::to_string(Threads) + "x" +
                                                        std::to_string(Items) + "_blocks_" + std::to_string(Blocks) +
                                                        "_window_" + std::to_string(Window));
  }

 private:
  template <class Selector>
  void add(std::string const& variant) const {
    knn_contender c = default_;
    c.name = "tune/" + c.row.name() + "/" + variant;
    register_farpoint<Selector>(c);
  }

  knn_contender default_;
};

void register_rows(bool flush_l2, knn_problem_store& problems) {
  for (knn_row const& row : block_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.blocks<32, 64, 128, 256>();
  }
  for (knn_row const& row : build_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.build<256, 4, 4, 16>();
    find.build<256, 8, 4, 8>();
    find.build<256, 16, 2, 8>();
    find.build<384, 16, 2, 4>();
    find.build<512, 2, 1, 16>();
    find.build<512, 4, 1, 16>();
    find.build<512, 8, 1, 16>();
    find.build<512, 16, 1, 4>();
    find.build<512, 16, 1, 8>();
  }
}

}  // namespace

int run_program(arguments const& args) {
  return run_suite_of("knn_tune", args, register_rows);
}

}  // namespace farpoint_bench
