/// @file
/// knn() in screen space on a GPU, the exact search: an index over the points that a z-buffer shows, without a sort of
/// all of them.
///
/// What is near in space is near on the screen, but not the other way round. So tiles of pixels, in Morton order, give
/// the coarse order, and one block sorts each tile's points along a Hilbert curve in space, in shared memory: a leaf
/// holds neighbours in space even where the tile shows near and far surfaces. Nodes of more than a tile may have long
/// boxes, but there are few of them.
#pragma once

#include <farpoint/detail/screen/index_args.cuh>
#include <farpoint/detail/screen/upper_boxes.cuh>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/geometry/morton.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/tuning/screen.hpp>

#include <cub/block/block_radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A block that makes leaves of tiles.
template <class Points>
class screen_index_builder {
 public:
  using scalar = typename Points::scalar;

 private:
  static constexpr int threads = screen_index_threads;
  static constexpr int items = screen_index_items;
  static constexpr int cell_bits = 7;  ///< of an axis: 128 cells to the longest side of what is sorted together
  /// Of the bits of a step's length as a float, so that the sum of a chunk's fits in 32.
  static constexpr int step_shift = 12;
  using scan_type = lookback_scan<threads>;
  using sum_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, threads>;
  using places_type = CUB_NS_QUALIFIER::BlockScan<screen_places, threads>;
  template <int Items>
  using sort_type = CUB_NS_QUALIFIER::BlockRadixSort<std::uint32_t, threads, Items, std::uint32_t>;

 public:
  struct storage {
    typename scan_type::storage scan;
    union {
      typename sum_type::TempStorage sum;
      typename places_type::TempStorage places;
      typename sort_type<2>::TempStorage sort_2;
      typename sort_type<4>::TempStorage sort_4;
      typename sort_type<8>::TempStorage sort_8;
    };
    atomic_bounding_box<scalar> box;
    std::uint64_t curve[hilbert_table::ways];
    std::uint32_t steps;        ///< from one point to the next: how many have a length,
    std::uint32_t step_length;  ///< and the sum of their logarithms, nearly
    std::uint32_t indices[most_slots_of(screen_chunk_points)];
  };

