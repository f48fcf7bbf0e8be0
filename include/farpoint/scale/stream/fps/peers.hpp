/// @file
/// fps_shard() as one kernel on each rank: its arguments, its outcome, and the layout of peer memory. One source serves
/// kernels and tests on a CPU.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>
#include <farpoint/scale/peer_memory.hpp>
#include <farpoint/types/fps_shard.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Team that a rank can form, and after meet() that all ranks can form together. All zero: no team.
struct fps_peer_team {
  std::uint32_t blocks = 0;   ///< blocks per rank
  std::uint32_t needed = 0;   ///< blocks that the rank's points need
  std::uint32_t entries = 0;  ///< room for candidates of all ranks

  /// Limit of all ranks' blocks: a block's number and the slot of one of its 32 candidates share 16 bits.
  static constexpr std::uint32_t max_blocks = 0xffff / 32;

  void meet(fps_peer_team const& other) noexcept {
    blocks = smaller(blocks, other.blocks);
    needed = larger(needed, other.needed);
    entries = smaller(entries, other.entries);
  }
  /// Candidates that a block may list; 0 if the ranks cannot work as a team.
  std::uint32_t listed(int ranks) const noexcept {
    if (blocks == 0 || needed > blocks) return 0;
    return smaller(entries / (blocks * static_cast<std::uint32_t>(ranks)), 32u);
  }
};

/// Layout of a rank's peer memory: the board, then the keys.
struct fps_peer_window {
  static constexpr std::uint32_t max_rank_blocks = 192;
  static constexpr std::size_t message_bytes = 16;
  /// Messages per block.
  static constexpr unsigned slots = board_slots<local_maxima_config<3, 32, 1, true>>::all(1);

  std::size_t board_bytes;
  std::uint32_t max_keys;

  fps_peer_window(int ranks, index_t samples) noexcept
      : board_bytes{workspace_aligned(static_cast<std::size_t>(ranks) * max_rank_blocks * slots * message_bytes)},
        // Rounds find about a third more samples than requested, or, for few samples, up to the length of some lists.
        max_keys{static_cast<std::uint32_t>(2 * samples + 65536)} {}

  std::size_t size() const noexcept { return board_bytes + max_keys * sizeof(fps_key); }
};

/// Arguments of a team of several ranks: local_maxima_call for a cloud of which each rank has a part. Wrong arguments
/// have been counted before the kernel starts.
template <int Dim>
struct fps_peer_call {
  using point_type = vec<float, Dim>;

  index_t all_points;
  index_t all_samples;
  std::uint32_t max_keys;
  float squared_stop;
  index_t first_sample;  ///< index of a finite point
  point_type first_sample_point;
  fps_ball<Dim> const* chosen_balls;    ///< `[chosen_count]`: a negative radius2 marks a point that is no sample
  std::uint32_t const* chosen_indices;  ///< `[chosen_count]`
  index_t chosen_count;
  fps_shard_output<float> output;

  FARPOINT_DEVICE index_t points() const noexcept { return all_points; }
  FARPOINT_DEVICE index_t samples() const noexcept { return all_samples; }
  FARPOINT_DEVICE unsigned wanted() const noexcept { return static_cast<unsigned>(smaller(all_samples, all_points)); }
  FARPOINT_DEVICE bool has_room(unsigned samples) const noexcept { return samples <= max_keys; }
  FARPOINT_DEVICE float stop2() const noexcept { return squared_stop; }

  FARPOINT_DEVICE index_t chosen() const noexcept { return chosen_count; }
  FARPOINT_DEVICE index_t chosen_index(index_t i) const noexcept { return chosen_indices[i]; }
  FARPOINT_DEVICE bool is_chosen(index_t i, index_t, bool) const noexcept { return chosen_balls[i].radius2 >= 0; }
  FARPOINT_DEVICE point_type chosen_point(index_t i, index_t) const noexcept { return chosen_balls[i].center; }

  FARPOINT_DEVICE fps_first first(bool) const noexcept { return {first_sample, true}; }
  FARPOINT_DEVICE point_type first_point(index_t) const noexcept { return first_sample_point; }

  FARPOINT_DEVICE void write(index_t slot, index_t index, float distance) const noexcept {
    output.indices[static_cast<std::size_t>(slot)] = index;
    if (!output.distances.empty()) output.distances[static_cast<std::size_t>(slot)] = distance;
  }
  FARPOINT_DEVICE void write_padding(index_t slot) const noexcept { write(slot, -1, no_candidate<float>); }
  FARPOINT_DEVICE void write_count(index_t count) const noexcept {
    if (output.count != nullptr) *output.count = count;
  }
  FARPOINT_DEVICE void count_non_finite(unsigned) const noexcept {}
};

/// Addresses through which the blocks of all ranks write to one another.
struct fps_peer_places {
  unsigned char* memory[peer_memory::rank_limit];  ///< `[ranks]`: peer memory, see fps_peer_window
  std::size_t board_bytes;
  unsigned ranks;
  unsigned rank;
  unsigned blocks;            ///< blocks per rank
  std::uint32_t first_index;  ///< index of the rank's first point
  std::uint64_t timeout;      ///< nanoseconds; 0 waits forever
};

/// Arguments of the kernel.
template <class Points>
struct fps_peer_args {
  Points cloud;
  local_maxima_order order;
  fps_peer_call<Points::dim> call;
  fps_peer_places places;
  local_maxima_lengths lengths;
  std::uint32_t* outcome;
};

/// Outcome of a kernel: the largest value of all its blocks.
enum class fps_peer_outcome : std::uint32_t {
  not_run,
  done,
  no_room,  ///< more samples were found than the keys have room for, on some rank
  failed,   ///< another rank exceeded the time-out
};

/// Values of a ball's radius2: a chosen index that is no point of the rank, and a chosen point that is not finite.
inline constexpr float fps_chosen_nowhere = -2, fps_chosen_in_vain = -1;

/// Plan of ranks without peer memory.
template <class Points>
struct no_fps_peers {
  static constexpr bool has_kernel = false;

  explicit no_fps_peers(index_t) noexcept {}

  static constexpr std::size_t chunk_bytes() noexcept { return 0; }
  template <class Exec>
  static constexpr fps_peer_team offer(Exec, int, bool) noexcept {
    return {};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
