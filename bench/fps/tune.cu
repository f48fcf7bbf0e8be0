/// @file
/// The search for the constants of include/farpoint/tuning/fps.hpp: every shape that makes sense, on every row it fits.
/// A program of its own: it takes many minutes to compile.
///
/// Each kernel has a selector below, with the axes to search as template parameters, and a list of values for each axis
/// in register_rows(). To try a value, add it to a list; to try a new axis, give a selector one more parameter. To
/// adopt a winner, write it into fps_selector with the row, the GPU and the factor that it won by as its comment.
///
/// Range to search. Registers: block size 32..1024 in powers of two, points per thread 1..24 (a point takes four
/// registers, and fps() turns down shapes above 24; beyond 8 at 1,024 threads and 16 at 512 they start to spill).
/// Stream: block size 128..1024. Rounds: block size 128..512, points per thread up to the shared memory, lists of
/// 64..256 (multiples of 32). Grid: points per block 512..8,192. Both: chunks of 8..256 points (powers of two),
/// groups of 32..512 points. Local maxima: a cloud's blocks 1..all multiprocessors, with boxes and without; wanted
/// 16..80, listed 8..32; blocks of 256 or 512 threads with 1..8 points a thread in registers, chunks of 2..16 in
/// memory. Choices are made at run time, and compile nothing.

#include "fps/forced.cuh"
#include "fps/register.cuh"
#include "support/cuda_suite.cuh"

#include <set>
#include <string>

namespace farpoint_bench {

/// One kernel for everything, and next to nothing of the others to compile. Not in the unnamed namespace: nvcc would
/// complain of members that a derived selector hides.
template <farpoint::fps_kernel Kernel>
struct only : farpoint::fps_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{32, 1}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{128, 4}};
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept { return {Kernel}; }
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

template <int PointsPerBlock, int BlockSize, int ListSize>
struct grid_selector : only<farpoint::fps_kernel::in_grid> {
  static constexpr farpoint::index_t grid_points_per_block = PointsPerBlock;
  static constexpr int group_block_size = BlockSize;
  static constexpr int group_list_size = ListSize;
};

template <farpoint::fps_kernel Kernel, int ChunkSize, int GroupSize>
struct chunk_selector : only<Kernel> {
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{512, 20}};
  static constexpr farpoint::fps_chunk_tuning chunks = {ChunkSize, GroupSize};
};

