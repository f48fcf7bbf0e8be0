/// @file
/// Arguments, arrays and messages of the kernels of fps_shard() on streams.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cut_control.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/stream/fps/peers.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sizes. The ones that set the length of messages must be equal on all ranks.
template <int Dim>
struct fps_stream_config {
  static constexpr int dim = Dim;
  static constexpr unsigned blocks = 128;  ///< blocks that list a rank's candidates: most GPUs run all at once
  static constexpr unsigned listed = 16;   ///< candidates that a block lists
  static constexpr int list_block_size = 512;
  static constexpr int points_per_lane = 4;  ///< points of a chunk per lane
  static constexpr unsigned kept = 8;        ///< candidates that a warp keeps
  static constexpr unsigned samples_at_once = 512;
  static constexpr int decide_block_size = 256;
  static constexpr unsigned listings_at_once = 128;
  static constexpr int rounds_at_once = 16;  ///< rounds between two waits of the host
  /// Rounds whose samples are kept beyond the requested number before the worst samples are dropped.
  static constexpr int spare_rounds = 1;
};

/// Message of a block to all ranks: its best candidates, and a bound for the candidates that it does not list.
template <class Config>
struct fps_stream_listing {
  std::uint32_t largest;  ///< ordered word of the largest distance of the block's points; 0: no candidates
  std::uint32_t found;    ///< number of candidates above the cut
  std::uint32_t listed;
  std::uint32_t unused;
  fps_key left;  ///< best candidate that is above the cut and not listed; 0: all are listed
  fps_key best;  ///< best listed candidate; 0: no candidate is listed
  fps_ball<Config::dim> ball[Config::listed];
  fps_key key[Config::listed];
};

/// Combination of the listings of all ranks.
struct fps_stream_summary {
  std::uint32_t largest;
  std::uint32_t found;
  fps_key left;
  fps_key best;
};

/// State at the beginning of a round.
struct fps_stream_state {
  local_maxima_cut cut;
  std::uint32_t size;     ///< samples so far, without the first sample
  std::uint32_t samples;  ///< number of samples to which distances have not been lowered
  std::uint32_t done;
};

/// Counters that the blocks of a round add to.
struct fps_stream_counters {
  std::uint32_t accepted;
  std::uint32_t better;   ///< earlier samples that are better than the best candidate
  std::uint32_t counted;  ///< accepted samples that the next state's `size` has already
};

/// Findings about params.chosen, equal on all ranks after the exchange.
struct fps_stream_chosen {
  std::uint64_t digest;        ///< hash of the indices
  std::uint32_t count;         ///< chosen points that count as samples
  std::uint32_t out_of_range;  ///< entries that are a point of no rank
};

/// Message of each rank about its points before anything is sampled.
template <int Dim>
struct fps_stream_start {
  vec<float, Dim> lowest_point;
  vec<float, Dim> first_point;
  std::uint32_t lowest;        ///< local index of the first finite point; 0xffffffff without one
  std::uint32_t first_counts;  ///< the requested first sample is one of its points, and finite
  std::uint32_t has_first;     ///< the requested first sample is one of its points
  fps_peer_team team;          ///< team that the rank can form with one kernel
  unsigned long long non_finite;
  fps_stream_chosen chosen;
};

/// Arrays of a call.
template <class Config>
struct fps_stream_memory {
  static constexpr int dim = Config::dim;
  static constexpr std::uint32_t chunk_points = 32 * Config::points_per_lane;
  /// Floats per chunk: the coordinates, axis by axis, and the distances.
  static constexpr std::size_t chunk_floats = std::size_t{chunk_points} * (dim + 1);
  using listing = fps_stream_listing<Config>;

  index_t chunks;
  index_t found_size;
  float* points;                    ///< `[chunks, chunk_floats]`
  bounding_box<float, dim>* boxes;  ///< `[chunks]`
  std::uint32_t* largest;           ///< `[chunks]`: ordered word of the largest distance
  std::uint32_t* lost;              ///< `[chunks]`: nonzero: a point became a sample since `largest` was set
  std::uint32_t* marks;             ///< one bit per point: set if the point is not a candidate from the start
  std::uint32_t* slots;             ///< `[blocks, listed]`: slot of each listed candidate of this rank
  listing* sent;                    ///< `[blocks]`
  listing* received;                ///< `[ranks, blocks]`
  fps_ball<dim>* samples;  ///< `[ranks, blocks, listed]`: samples of the round; before the rounds, all chosen points
  fps_ball<dim>* chosen;   ///< `[ranks + 1, chosen]`: chosen points as this rank, then each rank has them
  std::uint32_t* chosen_indices;  ///< `[chosen]`
  fps_key* found[2];              ///< `[found_size]`: all samples but the first
  std::uint32_t* sort_keys[2];    ///< `[found_size]`
  std::uint32_t* sort_values[2];  ///< `[found_size]`
  fps_stream_state* states;       ///< `[2]`: used alternately
  fps_stream_counters* counters;  ///< `[2]`: used alternately
  fps_stream_summary* summary;    ///< `[1]`
  fps_stream_start<dim>* starts;  ///< `[ranks + 1]`

  static index_t places(int ranks) noexcept { return index_t{ranks} * Config::blocks * Config::listed; }

  static index_t mark_words(index_t n) noexcept { return point_marks::words_of(n); }

  /// @param min_floats  smallest size of `points`
  fps_stream_memory(workspace_cutter& cutter, int ranks, index_t n, fps_params const& params,
                    index_t min_floats) noexcept
      : chunks{divide_up<index_t>(n, chunk_points)},
        found_size{params.samples + (Config::rounds_at_once + Config::spare_rounds) * places(ranks)} {
    index_t const chosen_size = params.chosen.size();
    points = cutter.take<float>(larger(chunks * static_cast<index_t>(chunk_floats), min_floats));
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

/// Arguments of the kernels.
template <class Config, class Points>
struct fps_stream_args {
  Points cloud;
  std::uint32_t first_index;   ///< index of the cloud's first point among the points of all ranks
  std::uint32_t const* order;  ///< `[n]`: neighboring points together
  fps_stream_memory<Config> memory;
  fps_key* found;        ///< one of memory.found
  std::uint32_t wanted;  ///< samples without the first
  float stop2;
  unsigned ranks;
  unsigned rank;
  std::uint32_t round;  ///< from 1
};

}  // namespace detail
FARPOINT_END_NAMESPACE
