/// @file
/// Prefix sums over tiles within one launch (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled
/// Look-back").
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Two sums below 2^31 in one word, so that one addition and one store serve both. For a single sum use `word`, which
/// counts to 2^62 - 1.
struct lookback_pair {
  std::uint64_t word;

  FARPOINT_HD static lookback_pair of(std::uint32_t first, std::uint32_t second) noexcept {
    return {std::uint64_t{first} << 31 | second};
  }
  FARPOINT_HD std::uint32_t first() const noexcept { return static_cast<std::uint32_t>(word >> 31); }
  FARPOINT_HD std::uint32_t second() const noexcept { return static_cast<std::uint32_t>(word) & 0x7fffffffu; }
};

/// Exclusive sums over all threads of all tiles of a grid, inside a kernel and in one pass over the data.
///
/// A block takes a tile, sums its threads' values, and waits for the sum of the preceding tiles. Blocks take tiles in
/// ascending order, by a ticket, when they run. Hence a running block has taken every tile that a block waits for,
/// whatever the number of resident blocks. So the kernel needs no cooperative launch, and a block may process several
/// tiles in turn.
///
/// All threads of a one-dimensional block call every function together. The result does not depend on the order in
/// which blocks run. A tile costs two writes of one word, and reads of preceding words, 32 at a time, until one
/// contains a prefix: most often one read.
///
/// cub::DeviceScan launches its own kernels, reads its input from memory and ends with cudaPeekAtLastError(); CUB's
/// look-back inside a kernel is not part of its interface.
/// @tparam BlockSize  number of threads of a block, in whole warps
template <int BlockSize>
class lookback_scan {
 public:
  static constexpr int warps = BlockSize / cuda_warp::lanes;

  struct storage {
    std::uint64_t sums[std::size_t{warps}];
    std::uint64_t before;
    std::uint32_t tile;
  };

  /// Inclusive prefix of a tile, from its word, after the kernel has ended.
  FARPOINT_HD static std::uint64_t sum_up_to(std::uint64_t word) noexcept { return word & value_mask; }

  /// @param shared  shared memory of the block
  /// @param tiles   `[tiles]` words in device memory, all zero when the kernel starts
  /// @param ticket  word in device memory, zero when the kernel starts
  __device__ lookback_scan(storage& shared, std::uint64_t* tiles, std::uint32_t* ticket) noexcept
      : shared_{shared}, tiles_{tiles}, ticket_{ticket} {}

  /// Takes the next tile and returns its index, from 0 on, to all threads of the block. Indices have no upper limit:
  /// the caller compares with its number of tiles.
  __device__ std::uint32_t take() const noexcept {
    __syncthreads();
    if (threadIdx.x == 0) shared_.tile = atomicAdd(ticket_, 1u);
    __syncthreads();
    return shared_.tile;
  }

  /// Returns the sums of all pairs before the calling thread's, over all tiles. The block calls it once per tile that
  /// it took.
  /// @param mine   the calling thread's pair
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
  // State of a tile, in the high bits of its word: none (0), its own sum, or its inclusive prefix.
  static constexpr std::uint64_t has_sum = std::uint64_t{1} << 62;
  static constexpr std::uint64_t has_prefix = std::uint64_t{2} << 62;
  static constexpr std::uint64_t value_mask = has_sum - 1;

  /// Sum of all preceding tiles; a warp reads the words of 32 tiles at a time.
  __device__ std::uint64_t look_back(std::uint64_t all, std::uint32_t tile) const noexcept {
    int const lane = cuda_warp::lane();
    if (tile == 0) {
      if (lane == 0) atomic_store(&tiles_[0], has_prefix | all);
      return 0;
    }
    if (lane == 0) atomic_store(&tiles_[tile], has_sum | all);
    std::uint64_t before = 0;
    for (std::uint32_t end = tile; true; end -= cuda_warp::lanes) {
      // Lane 0 reads the nearest tile. Lanes before the first tile behave as if they had read a prefix of 0.
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
