/// @file
/// Shared memory and compile-time sizes of a block that takes part in fps() by local maxima.
#pragma once

#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_message.hpp>
#include <farpoint/detail/fps/local_maxima/cut_control.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/tuning/local_maxima.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Compile-time sizes of a kernel whose threads keep points in registers.
/// @tparam Scalar  type of coordinates and distances: float or double
template <int Dim, int BlockSize, int PointsPerThread, bool Boxes, class Scalar = float>
struct local_maxima_config {
  using scalar = Scalar;
  using key = fps_key_for<Scalar>;
  using ball = fps_ball<Dim, Scalar>;
  /// A distance as an integer of the same order.
  using word = lane_word<Scalar>;
  static constexpr bool boxes = Boxes;
  static constexpr int dim = Dim;
  static constexpr int block_size = BlockSize;
  static constexpr int warps = BlockSize / 32;
  static constexpr int points_per_thread = PointsPerThread;
  static constexpr bool in_memory = false;
  static constexpr bool in_shared = false;
  static constexpr bool in_parts = false;
  /// Number of points that each thread of a warp has in one box.
  static constexpr int points_per_box = PointsPerThread % 4 == 0 ? 4 : PointsPerThread;
  static constexpr int boxes_per_warp = Boxes ? PointsPerThread / points_per_box : 0;

  /// Maximum number of candidates above the cut that a block keeps, and of candidates that it lists for the team.
  static constexpr unsigned found_size = maxima_found;
  static constexpr unsigned listed_size = sizeof(Scalar) == 8 ? maxima_listed_of_doubles : unsigned{maxima_max_listed};

  static_assert(BlockSize % 32 == 0);
};

/// Sizes of a kernel whose points lie in global memory, in chunks of 32 * PointsPerThread neighbors.
template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct local_maxima_chunk_config : local_maxima_config<Dim, BlockSize, PointsPerThread, true, Scalar> {
  static constexpr bool in_memory = true;
  static constexpr int boxes_per_warp = 64;
  /// Shared memory is limited: boxes of doubles take twice the bytes, so that lists are shorter.
  static constexpr unsigned listed_size =
      sizeof(Scalar) == 8 ? maxima_listed_of_chunks_of_doubles : unsigned{maxima_max_listed};
};

/// Sizes of a kernel for clouds of any size: chunks have several parts of 32 * PointsPerThread neighbors.
template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct local_maxima_parts_config : local_maxima_chunk_config<Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr bool in_parts = true;
};

/// Sizes of a kernel whose points lie in dynamic shared memory, in chunks. Lists are shorter to leave room for the
/// chunks.
template <int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct local_maxima_shared_chunk_config : local_maxima_chunk_config<Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr bool in_shared = true;
  static constexpr int boxes_per_warp = 16;
  static constexpr unsigned listed_size =
      sizeof(Scalar) == 8 ? maxima_listed_of_chunks_of_doubles : maxima_listed_beside_chunks;
};

/// Arrays from which a team loads a cloud.
template <class Scalar>
struct basic_local_maxima_order {
  /// With boxes: point indices of the cloud, ordered so that neighbors are close together.
  std::uint32_t const* order;
  /// Memory for chunks if registers do not hold the points: of the cloud in global memory, or of the block in shared
  /// memory.
  Scalar* chunks;
  /// Points chosen before the call.
  point_marks chosen{};
  unsigned part_shift = 0;  ///< with Config::in_parts, a chunk has 2^part_shift parts
};
using local_maxima_order = basic_local_maxima_order<float>;

/// Rank of a block in the team of `blocks` blocks that samples cloud `b`.
struct local_maxima_place {
  index_t b;
  unsigned rank;
  unsigned blocks;
};

/// Watch of a wait that cannot fail: messages of the same GPU always arrive.
struct waits_for_ever {
  FARPOINT_HD static constexpr bool is_over() noexcept { return false; }
};

/// Base of boards whose team is on one GPU. Boards of a team of several GPUs define the same members.
struct team_of_one_gpu {
  /// False: no wait times out.
  static constexpr bool may_fail = false;
  /// Converts the rank among the blocks of this GPU to the rank in the whole team.
  FARPOINT_HD static constexpr local_maxima_place in_team(local_maxima_place place) noexcept { return place; }
  /// Index, in the whole cloud, of the first point of this GPU.
  FARPOINT_HD static constexpr std::uint32_t first_index() noexcept { return 0; }
  /// Writes the key of a sample to the other GPUs.
  template <class Key>
  FARPOINT_HD static constexpr void put_key(unsigned, Key const&) noexcept {}
  /// Returns an object for one wait: its is_over() is true once the wait has timed out.
  FARPOINT_HD static constexpr waits_for_ever watch() noexcept { return {}; }
};

