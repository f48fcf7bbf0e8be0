/// @file
/// knn() in screen space on a GPU, the exact search: an index over the points that a z-buffer shows, without a sort of
/// all of them.
///
/// What is near in space is near on the screen, but not the other way round. So tiles of pixels, in Morton order, give
/// the coarse order, and each tile's points are put along a Hilbert curve in space by one block in shared memory: a
/// leaf has neighbours in space where the tile shows something near and something far away, too. Nodes of more than a
/// tile may be long boxes, but there are few of them.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/growing_box.cuh>
#include <farpoint/detail/hilbert_grid.hpp>
#include <farpoint/detail/index_fill.cuh>
#include <farpoint/detail/lookback.cuh>
#include <farpoint/detail/screen_visible.hpp>
#include <farpoint/spatial/morton.hpp>

#include <cub/block/block_radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A chunk is 2^6 x 2^6 pixels of one layer: what a block looks at, and sorts at least, at a time.
inline constexpr int screen_chunk_level = 6;
inline constexpr int screen_index_threads = 512;
inline constexpr int screen_index_items = 8;
inline constexpr std::uint32_t screen_chunk_points = screen_index_threads * screen_index_items;
static_assert(screen_chunk_points == 1u << 2 * screen_chunk_level, "farpoint: a thread has eight pixels of a chunk");
static_assert(screen_index_items == point_index_width, "farpoint: a thread has a leaf");

/// Points that are sorted together begin with a group of leaves of their own.
inline constexpr std::uint32_t screen_group_points = point_index_width * point_index_width;

FARPOINT_HD constexpr std::uint32_t screen_slots(std::uint32_t points) noexcept {
  return (points + (screen_group_points - 1)) / screen_group_points * screen_group_points;
}

/// How an image is divided.
struct screen_tiling {
  int level;            ///< a tile has 2^level x 2^level pixels, of all layers
  std::uint32_t tiles;  ///< of the padded square, in Morton order

  FARPOINT_HD std::uint32_t chunks_of_layer() const noexcept { return 1u << 2 * (level - screen_chunk_level); }

  /// @param points    that can be visible
  /// @param enough    points of a tile, in the mean, that leave nothing to be gained by larger ones
  /// @param parallel  tiles that keep the device busy
  static screen_tiling of(std::int32_t width, std::int32_t height, index_t points, index_t enough,
                          index_t parallel) noexcept {
    int top = screen_chunk_level;
    while (1 << top < width || 1 << top < height) ++top;
    int level = screen_chunk_level;
    auto const tiles = [&] { return index_t{1} << 2 * (top - level); };
    while (tiles() > parallel && (points << 2 * level) < enough * width * height) ++level;
    return {level, static_cast<std::uint32_t>(tiles())};
  }
};

/// Places for points in the index, at most: groups may be filled in part, one for each chunk.
inline index_t most_screen_slots(std::int32_t width, std::int32_t height, int layers, index_t points) noexcept {
  constexpr index_t side = 1 << screen_chunk_level;
  index_t const chunks = (width + side - 1) / side * ((height + side - 1) / side) * layers;
  index_t const slots = points + (screen_group_points - 1) * (points < chunks ? points : chunks);
  return (slots + (screen_group_points - 1)) / screen_group_points * screen_group_points;
}

template <class Points>
struct screen_index_task {
  using scalar = typename Points::scalar;

  batch<Points> clouds;  ///< one
  screen_layers zbuffers;
  screen_tiling tiling;
  point_index_arrays<scalar> index;  ///< of one cloud, whose points have their indices in `clouds`
  std::uint64_t* tiles;              ///< `[tiling.tiles]`, zero
  std::uint32_t* ticket;             ///< zero
};

/// A block that makes leaves of tiles.
template <class Points>
class screen_index_builder {
 public:
  using scalar = typename Points::scalar;

 private:
  static constexpr int threads = screen_index_threads;
  static constexpr int items = screen_index_items;
  static constexpr int cell_bits = 6;  ///< of an axis: 64 cells to the longest side of what is sorted together
  using scan_type = lookback_scan<threads>;
  using sum_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, threads>;
  using sort_type = CUB_NS_QUALIFIER::BlockRadixSort<std::uint32_t, threads, items, std::uint32_t>;

