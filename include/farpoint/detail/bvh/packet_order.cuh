/// @file
/// Order in which warps search for the neighbors of an index's own points.
#pragma once

#include <farpoint/detail/bvh/build_args.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts packets by decreasing spread: the diagonal of the box around the 32 points that a warp searches for together.
///
/// Where the space-filling curve jumps, a search takes up to seven times as long as most. If it began last, it would
/// run on alone. Packets of equal spread stay roughly in the order of the curve, so neighbors search at the same time.
/// The order changes no result.
///
/// Spreads are compared by the binary exponent of the squared diagonal. Two neighboring exponents that hold at least
/// 15/16 of the packets count as one. Spreads are recorded in the phase that fills leaves, and packets are sorted in
/// the next phase, so the order adds no phase. All threads of a block call every function except note().
template <int Threads>
class bvh_packet_order {
 public:
  struct storage {
    std::uint32_t counts[bvh_spreads];
    std::uint32_t begins[bvh_spreads];
    int merged;  ///< spread that counts as the spread before it; 0 if no two are merged
  };

  __device__ bvh_packet_order(std::uint32_t* order, std::uint8_t* spreads, bvh_build_state* state,
                              storage& shared) noexcept
      : order_{order}, spreads_{spreads}, state_{state}, shared_{shared} {}

  /// Clears the block's counts, before the phase in which spreads are recorded.
  __device__ void start() const noexcept {
    if (order_ == nullptr) return;
    clear_counts();
    __syncthreads();
  }
  /// Records a packet's spread.
  /// @param extent2  squared diagonal of the box around the packet's points
  __device__ void note(index_t packet, float extent2) const noexcept {
    // The largest exponent becomes the lowest number.
    std::uint32_t const spread = bvh_spreads - 1 - (__float_as_uint(extent2) >> 23) % bvh_spreads;
    spreads_[packet] = static_cast<std::uint8_t>(spread);
    atomicAdd(&shared_.counts[spread], 1u);
  }
  /// Adds the block's counts to the grid's, at the end of that phase or several times during it.
  __device__ void add_counts() const noexcept {
    if (order_ == nullptr) return;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < bvh_spreads; i += Threads) {
      if (shared_.counts[i] != 0) atomicAdd(&state_->spreads[i], shared_.counts[i]);
    }
    __syncthreads();
    clear_counts();
    __syncthreads();
  }

  /// Sorts a share of the packets, in the next phase.
  /// @param packets  number of packets whose spread is recorded
  /// @param most     number of entries of the order; entry i >= packets becomes i
  __device__ void sort(std::uint32_t packets, std::uint32_t most, bvh_share<Threads> const& share) const noexcept {
    if (order_ == nullptr) return;
    auto const part = share.part_of(most);
    for (std::uint32_t first = part.begin; first < part.end; first += items * Threads) {
      auto const place_of = [&](int item) { return first + static_cast<std::uint32_t>(item) * Threads + threadIdx.x; };
      auto const is_packet = [&](int item) { return place_of(item) < part.end && place_of(item) < packets; };
      int spread[items];
      std::uint32_t rank[items];
#pragma unroll
      for (int j = 0; j < items; ++j) spread[j] = is_packet(j) ? spreads_[place_of(j)] : 0;
      begin_spreads();
      __syncthreads();
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (spread[j] > 0 && spread[j] == shared_.merged) --spread[j];
        if (is_packet(j)) rank[j] = atomicAdd(&shared_.counts[spread[j]], 1u);
      }
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < bvh_spreads; i += Threads) {
        if (shared_.counts[i] != 0) shared_.begins[i] += atomicAdd(&state_->sorted[i], shared_.counts[i]);
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (place_of(j) >= part.end) break;
        order_[is_packet(j) ? shared_.begins[spread[j]] + rank[j] : place_of(j)] = place_of(j);
      }
      __syncthreads();
      clear_counts();
      __syncthreads();
    }
  }

 private:
  static constexpr int items = 4;  ///< number of packets that a thread handles at a time

  __device__ void clear_counts() const noexcept {
    for (int i = static_cast<int>(threadIdx.x); i < bvh_spreads; i += Threads) shared_.counts[i] = 0;
  }
  /// Finds the first position of each spread, and the two spreads that are merged. The first warp does the work.
  __device__ void begin_spreads() const noexcept {
    if (threadIdx.x >= cuda_warp::lanes) return;
    constexpr int each = bvh_spreads / cuda_warp::lanes;
    int const first = cuda_warp::lane() * each;
    std::uint32_t counts[each];
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      counts[i] = state_->spreads[first + i];
      sum += counts[i];
    }
    std::uint32_t const before = cuda_warp::exclusive_sum(sum);
    std::uint32_t const all = cuda_warp::shuffle(before + sum, cuda_warp::lanes - 1);
    std::uint32_t begin = before;
    std::uint32_t merged = 0;
    std::uint32_t last =
        cuda_warp::shuffle(counts[each - 1], (cuda_warp::lane() + cuda_warp::lanes - 1) % cuda_warp::lanes);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (first + i > 0 && last + counts[i] >= all / 16 * 15) merged = static_cast<std::uint32_t>(first + i);
      shared_.begins[first + i] = begin;
      begin += counts[i];
      last = counts[i];
    }
    // All blocks compute the same value, because the counts are complete.
    merged = cuda_warp::max(merged);
    if (cuda_warp::lane() == 0) shared_.merged = static_cast<int>(merged);
  }

  std::uint32_t* order_;  ///< null if the packets are not sorted
  std::uint8_t* spreads_;
  bvh_build_state* state_;
  storage& shared_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
