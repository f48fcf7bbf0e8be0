/// @file
/// Prefix sums over tiles within one launch (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled
/// Look-back").
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Two sums below 2^31 in one word, so that one addition and one store serve both. Who needs a single sum uses `word`,
/// which counts to 2^62 - 1.
struct lookback_pair {
  std::uint64_t word;

  FARPOINT_HD static lookback_pair of(std::uint32_t first, std::uint32_t second) noexcept {
    return {std::uint64_t{first} << 31 | second};
  }
  FARPOINT_HD std::uint32_t first() const noexcept { return static_cast<std::uint32_t>(word >> 31); }
  FARPOINT_HD std::uint32_t second() const noexcept { return static_cast<std::uint32_t>(word) & 0x7fffffffu; }
};

/// Exclusive sums over all threads of all tiles of a grid, in the middle of a kernel and in one pass over the data.
///
/// A block takes a tile, sums up what its threads have, and waits for the sum of the tiles before. Tiles are taken in
/// ascending order by a ticket when a block runs: every tile that it waits for has been taken by a block that runs too,
/// however many blocks are on the device at a time. So it needs no cooperative launch, and a block may take one tile
/// after another.
///
/// All threads of a one-dimensional block call every function together. The result does not depend on the order in
/// which blocks run. A tile costs one word written twice, and reads of the words of the tiles before until one has its
/// sum: 32 at a time, most often once.
///
/// cub::DeviceScan has launches of its own, which end in cudaPeekAtLastError(), and reads its input from memory; CUB's
/// look-back inside a kernel is not part of its interface.
/// @tparam BlockSize  threads of a block, in whole warps
template <int BlockSize>
class lookback_scan {
 public:
  static constexpr int warps = BlockSize / cuda_warp::lanes;

  struct storage {
    std::uint64_t sums[std::size_t{warps}];
    std::uint64_t before;
    std::uint32_t tile;
  };

  /// The sum up to the end of a tile, from its word, once the kernel that scanned it has ended.
  FARPOINT_HD static std::uint64_t sum_up_to(std::uint64_t word) noexcept { return word & value_mask; }

  /// @param shared  shared memory of the block
  /// @param tiles   `[tiles]` words of device memory, all zero when the kernel starts
  /// @param ticket  zero when the kernel starts
  __device__ lookback_scan(storage& shared, std::uint64_t* tiles, std::uint32_t* ticket) noexcept
      : shared_{shared}, tiles_{tiles}, ticket_{ticket} {}

  /// The next tile, from 0 on: the same for all threads of the block. There is no end to them; the caller knows it.
  __device__ std::uint32_t take() const noexcept {
    __syncthreads();
    if (threadIdx.x == 0) shared_.tile = atomicAdd(ticket_, 1u);
    __syncthreads();
    return shared_.tile;
  }

  /// Sums of all pairs before the calling thread's, in all tiles. The block calls it once for each tile that it took.
  /// @param mine   what the calling thread adds
  /// @param tile   from take()
  /// @param total  set to the sums up to the end of the tile, in all threads
  __device__ lookback_pair exclusive(lookback_pair mine, std::uint32_t tile, lookback_pair& total) const noexcept {
    int const lane = cuda_warp::lane();
    auto const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
    std::uint64_t const sum = cuda_warp::inclusive_sum(mine.word);
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
  // What is known of a tile: nothing, its own sum, or the sum up to its end.
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

FARPOINT_END_NAMESPACE
