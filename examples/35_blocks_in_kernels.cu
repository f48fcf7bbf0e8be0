// The building blocks that run in kernels and on streams, each with a few values in and what comes out.
#include <farpoint/core/atomic.hpp>
#include <farpoint/grid/exclusive_scan.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/grid_phases.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/grid/phased_radix_sort.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_bitonic_sort.cuh>
#include <farpoint/warp/warp_compact.cuh>
#include <farpoint/warp/warp_lowest.cuh>
#include <farpoint/warp/warp_merge_sort.cuh>
#include <farpoint/warp/warp_runs.cuh>
#include <farpoint/warp/warp_topk.cuh>

#include "managed_array.hpp"

namespace {

using words = managed_array<std::uint32_t>;

int wrong = 0;

/// Waits for the kernels; `at(i)` is what element i must be.
template <class Expected>
void expect(char const* block, words const& found, std::uint32_t count, Expected const& at) {
  bool is_right = cudaDeviceSynchronize() == cudaSuccess;
  for (std::uint32_t i = 0; is_right && i < count; ++i) is_right = found[i] == static_cast<std::uint32_t>(at(i));
  if (is_right) return;
  std::printf("%s: WRONG\n", block);
  ++wrong;
}

//! [cuda_warp]
/// Lane i has i. out[i] is the sum of the lanes up to i: 0 1 3 6 10 ...
__global__ void sums_of_lanes(std::uint32_t* out) {
  auto const lane = static_cast<std::uint32_t>(farpoint::cuda_warp::lane());
  out[lane] = farpoint::cuda_warp::inclusive_sum(lane);
}
//! [cuda_warp]

//! [warp_sorts]
/// keys: 31 30 29 ... 0 before, 0 1 2 ... 31 afterwards.
__global__ void sort_by_warp(std::uint32_t* keys) {
  using sorter = farpoint::warp_merge_sort<std::uint32_t, 32>;
  __shared__ sorter::storage shared;
  shared.keys[threadIdx.x] = keys[threadIdx.x];
  farpoint::cuda_warp::sync();
  sorter::sort(shared, 32);  // farpoint::warp_bitonic_sort(shared.keys, 32) in fewer registers
  keys[threadIdx.x] = shared.keys[threadIdx.x];
}
//! [warp_sorts]

//! [warp_topk]
/// Lane i visits 100 keys at distances 99, 98, ... 0 and keeps the indices of the two nearest: 99 98 in each lane.
__global__ void nearest_two(std::uint32_t* out) {
  using list_type = farpoint::warp_topk<float, 2>;
  __shared__ list_type::storage shared;
  list_type list{shared, 2, {1000, farpoint::no_index}, farpoint::no_index};
  list.activate(true);
  for (std::uint32_t i = 0; i < 100; ++i) {
    float const distance2 = 99 - static_cast<float>(i);
    if (distance2 <= list.bound()) list.offer(distance2, i);
    list.merge_if_full();
  }
  list.merge_all();
  for (int j = 0; j < 2; ++j) out[2 * threadIdx.x + static_cast<unsigned>(j)] = list[j].index();
}
//! [warp_topk]

//! [warp_compact]
/// Chosen are the lanes 3, 6, 9, ... 30; out: these ten numbers, the i-th by lane i.
__global__ void chosen_lanes(std::uint32_t* out) {
  farpoint::warp_compact<1> const chosen{
      [](int) { return farpoint::cuda_warp::lane() % 3 == 0 && farpoint::cuda_warp::lane() > 0; }};
  int const i = farpoint::cuda_warp::lane();
  if (i < chosen.count()) out[i] = static_cast<std::uint32_t>(chosen[i].lane);
}
//! [warp_compact]

//! [warp_run]
/// Runs of eight lanes with the same word. out: their sizes, 8 8 8 8, with one atomic operation a run.
__global__ void sizes_of_runs(std::uint32_t* out) {
  std::uint32_t const word = threadIdx.x / 8;
  auto const run = farpoint::warp_run::of(word);
  if (run.leads()) farpoint::atomic_add(&out[word], run.size);
}
//! [warp_run]

//! [warp_lowest]
/// 64 points of ranks 63, 62, ... 0. out: the three of lowest rank, points 63 62 61.
__global__ void three_lowest(std::uint32_t* out) {
  farpoint::warp_lowest lowest{3};
  std::uint32_t const lane = threadIdx.x;
  lowest.begin({63 - lane, lane});
  lowest.offer({31 - lane, 32 + lane});
  if (lane < 3) out[lane] = lowest.best().point;
}
//! [warp_lowest]

//! [lookback_scan]
/// Every thread of every tile has 1. out[i] is the sum of all before it: i, by any number of blocks in one pass.
__global__ void number_threads(std::uint32_t* out, std::uint32_t tiles, std::uint64_t* sums, std::uint32_t* ticket) {
  using scan_type = farpoint::lookback_scan<128>;
  __shared__ scan_type::storage shared;
  scan_type const scan{shared, sums, ticket};
  for (std::uint32_t tile = scan.take(); tile < tiles; tile = scan.take()) {
    farpoint::lookback_pair total{};
    auto const before = scan.exclusive({1}, tile, total);
    out[tile * 128 + threadIdx.x] = static_cast<std::uint32_t>(before.word);
  }
}
//! [lookback_scan]

//! [grid_phases]
/// Units of the first phase each add their number to out[0]: 0 + 1 + ... + 9. The one of the second reads it:
/// out[1] 45.
__global__ void two_phases(std::uint32_t* out, farpoint::grid_phase* counters) {
  __shared__ farpoint::grid_phases::storage shared;
  farpoint::grid_phases phases{counters, shared};
  phases.run(10, [&](unsigned unit) {
    if (threadIdx.x == 0) atomicAdd(&out[0], unit);
  });
  phases.run_last(1, [&](unsigned) {
    if (threadIdx.x == 0) out[1] = farpoint::atomic_load(&out[0]);
  });
}
//! [grid_phases]

//! [phased_radix_sort]
struct phased_sort {
  std::uint32_t* keys[2];    ///< `[size]` each: 999 998 ... 0 before, 0 1 ... 999 in keys[0] afterwards
  std::uint32_t* values[2];  ///< `[size]` each: move along
  std::uint32_t size;
  std::uint32_t* workspace;  ///< `[phased_radix_sort_workspace_words(size, tile_size)]`
  farpoint::grid_phase* phases;
};

/// Sorts by the low 16 bits, between other phases of a kernel.
__global__ void __launch_bounds__(256) sort_in_phases(phased_sort const call) {
  using sorter = farpoint::phased_radix_sort<256, 4, 1>;
  __shared__ sorter::storage shared;
  __shared__ farpoint::grid_phases::storage phase;
  farpoint::grid_phases phases{call.phases, phase};
  sorter const sort{call.workspace, shared};
  phases.run(1, [&](unsigned) { sort.clear_counts(); });
  sort.start_counting();
  phases.run(
      4,
      [&](unsigned unit) {  // the unit that makes keys counts them
        sort.clear_sums(call.size, unit, 4);
        for (std::uint32_t i = unit * 256 + threadIdx.x; i < call.size; i += 4 * 256) sort.count(call.keys[0][i], 16);
      },
      [&] { sort.add_counts(16); });
  sort.sort(phases, {call.keys[0], call.values[0]}, {call.keys[1], call.values[1]}, call.size, 16, true);
}
//! [phased_radix_sort]

//! [kernel_launcher]
struct fill_args {
  std::uint32_t* out;
  std::uint32_t count;
};
__global__ void fill(fill_args const args) {
  std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.count) args.out[i] = i;
}