/// Lengths of lists, which affect the speed and no result.
struct local_maxima_lengths {
  float wanted;          ///< target number of candidates above the cut, over all blocks of the team
  unsigned listed;       ///< maximum number of candidates that a block lists; a listing's size is another bound
  unsigned singles = 0;  ///< number of samples that are taken one per round before lists are used

  /// Returns the lengths of a single block. Numbers of a selector are clamped to the range that works.
  static local_maxima_lengths of(int wanted, int listed, int singles) noexcept {
    return {static_cast<float>(larger(1, smaller(wanted, int{maxima_max_wanted}))),
            static_cast<unsigned>(larger(1, smaller(listed, int{maxima_max_listed}))),
            static_cast<unsigned>(larger(0, smaller(singles, int{maxima_max_singles})))};
  }
  /// Converts the lengths of a single block to the lengths of a team of `blocks`.
  FARPOINT_DEVICE local_maxima_lengths of_team(unsigned blocks) const noexcept {
    return {wanted * std::sqrt(static_cast<float>(blocks)), listed, singles};
  }
};

/// Candidates that a block lists in a round.
template <class Config>
struct local_maxima_listing {
  typename Config::ball entry[Config::listed_size];
  typename Config::key key[Config::listed_size];
};

/// Counters of a round, zero at its start. Distances are ordered words: integers in the order of distances, 0 for none.
template <class Scalar>
struct local_maxima_counters {
  // Values of the block: the largest distance of its points, and its candidates above the cut.
  lane_word<Scalar> largest;
  std::uint32_t found;
  fps_key_for<Scalar> left;  ///< best unlisted key, or a key that no unlisted key exceeds
  // Values of the team.
  lane_word<Scalar> team_largest;
  std::uint32_t team_found;
  fps_key_for<Scalar> team_left;
  std::uint32_t listed;
  std::uint32_t samples;         ///< number of accepted candidates
  std::uint32_t samples_before;  ///< number of candidates accepted by blocks of lower rank
};

/// Summary of a round after the exchange of lists, equal in all blocks of the team.
template <class Scalar>
struct local_maxima_summary {
  lane_word<Scalar> largest_word;  ///< distance of the best candidate, an ordered word; 0 if no candidate is left
  unsigned found;                  ///< number of candidates above the cut
  fps_key_for<Scalar> left;        ///< best unlisted key of the team; key 0 if all candidates above the cut are listed
  unsigned listed;

  FARPOINT_HD Scalar largest() const noexcept {
    return largest_word == 0 ? no_candidate<Scalar> : ordered_distance<Scalar>(largest_word);
  }
};

/// List of candidates with their keys.
template <class Config>
struct local_maxima_list {
  typename Config::ball* ball;
  typename Config::key* key;
};

/// Division of all pairs (listed candidate i, own candidate k) among the threads of a block. A thread takes i = first,
/// first + step, ... and, for each i, k = part, part + parts, ...
///
/// Example: 512 threads and a list of 100. Each group of 128 threads covers the list, so that there are 4 parts: thread
/// 300 has i = 44 and k = 2, 6, 10, ...; threads 100 to 127 of a group have no i.
template <class Config>
struct pair_share {
  unsigned first;
  unsigned step;
  unsigned part = 0;
  unsigned parts = 1;

  FARPOINT_HD pair_share(unsigned thread, unsigned all) noexcept : first{thread}, step{Config::block_size} {
    unsigned shift = 5;
    while (1u << shift < all && 2u << shift <= Config::block_size) ++shift;
    if (1u << shift < all) return;
    // Each part has a power of two of threads, at least the length of the list. Threads beyond the last whole part have
    // no pair.
    parts = Config::block_size >> shift;
    part = thread >> shift;
    step = 1u << shift;
    first = part < parts ? thread - (part << shift) : all;
  }
};

/// Samples of a round, or of several consecutive rounds, with bounds of their distances. Most spans are wholly nearer
/// or wholly farther than a given key.
template <class Scalar>
struct local_maxima_span {
  std::uint32_t begin;  ///< number of the first sample
  Scalar above;         ///< lower bound of the distances
  Scalar most;          ///< upper bound of the distances
};