  __device__ screen_index_builder(screen_index_args<Points> const& args, storage& shared) noexcept
      : args_{args}, shared_{shared}, cloud_{args.clouds[0]} {
    if (threadIdx.x < hilbert_table::ways)
      shared.curve[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  }

  __device__ void build() noexcept {
    scan_type const scanner{shared_.scan, args_.tiles, args_.ticket};
    std::uint32_t const tiles = args_.tiling.tiles;
    for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
      std::uint32_t const chunks = args_.tiling.chunks_of_layer() * static_cast<std::uint32_t>(args_.layers);
      std::uint32_t points = 0;
      std::uint32_t slots_apart = 0;
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        std::uint32_t const count = gather(tile, chunk, points);
        points += count;
        slots_apart += screen_slots(count);
      }
      bool const is_whole = points <= screen_chunk_points;
      std::uint32_t const slots = is_whole ? arrange(points, true) : slots_apart;
      lookback_pair total{};
      scanner.exclusive(lookback_pair::of(threadIdx.x == 0 ? slots : 0, 0), tile, total);
      std::uint32_t begin = total.first() - slots;
      if (is_whole) write(begin, slots);
      for (std::uint32_t chunk = 0; !is_whole && chunk < chunks; ++chunk) {
        std::uint32_t const mine = arrange(gather(tile, chunk, 0), false);
        write(begin, mine);
        begin += mine;
      }
      if (tile + 1 == tiles && threadIdx.x == 0) args_.index.clouds[0] = {0, index_t{total.first()}};
    }
  }

 private:
  /// Notes the indices of what a chunk shows, in the order of its pixels' codes, from place `first` on as long as there
  /// is room; returns how many they are. All threads of the block call it.
  __device__ std::uint32_t gather(std::uint32_t tile, std::uint32_t chunk, std::uint32_t first) noexcept {
    std::uint32_t const in_layer = args_.tiling.chunks_of_layer();
    index_t const layer = index_t{chunk / in_layer} * zbuffer_ref::words(args_.width, args_.height);
    std::uint32_t const code = (tile * in_layer + chunk % in_layer) * screen_chunk_points + threadIdx.x * items;
    std::uint32_t found[items];
    std::uint32_t mine = 0;
    auto const cell = morton_decode_2d(code);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      auto const x = static_cast<std::int32_t>(cell[0]) + (i & 1) + (i >> 1 & 2);
      auto const y = static_cast<std::int32_t>(cell[1]) + (i >> 1 & 1);
      bool const is_inside = x < args_.width && y < args_.height;
      // The low half of a word is the index; where it is clear, no_index.
      found[i] = is_inside ? static_cast<std::uint32_t>(args_.words[layer + index_t{y} * args_.width + x]) : no_index;
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

  /// Puts the noted points in order, with no_index in places without one; returns the number of places. All threads of
  /// the block call it.
  /// @param in_packets  with gaps where the curve jumps
  __device__ std::uint32_t arrange(std::uint32_t points, bool in_packets) noexcept {
    if (points == 0) return 0;
    if (points <= 2 * threads) return arrange_few<2>(points, in_packets, shared_.sort_2);
    if (points <= 4 * threads) return arrange_few<4>(points, in_packets, shared_.sort_4);
    return arrange_few<8>(points, in_packets, shared_.sort_8);
  }
  /// @tparam Items  points of a thread at most: in the end those that follow one another
  template <int Items>
  __device__ std::uint32_t arrange_few(std::uint32_t points, bool in_packets,
                                       typename sort_type<Items>::TempStorage& shared_sort) noexcept {
    std::uint32_t order[Items];
    sort(points, order, shared_sort);
    std::uint32_t const mine = threadIdx.x * Items;
#pragma unroll
    for (int i = 0; i < Items; ++i) shared_.indices[mine + static_cast<std::uint32_t>(i)] = order[i];
    __syncthreads();
    if (!in_packets) return screen_slots(points);
    float steps[Items];
    measure_steps(points, order, steps);
    std::uint32_t place = 0;
    float jump = 0;
    std::uint32_t const slots = find_places(points, steps, place, jump);
    for (std::uint32_t i = threadIdx.x; i < slots; i += threads) shared_.indices[i] = no_index;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (order[i] == no_index) continue;
      if (steps[i] > jump) place = next_packet(place);
      shared_.indices[place++] = order[i];
    }
    __syncthreads();
    return slots;
  }

  /// Puts the points along a curve.
  template <int Items>
  __device__ void sort(std::uint32_t points, std::uint32_t (&order)[Items],
                       typename sort_type<Items>::TempStorage& shared_sort) noexcept {
    if (threadIdx.x == 0) {
      shared_.box = {};
      shared_.steps = 0;
      shared_.step_length = 0;
    }
    __syncthreads();
    // Every thread takes as many, so that all load.
    std::uint32_t const each = (points + (threads - 1)) / threads;
    std::uint32_t const first = threadIdx.x * each;
    vec<scalar, 3> p[Items];
    auto seen = bounding_box<scalar>::empty();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      auto const j = static_cast<std::uint32_t>(i);
      order[i] = j < each && first + j < points ? shared_.indices[first + j] : no_index;
      if (order[i] != no_index) p[i] = cloud_[order[i]];
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (order[i] != no_index) seen.grow(p[i]);
    }
    auto box = atomic_bounding_box<scalar>::of(seen);
    box.reduce_over_warp();
    if (cuda_warp::lane() == 0) box.grow(shared_.box);
    __syncthreads();
    hilbert_table const curve{shared_.curve};
    curve_grid<scalar> const grid{shared_.box.get(), cell_bits};
    std::uint32_t keys[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      keys[i] = order[i] == no_index ? 1u << 3 * cell_bits
                : grid.has_extent()  ? grid.key_of(p[i], curve, cell_bits)
                                     : 0;
    }
    sort_type<Items>{shared_sort}.Sort(keys, order, 0, 3 * cell_bits + 1);
    __syncthreads();
  }

  /// Squared lengths of the steps to the thread's points from those before them, 0 to the first of all; and what their
  /// mean is made of.
  template <int Items>
  __device__ void measure_steps(std::uint32_t points, std::uint32_t const (&order)[Items],
                                float (&steps)[Items]) noexcept {
    std::uint32_t const mine = threadIdx.x * Items;
    vec<scalar, 3> p[Items + 1];
    p[0] = mine < points ? cloud_[shared_.indices[mine > 0 ? mine - 1 : 0]] : vec<scalar, 3>{};
#pragma unroll
    for (int i = 0; i < Items; ++i) p[i + 1] = order[i] == no_index ? p[i] : cloud_[order[i]];
    std::uint32_t count = 0;
    std::uint32_t length = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      steps[i] = static_cast<float>(distance2(p[i + 1], p[i]));
      count += steps[i] > 0 ? 1 : 0;
      length += __float_as_uint(steps[i]) >> step_shift;
    }
    count = cuda_warp::sum(count);
    length = cuda_warp::sum(length);
    if (cuda_warp::lane() == 0) {
      atomicAdd(&shared_.steps, count);
      atomicAdd(&shared_.step_length, length);
    }
    __syncthreads();
  }

  /// Where the thread's first point goes unless it begins a packet, and the squared length of a step that is a jump.
  /// Returns the places of all points.
  template <int Items>
  __device__ std::uint32_t find_places(std::uint32_t points, float const (&steps)[Items], std::uint32_t& place,
                                       float& jump) noexcept {
    std::uint32_t const count = shared_.steps;
    // The bits of floats are nearly their logarithms, so that a few jumps hardly change the mean.
    float const usual = __uint_as_float(count == 0 ? 0 : shared_.step_length / count << step_shift);
    float times = screen_usual_to_jump;
    while (true) {
      jump = times * usual;
      screen_places mine;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        if (threadIdx.x * Items + static_cast<std::uint32_t>(i) < points) {
          mine = mine.then(screen_places::of_point(steps[i] > jump));
        }
      }
      screen_places before;
      screen_places all;
      places_type{shared_.places}.ExclusiveScan(
          mine, before, screen_places{}, [](screen_places const& a, screen_places const& b) { return a.then(b); }, all);
      __syncthreads();
      place = before.end();
      std::uint32_t const slots = screen_slots(all.end());
      if (slots <= most_slots_of(points)) return slots;
      // Too many jumps: take only larger ones, and in the end none.
      times = times < screen_most_to_jump ? times * 4 : infinity<float>;
    }
  }

  /// Makes leaves and boxes of the arranged points, a thread per leaf. All threads of the block call it.
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
      std::uint32_t const index = shared_.indices[place + static_cast<std::uint32_t>(i)];
      vec<scalar, 3> p = {{infinity<scalar>, infinity<scalar>, infinity<scalar>}};
      if (index != no_index) p = cloud_[index];
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) leaf.axis[axis][i] = p[axis];
      leaf.index[i] = index;
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (leaf.index[i] != no_index) box.grow(leaf.at(i), leaf.index[i]);
    }
    to = leaf;
    return box;
  }

  screen_index_args<Points> const& args_;
  storage& shared_;
  Points cloud_;
};

/// Blocks that a multiprocessor should hold.
template <class Points>
constexpr int screen_index_blocks() noexcept {
  return smaller(2, blocks_that_fit(screen_index_threads, sizeof(typename screen_index_builder<Points>::storage)));
}

template <class Points>
__global__ void __launch_bounds__(screen_index_threads, screen_index_blocks<Points>())
    screen_index_kernel(screen_index_args<Points> const args) {
  __shared__ typename screen_index_builder<Points>::storage shared;
  screen_index_builder<Points>{args, shared}.build();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