/// A memset and a kernel with a thread for each element: out is 0 1 2 3 ...
cudaError_t fill_on(cudaStream_t stream, std::uint32_t* out, std::uint32_t count) {
  farpoint::detail::kernel_launcher launcher{stream};
  launcher.clear(out, count * sizeof *out);
  launcher.launch_for(count, 256, fill, {out, count});
  return launcher.error();  // error of these two launches; errors that were pending before are not included
}
//! [kernel_launcher]

//! [square]
/// One body for kernels and for host threads.
struct square {
  std::uint32_t* values;
  FARPOINT_HD void operator()(std::uint64_t i) const { values[i] = static_cast<std::uint32_t>(i * i); }
};
//! [square]

void on_streams(cudaStream_t stream) {
  {
    words keys{1000}, more_keys{1000}, values{1000}, more_values{1000};
    for (std::uint32_t i = 0; i < 1000; ++i) keys[i] = 999 - i, values[i] = i;
    words memory{farpoint::radix_sort_workspace_words(1000) + 1};
    //! [radix_sort]
    // Keys 999 998 ... 0 with their positions 0 1 ... 999 as values, sorted by the low ten bits.
    farpoint::radix_sort_args args{};
    args.keys[0] = keys.data();
    args.keys[1] = more_keys.data();
    args.values[0] = values.data();
    args.values[1] = more_values.data();
    args.workspace = memory.data();
    args.size = 1000;
    args.bits = 10;
    cudaError_t const error = farpoint::radix_sort(args, stream);
    std::uint32_t* const sorted = args.keys[farpoint::radix_sort_result(10)];  // 0 1 ... 999
    //! [radix_sort]
    words const& result = sorted == keys.data() ? keys : more_keys;
    expect("radix_sort", result, 1000, [error](std::uint32_t i) { return error == cudaSuccess ? i : ~0u; });
  }
  {
    words offsets{5};
    managed_array<std::uint64_t> tiles{1};
    words ticket{1};
    std::uint32_t const sizes[5] = {3, 0, 4, 2, 0};
    for (std::uint32_t i = 0; i < 5; ++i) offsets[i] = sizes[i];
    tiles[0] = ticket[0] = 0;
    farpoint::span<std::int32_t> const rows{reinterpret_cast<std::int32_t*>(offsets.data()), 5};
    //! [exclusive_scan]
    // Sizes 3 0 4 2 of four rows become the offsets 0 3 3 7 9, in place.
    farpoint::exclusive_scan_args const args{rows, 4, 9, nullptr, nullptr, {tiles.data(), ticket.data()}};
    cudaError_t const error = farpoint::exclusive_scan(args, stream);
    //! [exclusive_scan]
    std::uint32_t const expected[5] = {0, 3, 3, 7, 9};
    expect("exclusive_scan", offsets, 5, [&](std::uint32_t i) { return error == cudaSuccess ? expected[i] : ~0u; });
  }
  words out{1000};
  bool const is_filled = fill_on(stream, out.data(), 1000) == cudaSuccess;
  expect("kernel_launcher", out, 1000, [is_filled](std::uint32_t i) { return is_filled ? i : ~0u; });
  //! [for_each_index_on_a_stream]
  // square{values}(i) for each i of [0, 1000), a thread for each: 0 1 4 9 16 ...
  farpoint::result const outcome = for_each_index(farpoint::cuda_exec{stream}, 1000, square{out.data()});
  //! [for_each_index_on_a_stream]
  expect("for_each_index", out, 1000, [&](std::uint32_t i) { return outcome ? i * i : ~0u; });
}

