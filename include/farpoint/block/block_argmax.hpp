/// @file
/// Block-wide arg-max, one source for kernels and for host threads.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

// A *group* is what block-wide code is written against, so that it also runs on host threads. A model `g` has
//   static constexpr int size         threads in the group
//   static constexpr int lanes        threads in a warp; the last warp may have fewer
//   g.rank()                          index of the calling thread in the group
//   g.sync()                          barrier of the whole group; what was written before it is visible after it
//   g.shuffle(value, lane)            `value` of that lane of the calling thread's warp
//   g.reduce_max(u), g.reduce_min(u)  over the std::uint32_t of the warp's threads, for all of them
// All threads of the group call sync(); all threads of a warp call shuffle() and the reductions.
// cuda_block<Size> (block/cuda_block.cuh) is the model for CUDA.

/// A score and the index of its owner. The index no_winner marks an absent candidate; it loses every tie.
template <class Score>
struct scored {
  Score score;
  std::int32_t index;
};

/// Index of an absent candidate.
inline constexpr std::int32_t no_winner = 2147483647;

/// Returns true if `a` wins against `b`: the larger score wins, then the lower index. NaN loses against every number
/// and ties with NaN. Scores of a type that has only operator> tie if neither is greater.
template <class Score>
FARPOINT_HD constexpr bool beats(scored<Score> const& a, scored<Score> const& b) noexcept {
  if (a.score > b.score) return true;
  if (b.score > a.score) return false;
  if constexpr (std::is_floating_point_v<Score>) {
    bool const a_is_nan = !(a.score >= a.score);
    bool const b_is_nan = !(b.score >= b.score);
    if (a_is_nan != b_is_nan) return b_is_nan;
  }
  return a.index < b.index;
}

namespace detail {

/// Order-preserving 32-bit unsigned keys of scores. If a score type has such keys, one instruction reduces the keys of
/// a warp.
template <class Score, class = void>
struct argmax_key {
  static constexpr bool exists = false;
};

template <>
struct argmax_key<float> {
  static constexpr bool exists = true;
  FARPOINT_HD static std::uint32_t encode(float score) noexcept {
    score += 0.0f;                                    // -0 becomes +0: both are the same score
    return score >= score ? ordered_word(score) : 0;  // NaN: below -inf
  }
  FARPOINT_HD static float decode(std::uint32_t key) noexcept {
    return ordered_value<float>(key == 0 ? 0xffffffffu : key);  // NaN: 0x7fffffff
  }
};

template <class Score>
struct argmax_key<Score, std::enable_if_t<std::is_integral_v<Score> && sizeof(Score) <= 4>> {
  static constexpr bool exists = true;
  static constexpr std::uint32_t flip = std::is_signed_v<Score> ? 0x80000000u : 0u;
  FARPOINT_HD static std::uint32_t encode(Score score) noexcept { return static_cast<std::uint32_t>(score) ^ flip; }
  FARPOINT_HD static Score decode(std::uint32_t key) noexcept { return static_cast<Score>(key ^ flip); }
};

/// Candidate reduced by its key. Flipping the sign bit of the index gives it unsigned order, too.
template <class Score, bool HasKey = argmax_key<Score>::exists>
struct argmax_candidate {
  std::uint32_t key;
  std::uint32_t index;

  FARPOINT_HD static argmax_candidate pack(scored<Score> const& from) noexcept {
    return {argmax_key<Score>::encode(from.score), static_cast<std::uint32_t>(from.index) ^ 0x80000000u};
  }
  FARPOINT_HD scored<Score> unpack() const noexcept {
    return {argmax_key<Score>::decode(key), static_cast<std::int32_t>(index ^ 0x80000000u)};
  }
  FARPOINT_HD bool beats(argmax_candidate const& other) const noexcept {
    return key > other.key || (key == other.key && index < other.index);
  }
  template <class Group>
  FARPOINT_HD argmax_candidate best_of_warp(Group const& group, int, int) const noexcept {
    std::uint32_t const top = group.reduce_max(key);
    return {top, group.reduce_min(key == top ? index : 0xffffffffu)};
  }
};

/// Candidate of a score without keys: a tree of shuffles compares scores directly.
template <class Score>
struct argmax_candidate<Score, false> {
  scored<Score> value;

