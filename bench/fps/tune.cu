/// @file
/// The search for the constants of include/farpoint/tuning/fps.hpp: every shape that makes sense, on every row it fits.
///
/// Each kernel has a selector below, with the axes to search as template parameters, and a list of values for each axis
/// in register_tuning(). To try a value, add it to a list; to try a new axis, give a selector one more parameter. To
/// adopt a winner, write it into fps_selector with the row, the GPU and the factor that it won by as its comment.
///
/// Range to search. Registers: block size 32..1024 in powers of two, points per thread 1..24 (a point takes four
/// registers, and fps() turns down shapes above 24; beyond 8 at 1,024 threads and 16 at 512 they start to spill).
/// Stream: block size 128..1024. Rounds: block size 128..512, as many points per thread as shared memory holds, lists
/// of 64..256 (multiples of 32). Cluster: 2, 4, 8 or 16 blocks. Grid: points per block 512..8,192. All three: chunks of
/// 8..256 points (powers of two), groups of 32..512 points.

#include "fps/register.cuh"

#include <set>
#include <string>

namespace farpoint_bench {

/// One kernel for everything, and next to nothing of the others to compile. Not in the unnamed namespace: nvcc would
/// complain of members that a derived selector hides.
template <farpoint::fps_kernel Kernel, int ClusterSize = 1>
struct only : farpoint::fps_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{32, 1}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{128, 4}};
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept { return {Kernel, ClusterSize}; }
};

namespace {

template <int BlockSize, int PointsPerThread>
struct registers_selector : only<farpoint::fps_kernel::in_registers> {
  static constexpr farpoint::fps_block_tuning blocks[] = {{BlockSize, PointsPerThread}};
};

template <int BlockSize>
struct stream_selector : only<farpoint::fps_kernel::in_global_memory> {
  static constexpr int streaming_block_size = BlockSize;
};

template <int BlockSize, int PointsPerThread, int ListSize>
struct rounds_selector : only<farpoint::fps_kernel::in_block> {
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{BlockSize, PointsPerThread}};
  static constexpr int rounds_list_size = ListSize;
};

template <int ClusterSize, int BlockSize, int ListSize>
struct cluster_selector : only<farpoint::fps_kernel::in_cluster, ClusterSize> {
  static constexpr int group_block_size = BlockSize;
  static constexpr int group_list_size = ListSize;
};

template <int PointsPerBlock, int BlockSize, int ListSize>
struct grid_selector : only<farpoint::fps_kernel::in_grid> {
  static constexpr farpoint::index_t grid_points_per_block = PointsPerBlock;
  static constexpr int group_block_size = BlockSize;
  static constexpr int group_list_size = ListSize;
};

template <farpoint::fps_kernel Kernel, int ClusterSize, int ChunkSize, int GroupSize>
struct chunk_selector : only<Kernel, ClusterSize> {
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{512, 20}};
  static constexpr farpoint::fps_chunk_tuning chunks = {ChunkSize, GroupSize};
};

template <int...>
struct ints {};

