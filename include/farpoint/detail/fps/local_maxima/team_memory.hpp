/// @file
/// What a block keeps in shared memory while it takes part in fps() by local maxima.
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

/// How the blocks that sample a cloud together reach each other.
enum class fps_team { block, grid };

/// A choice of sizes.
/// @tparam Scalar  of coordinates and distances: float or double
template <fps_team Team, int Dim, int BlockSize, int PointsPerThread, bool Boxes, class Scalar = float>
struct local_maxima_config {
  using scalar = Scalar;
  using key = fps_key_for<Scalar>;
  using ball = fps_ball<Dim, Scalar>;
  /// A distance as an integer of the same order.
  using word = lane_word<Scalar>;
  /// True for a block that has a cloud to itself; the blocks of a grid's team exchange messages.
  static constexpr bool alone = Team == fps_team::block;
  static constexpr bool boxes = Boxes;
  static constexpr int dim = Dim;
  static constexpr int block_size = BlockSize;
  static constexpr int warps = BlockSize / 32;
  static constexpr int points_per_thread = PointsPerThread;
  /// Words for a mark of each point of a block that has all of a cloud.
  static constexpr unsigned mark_words = alone ? static_cast<unsigned>(BlockSize * PointsPerThread) / 32 : 0;
  static constexpr bool in_memory = false;
  static constexpr bool in_shared = false;
  /// Of a thread in each box of its warp.
  static constexpr int points_per_box = PointsPerThread % 4 == 0 ? 4 : PointsPerThread;
  static constexpr int boxes_per_warp = Boxes ? PointsPerThread / points_per_box : 0;

  /// Candidates above the cut that a block has room for, and those of them that it tells the others.
  static constexpr unsigned found_size = alone ? maxima_found_alone : maxima_found_shared;
  static constexpr unsigned listed_size = alone                 ? found_size
                                          : sizeof(Scalar) == 8 ? maxima_listed_of_doubles
                                                                : unsigned{maxima_most_listed};

  static constexpr unsigned rank_lanes = maxima_rank_lanes;
  static constexpr bool tests_by_bits = maxima_tests_by_bits;

  static_assert(BlockSize % 32 == 0);
};

/// Points in memory: a warp has chunks of so many points a thread.
template <fps_team Team, int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct local_maxima_chunk_config : local_maxima_config<Team, Dim, BlockSize, PointsPerThread, true, Scalar> {
  static constexpr bool in_memory = true;
  static constexpr int boxes_per_warp = 64;
  /// Boxes of doubles leave room for shorter lists.
  static constexpr unsigned listed_size =
      sizeof(Scalar) == 8 ? maxima_listed_of_chunks_of_doubles : unsigned{maxima_most_listed};
};

/// Points in a block's dynamic shared memory, in the same chunks. Shorter lists leave room for them.
template <fps_team Team, int Dim, int BlockSize, int PointsPerThread, class Scalar = float>
struct local_maxima_shared_chunk_config : local_maxima_chunk_config<Team, Dim, BlockSize, PointsPerThread, Scalar> {
  static constexpr bool in_shared = true;
  static constexpr unsigned listed_size =
      sizeof(Scalar) == 8 ? maxima_listed_of_chunks_of_doubles : maxima_listed_beside_chunks;
};

/// Arrays that a team loads a cloud with.
template <class Scalar>
struct basic_local_maxima_order {
  std::uint32_t const* order;  ///< with boxes: the cloud's indices, neighbours together
  Scalar* chunks;  ///< memory for points in that order, if registers do not hold them: the cloud's, or the block's
  /// Points that were chosen before. A block that has the cloud to itself marks them on its own.
  point_marks chosen{};
};
using local_maxima_order = basic_local_maxima_order<float>;

/// A block's place in the team that samples cloud b.
struct local_maxima_place {
  index_t b;
  unsigned rank;
  unsigned blocks;
};

/// Who waits without end for a message of the same GPU.
struct waits_for_ever {
  FARPOINT_HD static constexpr bool is_over() noexcept { return false; }
};

