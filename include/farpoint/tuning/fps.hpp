/// @file
/// Tuning of fps() on a GPU and on the host. It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <iosfwd>

FARPOINT_BEGIN_NAMESPACE

/// Shape of a kernel that assigns one block to each cloud.
struct fps_block_tuning {
  int block_size;         ///< threads per block
  int points_per_thread;  ///< a cloud may have up to block_size * points_per_thread points

  constexpr int capacity() const noexcept { return block_size * points_per_thread; }
};

constexpr bool operator==(fps_block_tuning a, fps_block_tuning b) noexcept {
  return a.block_size == b.block_size && a.points_per_thread == b.points_per_thread;
}
constexpr bool operator!=(fps_block_tuning a, fps_block_tuning b) noexcept {
  return !(a == b);
}

/// Shape of fps_kernel::in_regions.
struct fps_region_tuning {
  int warps;            ///< warps per block, one region each: 1 to 32, a power of two
  int points_per_lane;  ///< 1 to 16; a cloud may have up to 32 * warps * points_per_lane points
  int listed;           ///< candidates that a region publishes to all others: 1 to 15
  int tested;           ///< maximum number of these that become samples in a round: 1 to `listed`

  constexpr int capacity() const noexcept { return 32 * warps * points_per_lane; }
};

/// Grouping of neighbouring points in a kernel: the points of a chunk share a box, and the chunks of a group share
/// another, larger box, against which samples are tested first.
struct fps_chunk_tuning {
  int points;     ///< points per chunk: 8 to 256, a power of two
  int per_group;  ///< chunks per group; a group has 32 points or more
};

constexpr bool operator==(fps_chunk_tuning a, fps_chunk_tuning b) noexcept {
  return a.points == b.points && a.per_group == b.per_group;
}
constexpr bool operator!=(fps_chunk_tuning a, fps_chunk_tuning b) noexcept {
  return !(a == b);
}

/// Kernels of fps() on a GPU; see docs/design/fps.md.
enum class fps_kernel {
  in_registers,      ///< one block per cloud, in registers, several samples per step; every architecture and dimension
  in_global_memory,  ///< one block per cloud, global memory, one sample per step; all architectures, dimensions, sizes
  in_block,          ///< one block per cloud, shared memory, pruned, many samples per round; one launch, no workspace
  in_grid,           ///< all blocks of the GPU, shared by the clouds, pruned, in rounds; every architecture
  // Local maxima: a round takes all samples that no better candidate can reach. Registers; 1 to 3 dimensions.
  maxima_in_block,  ///< one block per cloud
  in_regions,       ///< one block per cloud, one warp per region, each reads the others' best candidates; no workspace
  maxima_in_grid    ///< several co-resident blocks per cloud, which exchange candidates in global memory
};

/// Name of a kernel, for messages.
constexpr char const* to_string(fps_kernel kernel) noexcept {
  switch (kernel) {
    case fps_kernel::in_registers: return "in_registers";
    case fps_kernel::in_global_memory: return "in_global_memory";
    case fps_kernel::in_block: return "in_block";
    case fps_kernel::in_grid: return "in_grid";
    case fps_kernel::maxima_in_block: return "maxima_in_block";
    case fps_kernel::in_regions: return "in_regions";
    case fps_kernel::maxima_in_grid: return "maxima_in_grid";
  }
  return "unknown kernel";
}

/// Inputs of a selector's choice.
struct fps_case {
  index_t largest;  ///< number of points of the largest cloud
  index_t points;   ///< number of points of all clouds
  index_t clouds;
  index_t samples;          ///< samples per cloud
  bool ragged;              ///< true if the clouds may differ in size
  index_t register_points;  ///< largest cloud that a shape of `blocks` holds for this type of point
  index_t rounds_points;    ///< largest cloud that a shape of `rounds_blocks` holds on this device
  index_t maxima_points;    ///< points that a shape of `maxima_blocks` holds; 0 if local maxima are not supported
  index_t chunk_points;     ///< points that a block holds with `maxima_chunks`; 0 if not supported
  int multiprocessors;      ///< number that the call may use
};

