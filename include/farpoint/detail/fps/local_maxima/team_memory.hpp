/// @file
/// What a block keeps in shared memory while it takes part in fps() by local maxima.
#pragma once

#include <farpoint/detail/fps/local_maxima/cut_control.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// How the blocks that sample a cloud together reach each other.
enum class fps_team { block, cluster, grid };

/// A choice of sizes.
template <fps_team Team, int Dim, int BlockSize, int PointsPerThread, bool Boxes>
struct local_maxima_config {
  static constexpr fps_team team = Team;
  static constexpr bool alone = Team == fps_team::block;
  static constexpr bool boxes = Boxes;
  static constexpr int dim = Dim;
  static constexpr int block_size = BlockSize;
  static constexpr int warps = BlockSize / 32;
  static constexpr int points_per_thread = PointsPerThread;
  /// Of a thread in each box of its warp.
  static constexpr int points_per_box = PointsPerThread % 4 == 0 ? 4 : PointsPerThread;
  static constexpr int boxes_per_warp = Boxes ? PointsPerThread / points_per_box : 0;

  /// Candidates above the cut that a block has room for, and those of them that it tells the others.
  static constexpr unsigned found_size = alone ? 256 : 128;
  static constexpr unsigned listed_size = alone ? found_size : 32;

  static_assert(BlockSize % 32 == 0);
  static_assert(alone || listed_size <= 32, "farpoint: a vote is a bit of a word");
};

/// A block's place in the team that samples cloud b.
struct local_maxima_place {
  index_t b;
  unsigned rank;
  unsigned blocks;
};

/// How long lists should be: it changes the speed only.
struct local_maxima_lengths {
  float wanted;     ///< candidates above the cut of a round
  unsigned listed;  ///< by a block, at most
};

/// Counters of a round; all zero at its start. Distances as ordered words.
struct local_maxima_counters {
  // Of the block: all its points, and its candidates above the cut.
  std::uint32_t largest;
  std::uint32_t found;
  fps_key left;  ///< the best that is not listed; nothing that is left out is better
  // Of the team.
  std::uint32_t team_largest;
  std::uint32_t team_found;
  fps_key team_left;
  std::uint32_t listed;
  std::uint32_t samples;         ///< accepted
  std::uint32_t samples_before;  ///< by blocks of lower rank
};

/// Samples of a range of rounds, which lie one after another: most rounds are wholly before or behind a given sample.
struct local_maxima_span {
  std::uint32_t begin;  ///< number of the first
  float above;          ///< none is nearer
  float most;           ///< none is farther
};

/// Of a fixed size.
template <class Config>
struct local_maxima_shared {
  using ball = fps_ball<Config::dim>;
  static constexpr unsigned spans = 256;

  local_maxima_counters counters[2];
  local_maxima_span span[spans + 1];
  std::uint32_t warp_sum[Config::warps];
  fps_key warp_key[Config::warps];
  std::uint32_t order[32];
  bounding_box<float, Config::dim> box[Config::warps * Config::boxes_per_warp + 1];
  /// The last round in which something kept a listed candidate from being accepted.
  std::uint32_t blocked_in[Config::listed_size];

  // The block's candidates as it found them; in a team of several blocks, those that are listed, too.
  ball found[Config::found_size];
  fps_key found_key[Config::found_size];
  std::uint32_t rank[Config::found_size];
  ball own[Config::listed_size];
  fps_key own_key[Config::listed_size];
};

/// As large as a team of so many blocks needs them.
template <class Config>
struct local_maxima_lists {
  using ball = fps_ball<Config::dim>;

  ball* samples;
  ball* list;  ///< candidates of all blocks, in any order
  fps_key* list_key;
  std::uint16_t* source;  ///< a candidate's block and place there
  std::uint32_t* place;   ///< of a block's candidates in the list

  FARPOINT_HD static constexpr std::size_t size(unsigned blocks) noexcept {
    return static_cast<std::size_t>(blocks) * Config::listed_size;
  }
  FARPOINT_HD static constexpr std::size_t bytes(unsigned blocks) noexcept {
    return size(blocks) * (2 * sizeof(ball) + sizeof(fps_key) + sizeof(std::uint16_t)) +
           round_up(blocks * sizeof(std::uint32_t));
  }
  FARPOINT_HD static local_maxima_lists at(unsigned char* memory, unsigned blocks) noexcept {
    local_maxima_lists lists{};
    std::size_t const all = size(blocks);
    lists.samples = reinterpret_cast<ball*>(memory);
    lists.list = lists.samples + all;
    lists.list_key = reinterpret_cast<fps_key*>(lists.list + all);
    lists.source = reinterpret_cast<std::uint16_t*>(lists.list_key + all);
    lists.place = reinterpret_cast<std::uint32_t*>(lists.source + all);
    return lists;
  }

 private:
  FARPOINT_HD static constexpr std::size_t round_up(std::size_t bytes) noexcept { return (bytes + 15) / 16 * 16; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
