/// @file
/// CUDA backend of point_window_slide(), up to the BVH: a scan with look-back over tiles of entries stages the points
/// that the window will have, and a second kernel copies them into the window.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/subset/slide_call.hpp>
#include <farpoint/detail/subset/tile_compaction.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Device workspace. The arrays up to `cleared` bytes are cleared by one memset.
template <class Scalar>
struct slide_memory {
  compaction_memory compaction;
  unsigned* bad_offsets;  ///< `[2]`: of the window, of the scan
  index_t* total;         ///< number of staged points
  std::size_t cleared;
  Scalar* points;          ///< `[entries, 3]`: staged points
  std::uint32_t* sources;  ///< `[entries]`: where they were
  std::size_t used;        ///< number of bytes in total

  static slide_memory cut(unsigned char* memory, index_t entries) noexcept {
    workspace_cutter cutter{memory};
    slide_memory cut{};
    cut.compaction = compaction_memory::cut(cutter, entries);
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

/// Stages the points of a tile that stay or are appended.
template <class Points>
__global__ void __launch_bounds__(compaction_block_size) slide_kernel(slide_args<Points> const args) {
  using call_type = slide_call<Points>;
  __shared__ tile_compaction::storage storage;
  tile_compaction tile{storage, args.memory.compaction};
  auto const& call = args.call;
  auto const rows = call.window_rows(args.memory.bad_offsets[0] != 0);
  auto const points = call.scan_points(args.memory.bad_offsets[1] != 0);
  index_t const entries = call.window.capacity() + call.scan.points().size();

  unsigned kept = 0, erased = 0, appended = 0, outside = 0, non_finite = 0;
  typename call_type::point p{};
  std::uint32_t source = 0;
  tile.select([&](int, index_t entry) {
    slide_state const state = entry < entries ? call.find(entry, rows, points, p, source) : slide_state::none;
    kept += state == slide_state::kept ? 1 : 0;
    erased += state == slide_state::erased ? 1 : 0;
    appended += state == slide_state::appended ? 1 : 0;
    outside += state == slide_state::outside ? 1 : 0;
    non_finite += state == slide_state::non_finite ? 1 : 0;
    return is_in_window(state);
  });
  tile.write([&](int, index_t entry, index_t to) {
    // Read again: the window is not written before this kernel has ended, and its points are in the cache.
    call.find(entry, rows, points, p, source);
    for (int axis = 0; axis < 3; ++axis) args.memory.points[3 * to + axis] = p[axis];
    args.memory.sources[to] = source;
  });
  if (tile.tile() == args.tiles - 1 && threadIdx.x == 0) *args.memory.total = tile.total();
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
  slide_args<Points> const args{call, memory, compaction_memory::tile_count(call.entries())};
  if (args.tiles > 0) {
    launcher.launch(slide_kernel<Points>, static_cast<unsigned>(args.tiles), compaction_block_size, args);
  }
  index_t const rows = larger(call.window.capacity(), index_t{1});
  launcher.launch_strided(rows, loop_block_size, index_kernel<slide_copy<Points>, std::uint32_t>,
                          index_args<slide_copy<Points>>{{args}, rows});
  return cuda_failure(launcher.error(), "point_window_slide: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
