/// @file
/// The search for the constants of include/farpoint/tuning/knn.hpp: each varied on its own, on the rows that it is for.
///
/// A selector below has one axis as its template parameter; register_knn_tuning() lists the values. To try a value, add
/// it to a list; to adopt a winner, write it into knn_selector with the row, the GPU and the factor as its comment.
///
/// Range to search. Block size: 32..256 in whole warps. Items: 1..16 keys a thread, as many as fit in 48 KiB of shared
/// memory. Build blocks: 1..4 a multiprocessor, of 256 or 512 threads. Leaves have eight points in all code that reads
/// them; what leaves of other sizes would cost is counted by the rows leaves/... of farpoint_bench_knn_host.

#include "knn/register.cuh"

#include <set>
#include <string>

namespace farpoint_bench {
namespace {

/// Threads of a block that answers queries.
template <int BlockSize>
struct block_selector : farpoint::knn_selector {
  static constexpr int block_size = BlockSize;
};

/// Keys that a thread sorts at a time, for clouds of every size.
template <int Items>
struct items_selector : farpoint::knn_selector {
  static constexpr int small_items = Items;
  static constexpr int large_items = Items;
};

/// Threads of a block that builds indices, with as many keys in a tile, and such blocks of a multiprocessor.
template <int Threads, int Blocks>
struct build_selector : farpoint::knn_selector {
  static constexpr int build_threads = Threads;
  static constexpr int build_blocks = Blocks;
  static constexpr int small_items = 1024 / Threads;
  static constexpr int large_items = 4096 / Threads;
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

  /// What the others are compared with.
  void with_default() const {
    static std::set<std::string> done;
    if (done.insert(default_.name).second) register_farpoint<farpoint::knn_selector>(default_);
  }
  template <int... BlockSize>
  void blocks() const {
    (add<block_selector<BlockSize>>("block_" + std::to_string(BlockSize)), ...);
  }
  template <int... Items>
  void items() const {
    (add<items_selector<Items>>("items_" + std::to_string(Items)), ...);
  }
  template <int Threads, int... Blocks>
  void build_blocks() const {
    (add<build_selector<Threads, Blocks>>("build_" + std::to_string(Threads) + "_blocks_" + std::to_string(Blocks)),
     ...);
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

}  // namespace

void register_knn_tuning(bool flush_l2, knn_problem_store& problems) {
  for (knn_row const& row : block_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.blocks<32, 64, 128, 256>();
  }
  for (knn_row const& row : build_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.items<2, 4, 8, 16>();
    find.build_blocks<256, 1, 2, 3, 4>();
    find.build_blocks<512, 1, 2>();
  }
}

}  // namespace farpoint_bench
