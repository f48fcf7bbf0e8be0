/// @file
/// Stable radix sort of 32-bit keys with 32-bit values in the caller's memory.
#pragma once

#include <farpoint/grid/radix_sort_block.cuh>
#include <farpoint/grid/radix_sort_tiles.cuh>
#include <farpoint/grid/radix_sweep.cuh>
#include <farpoint/tuning/radix_sort.hpp>

#include <iterator>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// What radix_sort() sorts, and where. All arrays are in device memory, and none overlaps another.
struct radix_sort_args {
  std::uint32_t* keys[2];    ///< `[size]` each: the input, and room for as much
  std::uint32_t* values[2];  ///< `[size]` each, likewise
  std::uint32_t* workspace;  ///< `[radix_sort_workspace_words(size)]`; in any state before, and after
  std::uint32_t size;
  int bits = 32;                               ///< 0 to 32: the low bits of a key that it is sorted by
  std::uint32_t const* device_size = nullptr;  ///< keys to sort, `size` at most, if only the device knows; optional
};

namespace detail {

template <class Selector>
struct radix_sort_plan {
  static constexpr std::size_t block_shapes = std::size(Selector::blocks);
  static constexpr std::size_t sweep_shapes = std::size(Selector::sweeps);
  static constexpr std::uint32_t block_capacity = Selector::blocks[block_shapes - 1].capacity();

  /// Most keys that a shape of the sweeps is used for, of `size` at most.
  static constexpr std::size_t most_of_shape(std::size_t shape, std::size_t size) noexcept {
    if (shape + 1 == sweep_shapes) return size;
    std::size_t const next = Selector::sweeps[shape + 1].from;
    return size < next ? size : next - 1;
  }

  static constexpr std::size_t sweep_words(std::size_t size, std::size_t tile_size) noexcept {
    return radix_sweep_memory::words() + (size + tile_size - 1) / tile_size * radix_digits;
  }

  /// A workspace also serves all smaller sizes, which may be sorted in other ways.
  static constexpr std::size_t words(std::size_t size) noexcept {
    if (size <= block_capacity) return 0;
    std::size_t const first_sweep = Selector::sweeps[0].from;
    std::size_t const by_tiles = size < first_sweep ? size : first_sweep - 1;
    std::size_t most = by_tiles > block_capacity ? radix_tile_words(by_tiles) : 0;
    for (std::size_t shape = 0; shape < sweep_shapes; ++shape) {
      if (size < Selector::sweeps[shape].from) break;
      std::size_t const words = sweep_words(most_of_shape(shape, size), Selector::sweeps[shape].tile_size());
      if (words > most) most = words;
    }
    return most;
  }

  static cudaError_t enqueue(radix_sort_args const& args, cudaStream_t stream) noexcept {
    if (args.size <= block_capacity) {
      return enqueue_block(args, stream, std::make_index_sequence<block_shapes>{});
    }
    if (args.size < Selector::sweeps[0].from) return enqueue_tiles(args, stream);
    return enqueue_sweeps(args, stream, std::make_index_sequence<sweep_shapes>{});
  }

 private:
  struct step {
    unsigned blocks;
    int block_size;
    std::size_t shared_bytes = 0;
  };
  template <class Args>
  static cudaError_t launch(void (*kernel)(Args const), step const& shape, Args const& args,
                            cudaStream_t stream) noexcept {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(static_cast<unsigned>(shape.block_size));
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    return launch_kernel(kernel, config, args);
  }

  static radix_size size_of(radix_sort_args const& args) noexcept { return {args.size, args.device_size}; }

  template <std::size_t... Shape>
  static cudaError_t enqueue_block(radix_sort_args const& args, cudaStream_t stream,
                                   std::index_sequence<Shape...>) noexcept {
    cudaError_t error = cudaSuccess;
    static_cast<void>(
        ((args.size <= Selector::blocks[Shape].capacity() && (error = enqueue_block_of<Shape>(args, stream), true)) ||
         ...));
    return error;
  }
  template <std::size_t Shape>
  static cudaError_t enqueue_block_of(radix_sort_args const& args, cudaStream_t stream) noexcept {
    constexpr int threads = Selector::blocks[Shape].block_size;
    constexpr int items = Selector::blocks[Shape].items_per_thread;
    int const to = radix_passes(args.bits) % 2;
    return launch(
        radix_block_kernel<threads, items>, {1, threads, sizeof(radix_block_storage<threads, items>)},
        radix_block_args{args.keys[0], args.values[0], args.keys[to], args.values[to], size_of(args), args.bits},
        stream);
  }

