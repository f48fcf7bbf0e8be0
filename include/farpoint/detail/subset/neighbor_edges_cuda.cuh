/// @file
/// CUDA backend of neighbor_edges(): a scan with look-back over tiles of entries.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/subset/neighbor_edges_call.hpp>
#include <farpoint/detail/subset/tile_compaction.cuh>
#include <farpoint/grid/bad_offsets.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Device workspace, cleared by one memset.
struct edges_memory {
  compaction_memory compaction;
  unsigned* bad_offsets;
  std::size_t used;  ///< number of bytes in total

  static index_t bounded(index_t entries) noexcept { return smaller(larger(entries, index_t{0}), max_edge_entries); }

  static edges_memory cut(unsigned char* memory, index_t entries) noexcept {
    workspace_cutter cutter{memory};
    edges_memory cut{};
    cut.compaction = compaction_memory::cut(cutter, bounded(entries));
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

/// Writes the edges of a tile.
template <class Points, class Queries>
__global__ void __launch_bounds__(compaction_block_size) edges_kernel(edges_args<Points, Queries> const args) {
  __shared__ tile_compaction::storage storage;
  tile_compaction tile{storage, args.memory.compaction};
  auto const& call = args.call;
  index_t const end = *args.memory.bad_offsets != 0 ? index_t{0} : call.begin_of(call.rows());
  index_t rows[compaction_items];
  index_t points[compaction_items];
  unsigned bad_indices = 0;
  tile.select([&](int j, index_t entry) {
    edge_state state = edge_state::none;
    rows[j] = points[j] = 0;
    if (entry < end) {
      rows[j] = call.row_of(entry);
      state = call.find(rows[j], entry, points[j]);
    }
    bad_indices += state == edge_state::bad_index ? 1 : 0;
    return state == edge_state::edge;
  });
  tile.write([&](int j, index_t entry, index_t to) { call.write(to, rows[j], entry, points[j]); });
  if (call.output.report != nullptr) count_in_report_by_warp(&call.output.report->bad_indices, bad_indices);
  if (tile.tile() == args.tiles - 1 && threadIdx.x == 0) call.finish(tile.total());
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
  if (index_t const tiles = compaction_memory::tile_count(edges_memory::bounded(entries)); tiles > 0) {
    launcher.launch(edges_kernel<Points, Queries>, static_cast<unsigned>(tiles), compaction_block_size,
                    edges_args<Points, Queries>{call, memory, tiles});
  }
  return cuda_failure(launcher.error(), "neighbor_edges: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
