/// @file
/// The kernels of fps() by local maxima: a block, or some blocks of a grid, for each cloud.
#pragma once

#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/mark_chosen.hpp>
#include <farpoint/detail/fps/local_maxima/team.hpp>

#include <type_traits>

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
    std::size_t const fixed = sizeof(local_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks) + keys;
    if constexpr (Config::in_shared) return fixed + point_chunks<Config, cuda_machine>::shared_bytes(points, blocks);
    return fixed;
  }
};

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
  Points const cloud = args.call.clouds[place.b];
  index_t const begin = args.call.clouds.begin_of(place.b);
  local_maxima_order order{};
  if constexpr (!Config::alone) order.chosen = args.chosen.of(begin, place.b);
  if constexpr (Config::boxes) order.order = args.order.order + begin;
  if constexpr (Config::in_shared) {
    order.chunks = reinterpret_cast<float*>(memory);
  } else if constexpr (Config::in_memory) {
    using chunks = point_chunks<Config, cuda_machine>;
    order.chunks = args.order.chunks + chunks::chunks(begin, place.b) * chunks::chunk_floats;
  }
  auto const run = [&](auto const& peers, fps_key* keys) {
    using peers_type = std::decay_t<decltype(peers)>;
    using call_type = local_maxima_call<cuda_machine, Points>;
    local_maxima_team<Config, cuda_machine, call_type, peers_type>{
        call_type{args.call, place.b, cloud}, place, shared, lists, keys, peers, args.lengths}
        .run(cloud, order);
  };
  if constexpr (Config::alone) {
    run(no_peers{}, reinterpret_cast<fps_key*>(memory));
  } else {
    run(grid_board{args.board + place.b * board_slots<Config>::all(args.blocks)}, args.keys + begin);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
