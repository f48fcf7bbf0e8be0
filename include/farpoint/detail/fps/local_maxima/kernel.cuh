/// @file
/// The kernels of fps() by local maxima: teams of co-resident blocks, one for each cloud or by a schedule.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/sample_cloud.hpp>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
using local_maxima_args = maxima_args_of<Points, grid_board::message>;

/// Returns the bytes of a block's dynamic shared memory: data of a fixed size, lists, then chunks.
/// @param blocks  maximum number of blocks of a team
/// @param points  number of points of the largest cloud
template <class Config>
constexpr std::size_t local_maxima_shared_bytes(unsigned blocks, index_t points) noexcept {
  std::size_t const fixed = sizeof(dealt_maxima_shared<Config>) + local_maxima_lists<Config>::bytes(blocks);
  if constexpr (Config::in_shared) return fixed + point_chunks<Config, cuda_machine>::shared_bytes(points, blocks);
  return fixed;
}

/// Samples the clouds of each block.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1) local_maxima_kernel(local_maxima_args<Points> const args) {
  if (fps_has_bad_offsets<Config::block_size>(args.call, true)) return fps_leave_empty<Config::block_size>(args.call);
  using lists_type = local_maxima_lists<Config>;
  auto* const memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<dealt_maxima_shared<Config>*>(memory);
  auto const lists = lists_type::at(memory + sizeof shared, args.blocks);
  sample_clouds<Config, cuda_machine, grid_board>(args, blockIdx.x, gridDim.x, shared, lists,
                                                  memory + sizeof shared + lists_type::bytes(args.blocks));
}

template <class Points>
struct team_schedule_args {
  batch<Points> clouds;
  team_limits limits;
  team_schedule schedule;
};

/// Makes the schedule, by one block.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) team_schedule_kernel(team_schedule_args<Points> const args) {
  using scheduler = team_scheduler<cuda_machine, BlockSize>;
  __shared__ typename scheduler::shared_type shared;
  scheduler{args.limits, args.schedule, shared}.run(args.clouds);
}

/// Enqueues the kernel of one shape. A separate function can be compiled once for several files.
/// @param blocks  number of blocks of the grid
template <class Config, class Points>
FARPOINT_HIDDEN void fps_enqueue_local_maxima(kernel_launcher& launcher, local_maxima_args<Points> const& args,
                                              unsigned blocks) noexcept {
  cudaLaunchConfig_t config = launch_config(blocks, Config::block_size, launcher.stream());
  config.dynamicSmemBytes = local_maxima_shared_bytes<Config>(args.blocks, args.call.clouds.largest());
  launcher.launch_cooperative(local_maxima_kernel<Config, Points>, config, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
