/// @file
/// Kernels that build a quadtree from a z-buffer.
#pragma once

#include <farpoint/detail/screen/rounds/quadtree_build.hpp>
#include <farpoint/detail/screen/visible_points.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/tuning/screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// @tparam Image  zbuffer_ref, or a type with its functions
template <class Image>
struct quadtree_args {
  Image image;
  quadtree_layout layout;
  quadtree_arrays arrays;
  std::int32_t const* labels;  ///< by index of a point: its index in the tree; null: its own index
  std::uint64_t* tiles;        ///< `[quadtree_blocks()]`, zero-initialized
  std::uint32_t* ticket;       ///< zero-initialized
};

/// Number of blocks of pixels in the padded square.
FARPOINT_HD inline std::uint32_t quadtree_blocks(quadtree_layout const& layout) noexcept {
  int const above = layout.top() - quadtree_block_level;
  return above <= 0 ? 1u : 1u << 2 * above;
}

FARPOINT_HD inline zbuffer_point front_of(zbuffer_ref const& zbuffer, std::int32_t x, std::int32_t y) noexcept {
  return zbuffer.front(zbuffer.pixel_at(x, y));
}
FARPOINT_HD inline zbuffer_point front_of(screen_cells const& cells, std::int32_t x, std::int32_t y) noexcept {
  return cells.front(x, y);
}

/// Sums over the pixels of a square.
struct quadtree_part {
  std::uint32_t count;
  quadtree_depths depths;

  __device__ static quadtree_part none() noexcept { return {0, empty_record().depths}; }
  __device__ quadtree_part with(quadtree_part const& other) const noexcept {
    return {count + other.count, join(depths, other.depths)};
  }
  /// The sum with the lanes whose number differs in this bit.
  __device__ quadtree_part with_lane(int bit) const noexcept {
    return with({__shfl_xor_sync(~0u, count, bit),
                 {__shfl_xor_sync(~0u, depths.low, bit), __shfl_xor_sync(~0u, depths.high, bit)}});
  }
};

/// Square of 2 x 2 pixels that a thread handles; their codes are consecutive.
struct quadtree_quad {
  std::uint32_t code;       ///< code of the first pixel
  std::uint32_t mask;       ///< a bit for each occupied pixel
  zbuffer_point points[4];  ///< points of the occupied pixels

  template <class Image>
  __device__ quadtree_quad(Image const& image, std::uint32_t first) noexcept : code{first}, mask{0} {
    auto const cell = morton_decode_2d(first);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      auto const x = static_cast<std::int32_t>(cell[0]) + (i & 1);
      auto const y = static_cast<std::int32_t>(cell[1]) + (i >> 1);
      bool const is_inside = x < image.width() && y < image.height();
      points[i] = is_inside ? front_of(image, x, y) : zbuffer_point{};
      mask |= points[i].exists() ? 1u << i : 0u;
    }
  }

  __device__ quadtree_part part() const noexcept {
    quadtree_part sum = quadtree_part::none();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((mask >> i & 1u) != 0) sum = sum.with({1, {points[i].depth, points[i].depth}});
    }
    return sum;
  }
};

/// Writes the record of the node of `level` whose first square is that thread's.
template <class Image>
__device__ inline void write_node(quadtree_args<Image> const& args, int level, std::uint32_t block, unsigned thread,
                                  quadtree_record const& record) noexcept {
  std::uint32_t const code = (block << 2 * (quadtree_block_level - level)) + (thread >> 2 * (level - 1));
  // A small tree ends within the block.
  if (level > args.layout.top() || code >> 2 * (args.layout.top() - level) != 0) return;
  args.arrays.records[args.layout.record_at({code, level})] = record;
}

