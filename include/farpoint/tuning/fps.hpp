/// @file
/// Tuning of fps() on a GPU and on the host. It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <iosfwd>

FARPOINT_BEGIN_NAMESPACE

/// Shape of a block.
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

/// Kernels of fps() on a GPU; see docs/design/fps.md.
enum class fps_kernel {
  in_regions,       ///< one block per cloud in registers, a region of neighbors per warp, many samples per round
  in_teams,         ///< co-resident blocks, several per large cloud, many samples per round; 1 to 3 dimensions
  in_global_memory  ///< one block per cloud, one sample per step; every architecture, dimension and size
};

/// Name of a kernel, for messages.
constexpr char const* to_string(fps_kernel kernel) noexcept {
  switch (kernel) {
    case fps_kernel::in_regions: return "in_regions";
    case fps_kernel::in_teams: return "in_teams";
    case fps_kernel::in_global_memory: return "in_global_memory";
  }
  return "unknown kernel";
}

/// Inputs of a selector's choice.
struct fps_case {
  index_t largest;  ///< number of points of the largest cloud
  index_t points;   ///< number of points of all clouds
  index_t clouds;
  index_t samples;        ///< samples per cloud
  index_t chosen;         ///< points per cloud that were chosen before
  bool ragged;            ///< true if the clouds may differ in size
  int scalar_bytes;       ///< 4 or 8
  index_t region_points;  ///< largest cloud that a shape of `region_shapes` holds for this type of point and device
  index_t team_points;    ///< points that a block of a team holds in registers; 0 if there are no teams
  int multiprocessors;    ///< number that the call may use
};

constexpr bool operator==(fps_case const& a, fps_case const& b) noexcept {
  return a.largest == b.largest && a.points == b.points && a.clouds == b.clouds && a.samples == b.samples &&
         a.chosen == b.chosen && a.ragged == b.ragged && a.scalar_bytes == b.scalar_bytes &&
         a.region_points == b.region_points && a.team_points == b.team_points && a.multiprocessors == b.multiprocessors;
}
constexpr bool operator!=(fps_case const& a, fps_case const& b) noexcept {
  return !(a == b);
}

/// Kernel and its parameters. Parameters out of range are clamped; they affect the speed only.
struct fps_choice {
  fps_kernel kernel;
  int blocks = 1;      ///< blocks per cloud of fps_kernel::in_teams; with `shared_out`, blocks in total
  bool boxes = false;  ///< in_teams sorts the points, so that a warp can skip samples too far away to matter
  int wanted = 40;     ///< target number of candidates per round of a team, per sqrt(blocks): 1 to 1,000,000
  int listed = 32;     ///< maximum number of candidates that a block of a team publishes per round: 1 to 32
  int singles = 0;     ///< number of first samples that a team takes one per round, without lists: 0 to 128
  /// in_teams distributes `blocks` (0 or less: all multiprocessors) over any number of clouds by size: teams for large
  /// clouds, blocks that process small clouds in turn.
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

  /// Shapes of fps_kernel::in_regions, ascending in capacity; the first that holds the largest cloud is used, or the
  /// last of the same capacity if clouds outnumber the multiprocessors.
  // h200, ms:                  16 warps  8 warps       32 warps  16 warps
  //    1 x 1,024 ->   512        0.053     0.063     1 x 4,096 -> 1,024   0.178     0.187
  //  256 x 1,024 ->   256        0.085     0.071    32 x 4,096 -> 1,024   0.190     0.205
  static constexpr fps_region_tuning region_shapes[] = {
      {8, 1, 4, 4},    // 256 points
      {8, 2, 4, 4},    // 512
      {16, 2, 2, 2},   // 1,024
      {8, 4, 4, 4},    // 1,024
      {16, 4, 2, 2},   // 2,048
      {32, 4, 3, 3},   // 4,096
      {16, 8, 4, 4},   // 4,096
      {16, 16, 4, 4},  // 8,192
  };

