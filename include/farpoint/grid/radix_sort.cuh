/// @file
/// Stable radix sort of 32-bit keys with 32-bit values in the caller's memory.
#pragma once

#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort_block.cuh>
#include <farpoint/grid/radix_sweep.cuh>
#include <farpoint/tuning/radix_sort.hpp>

#include <iterator>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Arguments of radix_sort(). All arrays are in device memory and do not overlap.
struct radix_sort_args {
  std::uint32_t* keys[2];    ///< `[size]` each: the input, and a second buffer
  std::uint32_t* values[2];  ///< `[size]` each: the input, and a second buffer
  std::uint32_t* workspace;  ///< `[radix_sort_workspace_words(size)]`; need not be initialized
  std::uint32_t size;
  int bits = 32;                               ///< 0 to 32: number of low bits of a key to sort by
  std::uint32_t const* device_size = nullptr;  ///< optional: number of keys in device memory, at most `size`
};

namespace detail {

/// Selects the kernels, lays out the workspace, and enqueues.
template <class Selector>
class radix_sort_plan {
 public:
  radix_sort_plan(radix_sort_args const& args, cudaStream_t stream) noexcept : args_{args}, launcher_{stream} {}

  /// Number of words for `size` keys; also sufficient for fewer keys, whose kernels may differ.
  static constexpr std::size_t words(std::size_t size) noexcept {
    if (size <= block_capacity) return 0;
    std::size_t most = 0;
    for (std::size_t shape = 0; shape < sweep_shapes && size >= Selector::sweeps[shape].from; ++shape) {
      most = larger(most, sweep_words(max_of_shape(shape, size), Selector::sweeps[shape]));
    }
    return most;
  }

  cudaError_t enqueue() noexcept {
    if (args_.size <= block_capacity) {
      enqueue_block(std::make_index_sequence<block_shapes>{});
    } else {
      enqueue_sweeps(std::make_index_sequence<sweep_shapes>{});
    }
    return launcher_.error();
  }

 private:
  static constexpr std::size_t block_shapes = std::size(Selector::blocks);
  static constexpr std::size_t sweep_shapes = std::size(Selector::sweeps);
  static constexpr radix_block_tuning largest_block = Selector::blocks[block_shapes - 1];
  static constexpr std::uint32_t block_capacity = largest_block.capacity();
  static_assert(Selector::sweeps[0].from <= block_capacity + 1,
                "farpoint: the first of Selector::sweeps must start where Selector::blocks ends");

  /// Maximum number of keys, up to `size`, for which a shape of the sweeps is used.
  static constexpr std::size_t max_of_shape(std::size_t shape, std::size_t size) noexcept {
    return shape + 1 == sweep_shapes ? size : smaller(size, std::size_t{Selector::sweeps[shape + 1].from} - 1);
  }
  static constexpr std::size_t sweep_words(std::size_t size, radix_sweep_tuning const& tuning) noexcept {
    return radix_sweep_memory::words() + divide_up(size, std::size_t{tuning.tile_size()}) * radix_digits;
  }

  std::uint32_t* sums() const noexcept { return args_.workspace + radix_sweep_memory::words(); }
  int passes() const noexcept { return radix_passes(args_.bits); }
  radix_size size() const noexcept { return {args_.size, args_.device_size}; }

  template <class Args>
  void launch_dynamic(void (*kernel)(Args const), cudaLaunchConfig_t config, std::size_t bytes,
                      Args const& args) noexcept {
    config.dynamicSmemBytes = bytes;
    launcher_.launch(kernel, config, args);
  }

  template <std::size_t... Shape>
  void enqueue_block(std::index_sequence<Shape...>) noexcept {
    static_cast<void>(((args_.size <= Selector::blocks[Shape].capacity() && (enqueue_block_of<Shape>(), true)) || ...));
  }
  template <std::size_t Shape>
  void enqueue_block_of() noexcept {
    constexpr int threads = Selector::blocks[Shape].block_size;
    constexpr int items = Selector::blocks[Shape].items_per_thread;
    int const to = passes() % 2;
    radix_block_args const args{args_.keys[0], args_.values[0], args_.keys[to], args_.values[to], size(), args_.bits};
    launch_dynamic(radix_block_kernel<threads, items>, launch_config(1, threads, launcher_.stream()),
                   sizeof(radix_block_storage<threads, items>), args);
  }