/// Counts, starts and depths of the nodes up to a block's, and the packed points: the sums over blocks before come from
/// a look-back in Morton order, so that no top-down pass is needed.
template <class Image>
__global__ void __launch_bounds__(quadtree_block_size) quadtree_pack_kernel(quadtree_args<Image> const args) {
  using scan = lookback_scan<quadtree_block_size>;
  __shared__ typename scan::storage storage;
  __shared__ quadtree_part parts[scan::warps];
  __shared__ std::uint32_t firsts[scan::warps];
  static_assert(scan::warps == 8, "farpoint: a node of level 4 takes two warps");
  unsigned const thread = threadIdx.x;
  unsigned const warp = thread / cuda_warp::lanes;
  std::uint32_t const blocks = quadtree_blocks(args.layout);
  scan const scanner{storage, args.tiles, args.ticket};
  for (std::uint32_t block = scanner.take(); block < blocks; block = scanner.take()) {
    quadtree_quad const quad{args.image, block * (4 * quadtree_block_size) + 4 * thread};
    quadtree_part part = quad.part();
    lookback_pair total{};
    std::uint32_t const first = scanner.exclusive(lookback_pair::of(part.count, 0), block, total).first();

    std::uint32_t position = first;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((quad.mask >> i & 1u) == 0) continue;
      zbuffer_point const& point = quad.points[i];
      if (index_t{position} < args.layout.capacity()) {
        args.arrays.pixels[position] = quad.code + static_cast<std::uint32_t>(i);
        args.arrays.indices[position] =
            static_cast<std::uint32_t>(args.labels == nullptr ? point.index : args.labels[point.index]);
        args.arrays.depths[position] = point.depth;
      }
      ++position;
    }

    std::uint32_t members = quad.mask << 4 * (thread % 4);
    members |= __shfl_xor_sync(~0u, members, 1);
    members |= __shfl_xor_sync(~0u, members, 2);
    part = part.with_lane(1).with_lane(2);
    if (thread % 4 == 0) write_node(args, quadtree_tile_level, block, thread, {first, members, part.depths});
    part = part.with_lane(4).with_lane(8);
    if (thread % 16 == 0) write_node(args, 3, block, thread, {first, part.count, part.depths});
    part = part.with_lane(16);
    if (cuda_warp::lane() == 0) {
      parts[warp] = part;
      firsts[warp] = first;
    }
    __syncthreads();
    if (thread < 4) {
      quadtree_part const both = parts[2 * thread].with(parts[2 * thread + 1]);
      write_node(args, 4, block, 64 * thread, {firsts[2 * thread], both.count, both.depths});
    }
    if (thread == cuda_warp::lanes) {
      quadtree_part all = parts[0];
      for (int w = 1; w < scan::warps; ++w) all = all.with(parts[w]);
      write_node(args, quadtree_block_level, block, 0, {firsts[0], all.count, all.depths});
    }
    // No hazard to the next block: no thread writes `parts` before the barriers of the next take().
  }
  // Three records before the root's belong to no node.
  if (blockIdx.x == 0 && thread < 3) args.arrays.records[thread] = empty_record();
}

struct quadtree_upper_args {
  quadtree_layout layout;
  quadtree_arrays arrays;
};

/// Sums up the nodes above the blocks' nodes, level after level, in one block.
static __global__ void __launch_bounds__(quadtree_upper_block_size)
    quadtree_upper_kernel(quadtree_upper_args const args) {
  quadtree_layout const& layout = args.layout;
  for (int level = quadtree_block_level + 1; level <= layout.top(); ++level) {
    quadtree_record* const records = args.arrays.records + layout.record_at({0, level});
    quadtree_record const* const below = args.arrays.records + layout.record_at({0, level - 1});
    std::uint32_t const nodes = 1u << 2 * (layout.top() - level);
    for (std::uint32_t code = threadIdx.x; code < nodes; code += quadtree_upper_block_size) {
      quadtree_record record = sum_of_children(below + 4 * code, level);
      record.first = below[4 * code].first;
      records[code] = record;
    }
    __syncthreads();
  }
}

/// @param args  counters are cleared by work that is enqueued before
template <class Image>
void launch_quadtree(kernel_launcher& launcher, quadtree_args<Image> const& args,
                     int blocks_per_multiprocessor) noexcept {
  index_t const threads = index_t{quadtree_blocks(args.layout)} * quadtree_block_size;
  launcher.launch(quadtree_pack_kernel<Image>, launcher.blocks(threads, quadtree_block_size, blocks_per_multiprocessor),
                  quadtree_block_size, args);
  if (args.layout.top() <= quadtree_block_level) return;
  launcher.launch(quadtree_upper_kernel, 1, quadtree_upper_block_size, {args.layout, args.arrays});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
