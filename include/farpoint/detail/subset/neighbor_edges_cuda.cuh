/// @file
/// CUDA backend of neighbor_edges(): a scan with look-back over tiles of entries.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/subset/neighbor_edges_call.hpp>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of threads of a block, and of entries of a thread.
inline constexpr int edges_block_size = 256, edges_items = 8;
inline constexpr index_t edges_tile = index_t{edges_block_size} * edges_items;

/// Device workspace, cleared by one memset.
struct edges_memory {
  std::uint64_t* tiles;   ///< words of the scan
  std::uint32_t* ticket;  ///< ticket of the scan
  unsigned* bad_offsets;
  std::size_t used;  ///< number of bytes in total

  static index_t tile_count(index_t entries) noexcept {
    return divide_up(smaller(larger(entries, index_t{0}), max_edge_entries), edges_tile);
  }

  static edges_memory cut(unsigned char* memory, index_t entries) noexcept {
    workspace_cutter cutter{memory};
    edges_memory cut{};
    cut.tiles = cutter.take<std::uint64_t>(tile_count(entries));
    cut.ticket = cutter.take<std::uint32_t>(1);
    cut.bad_offsets = cutter.take<unsigned>(1);
    cut.used = workspace_aligned(cutter.used());
    return cut;
  }
};

template <class Points, class Queries>
struct edges_args {
  neighbor_edges_call<Points, Queries> call;
  edges_memory memory;
  index_t tiles;
};

/// Writes the edges of a tile. A warp's 32 entries are consecutive, so a ballot gives their order.
template <class Points, class Queries>
__global__ void __launch_bounds__(edges_block_size) edges_kernel(edges_args<Points, Queries> const args) {
  using scan_type = lookback_scan<edges_block_size>;
  __shared__ typename scan_type::storage storage;
  scan_type const scan{storage, args.memory.tiles, args.memory.ticket};
  auto const& call = args.call;
  index_t const tile = scan.take();
  index_t const end = *args.memory.bad_offsets != 0 ? index_t{0} : call.begin_of(call.rows());
  int const lane = cuda_warp::lane();
  index_t const warp = threadIdx.x / cuda_warp::lanes;
  index_t const first = tile * edges_tile + warp * edges_items * cuda_warp::lanes + lane;

  std::uint32_t words[edges_items];
  index_t rows[edges_items];
  index_t points[edges_items];
  unsigned kept = 0, bad_indices = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < edges_items; ++j) {
    index_t const entry = first + j * cuda_warp::lanes;
    edge_state state = edge_state::none;
    rows[j] = points[j] = 0;
    if (entry < end) {
      rows[j] = call.row_of(entry);
      state = call.find(rows[j], entry, points[j]);
    }
    words[j] = __ballot_sync(~0u, state == edge_state::edge);
    kept += count_bits(words[j]);
    bad_indices += state == edge_state::bad_index ? 1 : 0;
  }

  lookback_pair total{};
  std::uint64_t const mine = lane == 0 ? kept : 0;
  std::uint64_t const before = scan.exclusive({mine}, static_cast<std::uint32_t>(tile), total).word;
  auto to = static_cast<index_t>(__shfl_sync(~0u, static_cast<unsigned long long>(before), 0));
  FARPOINT_UNROLL
  for (int j = 0; j < edges_items; ++j) {
    if ((words[j] >> lane & 1u) != 0) {
      call.write(to + count_bits(words[j] & ((1u << lane) - 1)), rows[j], first + j * cuda_warp::lanes, points[j]);
    }
    to += count_bits(words[j]);
  }
  if (call.output.report != nullptr) count_in_report_by_warp(&call.output.report->bad_indices, bad_indices);
  if (tile == args.tiles - 1 && threadIdx.x == 0) call.finish(static_cast<index_t>(total.word));
}

/// neighbor_edges() for cuda_exec.
template <class Points, class Queries>
FARPOINT_HIDDEN result neighbor_edges_cuda(cuda_exec exec, neighbor_edges_call<Points, Queries> const& call,
                                           bytes workspace) noexcept {
  if (result const checked = call.check(); !checked) return checked;
  index_t const entries = call.entries();
  edges_memory const memory = edges_memory::cut(workspace.data(), entries);
  result const fits = check_workspace(workspace, memory.used, FARPOINT_WORKSPACE_OF("neighbor_edges"));
  if (!fits) return fits;
  kernel_launcher launcher{exec.stream};
  auto const& output = call.output;
  if (output.report != nullptr) launcher.clear(output.report, sizeof *output.report);
  if (!output.count.empty()) launcher.clear(output.count.data(), output.count.wide() ? 8 : 4);
  launcher.clear(workspace.data(), memory.used);
  unsigned long long* const bad = output.report == nullptr ? nullptr : &output.report->bad_offsets;
  count_bad_offsets(launcher, call.points, memory.bad_offsets, bad);
  if (call.has_own_offsets()) count_bad_offsets(launcher, call.queries, memory.bad_offsets, bad);
  if (index_t const tiles = edges_memory::tile_count(entries); tiles > 0) {
    launcher.launch(edges_kernel<Points, Queries>, static_cast<unsigned>(tiles), edges_block_size,
                    edges_args<Points, Queries>{call, memory, tiles});
  }
  return cuda_failure(launcher.error(), "neighbor_edges: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
