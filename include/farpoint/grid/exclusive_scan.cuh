/// @file
/// Turns the sizes of rows into their offsets (compressed sparse rows) in one launch.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/tuning/loops.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr index_t exclusive_scan_tile = index_t{exclusive_scan_block_size} * exclusive_scan_items;

}  // namespace detail

constexpr index_t exclusive_scan_tiles(index_t rows) noexcept {
  return detail::divide_up(rows, detail::exclusive_scan_tile);
}

/// Device memory of exclusive_scan(); the caller clears it on the stream before each call.
struct exclusive_scan_memory {
  std::uint64_t* tiles;   ///< `[exclusive_scan_tiles(rows)]`
  std::uint32_t* ticket;  ///< `[1]`

  static exclusive_scan_memory cut(detail::workspace_cutter& cutter, index_t rows) noexcept {
    auto* const tiles = cutter.take<std::uint64_t>(exclusive_scan_tiles(rows));
    return {tiles, cutter.take<std::uint32_t>(1)};
  }
};

/// Arguments of exclusive_scan().
struct exclusive_scan_args {
  index_span offsets;           ///< `[rows + 1]`: sizes before, none negative and the last unused; offsets after
  index_t rows;                 ///< 1 or more
  index_t capacity;             ///< elements that there is room for
  unsigned long long* total;    ///< set to the sum of all sizes; optional
  unsigned long long* misfits;  ///< gets the number of rows that end beyond the capacity added; optional
  exclusive_scan_memory memory;
};

namespace detail {

/// A tile a block. 62 bits hold the sizes of 2^31 rows.
template <class Args>
__global__ void __launch_bounds__(exclusive_scan_block_size) exclusive_scan_kernel(Args const args) {
  using scan_type = lookback_scan<exclusive_scan_block_size>;
  __shared__ typename scan_type::storage storage;
  scan_type const scan{storage, args.memory.tiles, args.memory.ticket};
  std::uint32_t const tile = scan.take();
  index_t const first = tile * exclusive_scan_tile + index_t{threadIdx.x} * exclusive_scan_items;

  index_t sizes[exclusive_scan_items];
  std::uint64_t mine = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < exclusive_scan_items; ++j) {
    sizes[j] = first + j < args.rows ? args.offsets.get(first + j) : 0;
    mine += static_cast<std::uint64_t>(sizes[j]);
  }
  lookback_pair total{};
  auto at = static_cast<index_t>(scan.exclusive({mine}, tile, total).word);

  index_t const largest = largest_offset(args.offsets.wide());
  auto const representable = [largest](index_t offset) { return offset < largest ? offset : largest; };
  unsigned misfits = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < exclusive_scan_items; ++j) {
    if (first + j >= args.rows) break;
    args.offsets.set(first + j, representable(at));
    at += sizes[j];
    if (!row_fits(representable(at), args.capacity, args.offsets.wide())) ++misfits;
    if (first + j == args.rows - 1) {
      args.offsets.set(args.rows, representable(at));
      if (args.total != nullptr) *args.total = static_cast<unsigned long long>(at);
    }
  }
  count_in_report_by_warp(args.misfits, misfits);
}

}  // namespace detail

/// Turns sizes into offsets, in place: row i begins at `offsets[i]`, and ends at `offsets[i + 1]`.
///
/// Sums are of 64 bits, whatever the offsets: an offset that these cannot say is replaced by the largest that they can.
/// Enqueues one launch on `stream`, without synchronizing or allocating; each size is read and each offset written
/// once.
///
/// cub::DeviceScan neither clamps nor counts misfits, and returns errors that somebody else left pending.
/// @return the error of the launch, or cudaSuccess
inline cudaError_t exclusive_scan(exclusive_scan_args const& args, cudaStream_t stream) noexcept {
  auto const blocks = static_cast<unsigned>(exclusive_scan_tiles(args.rows));
  cudaLaunchConfig_t const launch = detail::launch_config(blocks, detail::exclusive_scan_block_size, stream);
  return detail::launch_kernel(detail::exclusive_scan_kernel<exclusive_scan_args>, launch, args);
}

FARPOINT_END_NAMESPACE