void by_warps() {
  words out{64};
  sums_of_lanes<<<1, 32>>>(out.data());
  expect("cuda_warp", out, 32, [](std::uint32_t i) { return i * (i + 1) / 2; });
  for (std::uint32_t i = 0; i < 32; ++i) out[i] = 31 - i;
  sort_by_warp<<<1, 32>>>(out.data());
  expect("warp_sorts", out, 32, [](std::uint32_t i) { return i; });
  nearest_two<<<1, 32>>>(out.data());
  expect("warp_topk", out, 64, [](std::uint32_t i) { return 99 - i % 2; });
  chosen_lanes<<<1, 32>>>(out.data());
  expect("warp_compact", out, 10, [](std::uint32_t i) { return 3 * (i + 1); });
  for (std::uint32_t i = 0; i < 4; ++i) out[i] = 0;
  sizes_of_runs<<<1, 32>>>(out.data());
  expect("warp_run", out, 4, [](std::uint32_t) { return 8; });
  three_lowest<<<1, 32>>>(out.data());
  expect("warp_lowest", out, 3, [](std::uint32_t i) { return 63 - i; });
}

void by_grids() {
  words out{1280}, counters{100};
  managed_array<std::uint64_t> sums{10};
  auto const clear = [&] {
    for (std::uint32_t i = 0; i < 100; ++i) counters[i] = 0;
    for (std::uint32_t i = 0; i < 10; ++i) sums[i] = 0;
    out[0] = 0;
  };
  auto* const phases = reinterpret_cast<farpoint::grid_phase*>(counters.data());
  clear();
  number_threads<<<3, 128>>>(out.data(), 10, sums.data(), counters.data());
  expect("lookback_scan", out, 1280, [](std::uint32_t i) { return i; });
  clear();
  two_phases<<<4, 64>>>(out.data(), phases);
  expect("grid_phases", out, 2, [](std::uint32_t) { return 45; });
  clear();
  words keys{1000}, more_keys{1000}, values{1000}, more_values{1000};
  for (std::uint32_t i = 0; i < 1000; ++i) keys[i] = 999 - i;
  words memory{static_cast<std::size_t>(farpoint::phased_radix_sort_workspace_words(1000, 256 * 4))};
  sort_in_phases<<<2, 256>>>(
      {{keys.data(), more_keys.data()}, {values.data(), more_values.data()}, 1000, memory.data(), phases});
  expect("phased_radix_sort", keys, 1000, [](std::uint32_t i) { return i; });
}

}  // namespace

int main() {
  if (!has_gpu()) return 77;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  on_streams(stream);
  cudaStreamDestroy(stream);
  by_warps();
  by_grids();
  if (cudaGetLastError() != cudaSuccess) ++wrong;
  if (wrong == 0) std::puts("all blocks are right");
  return wrong == 0 ? 0 : 1;
}
