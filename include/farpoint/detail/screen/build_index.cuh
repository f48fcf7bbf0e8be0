/// @file
/// knn() in screen space on a GPU, the exact search: builds an index over the points that a z-buffer shows, without a
/// sort of the whole cloud.
///
/// Points that are near in space are near on the screen, but not conversely. So tiles of pixels, in Morton order, give
/// the coarse order, and one block sorts the points of each tile along a Hilbert curve in space, in shared memory. A
/// leaf then holds neighbors in space even where the tile shows near and far surfaces. Nodes larger than a tile may
/// have long boxes, but they are few.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/detail/screen/chunk_order.cuh>
#include <farpoint/detail/screen/upper_boxes.cuh>
#include <farpoint/geometry/morton.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/tuning/screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Builds the leaves of tiles; one object per block.
template <class Points>
class screen_index_builder : screen_chunk<Points> {
  using chunk_type = screen_chunk<Points>;
  using chunk_type::cloud_;
  using chunk_type::items;
  using chunk_type::shared_;
  using chunk_type::threads;
  using typename chunk_type::sum_type;

 public:
  using typename chunk_type::scalar;
  using typename chunk_type::storage;

  __device__ screen_index_builder(screen_index_args<Points> const& args, storage& shared) noexcept
      : chunk_type{shared, args.clouds[0]}, args_{args} {}

