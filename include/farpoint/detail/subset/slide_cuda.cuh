/// @file
/// CUDA backend of point_window_slide(), up to the BVH: a scan with look-back over tiles of entries stages the points
/// that the window will have, and a second kernel copies them into the window.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/subset/slide_call.hpp>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of threads of a block, and of entries of a thread.
inline constexpr int slide_block_size = 256, slide_items = 8;
inline constexpr index_t slide_tile = index_t{slide_block_size} * slide_items;

/// Device workspace. The arrays up to `cleared` bytes are cleared by one memset.
template <class Scalar>
struct slide_memory {
  std::uint64_t* tiles;   ///< words of the scan
  std::uint32_t* ticket;  ///< ticket of the scan
  unsigned* bad_offsets;  ///< `[2]`: of the window, of the scan
  index_t* total;         ///< number of staged points
  std::size_t cleared;
  Scalar* points;          ///< `[entries, 3]`: staged points
  std::uint32_t* sources;  ///< `[entries]`: where they were
  std::size_t used;        ///< number of bytes in total

  static index_t tile_count(index_t entries) noexcept { return divide_up(entries, slide_tile); }

  static slide_memory cut(unsigned char* memory, index_t entries) noexcept {
    workspace_cutter cutter{memory};
    slide_memory cut{};
    cut.tiles = cutter.take<std::uint64_t>(tile_count(entries));
    cut.ticket = cutter.take<std::uint32_t>(1);
    cut.bad_offsets = cutter.take<unsigned>(2);
    cut.total = cutter.take<index_t>(1);
    cut.cleared = cutter.used();
    cut.points = cutter.take<Scalar>(3 * entries);
    cut.sources = cutter.take<std::uint32_t>(entries);
    cut.used = workspace_aligned(cutter.used());
    return cut;
  }
};

template <class Points>
struct slide_args {
  slide_call<Points> call;
  slide_memory<typename Points::scalar> memory;
  index_t tiles;
};

/// Stages the points of a tile that stay or are appended. A warp's 32 entries are consecutive, so a ballot gives their
/// order.
template <class Points>
__global__ void __launch_bounds__(slide_block_size) slide_kernel(slide_args<Points> const args) {
  using call_type = slide_call<Points>;
  using scan_type = lookback_scan<slide_block_size>;
  __shared__ typename scan_type::storage storage;
  scan_type const scan{storage, args.memory.tiles, args.memory.ticket};
  auto const& call = args.call;
  index_t const tile = scan.take();
  auto const rows = call.window_rows(args.memory.bad_offsets[0] != 0);
  auto const points = call.scan_points(args.memory.bad_offsets[1] != 0);
  int const lane = cuda_warp::lane();
  index_t const warp = threadIdx.x / cuda_warp::lanes;
  index_t const first = tile * slide_tile + warp * slide_items * cuda_warp::lanes + lane;
  index_t const entries = call.window.capacity() + call.scan.points().size();

  std::uint32_t words[slide_items];
  unsigned staged = 0, kept = 0, erased = 0, appended = 0, outside = 0, non_finite = 0;
  typename call_type::point p{};
  std::uint32_t source = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < slide_items; ++j) {
    index_t const entry = first + j * cuda_warp::lanes;
    slide_state const state = entry < entries ? call.find(entry, rows, points, p, source) : slide_state::none;
    words[j] = __ballot_sync(~0u, is_in_window(state));
    staged += count_bits(words[j]);
    kept += state == slide_state::kept ? 1 : 0;
    erased += state == slide_state::erased ? 1 : 0;
    appended += state == slide_state::appended ? 1 : 0;
    outside += state == slide_state::outside ? 1 : 0;
    non_finite += state == slide_state::non_finite ? 1 : 0;
  }

  lookback_pair total{};
  std::uint64_t const mine = lane == 0 ? staged : 0;
  std::uint64_t const before = scan.exclusive({mine}, static_cast<std::uint32_t>(tile), total).word;
  auto to = static_cast<index_t>(__shfl_sync(~0u, static_cast<unsigned long long>(before), 0));
  FARPOINT_UNROLL
  for (int j = 0; j < slide_items; ++j) {
    if ((words[j] >> lane & 1u) != 0) {
      // Read again: the window is not written before this kernel has ended, and its points are in the cache.
      call.find(first + j * cuda_warp::lanes, rows, points, p, source);
      index_t const rank = to + count_bits(words[j] & ((1u << lane) - 1));
      for (int axis = 0; axis < 3; ++axis) args.memory.points[3 * rank + axis] = p[axis];
      args.memory.sources[rank] = source;
    }
    to += count_bits(words[j]);
  }
  if (tile == args.tiles - 1 && threadIdx.x == 0) *args.memory.total = static_cast<index_t>(total.word);
  slide_report* const report = call.output.report;
  if (report == nullptr) return;
  count_in_report_by_warp(&report->kept, kept);
  count_in_report_by_warp(&report->erased, erased);
  count_in_report_by_warp(&report->appended, appended);
  count_in_report_by_warp(&report->outside, outside);
  count_in_report_by_warp(&report->non_finite, non_finite);
}

/// Copies a staged point into the window: the newest ones, as many as the capacity.
template <class Points>
struct slide_copy {
  slide_args<Points> args;

  /// @param row  below the capacity, or 0
  template <class Number>
  __device__ void operator()(Number row) const noexcept {
    auto const& call = args.call;
    auto const i = static_cast<index_t>(row);
    index_t const total = *args.memory.total;
    index_t const size = smaller(total, call.window.capacity());
    index_t const dropped = total - size;
    if (i == 0) {
      call.finish(size);
      if (call.output.report != nullptr) call.output.report->dropped = static_cast<unsigned long long>(dropped);
    }
    if (i >= size) return;
    auto const* const from = args.memory.points + 3 * (dropped + i);
    call.write(i, {{from[0], from[1], from[2]}}, args.memory.sources[dropped + i]);
  }
};

/// Enqueues what point_window_slide() does before the BVH. The arguments are checked.
template <class Points>
FARPOINT_HIDDEN result slide_on_device(cuda_exec exec, slide_call<Points> const& call, bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  auto const memory = slide_memory<scalar>::cut(workspace.data(), call.entries());
  kernel_launcher launcher{exec.stream};
  slide_report* const report = call.output.report;
  if (report != nullptr) launcher.clear(report, sizeof *report);
  launcher.clear(workspace.data(), memory.cleared);
  unsigned long long* const bad = report == nullptr ? nullptr : &report->bad_offsets;
  count_bad_offsets(launcher, call.window.clouds(), memory.bad_offsets, bad);
  count_bad_offsets(launcher, call.scan, memory.bad_offsets + 1, bad);
  slide_args<Points> const args{call, memory, slide_memory<scalar>::tile_count(call.entries())};
  if (args.tiles > 0) {
    launcher.launch(slide_kernel<Points>, static_cast<unsigned>(args.tiles), slide_block_size, args);
  }
  index_t const rows = larger(call.window.capacity(), index_t{1});
  launcher.launch_strided(rows, loop_block_size, index_kernel<slide_copy<Points>, std::uint32_t>,
                          index_args<slide_copy<Points>>{{args}, rows});
  return cuda_failure(launcher.error(), "point_window_slide: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
