/// @file
/// fps() by rounds with one block per cloud: the block sorts the cloud in shared memory and keeps it there. One launch,
/// no workspace.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/block_point_order.cuh>
#include <farpoint/detail/fps/rounds.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts a cloud of at most Config::block_size * PointsPerThread points.
template <class Config, int PointsPerThread>
using fps_block_order_of = fps_block_order<typename Config::points, Config::block_size, PointsPerThread>;

/// Returns the bytes of dynamic shared memory for clouds of at most `points` points: the sort and the sorted points
/// share it.
template <class Config, int PointsPerThread>
constexpr std::size_t fps_block_bytes(index_t points) noexcept {
  constexpr std::size_t sort = sizeof(typename fps_block_order_of<Config, PointsPerThread>::storage);
  return larger(Config::partition::bytes(Config::chunking::chunks(points)), sort);
}

/// Samples cloud blockIdx.x.
template <class Config, int PointsPerThread>
__global__ void __launch_bounds__(Config::block_size) fps_block_kernel(typename Config::args const args) {
  using order_type = fps_block_order_of<Config, PointsPerThread>;
  __shared__ typename Config::shared own;

  if (fps_has_bad_offsets<Config::block_size>(args, true)) return fps_leave_empty<Config::block_size>(args);
  index_t const b = blockIdx.x;
  auto const cloud = args.clouds[b];
  auto const partition = Config::partition::at(dynamic_shared(), Config::chunking::chunks(cloud.size()));
  order_type::run(cloud, *reinterpret_cast<typename order_type::storage*>(dynamic_shared()), partition.index);
  fps_block_group group;
  fps_run_rounds<Config>(args, b, cloud, partition, partition.index, group, {own, nullptr, nullptr});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