/// Part of a block's shared memory with a size fixed at compile time.
template <class Config>
struct local_maxima_shared {
  using scalar = typename Config::scalar;
  using ball = typename Config::ball;
  using key = typename Config::key;
  static constexpr unsigned spans = 256;

  local_maxima_counters<scalar> counters[2];
  local_maxima_span<scalar> span[spans + 1];
  std::uint32_t warp_sum[Config::warps];
  std::uint32_t has_failed;  ///< nonzero once a wait has timed out
  std::uint32_t has_chosen;  ///< nonzero if a point was chosen before the call
  key warp_key[Config::warps];
  std::uint32_t order[32];
  bounding_box<scalar, Config::dim> box[Config::warps * Config::boxes_per_warp + 1];
  /// Number of the last round in which a candidate was blocked, by index in the block's list.
  std::uint32_t blocked_in[Config::listed_size];

  // Candidates in the order in which threads found them, and the listed ones by rank.
  ball found[Config::found_size];
  key found_key[Config::found_size];
  std::uint32_t rank[Config::found_size];
  local_maxima_listing<Config> listing;
};

/// Copies the block's best candidates, at most `most`, to a listing; returns their number. Sets `now.left` to the best
/// key that is not listed: keys are unique, so that exactly one thread has the candidate of that rank. A barrier
/// precedes the call.
/// @param first_index  added to the indices of listed candidates
template <class Config, class Machine>
FARPOINT_DEVICE unsigned list_candidates(local_maxima_shared<Config>& shared, local_maxima_listing<Config>& listing,
                                         local_maxima_counters<typename Config::scalar>& now, unsigned found,
                                         unsigned most, std::uint32_t first_index = 0) noexcept {
  unsigned const listed = smaller(found, most);
  for (unsigned c = Machine::thread(); c < found; c += Config::block_size) {
    typename Config::key const key = shared.found_key[c];
    unsigned rank = c;
    if (found > most) {
      rank = 0;
      for (unsigned other = 0; other < found; ++other) rank += shared.found_key[other] > key;
    }
    shared.rank[c] = rank;
    if (rank == listed) key_maximum<Machine>::raise_alone(now.left, key);
    if (rank >= listed) continue;
    listing.entry[rank] = shared.found[c];
    listing.key[rank] = key - first_index;
  }
  if (found > most) Machine::sync();
  return listed;
}

/// Part of a block's shared memory with a size that depends on the number of blocks of the team.
template <class Config>
struct local_maxima_lists {
  using ball = typename Config::ball;
  using key = typename Config::key;
  /// Bytes per listed candidate.
  static constexpr std::size_t entry_bytes = 2 * sizeof(ball) + sizeof(key) + sizeof(std::uint16_t);

  unsigned room;  ///< capacity of samples, in balls
  ball* samples;
  ball* list;  ///< candidates of all blocks, in no particular order
  key* list_key;
  std::uint16_t* source;  ///< block * listed_size + rank in the block's listing, for each entry of `list`
  std::uint32_t* place;   ///< offset of a block's candidates in `list`, for each block

  /// @param listed  maximum number of candidates that a block lists
  FARPOINT_HD static constexpr std::size_t bytes(unsigned blocks, unsigned listed = Config::listed_size) noexcept {
    return size(blocks, listed) * entry_bytes + round_up(blocks * sizeof(std::uint32_t));
  }
  FARPOINT_HD static local_maxima_lists at(unsigned char* memory, unsigned blocks,
                                           unsigned listed = Config::listed_size) noexcept {
    local_maxima_lists lists{};
    std::size_t const all = size(blocks, listed);
    lists.room = static_cast<unsigned>(all);
    lists.samples = reinterpret_cast<ball*>(memory);
    lists.list = lists.samples + all;
    lists.list_key = reinterpret_cast<key*>(lists.list + all);
    lists.source = reinterpret_cast<std::uint16_t*>(lists.list_key + all);
    lists.place = reinterpret_cast<std::uint32_t*>(lists.source + all);
    return lists;
  }

 private:
  /// Returns the number of entries, rounded up so that the arrays behind are aligned.
  FARPOINT_HD static constexpr std::size_t size(unsigned blocks, unsigned listed) noexcept {
    return (std::size_t{blocks} * listed + 7) / 8 * 8;
  }
  FARPOINT_HD static constexpr std::size_t round_up(std::size_t bytes) noexcept { return (bytes + 15) / 16 * 16; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
