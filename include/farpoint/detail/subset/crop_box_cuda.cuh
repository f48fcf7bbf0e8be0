/// @file
/// CUDA backend of crop_box(): a scan with look-back over tiles of the view, then the offsets.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/subset/crop_box_call.hpp>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of threads of a block, and of points of a thread.
inline constexpr int crop_box_block_size = 256, crop_box_items = 8;
inline constexpr index_t crop_box_tile = index_t{crop_box_block_size} * crop_box_items;
/// Number of points of a word, which has one bit per point of the view, set if the point is inside.
inline constexpr index_t crop_box_word = 32;

/// Device workspace. `tiles`, `ticket` and `bad_offsets` are adjacent, so that one memset clears them.
struct crop_box_memory {
  std::uint64_t* tiles;   ///< words of the scan
  std::uint32_t* ticket;  ///< ticket of the scan
  unsigned* bad_offsets;
  std::uint32_t* inside;  ///< `[tiles * crop_box_tile / crop_box_word]`
  std::size_t cleared;    ///< number of bytes to clear, from `tiles` on
  std::size_t used;       ///< number of bytes in total

  static index_t tile_count(index_t points) noexcept { return divide_up(bounded_points(points), crop_box_tile); }

  static crop_box_memory cut(unsigned char* memory, index_t points) noexcept {
    index_t const tiles = tile_count(points);
    workspace_cutter cutter{memory};
    crop_box_memory cut{};
    cut.tiles = cutter.take<std::uint64_t>(tiles);
    cut.ticket = cutter.take<std::uint32_t>(1);
    cut.bad_offsets = cutter.take<unsigned>(1);
    cut.cleared = cutter.used();
    cut.inside = cutter.take<std::uint32_t>(tiles * (crop_box_tile / crop_box_word));
    cut.used = workspace_aligned(cutter.used());
    return cut;
  }
};

template <class Points>
struct crop_box_args {
  crop_box_call<Points> call;
  crop_box_memory memory;
};

/// Writes the indices of a tile. A warp's 32 points are consecutive, so a ballot yields a word.
template <class Points>
__global__ void __launch_bounds__(crop_box_block_size) crop_box_kernel(crop_box_args<Points> const args) {
  using scan_type = lookback_scan<crop_box_block_size>;
  __shared__ typename scan_type::storage storage;
  scan_type const scan{storage, args.memory.tiles, args.memory.ticket};
  crop_box_call<Points> const& call = args.call;
  index_t const tile = scan.take();
  bool const is_refused = *args.memory.bad_offsets != 0;
  int const lane = cuda_warp::lane();
  index_t const warp = threadIdx.x / cuda_warp::lanes;
  index_t const first = tile * crop_box_tile + warp * crop_box_items * crop_box_word;

  std::uint32_t words[crop_box_items];
  index_t in_cloud[crop_box_items];
  unsigned kept = 0, outside = 0, non_finite = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < crop_box_items; ++j) {
    index_t const i = first + j * crop_box_word + lane;
    in_cloud[j] = 0;
    bool const is_point = i < call.clouds.points().size() && !is_refused;
    crop_side const side = is_point ? call.side_of(i, in_cloud[j]) : crop_side::no_cloud;
    words[j] = __ballot_sync(~0u, side == crop_side::inside);
    kept += count_bits(words[j]);
    outside += side == crop_side::outside ? 1 : 0;
    non_finite += side == crop_side::non_finite ? 1 : 0;
  }

  lookback_pair total{};
  std::uint64_t const mine = lane == 0 ? kept : 0;
  std::uint64_t const before = scan.exclusive({mine}, static_cast<std::uint32_t>(tile), total).word;
  auto at = static_cast<index_t>(__shfl_sync(~0u, static_cast<unsigned long long>(before), 0));
  unsigned written = 0, over_capacity = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < crop_box_items; ++j) {
    if (lane == 0) args.memory.inside[first / crop_box_word + j] = words[j];
    if ((words[j] >> lane & 1u) != 0) {
      index_t const to = at + count_bits(words[j] & ((1u << lane) - 1));
      bool const fits = to < call.capacity();
      if (fits) call.output.indices.set(to, in_cloud[j]);
      written += fits ? 1 : 0;
      over_capacity += fits ? 0 : 1;
    }
    at += count_bits(words[j]);
  }
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
    index_t const tile = boundary / crop_box_tile;
    std::uint64_t count = tile == 0 ? 0 : lookback_scan<crop_box_block_size>::sum_up_to(args.memory.tiles[tile - 1]);
    index_t const last = boundary / crop_box_word;
    for (index_t w = tile * (crop_box_tile / crop_box_word); w < last; ++w) count += count_bits(args.memory.inside[w]);
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
                    crop_box_block_size, args);
  }
  launcher.launch_strided(call.clouds.size() + 1, loop_block_size, index_kernel<crop_box_offset<Points>, std::uint64_t>,
                          index_args<crop_box_offset<Points>>{{args, is_nothing}, call.clouds.size() + 1});
  return cuda_failure(launcher.error(), "crop_box: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
