/// @file
/// Kernels that compute the sort keys of the Morton order of every cloud of a batch, for one sort: by cloud first, by
/// cell within it.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/point_order.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bounding box of a cloud on the axes that determine its order.
template <int Dim>
struct fps_extent : atomic_bounding_box<float, curve_grid<float, Dim>::axes> {
  using base = atomic_bounding_box<float, curve_grid<float, Dim>::axes>;

  /// Enlarges the box in the way of a set_accumulator.
  __device__ void grow(base const& box, std::uint32_t) noexcept { box.grow(*this); }
};

/// Division of a key of 32 bits into a cloud's number and a cell's code.
struct fps_key_bits {
  int axis;   ///< number of bits of a cell, per axis
  int cell;   ///< number of bits of a code
  int cloud;  ///< number of bits of a cloud's number

  /// Divides 32 bits between clouds and cells; ten bits per axis suffice for any cloud in space.
  template <int Dim>
  static constexpr fps_key_bits of(index_t clouds) noexcept {
    fps_key_bits bits{};
    while (clouds > 1 && index_t{1} << bits.cloud < clouds) ++bits.cloud;
    constexpr int axes = curve_grid<float, Dim>::axes;
    constexpr int most = axes == 1 ? 24 : morton_bits<std::uint32_t, axes>;
    bits.axis = (32 - bits.cloud) / axes;
    if (bits.axis > most) bits.axis = most;
    bits.cell = bits.axis * axes;
    return bits;
  }
  FARPOINT_HD constexpr int all() const noexcept { return cell + cloud; }
  /// Returns the code of a point that sorts last in its cloud.
  FARPOINT_HD constexpr std::uint32_t last_code() const noexcept { return (1u << cell) - 1; }
  FARPOINT_HD constexpr std::uint32_t key(std::uint32_t number, std::uint32_t code) const noexcept {
    // A shift by all 32 bits is undefined; the number is 0 then.
    return (cloud > 0 ? number << cell : 0) | code;
  }
};

template <class Points>
struct point_order_args {
  batch<Points> clouds;
  fps_extent<Points::dim>* extents;  ///< `[clouds]`, zero at the start
  std::uint32_t* keys;               ///< `[points of the batch]`
  std::uint32_t* values;             ///< `[points of the batch]`: index of each point in its own cloud
  unsigned* bad_offsets;             ///< number of invalid offsets, initially zero
  unsigned long long* reported;      ///< counter of invalid offsets in the report; may be null
  fps_key_bits bits;
};

/// Returns the coordinates that determine the order, as floats.
template <class Scalar, int Dim>
__device__ auto fps_narrow(vec<Scalar, Dim> const& point) noexcept {
  vec<float, curve_grid<float, Dim>::axes> narrow;
#pragma unroll
  for (int axis = 0; axis < curve_grid<float, Dim>::axes; ++axis) narrow[axis] = static_cast<float>(point[axis]);
  return narrow;
}

/// Counts invalid offsets of a ragged batch. One thread calls it for each cloud b.
template <class Points>
__device__ void fps_count_bad_offsets(point_order_args<Points> const& args, index_t b) noexcept {
  if (!args.clouds.is_ragged()) return;
  // The first offset has no cloud before it.
  unsigned const count =
      (is_bad_offset(args.clouds, b + 1) ? 1 : 0) + (b == 0 && is_bad_offset(args.clouds, 0) ? 1 : 0);
  if (count == 0) return;
  atomicAdd(args.bad_offsets, count);
  count_in_report(args.reported, count);
}

