/// @file
/// Workspace of a rank of fps_shard() on a stream.
#pragma once

#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/stream/fps/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of ranks of a call on shards in device memory: the headers must fit on the caller's stack.
inline constexpr int fps_stream_max_ranks = 120;

/// Target number of candidates above the cut on all ranks, divided by the square root of the number of all blocks.
inline constexpr float fps_stream_candidates = 60;

/// Workspace of a rank, and its size.
template <class Exec, class Blocks, class Points>
struct fps_stream_plan {
  using config = typename Blocks::template config<Points::dim>;

  using peer_plan = typename Blocks::template peer_plan<Points>;

  workspace_cutter cutter;
  peer_plan peers;
  fps_stream_memory<config> memory;
  typename Blocks::template order_memory<Points> order;
  typename shard_backend<Exec>::sorter sorter;
  std::uint64_t* non_finite;
  std::uint32_t* outcome;  ///< a fps_peer_outcome

  fps_stream_plan(unsigned char* workspace, int ranks, Points const& cloud, fps_params const& params) noexcept
      : cutter{workspace},
        peers{cloud.size()},
        memory{cutter, ranks, cloud.size(), params, static_cast<index_t>(peers.chunk_bytes() / sizeof(float))},
        order{cutter, cloud},
        sorter{cutter, memory.found_size},
        non_finite{cutter.take<std::uint64_t>(1)},
        outcome{cutter.take<std::uint32_t>(1)} {}
};

}  // namespace detail
FARPOINT_END_NAMESPACE
