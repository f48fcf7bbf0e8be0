/// @file
/// The kernels of fps() by local maxima: a block, a cluster, or some blocks of a grid for each cloud.
#pragma once

#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/team.hpp>

#include <cooperative_groups.h>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
struct local_maxima_args {
  fps_args<Points> call;
  unsigned blocks;  ///< of a team
  local_maxima_lengths lengths;
  std::uint32_t const* order;  ///< `[points]` with boxes: each cloud's indices, neighbours together
  fps_key* keys;               ///< `[points]`, zero, unless a block is a team
  grid_board::message* board;  ///< `[clouds, slots]`, zero, of a grid
};

/// What a block has in its dynamic shared memory, in this order.
template <class Config>
struct local_maxima_layout {
  static constexpr std::size_t board_bytes(unsigned blocks) noexcept {
    return Config::team == fps_team::cluster ? board_slots<Config>::all(blocks) * sizeof(cluster_board::message) : 0;
  }
  /// @param points  of the largest cloud
  static constexpr std::size_t bytes(unsigned blocks, index_t points) noexcept {
    std::size_t const keys = Config::alone ? static_cast<std::size_t>(points) * sizeof(fps_key) : 0;
    return sizeof(local_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks) + board_bytes(blocks) + keys;
  }
};

/// Samples cloud blockIdx.x / args.blocks.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1) local_maxima_kernel(local_maxima_args<Points> const args) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  if (fps_has_bad_offsets<Config::block_size>(args.call, true)) return fps_leave_empty<Config::block_size>(args.call);
  auto* memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<local_maxima_shared<Config>*>(memory);
  memory += sizeof shared;
  auto const lists = local_maxima_lists<Config>::at(memory, args.blocks);
  memory += local_maxima_lists<Config>::bytes(args.blocks);

  local_maxima_place const place{blockIdx.x / args.blocks, blockIdx.x % args.blocks, args.blocks};
  Points const cloud = args.call.clouds[place.b];
  index_t const begin = args.call.clouds.begin_of(place.b);
  std::uint32_t const* const order = Config::boxes ? args.order + begin : nullptr;
  if constexpr (Config::alone) {
    auto* const keys = reinterpret_cast<fps_key*>(memory);
    local_maxima_team<Config, cuda_machine, Points, no_board>{args.call, place, cloud,      shared,
                                                              lists,     keys,  no_board{}, args.lengths}
        .run(order);
  } else {
    fps_key* const keys = args.keys + begin;
    if constexpr (Config::team == fps_team::grid) {
      grid_board const board{args.board + place.b * board_slots<Config>::all(args.blocks)};
      local_maxima_team<Config, cuda_machine, Points, grid_board>{args.call, place, cloud, shared,
                                                                  lists,     keys,  board, args.lengths}
          .run(order);
    } else {
      auto* const slots = reinterpret_cast<cluster_board::message*>(memory);
      for (unsigned i = threadIdx.x; i < board_slots<Config>::all(args.blocks); i += Config::block_size) slots[i] = {};
      // No block may reach into another's shared memory before that is cleared, or after it has ended.
      cooperative_groups::this_cluster().sync();
      cluster_board const board{slots, args.blocks};
      local_maxima_team<Config, cuda_machine, Points, cluster_board>{args.call, place, cloud, shared,
                                                                     lists,     keys,  board, args.lengths}
          .run(order);
      cooperative_groups::this_cluster().sync();
    }
  }
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE
