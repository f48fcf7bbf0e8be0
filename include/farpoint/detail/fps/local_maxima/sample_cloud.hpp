/// @file
/// Functions that sample one cloud by local maxima, or all clouds of a block.
#pragma once

#include <farpoint/detail/fps/local_maxima/mark_chosen.hpp>
#include <farpoint/detail/fps/local_maxima/team.hpp>
#include <farpoint/detail/fps/local_maxima/team_schedule.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of the kernel by local maxima.
/// @tparam Message  see message_exchange
template <class Points, class Message>
struct maxima_args_of {
  using scalar = typename Points::scalar;

  fps_args<Points> call;
  unsigned blocks;                         ///< number of blocks of a team; with a schedule, of the largest team
  local_maxima_lengths lengths;            ///< of a single block
  basic_local_maxima_order<scalar> order;  ///< arrays of all clouds: `[points]`, and chunks
  batch_marks chosen;                      ///< chosen points of all clouds
  fps_key_for<scalar>* keys;               ///< `[points]`, initially zero
  Message* board;                          ///< see dealt_boards, initially zero
  team_schedule schedule;                  ///< null if all clouds have teams of `blocks`
};

/// Samples a cloud as one block of its team. Returns the number of the last round.
/// @param own    memory of the block for chunks, if they lie in shared memory
/// @param round  number of the last round that the board has messages of
template <class Config, class Machine, class Points, class Board>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE std::uint32_t sample_cloud(
    maxima_args_of<Points, typename Board::message> const& args, local_maxima_place const& place,
    local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists, unsigned char* own,
    Board const& board, std::uint32_t round) noexcept {
  using call_type = local_maxima_call<Machine, Points>;
  using scalar = typename Config::scalar;
  static_assert(std::is_same_v<scalar, typename Points::scalar>);
  Points const cloud = args.call.clouds[place.b];
  index_t const begin = args.call.clouds.begin_of(place.b);
  basic_local_maxima_order<scalar> order{};
  order.chosen = args.chosen.of(begin, place.b);
  if constexpr (Config::boxes) order.order = args.order.order + begin;
  if constexpr (Config::in_shared) {
    order.chunks = reinterpret_cast<scalar*>(own);
  } else if constexpr (Config::in_memory) {
    using chunks = point_chunks<Config, Machine>;
    order.chunks = args.order.chunks + static_cast<std::size_t>(chunks::parts(begin, place.b)) * chunks::part_scalars;
    if constexpr (Config::in_parts) order.part_shift = args.order.part_shift;
  }
  local_maxima_team<Config, Machine, call_type, Board> team{
      call_type{args.call, place.b, cloud}, place, shared, lists, args.keys + begin, board,
      args.lengths.of_team(place.blocks),   round};
  team.run(cloud, order);
  return team.round();
}

template <class Config>
struct dealt_maxima_shared : local_maxima_shared<Config> {
  alignas(16) std::uint32_t ticket;
};

/// Samples all clouds of block `block` of `blocks`: the cloud of its team, or what the schedule gives to it.
template <class Config, class Machine, class Board, class Points>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void sample_clouds(maxima_args_of<Points, typename Board::message> const& args,
                                                          unsigned block, unsigned blocks,
                                                          dealt_maxima_shared<Config>& shared,
                                                          local_maxima_lists<Config> const& lists,
                                                          unsigned char* own) noexcept {
  cloud_dealer<Machine> dealer{args.schedule, args.blocks, block, shared.ticket};
  local_maxima_place place{};
  std::uint32_t own_round = 0;
  while (dealer.next(place)) {
    bool const is_team = place.blocks > 1;
    Board const board{args.board + dealt_boards<Config>::begin(place, block, args.schedule.is_null() ? 0 : blocks)};
    std::uint32_t const last =
        sample_cloud<Config, Machine>(args, place, shared, lists, own, board, is_team ? 0 : own_round);
    if (!is_team) own_round = last;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