  static cudaError_t enqueue_tiles(radix_sort_args const& args, cudaStream_t stream) noexcept {
    unsigned const tiles = radix_tiles(args.size, radix_tile_size);
    for (int pass = 0; pass < radix_passes(args.bits); ++pass) {
      int const from = pass % 2;
      radix_tile_args const tile_args{args.keys[from],
                                      args.values[from],
                                      args.keys[1 - from],
                                      args.values[1 - from],
                                      args.workspace + radix_digits,
                                      args.workspace,
                                      size_of(args),
                                      radix_digit::of_pass(pass, args.bits)};
      constexpr int threads = radix_tile_threads;
      cudaError_t error = launch(radix_count_kernel<radix_tile_args>, {tiles, threads}, tile_args, stream);
      if (error != cudaSuccess) return error;
      constexpr unsigned scan_blocks = radix_digits * cuda_warp::lanes / threads;
      error = launch(radix_scan_kernel<radix_tile_args>, {scan_blocks, threads}, tile_args, stream);
      if (error != cudaSuccess) return error;
      error = launch(radix_scatter_kernel<radix_tile_args>, {tiles, threads}, tile_args, stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }

  template <std::size_t... Shape>
  static cudaError_t enqueue_sweeps(radix_sort_args const& args, cudaStream_t stream,
                                    std::index_sequence<Shape...>) noexcept {
    cudaError_t error = cudaSuccess;
    static_cast<void>(
        ((args.size == most_of_shape(Shape, args.size) && (error = enqueue_sweeps_of<Shape>(args, stream), true)) ||
         ...));
    return error;
  }
  template <std::size_t Shape>
  static cudaError_t enqueue_sweeps_of(radix_sort_args const& args, cudaStream_t stream) noexcept {
    constexpr radix_sweep_tuning tuning = Selector::sweeps[Shape];
    auto* const memory = reinterpret_cast<radix_sweep_memory*>(args.workspace);
    std::size_t const bytes = sweep_words(args.size, tuning.tile_size()) * sizeof(std::uint32_t);
    cudaError_t error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error != cudaSuccess) return error;

    constexpr std::uint32_t histogram_tile = radix_digits * Selector::histogram_items;
    std::uint32_t const blocks = radix_tiles(args.size, histogram_tile);
    constexpr std::uint32_t most_blocks = Selector::histogram_blocks;
    error = launch(radix_histogram_kernel<Selector::histogram_items>,
                   {blocks < most_blocks ? blocks : most_blocks, radix_digits},
                   radix_histogram_args{args.keys[0], size_of(args), args.bits, memory}, stream);
    for (int pass = 0; error == cudaSuccess && pass < radix_passes(args.bits); ++pass) {
      error = enqueue_sweep<Shape>(args, memory, pass, stream);
    }
    return error;
  }

  /// One launch for each portion: nearly always one.
  template <std::size_t Shape>
  static cudaError_t enqueue_sweep(radix_sort_args const& args, radix_sweep_memory* memory, int pass,
                                   cudaStream_t stream) noexcept {
    constexpr radix_sweep_tuning tuning = Selector::sweeps[Shape];
    constexpr std::uint32_t portion = Selector::portion_keys / tuning.tile_size();
    constexpr auto kernel = radix_sweep_kernel<tuning.block_size, tuning.items_per_thread,
                                               tuning.blocks_per_multiprocessor, tuning.window, tuning.values_apart>;
    using storage =
        typename radix_sweep<tuning.block_size, tuning.items_per_thread, tuning.window, tuning.values_apart>::storage;
    std::uint32_t const tiles = radix_tiles(args.size, tuning.tile_size());
    int const from = pass % 2;
    radix_sweep_args sweep{};
    sweep.keys = args.keys[from];
    sweep.values = args.values[from];
    sweep.sorted_keys = args.keys[1 - from];
    sweep.sorted_values = args.values[1 - from];
    sweep.size = size_of(args);
    sweep.digit = radix_digit::of_pass(pass, args.bits);
    sweep.ticket = &memory->tickets[pass];
    sweep.sums = args.workspace + radix_sweep_memory::words();
    sweep.pass = static_cast<std::uint32_t>(pass);
    sweep.begins = memory->begins[pass];
    for (std::uint32_t first = 0, number = 0; first < tiles; first += portion, ++number) {
      bool const is_last = tiles - first <= portion;
      sweep.first_tile = first;
      sweep.end_tile = is_last ? tiles : first + portion;
      sweep.next_begins = is_last ? nullptr : memory->carries[number % 2];
      cudaError_t const error =
          launch(kernel, {sweep.end_tile - first, tuning.block_size, sizeof(storage)}, sweep, stream);
      if (error != cudaSuccess || is_last) return error;
      sweep.begins = sweep.next_begins;
    }
    return cudaSuccess;
  }
};

}  // namespace detail

/// Words of device memory that radix_sort() needs beside its keys and values: about one for each 24 keys, and none for
/// what one block sorts. A workspace for some size serves every smaller size, too.
template <class Selector = radix_sort_selector>
constexpr std::size_t radix_sort_workspace_words(std::size_t size) noexcept {
  return detail::radix_sort_plan<Selector>::words(size);
}

/// The buffer that the result of radix_sort() is in.
constexpr int radix_sort_result(int bits) noexcept {
  return radix_passes(bits) % 2;
}

/// Sorts keys and their values by the low `bits` bits of the keys, ascending.
///
/// Stable: keys that agree in these bits keep their order. The result is in `keys[radix_sort_result(bits)]` and
/// `values[radix_sort_result(bits)]`; the other buffers are left with anything. The input is not kept.
///
/// Enqueues on `stream`, without synchronising or allocating, so it can be captured in a graph. Up to 12,288 keys are
/// one launch of one block. Up to a million take three launches for every eight bits, more take one for every eight
/// bits, one to count the digits, and a memset. A key is then read once to count it, and read and written once for each
/// eight bits, with its value. Where only the device knows the size, the launches are those of `size`, and surplus
/// blocks return at once.
///
/// @return the error of a launch, or cudaSuccess; what was enqueued before it stays enqueued. Errors that somebody else
/// left pending are neither returned nor cleared: cub::DeviceRadixSort, which ends with cudaPeekAtLastError(), returns
/// them as its own.
template <class Selector = radix_sort_selector>
FARPOINT_HIDDEN cudaError_t radix_sort(radix_sort_args const& args, cudaStream_t stream) noexcept {
  if (args.size == 0 || args.bits == 0) return cudaSuccess;
  return detail::radix_sort_plan<Selector>::enqueue(args, stream);
}

FARPOINT_END_NAMESPACE
