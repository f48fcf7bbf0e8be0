/// @file
/// Turns numbers of neighbours into the offsets of their rows, in one launch.
#pragma once

#include <farpoint/detail/lookback.cuh>
#include <farpoint/detail/radius_steps.hpp>
#include <farpoint/detail/search_kernel.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Rows of a thread, and of a tile.
inline constexpr int add_up_each = 8;
inline constexpr index_t add_up_tile = index_t{search_block_size} * add_up_each;

inline index_t add_up_tiles(index_t rows) noexcept {
  return (rows + add_up_tile - 1) / add_up_tile;
}

/// Memory of the scan, zero before it.
struct add_up_memory {
  std::uint64_t* tiles;   ///< `[add_up_tiles(rows)]`
  std::uint32_t* ticket;  ///< `[1]`

  static add_up_memory cut(workspace_cutter& cutter, index_t rows) noexcept {
    auto* const tiles = cutter.take<std::uint64_t>(add_up_tiles(rows));
    return {tiles, cutter.take<std::uint32_t>(1)};
  }
};

struct add_up_work {
  index_span offsets;  ///< `[rows + 1]`: counts before, offsets after
  index_t rows;
  index_t capacity;       ///< of the lists
  radius_report* report;  ///< gets the total, and the rows that do not fit; optional
  add_up_memory memory;
};

/// A tile a block. 62 bits hold 2^31 queries' counts.
template <class Work>
__global__ void __launch_bounds__(search_block_size) add_up_kernel(Work const work) {
  using scan_type = lookback_scan<search_block_size>;
  __shared__ typename scan_type::storage storage;
  scan_type const scan{storage, work.memory.tiles, work.memory.ticket};
  std::uint32_t const tile = scan.take();
  index_t const first = tile * add_up_tile + index_t{threadIdx.x} * add_up_each;

  index_t counts[add_up_each];
  std::uint64_t mine = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < add_up_each; ++j) {
    counts[j] = first + j < work.rows ? work.offsets.get(first + j) : 0;
    mine += static_cast<std::uint64_t>(counts[j]);
  }
  lookback_pair total{};
  auto at = static_cast<index_t>(scan.exclusive({mine}, tile, total).word);

  index_t const largest = largest_offset(work.offsets.wide());
  auto const said = [largest](index_t offset) { return offset < largest ? offset : largest; };
  unsigned misfits = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < add_up_each; ++j) {
    if (first + j >= work.rows) break;
    work.offsets.set(first + j, said(at));
    at += counts[j];
    if (!row_fits(said(at), work.capacity, work.offsets.wide())) ++misfits;
    if (first + j == work.rows - 1) {
      work.offsets.set(work.rows, said(at));
      if (work.report != nullptr) work.report->total = static_cast<unsigned long long>(at);
    }
  }
  add_in_warp(work.report == nullptr ? nullptr : &work.report->rows_left_out, misfits);
}

/// Enqueues it. There is a row.
inline cudaError_t add_up_counts_on_device(add_up_work const& work, cudaStream_t stream) noexcept {
  return search_launch(add_up_kernel<add_up_work>, add_up_tiles(work.rows) * search_block_size, stream, work);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
