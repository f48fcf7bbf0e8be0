/// @file
/// The search for the constants of include/farpoint/tuning/fps.hpp: every shape that makes sense, on every row it fits.
/// A program of its own: it takes many minutes to compile.
///
/// Each kernel has a selector below, with the axes to search as template parameters, and a list of values for each axis
/// in register_rows(). To try a value, add it to a list; to try a new axis, give a selector one more parameter. To
/// adopt a winner, write it into fps_selector with the row, the GPU and the factor that it won by as its comment.
///
/// Range to search. Regions: 1..32 warps in powers of two, 1..16 points a lane, 1..15 listed candidates. Global memory:
/// block size 128..1024. Teams: a cloud's blocks 1..all multiprocessors, with boxes and without; wanted 12..80, listed
/// 8..32, rounds of one sample 0..32; blocks of 256 or 512 threads with 1..8 points a thread in registers, chunks of
/// 2..16 in memory. Choices are made at run time, and compile nothing.

#include "fps/forced.cuh"
#include "fps/register.cuh"
#include "support/cuda_suite.cuh"

#include <set>
#include <string>

namespace farpoint_bench {

namespace {

template <int BlockSize>
struct global_memory_selector : farpoint::fps_selector {
  static constexpr int streaming_block_size = BlockSize;
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept {
    return {farpoint::fps_kernel::in_global_memory};
  }
};

/// Local maxima in registers by one shape. The arrays name their bounds: in a template, nvcc deduces them too late for
/// std::size().
template <int BlockSize, int PointsPerThread>
struct maxima_shape_selector : forced_selector {
  static constexpr farpoint::fps_block_tuning maxima_blocks[1] = {{BlockSize, PointsPerThread}};
};

/// Local maxima in memory by one shape.
template <int BlockSize, int PointsPerThread>
struct maxima_chunk_selector : forced_selector {
  static constexpr farpoint::fps_block_tuning maxima_blocks[1] = {{512, 1}};
  static constexpr farpoint::fps_block_tuning maxima_chunks[1] = {{BlockSize, PointsPerThread}};
};

constexpr fps_row region_rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 0, 100},   {32, 2'048, 512, cloud_kind::uniform, 0, 100},
    {32, 4'096, 1'024, cloud_kind::uniform, 0, 100}, {16, 8'192, 1'024, cloud_kind::uniform, 0, 50},
    {6, 10'000, 1'000, cloud_kind::uniform, 0, 50},  {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
};

constexpr fps_row global_memory_rows[] = {
    {4, 16'384, 4'096, cloud_kind::uniform, 0, 20},
    {1, 131'072, 1'024, cloud_kind::uniform, 0, 10},
};

constexpr fps_row team_rows[] = {
    {1, 131'072, 4'096, cloud_kind::uniform, 0, 20},    {1, 1'000'000, 1'024, cloud_kind::uniform, 0, 10},
    {1, 1'000'000, 10'000, cloud_kind::uniform, 0, 10}, {6, 10'000, 10'000, cloud_kind::uniform, 0, 20},
    {1, 49'497, 4'096, cloud_kind::lidar, 0, 20},       {1, 131'072, 4'096, cloud_kind::lidar, 0, 20},
    {16, 40'000, 1'024, cloud_kind::uniform, 0, 20},    {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 5},
    {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 5},
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

  /// Shapes of regions that hold the row without leaving more than half of them empty.
  template <int Warps, int Listed, int Tested, int... PointsPerLane>
  void regions() const {
    (region<Warps, PointsPerLane, Listed, Tested>(), ...);
  }

  template <int... BlockSize>
  void global_memory() const {
    (add<global_memory_selector<BlockSize>>(text("global_memory", BlockSize)), ...);
  }

  /// Teams, boxes and lengths of the kernels by local maxima. All lengths of the largest team, some of the others.
  void maxima() const {
    using farpoint::fps_kernel;
    int const most = largest_team();
    for (int const singles : {0, 4, 8, 12, 20, 32}) {
      for (bool const boxes : {false, true}) {
        choose<forced_selector>({fps_kernel::in_teams, most, boxes, 40, 32, singles});
      }
    }
    for (int const wanted : {12, 16, 24, 30, 40, 48, 60, 80}) {
      for (int const listed : {8, 16, 24, 32}) {
        for (bool const boxes : {false, true}) {
          choose<forced_selector>({fps_kernel::in_teams, most, boxes, wanted, listed});
          bool const some = (wanted == 24 || wanted == 40 || wanted == 60) && listed >= 16 && listed != 24;
          if (!some) continue;
          for (int const blocks : std::set<int>{3 * most / 4, most / 2, most / 4}) {
            choose<forced_selector>({fps_kernel::in_teams, blocks, boxes, wanted, listed});
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
  int largest_team() const { return max_team_blocks(default_.row.clouds, default_.row.points, device_); }

  /// Tries the least number of blocks that hold the cloud.
  template <class Selector>
  void shape(farpoint::fps_block_tuning tuning) const {
    auto const blocks =
        static_cast<int>(farpoint::detail::divide_up(default_.row.points, farpoint::index_t{tuning.capacity()}));
    for (bool const boxes : {false, true}) {
      choose<Selector>({farpoint::fps_kernel::in_teams, blocks, boxes},
                       text("_block", tuning.block_size) + text("_points", tuning.points_per_thread));
    }
  }

  template <class Selector>
  void chunk_shape(std::string const& end) const {
    // Registers would hold a smaller cloud.
    if (default_.row.points <= largest_team() * farpoint::index_t{512}) return;
    for (int const wanted : {24, 36, 60}) {
      for (int const listed : {16, 32}) {
        choose<Selector>({farpoint::fps_kernel::in_teams, largest_team(), true, wanted, listed}, end);
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

  template <int Warps, int PointsPerLane, int Listed, int Tested>
  void region() const {
    using selector = forced_regions<Warps, PointsPerLane, Listed, Tested>;
    farpoint::index_t const points = default_.row.points;
    farpoint::index_t const capacity = selector::region_shapes[0].capacity();
    if (points <= capacity && 2 * points > capacity) add<selector>(selector::name());
  }

  static std::string text(char const* what, int number) { return std::string{what} + "_" + std::to_string(number); }

  template <class Selector>
  void add(std::string const& variant) const {
    fps_contender c = default_;
    c.name = "tune/" + c.row.name() + "/" + variant;
    register_farpoint<Selector>(c);
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
  for (fps_row const& row : region_rows) {
    search const find{row, flush_l2, problems};
    find.regions<8, 4, 4, 2, 4, 8, 16>();
    find.regions<16, 2, 2, 1, 2, 4, 8>();
    find.regions<16, 4, 4, 2, 4, 8, 16>();
    find.regions<32, 2, 2, 1, 2, 4>();
    find.regions<32, 3, 3, 2, 4, 8>();
    search_maxima(find);
  }
  for (fps_row const& row : global_memory_rows) {
    search const find{row, flush_l2, problems};
    find.global_memory<128, 256, 512, 1024>();
  }
  for (fps_row const& row : team_rows) search_maxima(search{row, flush_l2, problems});
}

}  // namespace

int run_program(arguments const& args) {
  return run_suite_of("fps_tune", args, register_rows);
}

}  // namespace farpoint_bench