constexpr bool operator==(fps_case const& a, fps_case const& b) noexcept {
  return a.largest == b.largest && a.points == b.points && a.clouds == b.clouds && a.samples == b.samples &&
         a.ragged == b.ragged && a.register_points == b.register_points && a.rounds_points == b.rounds_points &&
         a.maxima_points == b.maxima_points && a.chunk_points == b.chunk_points &&
         a.multiprocessors == b.multiprocessors;
}
constexpr bool operator!=(fps_case const& a, fps_case const& b) noexcept {
  return !(a == b);
}

/// Kernel and its parameters. Parameters out of range are clamped; they affect the speed only.
struct fps_choice {
  fps_kernel kernel;
  int blocks = 1;      ///< blocks per cloud in fps_kernel::maxima_in_grid; with `shared_out`, blocks in total
  bool boxes = false;  ///< maxima_in_grid sorts the points, so that a warp can skip samples too far away to matter
  int wanted = 40;     ///< target number of candidates per round by local maxima, per sqrt(blocks): 1 to 1,000,000
  int listed = 32;     ///< maximum number of candidates that a block of maxima_in_grid publishes per round: 1 to 32
  int singles = 0;     ///< number of first samples that local maxima take one per round, without lists: 0 to 128
  /// maxima_in_grid distributes `blocks` (0 or less: all multiprocessors) over any number of clouds by size: teams for
  /// large clouds, blocks that process small clouds in turn. Requires has_shared_out in the selector.
  bool shared_out = false;
};

constexpr bool operator==(fps_choice a, fps_choice b) noexcept {
  return a.kernel == b.kernel && a.blocks == b.blocks && a.boxes == b.boxes && a.wanted == b.wanted &&
         a.listed == b.listed && a.singles == b.singles && a.shared_out == b.shared_out;
}
constexpr bool operator!=(fps_choice a, fps_choice b) noexcept {
  return !(a == b);
}

/// Default choice. To change it, derive a struct, hide members, and pass it as fps()'s first template argument.
struct fps_selector {
  /// Maximum number of multiprocessors for blocks that wait for each other, as in cuda_exec::multiprocessors; 0: no
  /// limit.
  static constexpr int max_multiprocessors = 0;

  /// Shapes of fps_kernel::in_registers, in whole warps, ascending in capacity; the first that holds the largest cloud
  /// is used.
  static constexpr fps_block_tuning blocks[] = {
      {64, 4},    // 256 points
      {512, 2},   // 1,024:  h200 0.119 ms for 16 x 1,024 -> 512; 256 x 4 0.134, 1024 x 1 0.162, 128 x 8 0.192
      {512, 4},   // 2,048
      {512, 8},   // 4,096:  h200 0.337 ms for 32 x 4,096 -> 1,024; 256 x 16 0.406, 1024 x 4 0.411
      {512, 16},  // 8,192
      {512, 20},  // 10,240: h200 0.689 ms for 6 x 10,000 -> 1,000; 1024 x 10 0.703
      {512, 24},  // 12,288
  };

  /// Number of threads per block of fps_kernel::in_global_memory.
  // h200, 131,072 -> 1,024: 19 ms; 34 with 512, 54 with 256.
  static constexpr int streaming_block_size = 1024;

  /// Shapes of fps_kernel::in_block, in whole warps, ascending in capacity, limited by shared memory.
  // h200, 512 threads against 256: 16 x 8,192 -> 1,024 0.68 ms, 0.98; 32 x 4,096 -> 1,024 0.50 ms, 0.66.
  static constexpr fps_block_tuning rounds_blocks[] = {{128, 4}, {256, 4}, {512, 8}, {512, 20}};

  /// Maximum number of candidates per round: more candidates mean fewer but longer rounds.
  // h200, 16 x 8,192 -> 1,024: 0.68 ms; 0.79 with 128, 1.00 with 64.
  static constexpr int rounds_list_size = 256;

  /// Threads per block and maximum number of candidates per round of fps_kernel::in_grid.
  // h200, 1,000,000 -> 10,000: 3.44 ms; 4.35 with 256 threads, and with lists of 128; 6.12 with lists of 64.
  static constexpr int group_block_size = 512;
  static constexpr int group_list_size = 256;

  /// Chunks of fps_kernel::in_block and fps_kernel::in_grid; measurements are in docs/design/fps.md.
  static constexpr fps_chunk_tuning chunks = {128, 1};

  /// Shapes of the kernels by local maxima, in whole warps, ascending in capacity; the first with which a cloud's
  /// blocks hold the cloud is used.
  static constexpr fps_block_tuning maxima_blocks[] = {{512, 1}, {512, 2}, {512, 4}, {512, 8}};

  /// Shapes of fps_kernel::in_regions, ascending in capacity; the first that holds the largest cloud is used.
  static constexpr fps_region_tuning region_shapes[] = {
      {8, 1, 4, 4}, {16, 1, 2, 2}, {16, 2, 2, 2}, {16, 4, 4, 4}, {16, 8, 4, 4}};
  /// True if fps_kernel::in_regions is compiled. choose() never selects it: it has not been measured on a GPU.
  static constexpr bool has_regions = false;

  /// Shapes for clouds of a grid that no shape of maxima_blocks holds. They lie in memory, in chunks that a warp
  /// processes at once, with points_per_thread points per thread. The first shape that needs at most 32 chunks per warp
  /// is used, or else the last, which may need 64.
  // h200, ms, W36:            in registers of {512, 16}  {512, 4}  {512, 8}
  //   1 x  1,000,000 ->   1,024                   0.961     0.788     0.955
  //   1 x  1,000,000 ->  10,000                    1.46      1.26      1.52
  //   1 x  1,000,000 -> 100,000                    4.84      4.49      5.31
  //   1 x 10,000,000 ->  10,000                              5.58      5.24
  static constexpr fps_block_tuning maxima_chunks[] = {{512, 4}, {512, 8}};
  /// True to store chunks of the first shape in shared memory if they fit (a million points on an H200). Not measured.
  static constexpr bool chunks_in_shared = false;

  /// True if fps_choice::shared_out is compiled. choose() never selects it: it has not been measured on a GPU.
  static constexpr bool has_shared_out = false;
  /// Whether kernels by local maxima are compiled for doubles, in all shapes but the largest. Not measured on a GPU.
  static constexpr bool has_maxima_of_doubles = false;

  /// Capacity up to which fps_kernel::maxima_in_block is compiled for the shapes.
  static constexpr int maxima_block_points = 1024;

  /// True to sort along Hilbert's curve for the boxes of maxima_in_grid. A run along Morton's curve may jump across the
  /// cloud, and its box then spans the cloud; but Morton codes take fewer instructions.
  static constexpr bool hilbert_cells = false;

  /// Minimum number of points that justify another block of a grid.
  // h200, 131,072 -> 4,096: 1.29 ms; 1.22 with 1,024, 1.47 with 4,096; larger clouds take all blocks.
  static constexpr index_t grid_points_per_block = 2048;

  /// Shapes of the blocks that sort the points of fps_kernel::in_grid in one launch, ascending in capacity, 256 threads
  /// or more in whole warps; and the largest batch for which one launch is used. Larger batches take one launch per
  /// step, as a step then takes longer than a launch.
  static constexpr fps_block_tuning order_blocks[] = {{512, 2}, {512, 8}, {512, 16}};
  // h200: 1 x 16,384 -> 64 0.163 ms, with a launch for each step 0.180; 1 x 1,000,000 -> 64 0.516, 0.533; 31 clouds
  // of 1,030,000 points -> 1,024 1.35, 1.36; 100 of 10,300 -> 64 0.383, 0.350. The call takes 9 us of the host, not 35.
  static constexpr index_t most_points_in_phases = index_t{1} << 21;
  static constexpr index_t most_clouds_in_phases = 32;