/// What tells blocks of one GPU of each other has this base, or the same members, where a team has blocks of several.
struct team_of_one_gpu {
  /// False: all that is waited for comes.
  static constexpr bool may_fail = false;
  /// The place of a block in the team of all GPUs.
  FARPOINT_HD static constexpr local_maxima_place in_team(local_maxima_place place) noexcept { return place; }
  /// Index of this GPU's first point in the cloud.
  FARPOINT_HD static constexpr std::uint32_t first_index() noexcept { return 0; }
  /// Tells other GPUs the key of a sample.
  template <class Key>
  FARPOINT_HD static constexpr void put_key(unsigned, Key const&) noexcept {}
  /// For one wait: is_over() when it has taken too long.
  FARPOINT_HD static constexpr waits_for_ever watch() noexcept { return {}; }
};

/// For a block that is its own team.
struct no_peers : team_of_one_gpu {};

/// How long lists should be: it changes the speed only.
struct local_maxima_lengths {
  float wanted;          ///< target number of candidates above the cut of a round
  unsigned listed;       ///< most candidates that a block lists, no more than its listing has room for
  unsigned singles = 0;  ///< samples that are taken one a round, before there are lists

  /// Lengths for a team of `blocks`; a selector's numbers are clamped to the range that works.
  static local_maxima_lengths of(int wanted, int listed, int singles, unsigned blocks) noexcept {
    auto const candidates = static_cast<float>(larger(1, smaller(wanted, int{maxima_most_wanted})));
    return {candidates * std::sqrt(static_cast<float>(blocks)),
            static_cast<unsigned>(larger(1, smaller(listed, int{maxima_most_listed}))),
            static_cast<unsigned>(larger(0, smaller(singles, int{maxima_most_singles})))};
  }
  /// The lengths of a team of `blocks`, where these are those of one block.
  FARPOINT_DEVICE local_maxima_lengths of_team(unsigned blocks) const noexcept {
    return {wanted * std::sqrt(static_cast<float>(blocks)), listed, singles};
  }
};

/// The candidates of a round that a block publishes.
template <class Config>
struct local_maxima_listing {
  typename Config::ball entry[Config::listed_size];
  typename Config::key key[Config::listed_size];
};

/// Counters of a round; all zero at its start. Distances as ordered words.
template <class Scalar>
struct local_maxima_counters {
  // Of the block: all its points, and its candidates above the cut.
  lane_word<Scalar> largest;
  std::uint32_t found;
  fps_key_for<Scalar> left;  ///< the best that is not listed; nothing that is left out is better
  // Of the team.
  lane_word<Scalar> team_largest;
  std::uint32_t team_found;
  fps_key_for<Scalar> team_left;
  std::uint32_t listed;
  std::uint32_t samples;         ///< accepted
  std::uint32_t samples_before;  ///< by blocks of lower rank
  std::uint32_t blocked;         ///< with tests_by_bits: a bit for each listed candidate that is not accepted
};

/// What a team knows of a round, once candidates are listed.
template <class Scalar>
struct local_maxima_summary {
  lane_word<Scalar> largest_word;  ///< distance of the best candidate, an ordered word; 0: there is none
  unsigned found;                  ///< candidates above the cut
  fps_key_for<Scalar> left;        ///< the best of these that is not listed; key 0: all are
  unsigned listed;

  FARPOINT_HD Scalar largest() const noexcept {
    return largest_word == 0 ? no_candidate<Scalar> : ordered_distance<Scalar>(largest_word);
  }
};

/// A list of candidates.
template <class Config>
struct local_maxima_list {
  typename Config::ball* ball;
  typename Config::key* key;
};

/// How the threads of a block share out the pairs of a list's candidates with others: a thread takes one of a pair from
/// every `step` of the list, from `first` on, and the other from every `parts`, from `part` on.
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
    // A power of two of threads for each part; the rest have nothing to do.
    parts = Config::block_size >> shift;
    part = thread >> shift;
    step = 1u << shift;
    first = part < parts ? thread - (part << shift) : all;
  }
};

/// Samples of a range of rounds, which lie one after another: most rounds are wholly before or behind a given sample.
template <class Scalar>
struct local_maxima_span {
  std::uint32_t begin;  ///< number of the first
  Scalar above;         ///< none is nearer
  Scalar most;          ///< none is farther
};

/// Of a fixed size.
template <class Config>
struct local_maxima_shared {
  using scalar = typename Config::scalar;
  using ball = typename Config::ball;
  using key = typename Config::key;
  static constexpr unsigned spans = 256;