  FARPOINT_HD static argmax_candidate pack(scored<Score> const& from) noexcept { return {from}; }
  FARPOINT_HD scored<Score> unpack() const noexcept { return value; }
  FARPOINT_HD bool beats(argmax_candidate const& other) const noexcept { return farpoint::beats(value, other.value); }
  template <class Group>
  FARPOINT_HD argmax_candidate best_of_warp(Group const& group, int lane, int lanes_here) const noexcept {
    argmax_candidate best = *this;
    FARPOINT_UNROLL
    for (int step = Group::lanes / 2; step > 0; step /= 2) {
      argmax_candidate const other = group.shuffle(best, lane + step < lanes_here ? lane + step : lane);
      if (other.beats(best)) best = other;
    }
    return group.shuffle(best, 0);
  }
};

}  // namespace detail

/// Arg-max over the threads of a block, in the order of beats(). The result does not depend on the block size, on
/// scheduling or on where it runs.
///
/// All threads of the block call the same function, and all get the result. A float result of -0 is returned as +0, and
/// NaN as the quiet NaN 0x7fffffff. On a device `storage` lies in shared memory; it needs no initialization, and after
/// reduce() it is free for any use at once.
///
/// Cost: two warp-wide reductions and two barriers (reduce_in_turn(): one barrier); up to 32 threads need no barrier.
/// Float scores and integers of up to 32 bits take two redux instructions per warp (sm_80 and later), other scores a
/// tree of shuffles. Shared memory: two candidates per warp, 8 bytes each for 4-byte scores. In contrast,
/// cub::BlockReduce with an arg-max operator returns the result to one thread only, does not use redux for pairs, and
/// does not run on the host.
///
/// @tparam Score      trivially copyable, with operator>
/// @tparam BlockSize  number of threads, 1 to 1024; multiples of 32 are fastest
template <class Score, int BlockSize>
class block_argmax {
  static_assert(BlockSize >= 1 && BlockSize <= 1024, "farpoint: block_argmax takes 1 to 1024 threads");
  static_assert(std::is_trivially_copyable_v<Score>, "farpoint: block_argmax needs a trivially copyable score");

 public:
  static constexpr int warp_size = 32;
  static constexpr int warps = detail::divide_up(BlockSize, warp_size);

  /// Shared memory of the block; holds the state of one call at a time.
  struct storage {
    detail::argmax_candidate<Score> winner[2][std::size_t{warps}];
  };

  /// Constructs the calling thread's handle. All threads of the block pass the same storage.
  FARPOINT_HD explicit block_argmax(storage& shared) noexcept : shared_{shared} {}

  /// Returns the best candidate of the block to every thread.
  /// @param group  the calling thread's block: a group of BlockSize threads, in a kernel cuda_block<BlockSize>
  /// @param mine   the calling thread's candidate
  template <class Group>
  FARPOINT_HD scored<Score> reduce(Group const& group, scored<Score> mine) const noexcept {
    scored<Score> const best = reduce_in_turn(group, mine, 0);
    if constexpr (warps > 1) group.sync();
    return best;
  }

  /// reduce() with one barrier, for loops. `turn` must alternate between even and odd from call to call, and
  /// group.sync() must separate the last call from any other use of the storage.
  template <class Group>
  FARPOINT_HD scored<Score> reduce_in_turn(Group const& group, scored<Score> mine, int turn) const noexcept {
    static_assert(Group::size == BlockSize, "farpoint: block_argmax and its group differ in size");
    static_assert(Group::lanes == warp_size, "farpoint: block_argmax needs warps of 32");
    int const warp = group.rank() / warp_size;
    int const lane = group.rank() % warp_size;
    int const lanes_here = BlockSize % warp_size == 0 || warp + 1 < warps ? warp_size : BlockSize % warp_size;

    candidate best = candidate::pack(mine).best_of_warp(group, lane, lanes_here);
    if constexpr (warps > 1) {
      candidate* const winner = shared_.winner[turn & 1];
      if (lane == 0) winner[warp] = best;
      group.sync();
      // Every warp reduces the winners: redundant work is cheaper than a reduction by one warp and a second barrier.
      best = winner[lane < warps ? lane : 0];
      if constexpr (BlockSize % warp_size != 0) {
        // A short last warp may have fewer lanes than there are winners, so each lane first reduces several.
        for (int next = lane + lanes_here; next < warps; next += lanes_here) {
          if (winner[next].beats(best)) best = winner[next];
        }
      }
      best = best.best_of_warp(group, lane, lanes_here);
    }
    return best.unpack();
  }

 private:
  using candidate = detail::argmax_candidate<Score>;

  storage& shared_;
};

FARPOINT_END_NAMESPACE
