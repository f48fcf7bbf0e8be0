/// @file
/// The kernels of fps() by local maxima: a block, or some blocks of a grid, for each cloud.
#pragma once

#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/sample_cloud.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
using local_maxima_args = maxima_args_of<Points, grid_board::message>;
template <class Points>
using dealt_maxima_args = dealt_maxima_args_of<Points, grid_board::message>;

/// Layout of a block's dynamic shared memory: shared data of a fixed size, lists, then keys or chunks.
template <class Config>
struct local_maxima_layout {
  /// @param points  number of points of the largest cloud
  static constexpr std::size_t bytes(unsigned blocks, index_t points) noexcept {
    std::size_t const keys = Config::alone ? static_cast<std::size_t>(points) * sizeof(typename Config::key) : 0;
    std::size_t const fixed = sizeof(local_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks) + keys;
    if constexpr (Config::in_shared) return fixed + point_chunks<Config, cuda_machine>::shared_bytes(points, blocks);
    return fixed;
  }
};

/// Samples cloud blockIdx.x / args.blocks by a team of args.blocks blocks.
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
    sample_cloud<Config, cuda_machine>(args, place, shared, lists, memory, no_peers{}, args.lengths);
  } else {
    grid_board const board{args.board + place.b * board_slots<Config>::all(args.blocks)};
    sample_cloud<Config, cuda_machine>(args, place, shared, lists, memory, board, args.lengths);
  }
}

template <class Points>
struct team_schedule_args {
  batch<Points> clouds;
  team_limits limits;
  team_schedule schedule;
};

/// Makes the schedule of dealt_maxima_kernel, by one block.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) team_schedule_kernel(team_schedule_args<Points> const args) {
  using scheduler = team_scheduler<cuda_machine, BlockSize>;
  __shared__ typename scheduler::shared_type shared;
  scheduler{args.limits, args.schedule, shared}.run(args.clouds);
}

/// Returns the bytes of dynamic shared memory per block. @param blocks  maximum number of blocks of a team
template <class Config>
constexpr std::size_t dealt_maxima_bytes(unsigned blocks) noexcept {
  return sizeof(dealt_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks);
}

/// Samples the clouds that the schedule gives to each block.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1) dealt_maxima_kernel(dealt_maxima_args<Points> const args) {
  static_assert(!Config::alone);
  if (fps_has_bad_offsets<Config::block_size>(args.call, true)) return fps_leave_empty<Config::block_size>(args.call);
  using shared_type = dealt_maxima_shared<Config>;
  auto* const memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<shared_type*>(memory);
  auto const lists = local_maxima_lists<Config>::at(memory + sizeof shared, args.blocks);
  sample_dealt_clouds<Config, cuda_machine, grid_board>(args, blockIdx.x, gridDim.x, shared, lists);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
