/// @file
/// CUDA backend of crop_box(): a scan with look-back over tiles of the view, then the offsets.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/subset/crop_box_call.hpp>
#include <farpoint/detail/subset/tile_compaction.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of points of a word, which has one bit per point of the view, set if the point is inside.
inline constexpr index_t crop_box_word = 32;

/// Device workspace. The first `cleared` bytes are cleared by one memset.
struct crop_box_memory {
  compaction_memory compaction;
  unsigned* bad_offsets;
  std::uint32_t* inside;  ///< `[tiles * compaction_tile / crop_box_word]`
  std::size_t cleared;
  std::size_t used;  ///< number of bytes in total

  static index_t tile_count(index_t points) noexcept { return compaction_memory::tile_count(bounded_points(points)); }

  static crop_box_memory cut(unsigned char* memory, index_t points) noexcept {
    workspace_cutter cutter{memory};
    crop_box_memory cut{};
    cut.compaction = compaction_memory::cut(cutter, bounded_points(points));
    cut.bad_offsets = cutter.take<unsigned>(1);
    cut.cleared = cutter.used();
    cut.inside = cutter.take<std::uint32_t>(tile_count(points) * (compaction_tile / crop_box_word));
    cut.used = workspace_aligned(cutter.used());
    return cut;
  }
};

template <class Points>
struct crop_box_args {
  crop_box_call<Points> call;
  crop_box_memory memory;
};

/// Writes the indices of a tile, and its words.
template <class Points>
__global__ void __launch_bounds__(compaction_block_size) crop_box_kernel(crop_box_args<Points> const args) {
  __shared__ tile_compaction::storage storage;
  tile_compaction tile{storage, args.memory.compaction};
  crop_box_call<Points> const& call = args.call;
  bool const is_refused = *args.memory.bad_offsets != 0;

  index_t in_cloud[compaction_items];
  unsigned outside = 0, non_finite = 0;
  tile.select([&](int j, index_t i) {
    in_cloud[j] = 0;
    bool const is_point = i < call.clouds.points().size() && !is_refused;
    crop_side const side = is_point ? call.side_of(i, in_cloud[j]) : crop_side::no_cloud;
    outside += side == crop_side::outside ? 1 : 0;
    non_finite += side == crop_side::non_finite ? 1 : 0;
    return side == crop_side::inside;
  });
  if (cuda_warp::lane() == 0) {
    FARPOINT_UNROLL
    for (int j = 0; j < compaction_items; ++j) args.memory.inside[tile.entry(j) / crop_box_word] = tile.word(j);
  }
  unsigned written = 0, over_capacity = 0;
  tile.write([&](int j, index_t, index_t to) {
    bool const fits = to < call.capacity();
    if (fits) call.output.indices.set(to, in_cloud[j]);
    written += fits ? 1 : 0;
    over_capacity += fits ? 0 : 1;
  });
  crop_box_report* const report = call.output.report;
  if (report == nullptr) return;
  count_in_report_by_warp(&report->written, written);
  count_in_report_by_warp(&report->outside, outside);
  count_in_report_by_warp(&report->non_finite, non_finite);
  count_in_report_by_warp(&report->over_capacity, over_capacity);
}

/// Computes an offset of the output: the number of points inside before a boundary of the view, from the tiles and
/// words of crop_box_kernel.
template <class Points>
struct crop_box_offset {
  crop_box_args<Points> args;
  bool is_nothing;

  template <class Number>
  __device__ void operator()(Number b) const noexcept {
    index_t const before =
        is_nothing || *args.memory.bad_offsets != 0 ? index_t{0} : rank(args.call.boundary(static_cast<index_t>(b)));
    args.call.output.offsets[b] = smaller(before, args.call.capacity());
  }

 private:
  __device__ index_t rank(index_t boundary) const noexcept {
    index_t const tile = boundary / compaction_tile;
    std::uint64_t count = tile == 0 ? 0 : args.memory.compaction.kept_up_to(tile - 1);
    index_t const last = boundary / crop_box_word;
    for (index_t w = tile * (compaction_tile / crop_box_word); w < last; ++w)
      count += count_bits(args.memory.inside[w]);
    auto const rest = static_cast<std::uint32_t>(boundary % crop_box_word);
    if (rest != 0) count += count_bits(args.memory.inside[last] & ((1u << rest) - 1));
    return static_cast<index_t>(count);
  }
};

/// crop_box() for cuda_exec.
template <class Points>
FARPOINT_HIDDEN result crop_box_cuda(cuda_exec exec, crop_box_call<Points> const& call, bytes workspace) noexcept {
  if (result const checked = call.check(); !checked) return checked;
  index_t const points = call.clouds.points().size();
  crop_box_memory const memory = crop_box_memory::cut(workspace.data(), points);
  if (result const checked = check_workspace(workspace, memory.used, FARPOINT_WORKSPACE_OF("crop_box")); !checked) {
    return checked;
  }
  kernel_launcher launcher{exec.stream};
  crop_box_args<Points> const args{call, memory};
  crop_box_report* const report = call.output.report;
  if (report != nullptr) launcher.clear(report, sizeof *report);
  launcher.clear(workspace.data(), memory.cleared);
  count_bad_offsets(launcher, call.clouds, memory.bad_offsets, report == nullptr ? nullptr : &report->bad_offsets);
  bool const is_nothing = crops_nothing(call.clouds);
  if (!is_nothing) {
    launcher.launch(crop_box_kernel<Points>, static_cast<unsigned>(crop_box_memory::tile_count(points)),
                    compaction_block_size, args);
  }
  launcher.launch_strided(call.clouds.size() + 1, loop_block_size, index_kernel<crop_box_offset<Points>, std::uint64_t>,
                          index_args<crop_box_offset<Points>>{{args, is_nothing}, call.clouds.size() + 1});
  return cuda_failure(launcher.error(), "crop_box: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