  /// Selects the kernel. A choice that the device or the type of point rules out is replaced by the next that works.
  // h200, ms, uniform:        registers  block   grid  local maxima  with boxes
  //    1 x    16,384 ->      32                              0.078
  //    8 x    16,384 ->      32                              0.089
  //   32 x     4,096 ->   1,024    0.33                       0.23        0.25
  //   40 x     8,192 ->   1,024                                          0.398
  //   64 x    10,000 ->   1,000          0.543                           0.507
  //   64 x    16,384 ->   1,024                 0.782                    0.633
  //  128 x     8,192 ->   1,024   0.696  0.529                           0.758
  //    6 x    10,000 ->   1,000    0.66                       0.20        0.22
  //    6 x    10,000 ->  10,000                               0.73        0.66
  //    4 x    16,384 ->   4,096                                           0.36
  //   16 x    40,000 ->   1,024                                          0.457
  //   16 x    65,536 ->   4,096                  1.46                     1.01
  //    1 x    49,497 ->   4,096                  1.10         0.58        0.35  (simulated LiDAR)
  //    1 x   131,072 ->   4,096                  1.04         0.55        0.44
  //    1 x 1,000,000 ->   1,024                  1.04         0.82        0.69
  //    1 x 1,000,000 ->  10,000                  2.57         4.60        1.19
  //    1 x 1,000,000 -> 100,000                  15.4         39.9        4.21
  //    1 x 10,000,000 -> 10,000                  9.43                     5.24
  static constexpr fps_choice choose(fps_case const& c) noexcept {
    // Sorting pays off from some tens of samples on.
    bool const few = c.samples < 48;
    if (c.maxima_points > 0 && (!few || c.largest > c.register_points)) {
      fps_choice const maxima = choose_maxima(c);
      if (maxima.blocks > 0 && !(few && maxima.boxes)) return maxima;
    }
    if (c.largest <= c.register_points && (few || c.largest <= 4096)) return {fps_kernel::in_registers};
    if (c.largest <= c.rounds_points) return {fps_kernel::in_block};
    return {fps_kernel::in_grid};
  }

  /// Selects local maxima; returns 0 blocks if other kernels are faster.
  static constexpr fps_choice choose_maxima(fps_case const& c) noexcept {
    constexpr fps_choice none{fps_kernel::maxima_in_grid, 0, false};
    index_t const room = c.clouds > 0 ? c.multiprocessors / c.clouds : 0;
    if (c.largest > 512 && c.largest <= maxima_block_points) {
      return room > 0 && c.samples >= 256 ? fps_choice{fps_kernel::maxima_in_block, 1, false, 36} : none;
    }
    // Every cloud gets the same number of blocks, which pays off only if all are about equally large.
    if (c.ragged && 2 * c.points < c.clouds * c.largest) return none;
    index_t const useful = (c.largest + maxima_blocks[0].capacity() - 1) / maxima_blocks[0].capacity();
    index_t const team = useful < room ? useful : room;
    if (c.largest < 4096 || team < 2) return none;
    if (c.largest > team * c.maxima_points) return c.largest > team * c.chunk_points ? none : in_memory(c, team);
    // Beyond this product, updating a thread's points for every sample takes longer than sorting the points.
    index_t const each = (useful + team - 1) / team;
    fps_choice choice{fps_kernel::maxima_in_grid, static_cast<int>(team), each * c.samples > 3000};
    // h200, ms, boxes:                    24     30  30, 16 listed     40     48     60     80
    //   6 x  10,000 -> 10,000                                       0.680         0.661  0.676
    //   4 x  16,384 ->  4,096                  0.365                0.362
    //   1 x  49,497 ->  4,096                                       0.384  0.352         (simulated LiDAR)
    //   1 x 131,072 ->  4,096          0.458  0.471          0.442  0.498
    if (choice.boxes && 2 * c.samples >= c.largest) {
      choice.wanted = 60;
    } else if (choice.boxes && each > 1 && team >= 4) {
      choice.wanted = 30;
      choice.listed = 16;
    } else if (choice.boxes && team > 64) {
      choice.wanted = 48;
    }
    return choice;
  }

