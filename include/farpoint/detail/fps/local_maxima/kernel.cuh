/// @file
/// The kernels of fps() by local maxima: a block, or some blocks of a grid, for each cloud.
#pragma once

#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/mark_chosen.hpp>
#include <farpoint/detail/fps/local_maxima/team.hpp>
#include <farpoint/detail/fps/local_maxima/team_schedule.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
struct local_maxima_args {
  fps_args<Points> call;
  unsigned blocks;  ///< of a team
  local_maxima_lengths lengths;
  local_maxima_order order;    ///< of all clouds, `[points]` and chunks
  batch_marks chosen;          ///< of all clouds; none where a block is a team
  fps_key* keys;               ///< `[points]`, zero, unless a block is a team
  grid_board::message* board;  ///< `[clouds, slots]`, zero, of a grid
};

/// What a block has in its dynamic shared memory, in this order.
template <class Config>
struct local_maxima_layout {
  /// @param points  of the largest cloud
  static constexpr std::size_t bytes(unsigned blocks, index_t points) noexcept {
    std::size_t const keys = Config::alone ? static_cast<std::size_t>(points) * sizeof(fps_key) : 0;
    return sizeof(local_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks) + keys;
  }
};

/// Samples the cloud of a block's place. Returns the last round.
/// @param round  see local_maxima_team
template <class Config, class Points, class Peers>
__device__ FARPOINT_ALWAYS_INLINE std::uint32_t sample_by_local_maxima(
    local_maxima_args<Points> const& args, local_maxima_place const& place, local_maxima_shared<Config>& shared,
    local_maxima_lists<Config> const& lists, fps_key* keys, Peers const& peers, local_maxima_lengths const& lengths,
    std::uint32_t round = 0) noexcept {
  using call_type = local_maxima_call<cuda_machine, Points>;
  Points const cloud = args.call.clouds[place.b];
  index_t const begin = args.call.clouds.begin_of(place.b);
  local_maxima_order order{};
  if constexpr (!Config::alone) order.chosen = args.chosen.of(begin, place.b);
  if constexpr (Config::boxes) order.order = args.order.order + begin;
  if constexpr (Config::in_memory) {
    using chunks = point_chunks<Config, cuda_machine>;
    order.chunks = args.order.chunks + chunks::chunks(begin, place.b) * chunks::chunk_floats;
  }
  local_maxima_team<Config, cuda_machine, call_type, Peers> team{
      call_type{args.call, place.b, cloud}, place, shared, lists, keys, peers, lengths, round};
  team.run(cloud, order);
  return team.round();
}

/// Samples cloud blockIdx.x / args.blocks.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1) local_maxima_kernel(local_maxima_args<Points> const args) {
  if (fps_has_bad_offsets<Config::block_size>(args.call, true)) return fps_leave_empty<Config::block_size>(args.call);
  auto* memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<local_maxima_shared<Config>*>(memory);
  memory += sizeof shared;
  auto const lists = local_maxima_lists<Config>::at(memory, args.blocks);
  memory += local_maxima_lists<Config>::bytes(args.blocks);

  local_maxima_place const place{blockIdx.x / args.blocks, blockIdx.x % args.blocks, args.blocks};
  if constexpr (Config::alone) {
    sample_by_local_maxima<Config>(args, place, shared, lists, reinterpret_cast<fps_key*>(memory), no_peers{},
                                   args.lengths);
  } else {
    grid_board const board{args.board + place.b * board_slots<Config>::all(args.blocks)};
    sample_by_local_maxima<Config>(args, place, shared, lists, args.keys + args.call.clouds.begin_of(place.b), board,
                                   args.lengths);
  }
}

template <class Points>
struct team_schedule_args {
  batch<Points> clouds;
  team_limits limits;
  team_schedule schedule;
};

/// Makes the schedule of dealt_maxima_kernel: one block.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) team_schedule_kernel(team_schedule_args<Points> const args) {
  using scheduler = team_scheduler<cuda_machine, BlockSize>;
  __shared__ typename scheduler::shared_type shared;
  scheduler{args.limits, args.schedule, shared}.run(args.clouds);
}

/// Arguments where a schedule says which blocks sample which cloud. Those that it has in common with others are:
/// `blocks`, the most of a team; `lengths` of one block; `board`, zero, as dealt_boards lays it out.
template <class Points>
struct dealt_maxima_args : local_maxima_args<Points> {
  team_schedule schedule;
};

template <class Config>
struct dealt_maxima_layout {
  /// What a block has in front of its lists.
  struct shared_type : local_maxima_shared<Config> {
    alignas(16) std::uint32_t ticket;
  };
  /// @param blocks  of a team, at most
  static constexpr std::size_t bytes(unsigned blocks) noexcept {
    return sizeof(shared_type) + local_maxima_lists<Config>::bytes(blocks);
  }
};

/// Samples the clouds that the schedule gives to each block.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1) dealt_maxima_kernel(dealt_maxima_args<Points> const args) {
  static_assert(!Config::alone);
  if (fps_has_bad_offsets<Config::block_size>(args.call, true)) return fps_leave_empty<Config::block_size>(args.call);
  using shared_type = typename dealt_maxima_layout<Config>::shared_type;
  auto* const memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<shared_type*>(memory);
  auto const lists = local_maxima_lists<Config>::at(memory + sizeof shared, args.blocks);

  cloud_dealer<cuda_machine> dealer{args.schedule, blockIdx.x, shared.ticket};
  local_maxima_place place{};
  std::uint32_t own_round = 0;
  while (dealer.next(place)) {
    grid_board const board{args.board + dealt_boards<Config>::begin(place, blockIdx.x, gridDim.x)};
    bool const is_team = place.blocks > 1;
    std::uint32_t const last = sample_by_local_maxima<Config>(
        args, place, shared, lists, args.keys + args.call.clouds.begin_of(place.b), board,
        args.lengths.of_team(place.blocks), is_team ? 0 : own_round);
    if (!is_team) own_round = last;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