constexpr fps_row block_rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 0, 100},   {32, 2'048, 512, cloud_kind::uniform, 0, 100},
    {32, 4'096, 1'024, cloud_kind::uniform, 0, 100}, {16, 8'192, 1'024, cloud_kind::uniform, 0, 50},
    {6, 10'000, 1'000, cloud_kind::uniform, 0, 50},  {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
};

constexpr fps_row stream_rows[] = {
    {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
    {1, 131'072, 1'024, cloud_kind::uniform, 0, 10},
};

constexpr fps_row cluster_rows[] = {
    {6, 10'000, 10'000, cloud_kind::uniform, 0, 20},
    {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
    {1, 49'497, 4'096, cloud_kind::lidar, 0, 20},
    {1, 131'072, 4'096, cloud_kind::uniform, 0, 20},
};

constexpr fps_row grid_rows[] = {
    {1, 131'072, 4'096, cloud_kind::uniform, 0, 20},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 0, 10},
    {1, 1'000'000, 10'000, cloud_kind::uniform, 0, 10},
};

/// A search: the selectors that are tried on one row after another.
class search {
 public:
  search(fps_row const& row, bool flush_l2, fps_problem_store& problems)
      : row_{row}, flush_l2_{flush_l2}, problems_{problems} {}

  /// What the others are compared with.
  void with_default() const {
    // A row may be searched for several kernels.
    static std::set<std::string> done;
    if (done.insert(row_.name()).second) add<farpoint::fps_selector>("default");
  }

  template <int BlockSize, int... PointsPerThread>
  void registers(ints<PointsPerThread...>) const {
    (add_if_it_suits<registers_selector<BlockSize, PointsPerThread>>(
         {BlockSize, PointsPerThread}, "registers_" + text(BlockSize) + "_points_" + text(PointsPerThread)),
     ...);
  }

  template <int... BlockSize>
  void stream(ints<BlockSize...>) const {
    (add<stream_selector<BlockSize>>("stream_" + text(BlockSize)), ...);
  }

  template <int BlockSize, int PointsPerThread, int... ListSize>
  void rounds(ints<ListSize...>) const {
    (add_if_it_suits<rounds_selector<BlockSize, PointsPerThread, ListSize>>(
         {BlockSize, PointsPerThread},
         "rounds_" + text(BlockSize) + "_points_" + text(PointsPerThread) + "_list_" + text(ListSize)),
     ...);
  }

  template <int ClusterSize, int BlockSize, int... ListSize>
  void cluster(ints<ListSize...>) const {
    (add<cluster_selector<ClusterSize, BlockSize, ListSize>>("cluster_" + text(ClusterSize) + "_block_" +
                                                             text(BlockSize) + "_list_" + text(ListSize)),
     ...);
  }

  template <int PointsPerBlock, int BlockSize, int... ListSize>
  void grid(ints<ListSize...>) const {
    (add<grid_selector<PointsPerBlock, BlockSize, ListSize>>("grid_" + text(PointsPerBlock) + "_block_" +
                                                             text(BlockSize) + "_list_" + text(ListSize)),
     ...);
  }

  /// All chunks and groups of a kernel.
  template <farpoint::fps_kernel Kernel, int ClusterSize>
  void chunks(std::string const& kernel) const {
    chunk<Kernel, ClusterSize, 8>(kernel, ints<8>{});
    chunk<Kernel, ClusterSize, 16>(kernel, ints<2, 4, 8>{});
    chunk<Kernel, ClusterSize, 32>(kernel, ints<1, 2, 4, 8>{});
    chunk<Kernel, ClusterSize, 64>(kernel, ints<1, 2, 4>{});
    chunk<Kernel, ClusterSize, 128>(kernel, ints<1, 2>{});
    chunk<Kernel, ClusterSize, 256>(kernel, ints<1>{});
  }

 private:
  template <farpoint::fps_kernel Kernel, int ClusterSize, int ChunkSize, int... GroupSize>
  void chunk(std::string const& kernel, ints<GroupSize...>) const {
    (add<chunk_selector<Kernel, ClusterSize, ChunkSize, GroupSize>>(kernel + "_chunk_" + text(ChunkSize) + "_group_" +
                                                                    text(GroupSize)),
     ...);
  }

  static std::string text(int number) { return std::to_string(number); }

  template <class Selector>
  void add(std::string const& variant) const {
    register_farpoint<Selector>("tune/" + row_.name() + "/" + variant, row_, row_.calls, how::launched, flush_l2_,
                                problems_);
  }

  /// Only if the shape holds the row without leaving more than half of it empty.
  template <class Selector>
  void add_if_it_suits(farpoint::fps_block_tuning shape, std::string const& variant) const {
    if (row_.points <= shape.capacity() && 2 * row_.points > shape.capacity()) add<Selector>(variant);
  }

  fps_row const& row_;
  bool flush_l2_;
  fps_problem_store& problems_;
};

}  // namespace

void register_tuning(bool flush_l2, fps_problem_store& problems) {
  using lists = ints<64, 128, 256>;
  for (fps_row const& row : block_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.registers<64>(ints<8, 16, 24>{});
    find.registers<128>(ints<4, 8, 12, 16, 24>{});
    find.registers<256>(ints<4, 8, 12, 16, 24>{});
    find.registers<512>(ints<2, 4, 8, 16, 20, 24>{});
    find.registers<1024>(ints<1, 2, 4, 8, 10, 12, 16>{});
    find.rounds<128, 8>(lists{});
    find.rounds<256, 4>(lists{});
    find.rounds<256, 8>(lists{});
    find.rounds<256, 16>(lists{});
    find.rounds<256, 40>(lists{});
    find.rounds<512, 4>(lists{});
    find.rounds<512, 8>(lists{});
    find.rounds<512, 20>(lists{});
    if (row.points <= 9'000) find.chunks<farpoint::fps_kernel::in_block, 1>("rounds");
  }
  for (fps_row const& row : stream_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.stream(ints<128, 256, 512, 1024>{});
  }
  for (fps_row const& row : cluster_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.cluster<2, 256>(lists{});
    find.cluster<4, 256>(lists{});
    find.cluster<8, 256>(lists{});
    find.cluster<16, 256>(lists{});
    find.cluster<2, 512>(lists{});
    find.cluster<4, 512>(lists{});
    find.cluster<8, 512>(lists{});
    find.cluster<16, 512>(lists{});
    find.chunks<farpoint::fps_kernel::in_cluster, 8>("cluster_8");
  }
  for (fps_row const& row : grid_rows) {
    search const find{row, flush_l2, problems};
    find.with_default();
    find.grid<1024, 512>(lists{});
    find.grid<2048, 256>(lists{});
    find.grid<2048, 512>(lists{});
    find.grid<4096, 512>(lists{});
    find.chunks<farpoint::fps_kernel::in_grid, 1>("grid");
  }
}

}  // namespace farpoint_bench
