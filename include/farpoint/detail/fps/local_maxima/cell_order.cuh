/// @file
/// Orders the points of clouds by cells along Hilbert's curve, by a counting sort, so that neighbors are close
/// together. The order within a cell is arbitrary.
///
/// Example: points 0 to 4 lie in cells 2, 0, 2, 1, 2.
///
///   count     cells = 1 1 3, and each point gets an offset in its cell: (2, 0) (0, 0) (2, 2) (1, 0) (2, 1)
///   scan      cells = 0 1 2 5: the begin of each cell
///   scatter   order = 1 3 0 4 2: point 2 goes to 2 + 2
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/exclusive_scan.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/point_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bounding box of a cloud on the axes that determine its order.
template <int Dim>
struct fps_extent : atomic_bounding_box<float, curve_grid<float, Dim>::axes> {
  using base = atomic_bounding_box<float, curve_grid<float, Dim>::axes>;

  /// Enlarges the box in the way of a set_accumulator.
  __device__ void grow(base const& box, std::uint32_t) noexcept { box.grow(*this); }
};

/// Memory of the counting sort. A cloud has 2 to 2^18 cells; above 2, the cells of all clouds number at most the
/// points.
template <int Dim>
struct cell_order_memory {
  static constexpr int axes = curve_grid<float, Dim>::axes;
  static constexpr int max_bits = 18;
  static constexpr index_t cloud_limit = (index_t{1} << 15) - 1;

  fps_extent<Dim>* extents;  ///< `[clouds]`
  std::int32_t* cells;       ///< `[clouds * cells + 1]`: number of points of each cell, then its begin
  exclusive_scan_memory scan;
  std::uint32_t* order;   ///< `[points]`: point indices of each cloud, in order
  std::uint64_t* places;  ///< `[points]`: cell of a point, and its offset in the cell
  int bits;               ///< number of bits of a cell's number

  /// Returns the number of cells of each cloud.
  FARPOINT_HD index_t cell_count() const noexcept { return index_t{1} << bits; }
  /// Returns the number of bits per coordinate. A cell's number consists of the first `bits` bits of a code along the
  /// curve.
  FARPOINT_HD int axis_bits() const noexcept { return divide_up(bits, axes); }
  /// Returns the number of bits of a code that the cell's number omits.
  FARPOINT_HD int spare_bits() const noexcept { return axis_bits() * axes - bits; }

  /// Returns the number of bits of a cell's number, for batches of this size.
  static constexpr int bits_for(index_t points, index_t clouds) noexcept {
    int bits = 1;
    while (bits < max_bits && (clouds << (bits + 1)) <= points) ++bits;
    return bits;
  }

  /// Takes the arrays that must be zero initially.
  template <class Cutter, class Points>
  void take_zeros(Cutter& memory, batch<Points> const& clouds) noexcept {
    bits = bits_for(clouds.points().size(), clouds.size());
    index_t const rows = clouds.size() * cell_count();
    extents = memory.template take<fps_extent<Dim>>(clouds.size());
    cells = memory.template take<std::int32_t>(rows + 1);
    scan.tiles = memory.template take<std::uint64_t>(exclusive_scan_tiles(rows));
    scan.ticket = memory.template take<std::uint32_t>(1);
  }
  template <class Cutter, class Points>
  void take_rest(Cutter& memory, batch<Points> const& clouds) noexcept {
    order = memory.template take<std::uint32_t>(clouds.points().size());
  }
  /// Takes the arrays that are free again once the order exists.
  template <class Cutter, class Points>
  void take_scratch(Cutter& memory, batch<Points> const& clouds) noexcept {
    places = memory.template take<std::uint64_t>(clouds.points().size());
  }
};

template <class Points>
struct cell_order_args {
  batch<Points> clouds;
  cell_order_memory<Points::dim> memory;
};

/// Calls act(i, begin) for each point i of cloud blockIdx.x, which begins at point `begin` of the batch. Warps stay
/// converged: some lanes get an i beyond the cloud.
template <int BlockSize, class Points, class Act>
__device__ void for_each_of_cloud(batch<Points> const& clouds, Act const& act) noexcept {
  index_t const begin = clouds.begin_of(blockIdx.x);
  index_t const size = clouds[blockIdx.x].size();
  index_t const step = index_t{gridDim.y} * BlockSize;
  for (index_t i = index_t{blockIdx.y} * BlockSize; i < size; i += step) act(i + threadIdx.x, begin);
}

