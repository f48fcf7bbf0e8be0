/// @file
/// The CUDA backend of gather().
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/gather/check.hpp>
#include <farpoint/detail/gather/rows.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/loops.hpp>
#include <farpoint/types/gather.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Value>
struct gather_args {
  span<Value const> features;
  index_t channels;
  index_t rows;  ///< number of rows of features
  index_view indices;
  span<Value> output;
  gather_report* report;  ///< may be null
};

/// Copies one value per thread. `Number` is the type of value indices: 32 bits where they suffice, because a 64-bit
/// division takes longer than the copy.
template <class Value, class Number>
__global__ void __launch_bounds__(loop_block_size) gather_kernel(gather_args<Value> const args) {
  auto const channels = static_cast<Number>(args.channels);
  auto const values = static_cast<Number>(args.indices.size()) * channels;
  Number const step = Number{gridDim.x} * loop_block_size;
  Number at = Number{blockIdx.x} * loop_block_size + threadIdx.x;
  for (; at < values; at += step) {
    Number const row = at / channels;
    Number const channel = at - row * channels;
    index_t const from = args.indices[static_cast<index_t>(row)];
    bool const is_there = from >= 0 && from < args.rows;
    auto const source = static_cast<std::size_t>(from) * static_cast<std::size_t>(channels) + channel;
    args.output[at] = is_there ? args.features[source] : Value{};
    if (!is_there && from != -1 && channel == 0) count_in_report(args.report, &gather_report::out_of_range, 1);
  }
}

/// gather() for cuda_exec.
template <class Value>
FARPOINT_HIDDEN result gather_cuda(cuda_exec exec, span<Value const> features, index_t channels, index_view indices,
                                   span<Value> output, gather_report* report) noexcept {
  static_assert(is_on_gpu<Value>, "farpoint: a GPU has no long double: gather() doubles, or bytes");
  if (result const checked = check_gather(features, channels, indices.size(), output); !checked) return checked;
  index_t const rows = static_cast<index_t>(features.size()) / channels;
  index_t const values = indices.size() * channels;
  auto const kernel =
      values <= max_narrow_points ? gather_kernel<Value, std::uint32_t> : gather_kernel<Value, std::uint64_t>;
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  launcher.launch_strided(values, loop_block_size, kernel,
                          gather_args<Value>{features, channels, rows, indices, output, report});
  return cuda_failure(launcher.error(), "gather: the kernel could not be launched");
}

/// Returns true if any offset is invalid. All threads of a block call it; the first block counts invalid offsets.
template <class Value>
__device__ bool gather_has_bad_offsets(gather_rows_args<Value> const& args) noexcept {
  if (!args.is_ragged()) return false;
  unsigned bad = 0;
  for (index_t i = threadIdx.x; i < args.offsets(); i += loop_block_size) bad += args.is_bad(i) ? 1 : 0;
  if (blockIdx.x == 0) count_in_report(args.report, &gather_report::bad_offsets, bad);
  return __syncthreads_or(bad != 0) != 0;
}

/// Number of channels of a row that a thread copies where neighboring threads copy neighboring rows. The thread finds
/// its row once, and its loads are in flight together.
template <class Value>
inline constexpr int gather_channels = sizeof(Value) <= 8 ? 8 : 1;

/// Gathers rows within each cloud of a batch. Neighboring threads write neighboring values: of a row, or of a channel
/// if `Channels` is not 1.
/// @tparam Channels  number of channels that a thread copies
template <class Value, class Number, int Channels>
__global__ void __launch_bounds__(loop_block_size) gather_rows_kernel(gather_rows_args<Value> const args) {
  bool const empty = gather_has_bad_offsets(args);
  index_t const channels = args.output.channels();
  auto const groups = static_cast<Number>(divide_up(channels, index_t{Channels}));
  Number const shares = static_cast<Number>(args.indices.size()) * groups;
  // Number of rows whose values of one channel are contiguous in the output.
  auto const run = static_cast<Number>(is_channels_first(args.output) ? args.output.rows() : 1);
  Number const step = Number{gridDim.x} * loop_block_size;
  for (Number at = Number{blockIdx.x} * loop_block_size + threadIdx.x; at < shares; at += step) {
    Number const line = at / run;
    Number const slab = line / groups;
    index_t const first = static_cast<index_t>(line - slab * groups) * Channels;
    gathered_row<Value> const row = args.row(slab * run + (at - line * run), empty);
    if (row.out_of_range && first == 0) count_in_report(args.report, &gather_report::out_of_range, 1);
    if (row.to == nullptr) continue;
    Value copied[Channels];
#pragma unroll
    for (int j = 0; j < Channels; ++j) {
      bool const is_there = row.from != nullptr && first + j < channels;
      copied[j] = is_there ? row.from[(first + j) * args.features.strides().channel] : Value{};
    }
#pragma unroll
    for (int j = 0; j < Channels; ++j) {
      if (first + j < channels) row.to[(first + j) * args.output.strides().channel] = copied[j];
    }
  }
}

/// Enqueues gather_rows_kernel().
template <class Value, int Channels>
FARPOINT_HIDDEN void launch_gather_rows(kernel_launcher& launcher, gather_rows_args<Value> const& args) noexcept {
  index_t const shares = args.indices.size() * divide_up(args.output.channels(), index_t{Channels});
  auto const kernel = shares <= max_narrow_points ? gather_rows_kernel<Value, std::uint32_t, Channels>
                                                  : gather_rows_kernel<Value, std::uint64_t, Channels>;
  // In a ragged batch, each block checks all offsets, so there are few blocks; one checks them even if no row is
  // gathered.
  index_t const threads = args.is_ragged() ? larger(shares, index_t{1}) : shares;
  unsigned const blocks =
      args.is_ragged() ? launcher.blocks(threads, loop_block_size, 8) : blocks_for(threads, loop_block_size);
  if (args.output.clouds() > 0 && threads > 0) launcher.launch(kernel, blocks, loop_block_size, args);
}