  /// Selects local maxima for a cloud that registers cannot hold.
  static constexpr fps_choice in_memory(fps_case const& c, index_t team) noexcept {
    // h200, ms:                      16     24  24, 16 listed     36     60
    //   1 x  1,000,000 ->   1,024  0.705  0.749         0.690  0.788  0.865
    //   1 x  1,000,000 ->  10,000   1.27   1.25          1.19   1.26   1.35
    //   1 x  1,000,000 -> 100,000   6.49   5.16          5.21   4.49   4.21
    //   1 x 10,000,000 ->  10,000          5.30                 5.24
    // Small teams were measured with the default's 40 and 32 only.
    if (team < 32) return {fps_kernel::maxima_in_grid, static_cast<int>(team), true};
    fps_choice choice{fps_kernel::maxima_in_grid, static_cast<int>(team), true, 36};
    if (c.samples > 32768) {
      choice.wanted = 60;
    } else if (c.largest <= 4000000) {
      choice.wanted = 24;
      choice.listed = 16;
    }
    return choice;
  }
};

/// Capacity of a host bucket in points, a multiple of 32. Smaller buckets mean more boxes to test, larger ones more
/// useless updates of points. Other sizes were not measured.
inline constexpr int fps_bucket_points = 64;

/// Tuning of the host backend. Tests change it to send small clouds through every path.
struct fps_host_tuning {
  index_t bucket_points = fps_bucket_points;  ///< points per bucket when buckets are filled
  index_t list_points = 512;                  ///< maximum number of candidates per round
  index_t sort_from_samples = 16;             ///< with fewer samples nearly all points are updated, sorted or not
  bool rounds_for_one_chunk = false;          ///< true if a cloud of one chunk serves as its own candidate list
  double ns_per_point = 40;                   ///< to sort a point, and to update it for the first samples
  double ns_per_sample = 400;
  double worth_a_thread = 200e3;     ///< ns of work that justify starting a thread
  index_t team_from_points = 65536;  ///< in smaller clouds, starting threads takes the time that they save
};

constexpr bool operator==(fps_host_tuning const& a, fps_host_tuning const& b) noexcept {
  return a.bucket_points == b.bucket_points && a.list_points == b.list_points &&
         a.sort_from_samples == b.sort_from_samples && a.rounds_for_one_chunk == b.rounds_for_one_chunk &&
         a.ns_per_point == b.ns_per_point && a.ns_per_sample == b.ns_per_sample &&
         a.worth_a_thread == b.worth_a_thread && a.team_from_points == b.team_from_points;
}
constexpr bool operator!=(fps_host_tuning const& a, fps_host_tuning const& b) noexcept {
  return !(a == b);
}

// Prints tunings as their initialisers, in files that include <ostream>.

template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_block_tuning tuning) {
  return out << "{" << tuning.block_size << ", " << tuning.points_per_thread << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_chunk_tuning tuning) {
  return out << "{" << tuning.points << ", " << tuning.per_group << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_case const& c) {
  return out << "{" << c.largest << ", " << c.points << ", " << c.clouds << ", " << c.samples << ", " << c.ragged
             << ", " << c.register_points << ", " << c.rounds_points << ", " << c.maxima_points << ", "
             << c.chunk_points << ", " << c.multiprocessors << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_choice choice) {
  out << "{" << to_string(choice.kernel) << ", " << choice.blocks;
  bool const has_lengths = choice.wanted != 40 || choice.listed != 32 || choice.singles != 0 || choice.shared_out;
  if (choice.boxes || has_lengths) out << ", " << choice.boxes;
  if (has_lengths) out << ", " << choice.wanted << ", " << choice.listed;
  if (choice.singles != 0 || choice.shared_out) out << ", " << choice.singles;
  if (choice.shared_out) out << ", " << choice.shared_out;
  return out << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_host_tuning const& tuning) {
  return out << "{" << tuning.bucket_points << ", " << tuning.list_points << ", " << tuning.sort_from_samples << ", "
             << tuning.rounds_for_one_chunk << ", " << tuning.ns_per_point << ", " << tuning.ns_per_sample << ", "
             << tuning.worth_a_thread << ", " << tuning.team_from_points << "}";
}

FARPOINT_END_NAMESPACE