/// Grows the extent of each cloud.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_extent_kernel(cell_order_args<Points> const args) {
  constexpr int axes = curve_grid<float, Points::dim>::axes;
  Points const cloud = args.clouds[blockIdx.x];
  // A ragged batch may have many blocks without points: their atomic operations would serialize.
  if (index_t{blockIdx.y} * BlockSize >= cloud.size()) return;
  auto box = bounding_box<float, axes>::empty();
  for_each_of_cloud<BlockSize>(args.clouds, [&](index_t i, index_t) {
    if (i >= cloud.size()) return;
    auto const point = cloud[i];
    if (!is_finite(point)) return;
    vec<float, axes> narrow;
#pragma unroll
    for (int axis = 0; axis < axes; ++axis) narrow[axis] = static_cast<float>(point[axis]);
    box.grow(narrow);
  });
  auto extent = fps_extent<Points::dim>::of(box);
  extent.reduce_over_warp();
  if (cuda_warp::lane() == 0) extent.grow(args.memory.extents[blockIdx.x]);
}

/// Finds the cell of each point, counts the points of each cell, and assigns each point an offset in its cell.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_count_cells_kernel(cell_order_args<Points> const args) {
  auto const& memory = args.memory;
  Points const cloud = args.clouds[blockIdx.x];
  using grid_type = curve_grid<typename Points::scalar, Points::dim>;
  auto const extent = memory.extents[blockIdx.x].get();
  typename grid_type::box box;
#pragma unroll
  for (int axis = 0; axis < grid_type::axes; ++axis) {
    box.low[axis] = extent.low[axis];
    box.high[axis] = extent.high[axis];
  }
  grid_type const grid{box, memory.axis_bits()};
  std::int32_t* const cells = memory.cells + blockIdx.x * memory.cell_count();
  for_each_of_cloud<BlockSize>(args.clouds, [&](index_t i, index_t begin) {
    bool const real = i < cloud.size();
    auto cell = static_cast<std::uint32_t>(memory.cell_count()) - 1;
    if (real) {
      auto const point = cloud[i];
      if (is_finite(point)) cell = grid.key_of(point, hilbert_curve{}, memory.axis_bits()) >> memory.spare_bits();
    }
    // Atomic operations on one counter serialize. If all points of a warp lie in one cell, as equal points do, one lane
    // counts them.
    std::uint32_t const first = cuda_warp::shuffle(cell, 0);
    unsigned const together = cuda_warp::ballot(real && cell == first);
    unsigned place = 0;
    if (together == cuda_warp::ballot(real)) {
      if (cuda_warp::lane() == 0) place = static_cast<unsigned>(atomicAdd(cells + cell, __popc(together)));
      place = cuda_warp::shuffle(place, 0) + static_cast<unsigned>(cuda_warp::lane());
    } else if (real) {
      place = static_cast<unsigned>(atomicAdd(cells + cell, 1));
    }
    if (real) memory.places[begin + i] = static_cast<std::uint64_t>(cell) << 32 | place;
  });
}

/// Writes the index of each point to its position in the order.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_scatter_kernel(cell_order_args<Points> const args) {
  auto const& memory = args.memory;
  index_t const size = args.clouds[blockIdx.x].size();
  std::int32_t const* const cells = memory.cells + blockIdx.x * memory.cell_count();
  for_each_of_cloud<BlockSize>(args.clouds, [&](index_t i, index_t begin) {
    if (i >= size) return;
    std::uint64_t const place = memory.places[begin + i];
    index_t const at = index_t{cells[place >> 32]} - cells[0] + static_cast<std::uint32_t>(place);
    // Clouds that overlap by invalid offsets overwrite each other's cells and offsets: check the bound.
    if (at < size) memory.order[begin + at] = static_cast<std::uint32_t>(i);
  });
}

/// Enqueues the sort: four launches.
template <class Points>
FARPOINT_HIDDEN void fps_enqueue_cell_order(kernel_launcher& launcher, cell_order_args<Points> const& args) noexcept {
  constexpr int block_size = fps_order_block_size;
  auto const& memory = args.memory;
  cudaLaunchConfig_t config = launch_config(static_cast<unsigned>(args.clouds.size()), block_size, launcher.stream());
  // The largest cloud may be anything up to all points: many clouds get few blocks each.
  auto const most = static_cast<unsigned>(larger(index_t{1}, fps_order_max_blocks / args.clouds.size()));
  config.gridDim.y = smaller(blocks_for(args.clouds.largest(), fps_extent_items * block_size, 256), most);
  launcher.launch(fps_extent_kernel<Points, block_size>, config, args);
  config.gridDim.y = smaller(blocks_for(args.clouds.largest(), block_size, 1024), most);
  launcher.launch(fps_count_cells_kernel<Points, block_size>, config, args);
  index_t const rows = args.clouds.size() * memory.cell_count();
  span<std::int32_t> const cells{memory.cells, static_cast<std::size_t>(rows) + 1};
  launcher.then([&] {
    return exclusive_scan({index_span{cells}, rows, args.clouds.points().size(), nullptr, nullptr, memory.scan},
                          launcher.stream());
  });
  launcher.launch(fps_scatter_kernel<Points, block_size>, config, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