/// Tiles of rows, of which each block of gather_tiles_kernel() copies one channel.
template <class Value>
struct gather_tiles {
  static constexpr int per_thread = 4;  ///< rows whose loads are in flight together
  /// A block that copies so many rows of a channel meets sectors again that its loads have left in the L1 cache.
  static constexpr index_t long_rows = 4096;
  static constexpr index_t short_rows = loop_block_size * per_thread;
  /// Blocks that fill large GPUs.
  static constexpr index_t enough_blocks = 512;

  gather_rows_args<Value> args;
  index_t rows;      ///< rows of a tile
  index_t in_cloud;  ///< tiles of a cloud

  explicit gather_tiles(gather_rows_args<Value> const& gathered) noexcept : args{gathered}, rows{0}, in_cloud{0} {
    if (args.output.rows() == 0) return;  // then the number of channels has no bound
    bool const long_tiles = pairs() * divide_up(args.output.rows(), long_rows) >= enough_blocks;
    rows = long_tiles ? long_rows : short_rows;
    in_cloud = divide_up(args.output.rows(), rows);
  }
  /// Number of pairs of a cloud and a channel.
  index_t pairs() const noexcept { return args.output.clouds() * args.output.channels(); }
  index_t blocks() const noexcept { return pairs() * in_cloud; }
  /// False where gather_rows_kernel() takes less time: for few rows, and for more rows than the features have, because
  /// a thread of that kernel finds a row once for several channels.
  bool suit() const noexcept {
    return !args.is_ragged() && is_channels_first(args.output) && args.output.rows() >= short_rows &&
           args.output.rows() < args.features.rows() && blocks() > 0 && blocks() <= max_narrow_points;
  }
};

/// Reads the indices at `at` and each `loop_block_size` further, but none behind `last`. No load waits for another.
template <class Integer, int Count>
__device__ void read_indices(index_view indices, index_t at, index_t last, index_t (&read)[Count]) noexcept {
  auto const* const from = static_cast<Integer const*>(indices.data());
  Integer loaded[Count];
#pragma unroll
  for (int j = 0; j < Count; ++j) loaded[j] = from[smaller(at + j * loop_block_size, last)];
#pragma unroll
  for (int j = 0; j < Count; ++j) read[j] = loaded[j];
}

/// Gathers rows of regular clouds whose output has rows next to each other. A block copies one channel of a tile. No
/// load is conditional, so that the loads of a thread are in flight together.
template <class Value>
__global__ void __launch_bounds__(loop_block_size) gather_tiles_kernel(gather_tiles<Value> const tiles) {
  constexpr int per_thread = gather_tiles<Value>::per_thread;
  auto const& args = tiles.args;
  // In 32 bits, in which a GPU divides much faster.
  auto const in_cloud = static_cast<unsigned>(tiles.in_cloud), channels = static_cast<unsigned>(args.output.channels());
  unsigned const pair = blockIdx.x / in_cloud, cloud = pair / channels, channel = pair - cloud * channels;
  index_t const rows = args.output.rows(), begin = (blockIdx.x - pair * in_cloud) * tiles.rows;
  index_t const end = smaller(begin + tiles.rows, rows), before = cloud * rows;
  Value const* const from = args.features.row(cloud, 0) + channel * args.features.strides().channel;
  Value* const to = args.output.row(cloud, 0) + channel * args.output.strides().channel;
  for (index_t first = begin + threadIdx.x; first < end; first += loop_block_size * per_thread) {
    index_t index[per_thread];
    if (args.indices.wide()) {
      read_indices<std::int64_t>(args.indices, before + first, before + end - 1, index);
    } else {
      read_indices<std::int32_t>(args.indices, before + first, before + end - 1, index);
    }
    Value copied[per_thread];
    bool is_there[per_thread];
#pragma unroll
    for (int j = 0; j < per_thread; ++j) {
      is_there[j] = index[j] >= 0 && index[j] < args.features.rows();
      copied[j] = from[(is_there[j] ? index[j] : 0) * args.features.strides().row];
    }
#pragma unroll
    for (int j = 0; j < per_thread; ++j) {
      index_t const i = first + j * loop_block_size;
      if (i >= end) break;
      to[i * args.output.strides().row] = is_there[j] ? copied[j] : Value{};
      if (!is_there[j] && index[j] != -1 && channel == 0) count_in_report(args.report, &gather_report::out_of_range, 1);
    }
  }
}

/// gather() within the clouds of a batch for cuda_exec.
template <class Value>
FARPOINT_HIDDEN result gather_cuda(cuda_exec exec, gather_rows_args<Value> const& args) noexcept {
  index_t const rows = args.indices.size();
  static_assert(is_on_gpu<Value>, "farpoint: a GPU has no long double: gather() doubles, or bytes");
  if (result const checked = check_gather(args.features, rows, args.output); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  if (args.report != nullptr) launcher.clear(args.report, sizeof *args.report);
  if (gather_tiles<Value> const tiles{args}; tiles.suit()) {
    launcher.launch(gather_tiles_kernel<Value>, static_cast<unsigned>(tiles.blocks()), loop_block_size, tiles);
  } else if (is_channels_first(args.output)) {
    launch_gather_rows<Value, gather_channels<Value>>(launcher, args);
  } else {
    launch_gather_rows<Value, 1>(launcher, args);
  }
  return cuda_failure(launcher.error(), "gather: the kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
