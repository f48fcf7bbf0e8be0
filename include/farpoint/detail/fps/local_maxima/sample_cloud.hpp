/// @file
/// Functions that sample one cloud by local maxima, or all clouds that a schedule gives to a block.
#pragma once

#include <farpoint/detail/fps/local_maxima/mark_chosen.hpp>
#include <farpoint/detail/fps/local_maxima/team.hpp>
#include <farpoint/detail/fps/local_maxima/team_schedule.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of the kernels by local maxima.
/// @tparam Message  see message_exchange
template <class Points, class Message>
struct maxima_args_of {
  using scalar = typename Points::scalar;

  fps_args<Points> call;
  unsigned blocks;  ///< number of blocks of a team
  local_maxima_lengths lengths;
  basic_local_maxima_order<scalar> order;  ///< arrays of all clouds: `[points]`, and chunks
  batch_marks chosen;                      ///< chosen points of all clouds; null if a block samples a cloud alone
  fps_key_for<scalar>* keys;               ///< `[points]`, initially zero; null if a block samples a cloud alone
  Message* board;                          ///< `[clouds, slots]`, initially zero; null if a block samples a cloud alone
};

/// Samples a cloud as one block of its team. Returns the number of the last round.
/// @param own    memory of the block: for keys if it samples the cloud alone, for chunks if they lie in shared memory
/// @param round  number of the last round that the board has messages of
template <class Config, class Machine, class Points, class Message, class Peers>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE std::uint32_t sample_cloud(
    maxima_args_of<Points, Message> const& args, local_maxima_place const& place, local_maxima_shared<Config>& shared,
    local_maxima_lists<Config> const& lists, unsigned char* own, Peers const& peers,
    local_maxima_lengths const& lengths, std::uint32_t round = 0) noexcept {
  using call_type = local_maxima_call<Machine, Points>;
  using scalar = typename Config::scalar;
  using key_type = typename Config::key;
  static_assert(std::is_same_v<scalar, typename Points::scalar>);
  Points const cloud = args.call.clouds[place.b];
  index_t const begin = args.call.clouds.begin_of(place.b);
  basic_local_maxima_order<scalar> order{};
  if constexpr (!Config::alone) order.chosen = args.chosen.of(begin, place.b);
  if constexpr (Config::boxes) order.order = args.order.order + begin;
  if constexpr (Config::in_shared) {
    order.chunks = reinterpret_cast<scalar*>(own);
  } else if constexpr (Config::in_memory) {
    using chunks = point_chunks<Config, Machine>;
    order.chunks = args.order.chunks + chunks::chunks(begin, place.b) * chunks::chunk_scalars;
  }
  key_type* const keys = Config::alone ? reinterpret_cast<key_type*>(own) : args.keys + begin;
  local_maxima_team<Config, Machine, call_type, Peers> team{
      call_type{args.call, place.b, cloud}, place, shared, lists, keys, peers, lengths, round};
  team.run(cloud, order);
  return team.round();
}

/// Arguments of a kernel whose blocks follow a schedule. `blocks` is the size of the largest team, `lengths` applies to
/// a single block, and `board` is laid out by dealt_boards.
template <class Points, class Message>
struct dealt_maxima_args_of : maxima_args_of<Points, Message> {
  team_schedule schedule;
};

template <class Config>
struct dealt_maxima_shared : local_maxima_shared<Config> {
  alignas(16) std::uint32_t ticket;
};

/// Samples all clouds that the schedule gives to block `block` of `blocks`.
template <class Config, class Machine, class Board, class Points>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void sample_dealt_clouds(
    dealt_maxima_args_of<Points, typename Board::message> const& args, unsigned block, unsigned blocks,
    dealt_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists) noexcept {
  cloud_dealer<Machine> dealer{args.schedule, block, shared.ticket};
  local_maxima_place place{};
  std::uint32_t own_round = 0;
  while (dealer.next(place)) {
    Board const board{args.board + dealt_boards<Config>::begin(place, block, blocks)};
    bool const is_team = place.blocks > 1;
    auto const lengths = args.lengths.of_team(place.blocks);
    std::uint32_t const last =
        sample_cloud<Config, Machine>(args, place, shared, lists, nullptr, board, lengths, is_team ? 0 : own_round);
    if (!is_team) own_round = last;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
