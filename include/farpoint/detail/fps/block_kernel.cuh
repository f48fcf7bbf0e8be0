/// @file
/// One block a cloud, which it sorts itself and keeps in shared memory: one launch, no workspace.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/block_point_order.cuh>
#include <farpoint/detail/fps/rounds.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Memory of a slice of `chunks` chunks in a row from `bytes` on.
template <class Scalar, int Dim, class Chunking>
FARPOINT_HD chunk_partition<Scalar, Dim, Chunking> chunk_scan_at(void* bytes, index_t chunks) noexcept {
  index_t const pitch = Chunking::chunk * chunks;
  auto* const points = static_cast<Scalar*>(bytes);
  auto* const index = reinterpret_cast<std::uint32_t*>(points + (Dim + 1) * pitch);
  // Behind an even number of indices: aligned for doubles, too.
  auto* const boxes = reinterpret_cast<Scalar*>(index + pitch);
  return {points, index, pitch, boxes, chunks, boxes + (2 * Dim + 1) * chunks, Chunking::groups(chunks), false};
}

/// Dynamic shared memory for clouds of at most `points` points.
template <class Points, int BlockSize, int PointsPerThread, class Chunking>
constexpr std::size_t fps_rounds_block_bytes(index_t points) noexcept {
  using memory = chunk_partition<typename Points::scalar, Points::dim, Chunking>;
  constexpr std::size_t sort = sizeof(typename fps_block_order<Points, BlockSize, PointsPerThread>::storage);
  index_t const chunks = Chunking::chunks(points);
  std::size_t const slice = memory::point_bytes(chunks) + memory::box_bytes(chunks);
  return slice > sort ? slice : sort;
}

/// Samples cloud blockIdx.x.
template <class Points, int BlockSize, int PointsPerThread, int ListSize, class Chunking>
__global__ void __launch_bounds__(BlockSize) fps_rounds_block_kernel(fps_rounds_args<Points> const task) {
  using scalar = typename Points::scalar;
  using order_type = fps_block_order<Points, BlockSize, PointsPerThread>;
  using shared_type = fps_rounds_shared<scalar, Points::dim, ListSize, BlockSize>;
  __shared__ shared_type own;

  index_t const b = blockIdx.x;
  Points const cloud = task.clouds[b];
  auto const memory = chunk_scan_at<scalar, Points::dim, Chunking>(dynamic_shared(), Chunking::chunks(cloud.size()));
  order_type::run(cloud, *reinterpret_cast<typename order_type::storage*>(dynamic_shared()), memory.index);
  fps_block_group group;
  round_counters<scalar>* const no_tally = nullptr;
  round_exchange<scalar, Points::dim, ListSize>* const no_board = nullptr;
  fps_run_rounds<Points, BlockSize, ListSize>(task, b, cloud, memory, memory.index, group, own, no_tally, no_board);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
