/// @file
/// CUDA backend of draw_splats(): computes each splat's shape, lists the splats of each cell of the image, and draws
/// the image tile by tile.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/splat/check_splats.hpp>
#include <farpoint/detail/splat/splat_tile.cuh>
#include <farpoint/grid/exclusive_scan.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Workspace of a call for cuda_exec.
struct splat_tile_memory {
  splat_cells cells{};
  splat_record* records = nullptr;   ///< `[splats]`
  std::uint32_t* entries = nullptr;  ///< splats of the cells, one cell after another
  /// `[cells + 1]`: lengths of the lists, after the scan their begins, after splat_list_kernel their ends.
  std::int64_t* offsets = nullptr;
  exclusive_scan_memory scan{};
  std::uint32_t* covers = nullptr;  ///< `[height, width]`, bits of depths; null if nothing is hidden
  std::size_t clear_bytes = 0;      ///< bytes to clear, from offsets on
  std::size_t size = 0;

  splat_tile_memory() = default;
  splat_tile_memory(unsigned char* workspace, splat_extent const& extent) noexcept
      : cells{splat_cells::of(extent.width, extent.height)} {
    workspace_cutter cutter{workspace};
    offsets = cutter.take<std::int64_t>(cells.count + 1);
    scan = exclusive_scan_memory::cut(cutter, cells.count);
    clear_bytes = cutter.used();
    records = cutter.take<splat_record>(extent.splats);
    entries = cutter.take<std::uint32_t>(splat_most_cells * extent.splats);
    if (extent.hides) covers = cutter.take<std::uint32_t>(extent.width * extent.height);
    size = cutter.used();
  }

  /// Increments a cell's offset and returns its value before.
  __device__ FARPOINT_ALWAYS_INLINE std::uint64_t count(std::int32_t cell) const noexcept {
    return atomic_add(reinterpret_cast<std::uint64_t*>(offsets + cell), std::uint64_t{1});
  }
};

template <class Points>
struct splat_bin_args {
  splat_scene<Points> scene;
  splat_tile_memory memory;
};

/// Computes and stores each splat's shape, and counts the splat in its cells.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) splat_bin_kernel(splat_bin_args<Points> const args) {
  auto const& scene = args.scene;
  index_t const splat = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  if (splat >= scene.count()) return;
  splat_shape const shape = scene.shape_of(splat);
  std::uint32_t color[3] = {};
  if (!shape.box.is_empty()) scene.shade(shape, splat, color);
  splat_record& record = args.memory.records[splat];
  record.head = splat_record::head_of(shape.box, color);
  if (shape.box.is_empty()) return;
  record.set_form(shape.form);
  args.memory.cells.each_cell(shape.box, [&](int, std::int32_t cell) { args.memory.count(cell); });
}

/// Writes the lists. count() advances each offset from its list's begin to its end.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) splat_list_kernel(splat_bin_args<Points> const args) {
  index_t const splat = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  if (splat >= args.scene.count()) return;
  auto const& memory = args.memory;
  // Requests all positions before it uses the first, so that the atomics overlap.
  std::uint64_t places[splat_most_cells];
  splat_box const box = splat_record::box_of(memory.records[splat].head);
  memory.cells.each_cell(box, [&](int i, std::int32_t cell) { places[i] = memory.count(cell); });
  memory.cells.each_cell(box,
                         [&](int i, std::int32_t) { memory.entries[places[i]] = static_cast<std::uint32_t>(splat); });
}

/// Enqueues the kernels that make the lists.
/// @param args  as prepare_splats() leaves them
template <class Selector, class Points>
void launch_splat_lists(kernel_launcher& launcher, splat_bin_args<Points> const& args) noexcept {
  constexpr int block_size = Selector::block_size;
  auto const& memory = args.memory;
  index_t const splats = args.scene.splats.size();
  launcher.clear(memory.offsets, memory.clear_bytes);
  if (splats == 0) return;
  launcher.launch_for(splats, block_size, splat_bin_kernel<Points, block_size>, args);
  index_t const cells = memory.cells.count;
  span<std::int64_t> const lengths{memory.offsets, static_cast<std::size_t>(cells) + 1};
  exclusive_scan_args const sums{lengths, cells, splat_most_cells * splats, nullptr, nullptr, memory.scan};
  launcher.then([&] { return exclusive_scan(sums, launcher.stream()); });
  launcher.launch_for(splats, block_size, splat_list_kernel<Points, block_size>, args);
}

/// draw_splats() for cuda_exec.
template <class Selector, class Points>
result draw_splats_cuda(cuda_exec exec, splat_scene<Points> const& scene, bytes workspace) noexcept {
  splat_bin_args<Points> args{scene, {}};
  auto const& memory = args.memory;
  if (result const checked = prepare_splats(args.scene, workspace, args.memory); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  launch_splat_lists<Selector>(launcher, args);
  splat_tile_args const tiles{args.scene.picture, memory.cells,   memory.records,
                              memory.entries,     memory.offsets, memory.covers};
  constexpr int threads = splat_tile_threads;
  auto const blocks = static_cast<unsigned>(tiles.cells.tiles[0] * tiles.cells.tiles[1]);
  if (memory.covers != nullptr) {
    launcher.launch(splat_tile_kernel<splat_tile_pass::covers, threads>, blocks, threads, tiles);
  }
  launcher.launch(splat_tile_kernel<splat_tile_pass::image, threads>, blocks, threads, tiles);
  return cuda_failure(launcher.error(), "draw_splats: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