  /// Number of threads per block of fps_kernel::in_global_memory.
  // h200, 131,072 -> 1,024: 19 ms; 34 with 512, 54 with 256.
  static constexpr int streaming_block_size = 1024;

  /// Shapes of teams' blocks whose points lie in registers, in whole warps, ascending in capacity; the first with which
  /// a cloud's blocks hold the cloud is used.
  static constexpr fps_block_tuning maxima_blocks[] = {{512, 1}, {512, 2}, {512, 4}, {512, 8}};

  /// Shapes for clouds that no shape of maxima_blocks holds. They lie in memory, in chunks that a warp processes at
  /// once, with points_per_thread points per thread. The first shape that needs at most 32 chunks per warp is used, or
  /// else the last, which may need 64.
  // h200, ms, W36:            in registers of {512, 16}  {512, 4}  {512, 8}
  //   1 x  1,000,000 ->   1,024                   0.961     0.788     0.955
  //   1 x  1,000,000 ->  10,000                    1.46      1.26      1.52
  //   1 x  1,000,000 -> 100,000                    4.84      4.49      5.31
  //   1 x 10,000,000 ->  10,000                              5.58      5.24
  static constexpr fps_block_tuning maxima_chunks[] = {{512, 4}, {512, 8}};

  /// Minimum size of a cloud of floats, sampled by equal teams, whose chunks of the first shape are stored in shared
  /// memory if they fit: up to a million points on an H200.
  // h200, 1 x 300,000 -> 4,096: 0.562 ms; 0.594 in registers, 0.671 in chunks in global memory.
  static constexpr index_t shared_chunks_from = 262144;

  /// Selects the kernel. A choice that the device or the type of point rules out is replaced by the next that works.
  // h200, ms, uniform:          regions   global   teams  with boxes  shared out
  //    1 x  4,096 ->     32       0.055    0.048   0.060
  //    1 x  4,096 ->  1,024       0.178            0.186       0.197
  //   32 x  4,096 ->     32       0.062    0.049   0.077
  //   32 x  4,096 ->  1,024       0.190            0.236       0.255
  //   the same of doubles         0.500            0.365       0.349
  //   16 x  8,192 ->  1,024                        0.240       0.253
  //   40 x  8,192 ->  1,024       0.397                        0.348
  //  128 x  8,192 ->  1,024       0.398                        0.820       0.766
  //    8 x 16,384 ->     32                0.112   0.073
  static constexpr fps_choice choose(fps_case const& c) noexcept {
    // Sorting pays off from some tens of samples on.
    bool const few = c.samples < 48;
    // Blocks that the largest cloud has if all have their share.
    index_t const share = c.points > 0 ? c.multiprocessors * c.largest / c.points : 0;
    index_t const of_one_block = c.scalar_bytes == 8 ? 2048 : 4096;
    bool const one_block = c.largest <= of_one_block || share < 3 || c.team_points == 0;
    if (c.largest <= c.region_points && one_block) {
      return {few && c.largest > 2048 ? fps_kernel::in_global_memory : fps_kernel::in_regions};
    }
    if (c.team_points == 0 || (few && share < 4)) return {fps_kernel::in_global_memory};
    return choose_teams(c);
  }