  template <std::size_t... Shape>
  void enqueue_sweeps(std::index_sequence<Shape...>) noexcept {
    static_cast<void>(((args_.size == max_of_shape(Shape, args_.size) && (enqueue_sweeps_of<Shape>(), true)) || ...));
  }
  template <std::size_t Shape>
  void enqueue_sweeps_of() noexcept {
    auto* const memory = reinterpret_cast<radix_sweep_memory*>(args_.workspace);
    launcher_.clear(memory, sizeof *memory);
    constexpr int items = Selector::histogram_items;
    constexpr unsigned histogram_blocks = Selector::histogram_blocks;
    launcher_.launch(radix_histogram_kernel<items>,
                     smaller(radix_tiles(args_.size, radix_digits * items), histogram_blocks), radix_digits,
                     {args_.keys[0], size(), args_.bits, memory, sums(), Selector::sweeps[Shape].tile_size()});
    for (int pass = 0; pass < passes(); ++pass) enqueue_sweep<Shape>(*memory, pass);
  }

  /// Enqueues one launch per portion: nearly always one.
  template <std::size_t Shape>
  void enqueue_sweep(radix_sweep_memory& memory, int pass) noexcept {
    constexpr radix_sweep_tuning tuning = Selector::sweeps[Shape];
    constexpr std::uint32_t portion = Selector::portion_keys / tuning.tile_size();
    static_assert(Selector::portion_keys < 1u << 30 && portion > 0,
                  "farpoint: Selector::portion_keys must hold a tile and be below 2^30");
    constexpr int threads = tuning.block_size;
    constexpr int items = tuning.items_per_thread;
    using storage = typename radix_sweep<threads, items, tuning.window, tuning.values_apart>::storage;
    constexpr auto kernel =
        radix_sweep_kernel<threads, items, tuning.blocks_per_multiprocessor, tuning.window, tuning.values_apart>;
    std::uint32_t const tiles = radix_tiles(args_.size, tuning.tile_size());
    radix_sweep_args args{};
    set_buffers(args, pass);
    args.size = size();
    args.ticket = &memory.tickets[pass];
    args.sums = sums();
    args.pass = static_cast<std::uint32_t>(pass);
    args.begins = memory.begins[pass];
    for (std::uint32_t number = 0; args.end_tile < tiles; ++number) {
      args.first_tile = args.end_tile;
      bool const is_last = tiles - args.first_tile <= portion;
      args.end_tile = is_last ? tiles : args.first_tile + portion;
      args.next_begins = is_last ? nullptr : memory.carries[number % 2];
      launch_dynamic(kernel, launch_config(args.end_tile - args.first_tile, threads, launcher_.stream()),
                     sizeof(storage), args);
      args.begins = args.next_begins;
    }
  }

  template <class Args>
  void set_buffers(Args& args, int pass) const noexcept {
    int const from = pass % 2;
    args.keys = args_.keys[from];
    args.values = args_.values[from];
    args.sorted_keys = args_.keys[1 - from];
    args.sorted_values = args_.values[1 - from];
    args.digit = radix_digit::of_pass(pass, args_.bits);
  }

  radix_sort_args const& args_;
  kernel_launcher launcher_;
};

}  // namespace detail

/// Number of words of device memory that radix_sort() needs in addition to keys and values: 1,541, plus one per 8 keys
/// for up to half a million keys, per 32 keys for up to two million, and per 24 keys beyond; 0 for sizes that one block
/// sorts. A workspace for one size serves every smaller size.
template <class Selector = radix_sort_selector>
constexpr std::size_t radix_sort_workspace_words(std::size_t size) noexcept {
  return detail::radix_sort_plan<Selector>::words(size);
}

/// Index of the buffer that holds the result of radix_sort().
constexpr int radix_sort_result(int bits) noexcept {
  return radix_passes(bits) % 2;
}

/// Sorts keys and their values by the low `bits` bits of the keys, ascending.
///
/// Stable: keys that agree in these bits keep their order. The result is in `keys[radix_sort_result(bits)]` and
/// `values[radix_sort_result(bits)]`; the contents of the other buffers are unspecified. The input is overwritten.
///
/// Enqueues on `stream` without synchronizing or allocating, so it can be captured in a graph. Up to 8,192 keys take
/// one launch of one block. More keys take one launch per eight bits, one to count the digits, and a memset. A key is
/// then read once to count it, and read and written once per eight bits, with its value. If the size is in device
/// memory, the grids are sized for `size`, and surplus blocks return at once.
///
/// @return the error of a launch, or cudaSuccess; work enqueued before the error stays enqueued. Pending errors of
///         other work are neither returned nor cleared, unlike by cub::DeviceRadixSort, which ends with
///         cudaPeekAtLastError().
template <class Selector = radix_sort_selector>
FARPOINT_HIDDEN cudaError_t radix_sort(radix_sort_args const& args, cudaStream_t stream) noexcept {
  if (args.size == 0 || args.bits == 0) return cudaSuccess;
  return detail::radix_sort_plan<Selector>{args, stream}.enqueue();
}

FARPOINT_END_NAMESPACE
