/// @file
/// Sorts the points of a part of an image in shared memory, for the index of the points that a camera sees.
#pragma once

#include <farpoint/detail/screen/index_args.cuh>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/radix_sort_block.cuh>
#include <farpoint/warp/cuda_warp.cuh>

#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts the points of a chunk, or of a tile whose points fit in a chunk. All threads of a block call every function.
template <class Points>
class screen_chunk {
 public:
  using scalar = typename Points::scalar;

 protected:
  static constexpr int threads = screen_index_threads;
  static constexpr int items = screen_index_items;
  static constexpr int cell_bits = 7;  ///< bits per axis of a cell's code: 128 cells along the longest side
  /// Right shift of the bits of a step's squared length as a float. The sum over a chunk then fits in 32 bits.
  static constexpr int step_shift = 12;
  using sum_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, threads>;
  using places_type = CUB_NS_QUALIFIER::BlockScan<screen_places, threads>;
  /// Bits of a point's position in a chunk.
  static constexpr int place_bits = 2 * screen_chunk_level;
  /// Maximum number of points whose coordinates stay in shared memory; `kept` shares the memory of `places`.
  static constexpr std::uint32_t max_kept = sizeof(scalar) == 4 ? 3 * threads : 0;

  struct kept_points {
    scalar axis[3][larger(max_kept, 1u)];
    std::uint32_t index[larger(max_kept, 1u)];  ///< index in the cloud

    __device__ void set(std::uint32_t place, vec<scalar, 3> const& p, std::uint32_t of) noexcept {
#pragma unroll
      for (int k = 0; k < 3; ++k) axis[k][place] = p[k];
      index[place] = of;
    }
    __device__ vec<scalar, 3> at(std::uint32_t place) const noexcept {
      return {{axis[0][place], axis[1][place], axis[2][place]}};
    }
  };

 public:
  struct storage {
    std::uint32_t tile;
    union {
      typename sum_type::TempStorage sum;
      typename places_type::TempStorage place_sums;
      typename radix_block_rank<threads>::TempStorage rank;
      std::uint32_t words[screen_chunk_points];
      std::uint32_t places_of_kept[larger(max_slots_of(max_kept), 1u)];
    };
    atomic_bounding_box<scalar> box;
    std::uint64_t curve[hilbert_table::ways];
    std::uint32_t steps;        ///< number of steps between consecutive points with a length above 0
    std::uint32_t step_length;  ///< sum of the bits of all squared lengths, shifted right by step_shift
    std::uint32_t slots_before;
    union {
      std::uint32_t places[max_slots_of(screen_chunk_points)];
      kept_points kept;
    };
  };

  __device__ screen_chunk(storage& shared, Points const& cloud) noexcept : shared_{shared}, cloud_{cloud} {
    if (threadIdx.x < hilbert_table::ways)
      shared.curve[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  }

 protected:
  /// Sorts the gathered points and returns their number of slots. A slot without a point holds no_index.
  /// @param in_packets  true to leave gaps where the curve jumps, so that the point after a jump begins a packet
  __device__ std::uint32_t arrange(std::uint32_t points, bool in_packets) noexcept {
    if (points == 0) return 0;
    is_kept_ = points <= max_kept;
    if (points <= 2 * threads) return arrange_few<2>(points, in_packets);
    if (points <= 3 * threads) return arrange_few<3>(points, in_packets);
    return arrange_few<8>(points, in_packets);
  }
  /// @tparam Items  maximum number of points of a thread; after the sort they are consecutive
  template <int Items>
  __device__ FARPOINT_ALWAYS_INLINE std::uint32_t arrange_few(std::uint32_t points, bool in_packets) noexcept {
    std::uint32_t order[Items];
    sort<Items>(points, order);
    std::uint32_t* const places = this->places();
    std::uint32_t const mine = threadIdx.x * Items;
#pragma unroll
    for (int i = 0; i < Items; ++i) places[mine + static_cast<std::uint32_t>(i)] = order[i];
    __syncthreads();
    if (!in_packets) return screen_slots(points);
    float steps[Items];
    measure_steps<Items>(points, order, steps);
    std::uint32_t place = 0;
    float jump = 0;
    find_places<Items>(points, steps, place, jump);
    std::uint32_t const slots = max_slots_of(points);
    for (std::uint32_t i = threadIdx.x; i < slots; i += threads) places[i] = no_index;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (order[i] == no_index) continue;
      if (steps[i] > jump) place = next_packet(place);
      places[place++] = order[i];
    }
    __syncthreads();
    return slots;
  }