/// Grows the extent of cloud blockIdx.x by part blockIdx.y of its points.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_extent_kernel(point_order_args<Points> const args) {
  constexpr int axes = curve_grid<float, Points::dim>::axes;
  Points const cloud = args.clouds[blockIdx.x];
  auto box = bounding_box<float, axes>::empty();
  if (threadIdx.x == 0 && blockIdx.y == 0) fps_count_bad_offsets(args, blockIdx.x);
  // A ragged batch may have many blocks without points: their atomic operations would serialize.
  if (index_t{blockIdx.y} * BlockSize >= cloud.size()) return;
  index_t const step = index_t{gridDim.y} * BlockSize;
  for (index_t i = index_t{blockIdx.y} * BlockSize + threadIdx.x; i < cloud.size(); i += step) {
    auto const point = cloud[i];
    if (is_finite(point)) box.grow(fps_narrow(point));
  }
  auto extent = fps_extent<Points::dim>::of(box);
  extent.reduce_over_warp();
  if (cuda_warp::lane() == 0) extent.grow(args.extents[blockIdx.x]);
}

/// Returns the grid of cells of cloud b.
template <class Points>
__device__ auto fps_grid_of(point_order_args<Points> const& args, index_t b) noexcept {
  using scalar = typename Points::scalar;
  using grid_type = curve_grid<scalar, Points::dim>;
  auto const extent = args.extents[b].get();
  typename grid_type::box box;
#pragma unroll
  for (int axis = 0; axis < grid_type::axes; ++axis) {
    box.low[axis] = extent.low[axis];
    box.high[axis] = extent.high[axis];
  }
  return grid_type{box, args.bits.axis};
}

/// Returns the number of offsets at or before point i of a ragged batch: 0 before the first cloud, b + 1 in cloud b,
/// and the number of clouds + 1 behind the last.
template <class Points>
__device__ index_t fps_offsets_before(batch<Points> const& clouds, index_t i) noexcept {
  auto const begin_of = [&clouds](index_t b) { return clouds.begin_of(b); };
  return begin_of(0) > i ? 0 : segment_of(clouds.size() + 1, i, begin_of) + 1;
}

/// Computes the key and the value of each point. Points that are never samples sort last in their cloud, and points of
/// no cloud before the first or behind the last cloud.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_key_kernel(point_order_args<Points> const args) {
  index_t const i = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  if (i >= args.clouds.points().size()) return;
  bool const ragged = args.clouds.is_ragged();
  // In a ragged batch the number 0 stands for points before the first cloud, so that clouds are numbered from 1.
  index_t const number = ragged ? fps_offsets_before(args.clouds, i) : i / args.clouds.largest();
  index_t const b = ragged ? number - 1 : number;
  std::uint32_t code = args.bits.last_code();
  index_t local = 0;
  if (b >= 0 && b < args.clouds.size()) {
    local = i - args.clouds.begin_of(b);
    Points const cloud = args.clouds[b];
    if (local < cloud.size()) {
      auto const point = cloud[local];
      if (is_finite(point)) code = fps_grid_of(args, b).key_of(point, morton_curve{}, args.bits.axis);
    }
  }
  args.keys[i] = args.bits.key(static_cast<std::uint32_t>(number), code);
  args.values[i] = static_cast<std::uint32_t>(local);
}

/// Enqueues the kernel that computes the extents.
template <class Points>
FARPOINT_HIDDEN void fps_enqueue_extents(kernel_launcher& launcher, point_order_args<Points> const& args) noexcept {
  constexpr int block_size = fps_order_block_size;
  constexpr int points_per_block = fps_extent_items * block_size;
  cudaLaunchConfig_t config = launch_config(static_cast<unsigned>(args.clouds.size()), block_size, launcher.stream());
  config.gridDim.y = blocks_for(args.clouds.largest(), points_per_block, 256);
  launcher.launch(fps_extent_kernel<Points, block_size>, config, args);
}

/// Enqueues the kernels that compute extents and keys.
template <class Points>
FARPOINT_HIDDEN void fps_enqueue_keys(kernel_launcher& launcher, point_order_args<Points> const& args) noexcept {
  constexpr int block_size = fps_order_block_size;
  fps_enqueue_extents(launcher, args);
  launcher.launch_for(args.clouds.points().size(), block_size, fps_key_kernel<Points, block_size>, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