 public:
  struct storage {
    typename scan_type::storage scan;
    union {
      typename sum_type::TempStorage sum;
      typename sort_type::TempStorage sort;
    };
    growing_box<scalar> box;
    std::uint32_t indices[screen_chunk_points];
  };

  __device__ screen_index_builder(screen_index_task<Points> const& task, storage& shared) noexcept
      : task_{task}, shared_{shared}, cloud_{task.clouds[0]} {}

  __device__ void build() noexcept {
    scan_type const scanner{shared_.scan, task_.tiles, task_.ticket};
    std::uint32_t const tiles = task_.tiling.tiles;
    for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
      std::uint32_t const chunks = task_.tiling.chunks_of_layer() * static_cast<std::uint32_t>(task_.zbuffers.size());
      std::uint32_t points = 0;
      std::uint32_t slots_apart = 0;
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        std::uint32_t const count = gather(tile, chunk, points);
        points += count;
        slots_apart += screen_slots(count);
      }
      bool const is_whole = points <= screen_chunk_points;
      std::uint32_t const slots = is_whole ? screen_slots(points) : slots_apart;
      lookback_pair total{};
      scanner.exclusive(lookback_pair::of(threadIdx.x == 0 ? slots : 0, 0), tile, total);
      std::uint32_t begin = total.first() - slots;
      if (is_whole) {
        index(begin, points);
      } else {
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
          std::uint32_t const count = gather(tile, chunk, 0);
          index(begin, count);
          begin += screen_slots(count);
        }
      }
      if (tile + 1 == tiles && threadIdx.x == 0) task_.index.clouds[0] = {0, index_t{total.first()}};
    }
  }

 private:
  /// Notes the indices of what a chunk shows, in the order of its pixels' codes, from place `first` on as long as there
  /// is room; returns how many they are. All threads of the block call it.
  __device__ std::uint32_t gather(std::uint32_t tile, std::uint32_t chunk, std::uint32_t first) noexcept {
    std::uint32_t const in_layer = task_.tiling.chunks_of_layer();
    zbuffer_ref const zbuffer = task_.zbuffers[static_cast<int>(chunk / in_layer)];
    std::uint32_t const code = (tile * in_layer + chunk % in_layer) * screen_chunk_points + threadIdx.x * items;
    std::uint32_t found[items];
    std::uint32_t mine = 0;
    auto const cell = morton_decode_2d(code);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      auto const x = static_cast<std::int32_t>(cell[0]) + (i & 1) + (i >> 1 & 2);
      auto const y = static_cast<std::int32_t>(cell[1]) + (i >> 1 & 1);
      bool const is_inside = x < zbuffer.width() && y < zbuffer.height();
      // A pixel without a point has the index -1, which is no_index.
      found[i] = is_inside ? static_cast<std::uint32_t>(zbuffer.front(zbuffer.pixel_at(x, y)).index) : no_index;
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
      if (at < screen_chunk_points) shared_.indices[at] = found[i];
      ++at;
    }
    __syncthreads();
    return count;
  }

  /// Makes leaves, and their boxes, of the points that are noted. All threads of the block call it.
  __device__ void index(std::uint32_t begin, std::uint32_t points) noexcept {
    if (points == 0) return;
    std::uint32_t order[items];
    sort(points, order);
    std::uint32_t const mine = threadIdx.x * items;
    vec<scalar, 3> p[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      bool const exists = mine + static_cast<std::uint32_t>(i) < points;
      if (exists) p[i] = cloud_[order[i]];
      if (!exists) p[i] = {{infinity<scalar>, infinity<scalar>, infinity<scalar>}};
      if (!exists) order[i] = no_index;
    }
    write(begin + mine, mine < screen_slots(points), p, order);
  }

  /// Puts the points along a curve; a thread has eight that follow one another.
  __device__ void sort(std::uint32_t points, std::uint32_t (&order)[items]) noexcept {
    if (threadIdx.x == 0) shared_.box = {};
    __syncthreads();
    // Every thread takes as many, so that all load.
    std::uint32_t const each = (points + (threads - 1)) / threads;
    std::uint32_t const first = threadIdx.x * each;
    vec<scalar, 3> p[items];
    growing_box<scalar> box{};
#pragma unroll
    for (int i = 0; i < items; ++i) {
      auto const j = static_cast<std::uint32_t>(i);
      order[i] = j < each && first + j < points ? shared_.indices[first + j] : no_index;
      if (order[i] != no_index) p[i] = cloud_[order[i]];
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (order[i] != no_index) box.add(p[i]);
    }
    box.reduce_over_warp();
    if (cuda_warp::lane() == 0) box.grow(shared_.box);
    __syncthreads();
    auto const grid = hilbert_grid<scalar>::over(shared_.box.lowest(), shared_.box.highest(), cell_bits);
    std::uint32_t keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      keys[i] = order[i] == no_index ? 1u << 3 * cell_bits : grid.has_extent() ? grid.code(p[i]) : 0;
    }
    sort_type{shared_.sort}.Sort(keys, order, 0, 3 * cell_bits + 1);
  }

  /// A thread's leaf, and the boxes of leaves and of groups of eight of them.
  __device__ void write(std::uint32_t slot, bool is_mine, vec<scalar, 3> const (&p)[items],
                        std::uint32_t const (&order)[items]) noexcept {
    std::uint32_t const leaf = slot / point_index_width;
    index_box<scalar> box;
    if (is_mine) {
      point_leaf<scalar> made;
#pragma unroll
      for (int i = 0; i < items; ++i) {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) made.axis[axis][i] = p[i][axis];
        made.index[i] = order[i];
        if (order[i] != no_index) box.add(p[i], p[i], order[i]);
      }
      task_.index.leaves[leaf] = made;
      box.write(task_.index.boxes[0][leaf / point_index_width], static_cast<int>(leaf % point_index_width));
    }
    __syncwarp();
    box.join_eight();
    if (!is_mine || leaf % point_index_width != 0 || task_.index.boxes[1] == nullptr) return;
    std::uint32_t const group = leaf / point_index_width;
    box.write(task_.index.boxes[1][group / point_index_width], static_cast<int>(group % point_index_width));
  }

  screen_index_task<Points> const& task_;
  storage& shared_;
  Points cloud_;
};