  /// Selects the sizes of teams, and the lengths of their lists.
  static constexpr fps_choice choose_teams(fps_case const& c) noexcept {
    index_t const room = c.multiprocessors / (c.clouds > 0 ? c.clouds : 1);
    index_t const worth = maxima_blocks[0].capacity();
    index_t const useful = (c.largest + worth - 1) / worth;
    index_t team = useful < room ? useful : room;
    // h200, 1 x 16,384 -> 32: 0.070 ms; 0.073 with 32 blocks, whose meetings take longer than the points that they
    // save.
    if (c.samples < 48 && useful <= 32 && team > 16) team = 16;
    fps_choice choice{fps_kernel::in_teams, static_cast<int>(team)};
    // A single sample per round pays off until rounds accept some.
    choice.singles = c.chosen > 0 ? 0 : c.largest > 262144 && c.samples >= 48 ? 20 : 8;
    // h200, 16 clouds of 4,096 points on average and 11,532 at most -> 1,024: 0.260 ms by equal teams, 0.279 shared
    // out; six of 20,000 and 56,000 -> 2,000: 0.396 and 0.315.
    bool const equal = !c.ragged || (c.clouds >= 12 && c.clouds * c.largest <= 3 * c.points);
    choice.shared_out = !equal || team < 2;
    if (choice.shared_out) choice.blocks = c.multiprocessors;
    index_t const all_useful = (c.points + worth - 1) / worth;
    index_t const each =
        choice.shared_out ? (all_useful + c.multiprocessors - 1) / c.multiprocessors : (useful + team - 1) / team;
    index_t const in_registers = c.team_points * (choice.shared_out ? c.multiprocessors : team);
    bool const in_memory = (choice.shared_out ? c.points : c.largest) > in_registers;
    // Beyond this product, updating a thread's points for every sample takes longer than sorting the points.
    choice.boxes = in_memory || each * c.samples > (c.scalar_bytes == 8 ? 875 : choice.shared_out ? 3500 : 3000);
    if (choice.boxes) set_lengths(choice, c, each, in_memory);
    return choice;
  }

  /// Selects the lengths of lists of sorted clouds.
  // h200, ms:                      24, 16 listed  30, 16 listed     40     48     60
  //   6 x  10,000 -> 10,000                0.696                 0.601         0.558
  //   4 x  16,384 ->  4,096                0.318                 0.317         0.330
  //   1 x  49,497 ->  4,096                0.371                 0.370  0.374  0.379  (simulated LiDAR)
  //   1 x 131,072 ->  4,096                0.367          0.371  0.410         0.448
  //   the same of two dimensions           0.498          0.507  0.506         0.537
  // In memory:                          16     24  24, 16 listed     36     60     80
  //   1 x  1,000,000 ->   1,024      0.705  0.749         0.690   0.788  0.865
  //   1 x  1,000,000 ->  10,000       1.27   1.25          1.19    1.26   1.35
  //   1 x  1,000,000 -> 100,000                                          3.77   3.96
  //   1 x 10,000,000 ->  10,000              5.30                  5.24
  // With 16 listed:                     12     28
  //   1 x  1,000,000 ->   1,024      0.658  0.720
  //   1 x  1,000,000 ->  10,000             1.242
  static constexpr void set_lengths(fps_choice& choice, fps_case const& c, index_t each, bool in_memory) noexcept {
    auto const set = [&choice](int wanted, int listed) {
      choice.wanted = wanted;
      choice.listed = listed;
    };
    if (c.scalar_bytes == 8 && (choice.shared_out || !in_memory)) return set(24, 16);
    if (choice.shared_out) return;
    if (in_memory) {
      // Small teams were measured with the default's 40 and 32 only.
      if (choice.blocks < 32) return c.scalar_bytes == 8 ? set(24, 16) : void();
      if (c.samples > 32768) return set(60, 32);
      if (c.largest <= 1080000) return set(c.samples <= 4096 ? 12 : 28, 16);
      return c.largest <= 4000000 ? set(24, 16) : set(36, 32);
    }
    if (2 * c.samples >= c.largest) return set(60, 32);
    if (each > 1 && choice.blocks >= 4) return set(24, 16);
    if (choice.blocks > 64) set(48, 32);
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

// Prints tunings as their initializers, in files that include <ostream>.

template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_block_tuning tuning) {
  return out << "{" << tuning.block_size << ", " << tuning.points_per_thread << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, fps_case const& c) {
  return out << "{" << c.largest << ", " << c.points << ", " << c.clouds << ", " << c.samples << ", " << c.chosen
             << ", " << c.ragged << ", " << c.scalar_bytes << ", " << c.region_points << ", " << c.team_points << ", "
             << c.multiprocessors << "}";
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
