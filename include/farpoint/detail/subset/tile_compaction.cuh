/// @file
/// Keeps some entries of a list in their order, on a CUDA stream, in one pass.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of threads of a block, of entries of a thread, and of entries of a block.
inline constexpr int compaction_block_size = 256, compaction_items = 8;
inline constexpr index_t compaction_tile = index_t{compaction_block_size} * compaction_items;

/// Device memory, all zero before the kernel.
struct compaction_memory {
  std::uint64_t* tiles;   ///< words of the scan
  std::uint32_t* ticket;  ///< ticket of the scan

  /// Number of tiles, and of blocks of the kernel.
  static constexpr index_t tile_count(index_t entries) noexcept { return divide_up(entries, compaction_tile); }

  static compaction_memory cut(workspace_cutter& cutter, index_t entries) noexcept {
    auto* const tiles = cutter.take<std::uint64_t>(tile_count(entries));
    return {tiles, cutter.take<std::uint32_t>(1)};
  }

  /// Number of entries that were kept up to the end of a tile, after the kernel.
  FARPOINT_HD std::uint64_t kept_up_to(index_t tile) const noexcept {
    return lookback_scan<compaction_block_size>::sum_up_to(tiles[tile]);
  }
};

/// A block's tile of the entries. The 32 entries of a warp's item are consecutive, so that a ballot gives their order.
/// All threads of the block call every function.
class tile_compaction {
  using scan_type = lookback_scan<compaction_block_size>;

 public:
  using storage = typename scan_type::storage;

  /// Takes a tile.
  __device__ tile_compaction(storage& shared, compaction_memory const& memory) noexcept
      : scan_{shared, memory.tiles, memory.ticket}, tile_{scan_.take()} {
    index_t const warp = threadIdx.x / cuda_warp::lanes;
    first_ = tile_ * compaction_tile + warp * compaction_items * cuda_warp::lanes + cuda_warp::lane();
  }

  __device__ index_t tile() const noexcept { return tile_; }

  /// Number of an item of the calling thread among the entries.
  __device__ index_t entry(int item) const noexcept { return first_ + item * cuda_warp::lanes; }

  /// Calls `keeps(item, entry)` for each item, and finds the positions of the entries that are kept.
  template <class Keeps>
  __device__ FARPOINT_ALWAYS_INLINE void select(Keeps const& keeps) noexcept {
    unsigned kept = 0;
    FARPOINT_UNROLL
    for (int j = 0; j < compaction_items; ++j) {
      words_[j] = cuda_warp::ballot(keeps(j, entry(j)));
      kept += count_bits(words_[j]);
    }
    lookback_pair total{};
    std::uint64_t const mine = cuda_warp::lane() == 0 ? kept : 0;
    std::uint64_t const before = scan_.exclusive({mine}, static_cast<std::uint32_t>(tile_), total).word;
    begin_ = static_cast<index_t>(cuda_warp::shuffle(before, 0));
    total_ = static_cast<index_t>(total.word);
  }

  /// Calls `write(item, entry, position)` for each item that is kept.
  template <class Write>
  __device__ FARPOINT_ALWAYS_INLINE void write(Write const& write) const noexcept {
    int const lane = cuda_warp::lane();
    index_t to = begin_;
    FARPOINT_UNROLL
    for (int j = 0; j < compaction_items; ++j) {
      if ((words_[j] >> lane & 1u) != 0) write(j, entry(j), to + count_bits(words_[j] & ((1u << lane) - 1)));
      to += count_bits(words_[j]);
    }
  }

  /// One bit for each lane's item.
  __device__ std::uint32_t word(int item) const noexcept { return words_[item]; }

  /// Number of entries that are kept up to the end of the tile.
  __device__ index_t total() const noexcept { return total_; }

 private:
  scan_type scan_;
  index_t tile_;
  index_t first_;
  std::uint32_t words_[compaction_items];
  index_t begin_;
  index_t total_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