template <class Points>
__global__ void __launch_bounds__(screen_index_threads, 2) screen_index_kernel(screen_index_task<Points> const task) {
  __shared__ typename screen_index_builder<Points>::storage shared;
  screen_index_builder<Points>{task, shared}.build();
}

inline constexpr int screen_boxes_threads = 1024;

/// The levels above groups of leaves, by one block: a thread for each node of the level below.
template <class Scalar>
__global__ void __launch_bounds__(screen_boxes_threads) screen_boxes_kernel(point_index_arrays<Scalar> const index) {
  index_t nodes = index.clouds[0].size / screen_group_points;
  for (int level = 1; nodes > 1; ++level) {
    index_t const groups = (nodes + (point_index_width - 1)) / point_index_width;
    auto const below = [&index, level](index_t node) -> point_boxes<Scalar>& {
      return index.boxes[level][node / point_index_width];
    };
    for (index_t node = nodes + threadIdx.x; node < groups * point_index_width; node += screen_boxes_threads) {
      index_box<Scalar>{}.write(below(node), static_cast<int>(node % point_index_width));
    }
    // Of all groups but the only one. Whole warps stay together.
    for (index_t first = threadIdx.x - cuda_warp::lane(); groups > 1 && first < nodes; first += screen_boxes_threads) {
      index_t const node = first + cuda_warp::lane();
      int const lane = static_cast<int>(node % point_index_width);
      index_box<Scalar> box;
      if (node < nodes) {
        point_boxes<Scalar> const& from = below(node);
        box.add({{from.low[0][lane], from.low[1][lane], from.low[2][lane]}},
                {{from.high[0][lane], from.high[1][lane], from.high[2][lane]}}, from.lowest[lane]);
      }
      box.join_eight();
      index_t const group = node / point_index_width;
      if (node >= nodes || lane != 0) continue;
      box.write(index.boxes[level + 1][group / point_index_width], static_cast<int>(group % point_index_width));
    }
    __syncthreads();
    nodes = groups;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