  /// Sorts the points along a Hilbert curve. A word holds the high bits of a point's code and its position before the
  /// sort.
  /// @param order  set to the entries of the thread's points, see index_of()
  template <int Items>
  __device__ FARPOINT_ALWAYS_INLINE void sort(std::uint32_t points,
                                              std::uint32_t (&order)[std::size_t{Items}]) noexcept {
    constexpr int code_bits = smaller(3 * cell_bits, 32 - place_bits);
    if (threadIdx.x == 0) {
      shared_.box = {};
      shared_.steps = 0;
      shared_.step_length = 0;
    }
    __syncthreads();
    auto const at = [](int i) { return radix_tile<threads>::template place_of<Items>(i); };
    vec<scalar, 3> p[Items];
    std::uint32_t index[Items];
    auto seen = bounding_box<scalar>::empty();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      index[i] = at(i) < points ? shared_.places[at(i)] : no_index;
      if (index[i] != no_index) p[i] = cloud_[index[i]];
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (index[i] != no_index) seen.grow(p[i]);
    }
    auto box = atomic_bounding_box<scalar>::of(seen);
    box.reduce_over_warp();
    if (cuda_warp::lane() == 0) box.grow(shared_.box);
    __syncthreads();
    if (is_kept_) {
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        if (index[i] != no_index) shared_.kept.set(at(i), p[i], index[i]);
      }
    }
    hilbert_table const curve{shared_.curve};
    curve_grid<scalar> const grid{shared_.box.get(), cell_bits};
    std::uint32_t words[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const code = at(i) < points && grid.has_extent() ? grid.key_of(p[i], curve, cell_bits) : 0;
      // Words without a point have the largest code and come last, as the sort is stable.
      words[i] = at(i) < points ? code >> (3 * cell_bits - code_bits) << place_bits | at(i) : ~0u;
    }
    constexpr int end = place_bits + code_bits;
#pragma unroll 1
    for (int bit = place_bits; bit < end; bit += radix_bits) {
      radix_digit const digit{bit, (1u << smaller(radix_bits, end - bit)) - 1};
      int places[Items];
      radix_block_rank<threads>{shared_.rank}.RankKeys(words, places, radix_digit_extractor{digit});
      __syncthreads();
#pragma unroll
      for (int i = 0; i < Items; ++i) shared_.words[places[i]] = words[i];
      __syncthreads();
      if (bit + radix_bits >= end) break;
#pragma unroll
      for (int i = 0; i < Items; ++i) words[i] = shared_.words[at(i)];
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const place = threadIdx.x * Items + static_cast<std::uint32_t>(i);
      std::uint32_t const from = shared_.words[place] & ((1u << place_bits) - 1);
      order[i] = place >= points ? no_index : is_kept_ ? from : shared_.places[from];
    }
    __syncthreads();
  }

  /// Entries of the points in sorted order: indices in the cloud, or positions in `kept` if points are kept.
  __device__ std::uint32_t* places() const noexcept {
    return is_kept_ ? shared_.places_of_kept : shared_.places;
  }
  /// Returns the index in the cloud of the point with this entry.
  __device__ std::uint32_t index_of(std::uint32_t one) const noexcept {
    return is_kept_ ? shared_.kept.index[one] : one;
  }
  __device__ vec<scalar, 3> point_of(std::uint32_t one) const noexcept {
    return is_kept_ ? shared_.kept.at(one) : cloud_[one];
  }

  /// Computes the squared lengths of the steps to the thread's points from their predecessors, 0 for the first point,
  /// and adds them up for their mean.
  template <int Items>
  __device__ FARPOINT_ALWAYS_INLINE void measure_steps(std::uint32_t points,
                                                       std::uint32_t const (&order)[std::size_t{Items}],
                                                       float (&steps)[std::size_t{Items}]) noexcept {
    std::uint32_t const mine = threadIdx.x * Items;
    vec<scalar, 3> p[Items + 1];
    p[0] = mine < points ? point_of(places()[mine > 0 ? mine - 1 : 0]) : vec<scalar, 3>{};
#pragma unroll
    for (int i = 0; i < Items; ++i) p[i + 1] = order[i] == no_index ? p[i] : point_of(order[i]);
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

  /// Finds where the thread's first point goes unless it begins a packet.
  /// @param jump  set to the squared length above which a step is a jump
  template <int Items>
  __device__ FARPOINT_ALWAYS_INLINE void find_places(std::uint32_t points, float const (&steps)[std::size_t{Items}],
                                                     std::uint32_t& place, float& jump) noexcept {
    std::uint32_t const count = shared_.steps;
    // The bits of a float are nearly its logarithm, so their mean is a geometric mean, which a few jumps hardly change.
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
      places_type{shared_.place_sums}.ExclusiveScan(
          mine, before, screen_places{}, [](screen_places const& a, screen_places const& b) { return a.then(b); }, all);
      __syncthreads();
      place = before.end();
      if (all.end() <= max_slots_of(points)) return;
      // Too many jumps for the slots: accept only larger ones, and finally no jumps.
      times = times < screen_max_to_jump ? times * 4 : infinity<float>;
    }
  }

  storage& shared_;
  Points cloud_;

 private:
  bool is_kept_ = false;  ///< whether entries are positions in `kept`
};

}  // namespace detail
FARPOINT_END_NAMESPACE