  /// Builds tiles until the last is taken. Blocks take tiles in ascending order while they run.
  ///
  /// A block publishes a tile's number of slots before it sorts the tile's points. So no block waits for another
  /// block's sort to learn the first slot of its own tile.
  __device__ FARPOINT_ALWAYS_INLINE void build() noexcept {
    std::uint32_t const tiles = args_.tiling.tiles;
    for (std::uint32_t tile = take(); tile < tiles; tile = gridDim.x < tiles ? take() : tiles) {
      std::uint32_t const chunks = args_.tiling.chunks_of_layer() * static_cast<std::uint32_t>(args_.images.size());
      std::uint32_t points = 0;
      std::uint32_t slots_apart = 0;
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        std::uint32_t const count = gather(tile, chunk, points);
        points += count;
        slots_apart += screen_slots(count);
      }
      bool const is_whole = points <= screen_chunk_points;
      std::uint32_t const slots = is_whole ? max_slots_of(points) : slots_apart;
      if (threadIdx.x == 0) tell(tile, slots);
      std::uint32_t begin = 0;
      for (std::uint32_t part = 0; part < (is_whole ? 1 : chunks); ++part) {
        if (!is_whole) points = gather(tile, part, 0);
        std::uint32_t const mine = this->arrange(points, is_whole);
        if (part == 0 && (slots > 0 || tells_begin(tile))) {
          begin = slots_before(tile);
          if (threadIdx.x == 0 && tile % threads == 0) tell(tile, slots, begin);
          if (threadIdx.x == 0 && tile + 1 == tiles) args_.index.clouds[0] = {0, index_t{begin} + slots};
        }
        write(begin, mine);
        begin += mine;
      }
      if (args_.tiles_done != nullptr && was_last()) upper_box_builder<scalar>{args_.index}.fill_by_block();
    }
  }

 private:
  // States of a tile's word in index_tiles, in its two high bits: zero, slots published, first slot published too.
  // Tiles reach has_begin at multiples of the block size only. The low 31 bits hold the number of slots, the next 31
  // bits the first slot.
  static constexpr std::uint64_t has_slots = std::uint64_t{1} << 62;
  static constexpr std::uint64_t has_begin = std::uint64_t{2} << 62;

  /// Publishes a tile's number of slots, and for the first tile its first slot.
  __device__ void tell(std::uint32_t tile, std::uint32_t slots) const noexcept {
    if (tile == 0) return tell(tile, slots, 0);
    atomic_store(&args_.index_tiles[tile], has_slots | slots);
  }
  __device__ void tell(std::uint32_t tile, std::uint32_t slots, std::uint32_t begin) const noexcept {
    atomic_store(&args_.index_tiles[tile], has_begin | std::uint64_t{begin} << 31 | slots);
  }

  /// True if the first slot of a tile is needed even if the tile has no points.
  __device__ bool tells_begin(std::uint32_t tile) const noexcept {
    return tile % threads == 0 || tile + 1 == args_.tiling.tiles;
  }

  __device__ std::uint32_t take() noexcept { return next_of(args_.ticket); }
  /// Returns true in the block that finishes the last tile. The fences make the boxes of all tiles visible to it. All
  /// threads of the block call it.
  __device__ bool was_last() noexcept {
    __threadfence();
    bool const is_last = next_of(args_.tiles_done) + 1 == args_.tiling.tiles;
    if (is_last) __threadfence();
    return is_last;
  }
  __device__ std::uint32_t next_of(std::uint32_t* counter) noexcept {
    __syncthreads();
    if (threadIdx.x == 0) {
      shared_.tile = atomicAdd(counter, 1u);
      // Reset between the two barriers: for a tile outside the image, no other barrier precedes slots_before().
      shared_.slots_before = 0;
    }
    __syncthreads();
    return shared_.tile;
  }
  /// Returns the number of slots of all tiles before `tile`. Spins until the tiles that it reads are published.
  __device__ std::uint32_t slots_before(std::uint32_t tile) noexcept {
    constexpr std::uint32_t low = (1u << 31) - 1;
    std::uint32_t const first = tile == 0 ? 0 : (tile - 1) / threads * threads;
    std::uint32_t mine = 0;
    if (first + threadIdx.x < tile) {
      std::uint64_t const wanted = threadIdx.x == 0 ? has_begin : has_slots;
      std::uint64_t word = 0;
      while (word < wanted) word = atomic_load(&args_.index_tiles[first + threadIdx.x]);
      mine = static_cast<std::uint32_t>(word) & low;
      if (threadIdx.x == 0) mine += static_cast<std::uint32_t>(word >> 31) & low;
    }
    mine = cuda_warp::sum(mine);
    if (cuda_warp::lane() == 0 && mine != 0) atomicAdd(&shared_.slots_before, mine);
    __syncthreads();
    return shared_.slots_before;
  }

  /// Collects the indices of the points that a chunk shows, in Morton order of their pixels, and returns their number.
  /// All threads of the block call it.
  /// @param first  position of the first index in `places`; indices that do not fit are counted only
  __device__ std::uint32_t gather(std::uint32_t tile, std::uint32_t chunk, std::uint32_t first) noexcept {
    std::uint32_t const in_layer = args_.tiling.chunks_of_layer();
    index_t const layer = index_t{chunk / in_layer} * zbuffer_ref::words(args_.width, args_.height);
    std::uint32_t const corner = (tile * in_layer + chunk % in_layer) * screen_chunk_points;
    auto const first_cell = morton_decode_2d(corner);
    if (!is_in_image(first_cell[0], first_cell[1])) return 0;
    auto const cell = morton_decode_2d(corner + threadIdx.x * items);
    std::uint32_t found[items];
    std::uint32_t mine = 0;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      std::uint32_t const x = cell[0] + (i & 1) + (i >> 1 & 2);
      std::uint32_t const y = cell[1] + (i >> 1 & 1);
      // The low half of a word is the point's index; in a clear word it is no_index.
      found[i] = is_in_image(x, y)
                     ? static_cast<std::uint32_t>(args_.points.words[layer + index_t{y} * args_.width + x])
                     : no_index;
      mine += found[i] != no_index ? 1 : 0;
    }
    std::uint32_t before = 0;
    std::uint32_t count = 0;
    __syncthreads();
    sum_type{shared_.sum}.ExclusiveSum(mine, before, count);
    std::uint32_t at = first + before;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (found[i] == no_index) continue;
      if (at < screen_chunk_points) shared_.places[at] = found[i];
      ++at;
    }
    __syncthreads();
    return count;
  }

  __device__ bool is_in_image(std::uint32_t x, std::uint32_t y) const noexcept {
    return x < static_cast<std::uint32_t>(args_.width) && y < static_cast<std::uint32_t>(args_.height);
  }

  /// Writes leaves and boxes of the sorted points, one leaf per thread. All threads of the block call it.
  __device__ void write(std::uint32_t begin, std::uint32_t slots) noexcept {
    std::uint32_t const leaves = slots / point_bvh_width;
    for (std::uint32_t first = 0; first < leaves; first += threads) {
      std::uint32_t const mine = first + threadIdx.x;
      bvh_box<scalar> box;
      std::uint32_t const leaf = begin / point_bvh_width + mine;
      if (mine < leaves) {
        box = make_leaf(mine * items, args_.index.leaves[leaf]);
        box.write(args_.index.boxes[0][leaf / point_bvh_width], static_cast<int>(leaf % point_bvh_width));
      }
      __syncwarp();
      join_over_lanes<1, point_bvh_width>(box);
      if (mine >= leaves || leaf % point_bvh_width != 0 || args_.index.boxes[1] == nullptr) continue;
      std::uint32_t const group = leaf / point_bvh_width;
      box.write(args_.index.boxes[1][group / point_bvh_width], static_cast<int>(group % point_bvh_width));
    }
  }
  __device__ bvh_box<scalar> make_leaf(std::uint32_t place, point_leaf<scalar>& to) const noexcept {
    point_leaf<scalar> leaf;
    bvh_box<scalar> box;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      std::uint32_t const one = this->places()[place + static_cast<std::uint32_t>(i)];
      vec<scalar, 3> p = {{infinity<scalar>, infinity<scalar>, infinity<scalar>}};
      if (one != no_index) p = this->point_of(one);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) leaf.axis[axis][i] = p[axis];
      leaf.index[i] = one != no_index ? this->index_of(one) : no_index;
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (leaf.index[i] != no_index) box.grow(leaf.at(i), leaf.index[i]);
    }
    to = leaf;
    return box;
  }

  screen_index_args<Points> const& args_;
};

/// Number of blocks that a multiprocessor should hold.
template <class Points>
constexpr int screen_index_blocks() noexcept {
  return smaller(2, blocks_that_fit(screen_index_threads, sizeof(typename screen_index_builder<Points>::storage)));
}

/// Builds the index. A block without further tiles numbers visible points at the same time: neither work fills the
/// device alone.
template <class Points>
__global__ void __launch_bounds__(screen_index_threads, screen_index_blocks<Points>())
    screen_index_kernel(screen_index_args<Points> const args) {
  using builder = screen_index_builder<Points>;
  using numbering = screen_numbering<Points, screen_index_threads>;
  __shared__ typename builder::storage shared;
  __shared__ typename numbering::storage number_shared;
  builder{args, shared}.build();
  numbering{args, number_shared}.run();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