  local_maxima_counters<scalar> counters[2];
  local_maxima_span<scalar> span[spans + 1];
  std::uint32_t warp_sum[Config::warps];
  std::uint32_t has_failed;  ///< a wait took too long
  std::uint32_t has_chosen;  ///< a point was chosen before
  std::uint32_t marks[Config::mark_words + 1];
  key warp_key[Config::warps];
  std::uint32_t order[32];
  bounding_box<scalar, Config::dim> box[Config::warps * Config::boxes_per_warp + 1];
  /// The last round in which another candidate kept a listed one of this block from being accepted.
  std::uint32_t blocked_in[Config::listed_size];

  // The block's candidates as it found them, and in a team of several blocks the listed ones.
  ball found[Config::found_size];
  key found_key[Config::found_size];
  std::uint32_t rank[Config::found_size];
  local_maxima_listing<Config> listing;
};

/// Counts the block's candidates that are better than candidate `c`. All lanes of a warp call it, each group of
/// Config::rank_lanes neighbours with one candidate.
template <class Config, class Machine>
FARPOINT_DEVICE unsigned rank_candidate(local_maxima_shared<Config> const& shared, unsigned found,
                                        unsigned c) noexcept {
  constexpr unsigned lanes = Config::rank_lanes;
  unsigned const lane = Machine::thread() % 32;
  typename Config::key const key = shared.found_key[c];
  unsigned rank = 0;
  for (unsigned other = lane % lanes; other < found; other += lanes) rank += shared.found_key[other] > key;
  FARPOINT_UNROLL
  for (unsigned step = 1; step < lanes; step *= 2) rank += Machine::shuffle(rank, static_cast<int>(lane ^ step));
  return rank;
}

/// Puts the block's best candidates in a listing, as many as there is room for, which is `most`; returns how many they
/// are. `now.left` becomes the best that is not listed: of one thread, as only one candidate has that rank. A barrier
/// stands before.
/// @param first_index  added to the indices of those that are listed
template <class Config, class Machine>
FARPOINT_DEVICE unsigned list_candidates(local_maxima_shared<Config>& shared, local_maxima_listing<Config>& listing,
                                         local_maxima_counters<typename Config::scalar>& now, unsigned found,
                                         unsigned most, std::uint32_t first_index = 0) noexcept {
  constexpr unsigned lanes = Config::rank_lanes;
  static_assert(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0);
  unsigned const listed = smaller(found, most);
  unsigned const share = found > most ? lanes : 1;  // lanes of a candidate
  unsigned const lane = Machine::thread() % 32;
  // The loop is the same for all lanes of a warp, which find ranks together.
  for (unsigned first = Machine::thread() / 32 * (32 / share); first < found; first += Config::block_size / share) {
    unsigned const c = first + lane / share;
    unsigned const rank = found > most ? rank_candidate<Config, Machine>(shared, found, smaller(c, found - 1)) : c;
    if (c >= found || lane % share != 0) continue;
    typename Config::key const key = shared.found_key[c];
    shared.rank[c] = rank;
    if (rank == listed) key_maximum<Machine>::raise_alone(now.left, key);
    if (rank >= listed) continue;
    listing.entry[rank] = shared.found[c];
    listing.key[rank] = key - first_index;
  }
  if (found > most) Machine::sync();
  return listed;
}

/// As large as a team of so many blocks needs them.
template <class Config>
struct local_maxima_lists {
  using ball = typename Config::ball;
  using key = typename Config::key;
  /// Of a candidate.
  static constexpr std::size_t entry_bytes = 2 * sizeof(ball) + sizeof(key) + sizeof(std::uint16_t);

  unsigned room;  ///< for samples
  ball* samples;
  ball* list;  ///< candidates of all blocks, in any order
  key* list_key;
  std::uint16_t* source;  ///< a candidate's block and place there
  std::uint32_t* place;   ///< of a block's candidates in the list

  /// @param listed  by a block, at most
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
  /// Rounded up, so that what follows is aligned.
  FARPOINT_HD static constexpr std::size_t size(unsigned blocks, unsigned listed) noexcept {
    return (std::size_t{blocks} * listed + 7) / 8 * 8;
  }
  FARPOINT_HD static constexpr std::size_t round_up(std::size_t bytes) noexcept { return (bytes + 15) / 16 * 16; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
