/// @file
/// What the kernels of fps_shard() on streams take, and what ranks tell each other in a round.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cut_control.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/stream/fps/peers.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A choice of sizes. Those that say how long messages are must be the same on all ranks.
template <int Dim>
struct fps_stream_config {
  static constexpr int dim = Dim;
  static constexpr unsigned blocks = 128;  ///< that list a rank's candidates: as many as most GPUs run at once
  static constexpr unsigned listed = 16;   ///< candidates of a block
  static constexpr int list_block_size = 512;
  static constexpr int points_per_lane = 4;  ///< of a chunk
  static constexpr unsigned kept = 8;        ///< candidates that a warp keeps
  static constexpr unsigned samples_at_once = 512;
  static constexpr int decide_block_size = 256;
  static constexpr unsigned listings_at_once = 128;
  static constexpr int rounds_at_once = 16;  ///< between two looks of the host
  /// Rounds' samples beyond those asked for that there is room for, before the worst are dropped.
  static constexpr int spare_rounds = 1;
};

/// What a block tells all ranks: its best candidates, and how good those may be that it does not tell of.
template <class Config>
struct fps_stream_listing {
  std::uint32_t largest;  ///< distance of the block's points, an ordered word; 0: no candidates
  std::uint32_t found;    ///< candidates above the cut
  std::uint32_t listed;
  std::uint32_t unused;
  fps_key left;  ///< the best that is above the cut and not listed; 0: all are
  fps_key best;  ///< the best that is listed; 0: none
  fps_ball<Config::dim> ball[Config::listed];
  fps_key key[Config::listed];
};

/// What the listings of all ranks say together.
struct fps_stream_summary {
  std::uint32_t largest;
  std::uint32_t found;
  fps_key left;
  fps_key best;
};

/// What a round begins with.
struct fps_stream_state {
  local_maxima_cut cut;
  std::uint32_t size;     ///< samples so far, but for the first
  std::uint32_t samples;  ///< that distances have not been lowered to
  std::uint32_t done;
};

/// What blocks count in a round.
struct fps_stream_counters {
  std::uint32_t accepted;
  std::uint32_t better;   ///< samples before this round that are better than the best candidate
  std::uint32_t counted;  ///< of those accepted, that are in the next state's size already
};

/// What a rank found about the points that were chosen before: in the end all ranks the same.
struct fps_stream_chosen {
  std::uint64_t digest;        ///< of their indices
  std::uint32_t count;         ///< of those that count as samples
  std::uint32_t out_of_range;  ///< and of those that are points of no rank
};

/// What a rank says of its points before anything is sampled.
template <int Dim>
struct fps_stream_start {
  vec<float, Dim> lowest_point;
  vec<float, Dim> first_point;
  std::uint32_t lowest;        ///< local index of its first finite point; 0xffffffff: it has none
  std::uint32_t first_counts;  ///< the first sample asked for is one of its points, and finite
  std::uint32_t has_first;     ///< it is one of its points
  fps_peer_team team;          ///< what it can do by one kernel
  unsigned long long non_finite;
  fps_stream_chosen chosen;
};

/// The arrays of a call.
template <class Config>
struct fps_stream_memory {
  static constexpr int dim = Config::dim;
  static constexpr std::uint32_t chunk_points = 32 * Config::points_per_lane;
  /// Of a chunk: each axis, and the distances.
  static constexpr std::size_t chunk_floats = std::size_t{chunk_points} * (dim + 1);
  using listing = fps_stream_listing<Config>;

  index_t chunks;
  index_t found_size;
  float* points;                    ///< `[chunks, chunk_floats]`
  bounding_box<float, dim>* boxes;  ///< `[chunks]`
  std::uint32_t* largest;           ///< `[chunks]`: distance, an ordered word
  std::uint32_t* lost;              ///< `[chunks]`: not 0: a point was taken since
  std::uint32_t* marks;             ///< a bit for each point: it is no candidate from the start
  std::uint32_t* slots;             ///< `[blocks, listed]`: where the rank's candidates are
  listing* sent;                    ///< `[blocks]`
  listing* received;                ///< `[ranks, blocks]`
  fps_ball<dim>* samples;           ///< `[ranks, blocks, listed]`: of the round; before it, all that were chosen
  fps_ball<dim>* chosen;            ///< `[ranks + 1, chosen]`: what each rank says of those that were chosen
  std::uint32_t* chosen_indices;    ///< `[chosen]`
  fps_key* found[2];                ///< `[found_size]`: all samples but the first
  std::uint32_t* sort_keys[2];      ///< `[found_size]`
  std::uint32_t* sort_values[2];    ///< `[found_size]`
  fps_stream_state* states;         ///< `[2]`, by turns
  fps_stream_counters* counters;    ///< `[2]`, by turns
  fps_stream_summary* summary;      ///< `[1]`
  fps_stream_start<dim>* starts;    ///< `[ranks + 1]`

  static index_t places(int ranks) noexcept { return index_t{ranks} * Config::blocks * Config::listed; }

  static index_t mark_words(index_t n) noexcept { return point_marks::words_of(n); }

  /// @param least_floats  of `points`
  fps_stream_memory(workspace_cutter& cutter, int ranks, index_t n, fps_params const& params,
                    index_t least_floats) noexcept
      : chunks{divide_up<index_t>(n, chunk_points)},
        found_size{params.samples + (Config::rounds_at_once + Config::spare_rounds) * places(ranks)} {
    index_t const chosen_size = params.chosen.size();
    points = cutter.take<float>(larger(chunks * static_cast<index_t>(chunk_floats), least_floats));
    boxes = cutter.take<bounding_box<float, dim>>(chunks);
    largest = cutter.take<std::uint32_t>(chunks);
    lost = cutter.take<std::uint32_t>(chunks);
    marks = cutter.take<std::uint32_t>(mark_words(n));
    slots = cutter.take<std::uint32_t>(index_t{Config::blocks} * Config::listed);
    sent = cutter.take<listing>(Config::blocks);
    received = cutter.take<listing>(index_t{ranks} * Config::blocks);
    samples = cutter.take<fps_ball<dim>>(larger(places(ranks), chosen_size));
    chosen = cutter.take<fps_ball<dim>>(chosen_size * (ranks + 1));
    chosen_indices = cutter.take<std::uint32_t>(chosen_size);
    for (auto& keys : found) keys = cutter.take<fps_key>(found_size);
    for (auto& keys : sort_keys) keys = cutter.take<std::uint32_t>(found_size);
    for (auto& values : sort_values) values = cutter.take<std::uint32_t>(found_size);
    states = cutter.take<fps_stream_state>(2);
    counters = cutter.take<fps_stream_counters>(2);
    summary = cutter.take<fps_stream_summary>(1);
    starts = cutter.take<fps_stream_start<dim>>(ranks + 1);
  }
};

/// What the kernels take.
template <class Config, class Points>
struct fps_stream_args {
  Points cloud;
  std::uint32_t first_index;   ///< of the cloud's points among those of all ranks
  std::uint32_t const* order;  ///< `[n]`: neighbours together
  fps_stream_memory<Config> memory;
  fps_key* found;        ///< one of memory.found
  std::uint32_t wanted;  ///< samples besides the first
  float stop2;
  unsigned ranks;
  unsigned rank;
  std::uint32_t round;  ///< from 1 on
};

}  // namespace detail
FARPOINT_END_NAMESPACE
