/// @file
/// Prefix sums over tiles within one launch (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled
/// Look-back").
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Two sums below 2^31 in one word, so that one addition and one store serve both.
struct lookback_pair {
  std::uint64_t word;

  FARPOINT_HD static lookback_pair of(std::uint32_t first, std::uint32_t second) noexcept {
    return {std::uint64_t{first} << 31 | second};
  }
  FARPOINT_HD std::uint32_t first() const noexcept { return static_cast<std::uint32_t>(word >> 31); }
  FARPOINT_HD std::uint32_t second() const noexcept { return static_cast<std::uint32_t>(word) & 0x7fffffffu; }
};

/// Scans pairs over the threads of a block, and over tiles that blocks take in ascending order.
///
/// A tile's word says what is known of it: nothing, its own sum, or the sum up to its end. The words are zero before,
/// and so is the ticket: a block takes the next tile when it runs, so that every tile that it waits for has been taken
/// by a block that runs too, however many of the blocks are on the device.
template <int BlockSize>
class lookback_scan {
 public:
  static constexpr int warps = BlockSize / cuda_warp::lanes;

  struct storage {
    std::uint64_t sums[warps];
    std::uint64_t before;
    std::uint32_t tile;
  };

  __device__ lookback_scan(storage& shared, std::uint64_t* tiles, std::uint32_t* ticket) noexcept
      : shared_{shared}, tiles_{tiles}, ticket_{ticket} {}

  /// The next tile. All threads of the block call it.
  __device__ std::uint32_t take() const noexcept {
    __syncthreads();
    if (threadIdx.x == 0) shared_.tile = atomicAdd(ticket_, 1u);
    __syncthreads();
    return shared_.tile;
  }

  /// Sums of all pairs before the calling thread's. All threads of the block call it.
  /// @param total  set to the sums up to the end of the tile
  __device__ lookback_pair exclusive(lookback_pair mine, std::uint32_t tile, lookback_pair& total) const noexcept {
    int const lane = cuda_warp::lane();
    auto const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
    std::uint64_t sum = mine.word;
#pragma unroll
    for (int step = 1; step < cuda_warp::lanes; step *= 2) {
      std::uint64_t const other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    if (lane == cuda_warp::lanes - 1) shared_.sums[warp] = sum;
    __syncthreads();
    std::uint64_t before = sum - mine.word;
    std::uint64_t all = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w == warp) before += all;
      all += shared_.sums[w];
    }
    if (warp == 0) {
      std::uint64_t const earlier = look_back(all, tile);
      if (lane == 0) shared_.before = earlier;
    }
    __syncthreads();
    std::uint64_t const earlier = shared_.before;
    total = {earlier + all};
    return {earlier + before};
  }

 private:
  static constexpr std::uint64_t has_sum = std::uint64_t{1} << 62;
  static constexpr std::uint64_t has_prefix = std::uint64_t{2} << 62;
  static constexpr std::uint64_t value_mask = has_sum - 1;

  /// Sum of all tiles before; a warp looks at 32 of them at a time.
  __device__ std::uint64_t look_back(std::uint64_t all, std::uint32_t tile) const noexcept {
    int const lane = cuda_warp::lane();
    if (tile == 0) {
      if (lane == 0) atomic_store(&tiles_[0], has_prefix | all);
      return 0;
    }
    if (lane == 0) atomic_store(&tiles_[tile], has_sum | all);
    std::uint64_t before = 0;
    for (std::uint32_t end = tile; true; end -= cuda_warp::lanes) {
      // Lane 0 has the nearest tile. Before the first one there is nothing, and that is known.
      bool const exists = static_cast<std::uint32_t>(lane) < end;
      std::uint64_t word = has_prefix;
      do {
        if (exists) word = atomic_load(&tiles_[end - 1 - static_cast<std::uint32_t>(lane)]);
      } while (__any_sync(~0u, word < has_sum));
      unsigned const prefixes = __ballot_sync(~0u, word >= has_prefix);
      int const nearest = prefixes == 0 ? cuda_warp::lanes - 1 : __ffs(static_cast<int>(prefixes)) - 1;
      before += cuda_warp::sum(lane <= nearest ? word & value_mask : std::uint64_t{0});
      if (prefixes != 0) break;
    }
    if (lane == 0) atomic_store(&tiles_[tile], has_prefix | (before + all));
    return before;
  }

  storage& shared_;
  std::uint64_t* tiles_;
  std::uint32_t* ticket_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