/// Local maxima in registers by one shape. The arrays name their bounds: in a template, nvcc deduces them too late for
/// std::size().
template <int BlockSize, int PointsPerThread>
struct maxima_shape_selector : forced_selector {
  static constexpr farpoint::fps_block_tuning blocks[1] = {{32, 1}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[1] = {{128, 4}};
  static constexpr farpoint::fps_block_tuning maxima_blocks[1] = {{BlockSize, PointsPerThread}};
};

/// Local maxima in memory by one shape.
template <int BlockSize, int PointsPerThread>
struct maxima_chunk_selector : forced_selector {
  static constexpr farpoint::fps_block_tuning blocks[1] = {{32, 1}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[1] = {{128, 4}};
  static constexpr farpoint::fps_block_tuning maxima_blocks[1] = {{512, 1}};
  static constexpr farpoint::fps_block_tuning maxima_chunks[1] = {{BlockSize, PointsPerThread}};
};

template <int...>
struct ints {};

using list_sizes = ints<64, 128, 256>;

constexpr fps_row block_rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 0, 100},   {32, 2'048, 512, cloud_kind::uniform, 0, 100},
    {32, 4'096, 1'024, cloud_kind::uniform, 0, 100}, {16, 8'192, 1'024, cloud_kind::uniform, 0, 50},
    {6, 10'000, 1'000, cloud_kind::uniform, 0, 50},  {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
};

constexpr fps_row stream_rows[] = {
    {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
    {1, 131'072, 1'024, cloud_kind::uniform, 0, 10},
};

constexpr fps_row grid_rows[] = {
    {1, 131'072, 4'096, cloud_kind::uniform, 0, 20},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 0, 10},
    {1, 1'000'000, 10'000, cloud_kind::uniform, 0, 10},
};

/// Rows of local maxima alone.
constexpr fps_row maxima_rows[] = {
    {6, 10'000, 10'000, cloud_kind::uniform, 0, 20},    {1, 49'497, 4'096, cloud_kind::lidar, 0, 20},
    {1, 131'072, 4'096, cloud_kind::lidar, 0, 20},      {16, 40'000, 1'024, cloud_kind::uniform, 0, 20},
    {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 5}, {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 5},
};

/// Registers the selectors that are tried on one row.
class search {
 public:
  search(fps_row const& row, bool flush_l2, fps_problem_store& problems)
      : default_{"tune/" + row.name() + "/default", row, row.calls, how::launched, flush_l2, &problems},
        device_{planned_device()} {
    // The default is registered once, though a row may be searched for several kernels: others are compared with it.
    static std::set<std::string> done;
    if (done.insert(row.name()).second) register_farpoint<farpoint::fps_selector>(default_);
  }

  template <int BlockSize, int... PointsPerThread>
  void registers() const {
    (add_if_it_suits<registers_selector<BlockSize, PointsPerThread>>({BlockSize, PointsPerThread}, "registers"), ...);
  }

  template <int... BlockSize>
  void stream() const {
    (add<stream_selector<BlockSize>>(text("stream", BlockSize)), ...);
  }

  template <int BlockSize, int... PointsPerThread>
  void rounds() const {
    (rounds_with<BlockSize, PointsPerThread>(list_sizes{}), ...);
  }

  template <int PointsPerBlock, int... BlockSize>
  void grid() const {
    (grid_with<PointsPerBlock, BlockSize>(list_sizes{}), ...);
  }

  /// All chunks and groups of a kernel.
  template <farpoint::fps_kernel Kernel>
  void chunks(std::string const& kernel) const {
    chunk<Kernel, 8>(kernel, ints<8>{});
    chunk<Kernel, 16>(kernel, ints<2, 4, 8>{});
    chunk<Kernel, 32>(kernel, ints<1, 2, 4, 8>{});
    chunk<Kernel, 64>(kernel, ints<1, 2, 4>{});
    chunk<Kernel, 128>(kernel, ints<1, 2>{});
    chunk<Kernel, 256>(kernel, ints<1>{});
  }

  /// Teams, boxes and lengths of the kernels by local maxima. All lengths of the largest team, some of the others.
  void maxima() const {
    using farpoint::fps_kernel;
    for (int const wanted : {24, 36, 40, 60}) choose<forced_selector>({fps_kernel::maxima_in_block, 1, false, wanted});
    int const most = largest_team();
    for (int const wanted : {16, 24, 30, 40, 48, 60, 80}) {
      for (int const listed : {8, 16, 24, 32}) {
        for (bool const boxes : {false, true}) {
          choose<forced_selector>({fps_kernel::maxima_in_grid, most, boxes, wanted, listed});
          bool const some = (wanted == 24 || wanted == 40 || wanted == 60) && listed >= 16 && listed != 24;
          if (!some) continue;
          for (int const blocks : std::set<int>{3 * most / 4, most / 2, most / 4}) {
            choose<forced_selector>({fps_kernel::maxima_in_grid, blocks, boxes, wanted, listed});
          }
        }
      }
    }
  }

  /// Shapes of blocks by local maxima that hold their points in registers.
  template <int BlockSize, int... PointsPerThread>
  void maxima_shapes() const {
    (shape<maxima_shape_selector<BlockSize, PointsPerThread>>({BlockSize, PointsPerThread}), ...);
  }

  /// Shapes of blocks that keep their points in memory.
  template <int BlockSize, int... PointsPerThread>
  void maxima_chunks() const {
    (chunk_shape<maxima_chunk_selector<BlockSize, PointsPerThread>>(text("_chunk", BlockSize) +
                                                                    text("_points", PointsPerThread)),
     ...);
  }

 private:
  int largest_team() const { return most_team_blocks(default_.row.clouds, default_.row.points, device_); }

  /// Tries the least number of blocks that hold the cloud.
  template <class Selector>
  void shape(farpoint::fps_block_tuning tuning) const {
    auto const blocks =
        static_cast<int>(farpoint::detail::divide_up(default_.row.points, farpoint::index_t{tuning.capacity()}));
    for (bool const boxes : {false, true}) {
      choose<Selector>({farpoint::fps_kernel::maxima_in_grid, blocks, boxes},
                       text("_block", tuning.block_size) + text("_points", tuning.points_per_thread));
    }
  }

  template <class Selector>
  void chunk_shape(std::string const& end) const {
    // Registers would hold a smaller cloud.
    if (default_.row.points <= largest_team() * farpoint::index_t{512}) return;
    for (int const wanted : {24, 36, 60}) {
      for (int const listed : {16, 32}) {
        choose<Selector>({farpoint::fps_kernel::maxima_in_grid, largest_team(), true, wanted, listed}, end);
      }
    }
  }

  /// Adds a choice that no other would replace. @param end  of the variant's name
  template <class Selector>
  void choose(farpoint::fps_choice const& choice, std::string const& end = {}) const {
    fps_row const& row = default_.row;
    if (choice.blocks < 1 || row.ragged()) return;
    if (!runs_as_forced<Selector>(choice, view_of(row, nullptr), params_of(row), device_)) return;
    fps_contender c = default_;
    c.name = "tune/" + row.name() + "/" + name_of(choice) + end;
    register_fps(
        c, {},
        [choice](fps_problem& problem) {
          forced_selector::forced = choice;
          problem.reserve<Selector>();
        },
        [](fps_problem const& problem, cudaStream_t stream) { problem.launch_farpoint<Selector>(stream); });
  }

  template <int BlockSize, int PointsPerThread, int... ListSize>
  void rounds_with(ints<ListSize...>) const {
    (add_if_it_suits<rounds_selector<BlockSize, PointsPerThread, ListSize>>({BlockSize, PointsPerThread}, "rounds",
                                                                            text("_list", ListSize)),
     ...);
  }

  template <int PointsPerBlock, int BlockSize, int... ListSize>
  void grid_with(ints<ListSize...>) const {
    (add<grid_selector<PointsPerBlock, BlockSize, ListSize>>(text("grid", PointsPerBlock) + text("_block", BlockSize) +
                                                             text("_list", ListSize)),
     ...);
  }

  template <farpoint::fps_kernel Kernel, int ChunkSize, int... GroupSize>
  void chunk(std::string const& kernel, ints<GroupSize...>) const {
    (add<chunk_selector<Kernel, ChunkSize, GroupSize>>(kernel + text("_chunk", ChunkSize) + text("_group", GroupSize)),
     ...);
  }

  static std::string text(char const* what, int number) { return std::string{what} + "_" + std::to_string(number); }

  template <class Selector>
  void add(std::string const& variant) const {
    fps_contender c = default_;
    c.name = "tune/" + c.row.name() + "/" + variant;
    register_farpoint<Selector>(c);
  }

  /// Only if the shape holds the row without leaving more than half of it empty.
  template <class Selector>
  void add_if_it_suits(farpoint::fps_block_tuning shape, char const* kernel, std::string const& rest = {}) const {
    farpoint::index_t const points = default_.row.points;
    if (points > shape.capacity() || 2 * points <= shape.capacity()) return;
    add<Selector>(text(kernel, shape.block_size) + text("_points", shape.points_per_thread) + rest);
  }

  fps_contender default_;
  farpoint::detail::device_properties device_;
};

/// All that is tried of local maxima.
void search_maxima(search const& find) {
  find.maxima();
  find.maxima_shapes<256, 2, 4, 8>();
  find.maxima_shapes<512, 1, 2, 4, 8>();
  find.maxima_chunks<256, 4, 8>();
  find.maxima_chunks<512, 2, 4, 8, 16>();
}

void register_rows(bool flush_l2, fps_problem_store& problems) {
  for (fps_row const& row : block_rows) {
    search const find{row, flush_l2, problems};
    find.registers<64, 8, 16, 24>();
    find.registers<128, 4, 8, 12, 16, 24>();
    find.registers<256, 4, 8, 12, 16, 24>();
    find.registers<512, 2, 4, 8, 16, 20, 24>();
    find.registers<1024, 1, 2, 4, 8, 10, 12, 16>();
    find.rounds<128, 8>();
    find.rounds<256, 4, 8, 16, 40>();
    find.rounds<512, 4, 8, 20>();
    if (row.points <= 9'000) find.chunks<farpoint::fps_kernel::in_block>("rounds");
    search_maxima(find);
  }
  for (fps_row const& row : stream_rows) {
    search const find{row, flush_l2, problems};
    find.stream<128, 256, 512, 1024>();
  }
  for (fps_row const& row : grid_rows) {
    search const find{row, flush_l2, problems};
    find.grid<1024, 512>();
    find.grid<2048, 256, 512>();
    find.grid<4096, 512>();
    find.chunks<farpoint::fps_kernel::in_grid>("grid");
    search_maxima(find);
  }
  for (fps_row const& row : maxima_rows) search_maxima(search{row, flush_l2, problems});
}

}  // namespace

int run_program(arguments const& wished) {
  return run_suite_of("fps_tune", wished, register_rows);
}

}  // namespace farpoint_bench
