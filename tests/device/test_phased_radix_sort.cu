// phased_radix_sort in kernels of several phases, against std::stable_sort.
#include <farpoint/grid/phased_radix_sort.cuh>

#include "../catch.hpp"
#include "../shared/random.hpp"
#include "cuda_check.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace farpoint_tests;
using farpoint::radix_words;
using words = std::vector<std::uint32_t>;

namespace {

struct sort_args {
  radix_words buffers[2];
  std::uint32_t* workspace;
  farpoint::grid_phase* phases;
  std::uint32_t size;
  int bits;
  int times;  ///< that it is sorted, from the buffer where the last result is
  bool has_values;
};

template <int Threads, int Items, int Window>
__global__ void __launch_bounds__(Threads) sort_kernel(sort_args const args) {
  using sorter = farpoint::phased_radix_sort<Threads, Items, Window>;
  __shared__ typename sorter::storage shared;
  __shared__ farpoint::grid_phases::storage phase;
  farpoint::grid_phases phases{args.phases, phase};
  sorter const sort{args.workspace, shared};
  int from = 0;
  for (int i = 0; i < args.times; ++i) {
    phases.run(1, [&](unsigned) { sort.clear_counts(); });
    sort.start_counting();
    // Units of other sizes than tiles.
    unsigned const units = 1 + args.size / 777;
    phases.run(
        units,
        [&](unsigned unit) {
          sort.clear_sums(args.size, unit, units);
          for (std::uint32_t at = unit * Threads + threadIdx.x; at < args.size; at += units * Threads) {
            sort.count(args.buffers[from].keys[at], args.bits);
          }
        },
        [&] { sort.add_counts(args.bits); });
    sort.sort(phases, args.buffers[from], args.buffers[1 - from], args.size, args.bits, args.has_values || i > 0);
    from = (from + farpoint::radix_passes(args.bits)) % 2;
  }
}

struct problem {
  std::size_t size;
  int blocks;
  int bits;
  bool has_values = true;
  int times = 1;
  unsigned values = 0;  ///< of keys; 0: any
};

template <int Threads, int Items, int Window>
void check_sort(problem const& wished, std::uint64_t seed) {
  CAPTURE(Threads, Items, Window, wished.size, wished.blocks, wished.bits, wished.has_values, wished.times,
          wished.values, seed);
  random_source random{seed};
  words keys(wished.size);
  words values(wished.size);
  for (std::size_t i = 0; i < wished.size; ++i) {
    auto const number = static_cast<std::uint32_t>(random.next());
    keys[i] = wished.values == 0 ? number : number % wished.values * 0x01030507u;
    values[i] = wished.has_values ? static_cast<std::uint32_t>(random.next()) : static_cast<std::uint32_t>(i);
  }
  device_array<std::uint32_t> const first_keys{keys};
  device_array<std::uint32_t> const first_values{wished.has_values ? values : words(wished.size, 77)};
  device_array<std::uint32_t> const second_keys{wished.size};
  device_array<std::uint32_t> const second_values{wished.size};
  device_array<std::uint32_t> const workspace{static_cast<std::size_t>(farpoint::phased_radix_sort_workspace_words(
      static_cast<farpoint::index_t>(wished.size), farpoint::index_t{Threads} * Items))};
  device_array<farpoint::grid_phase> const phases{
      std::vector<farpoint::grid_phase>(static_cast<std::size_t>(wished.times) * 6 + 1)};
  sort_args args{{{first_keys.data(), first_values.data()}, {second_keys.data(), second_values.data()}},
                 workspace.data(),
                 phases.data(),
                 static_cast<std::uint32_t>(wished.size),
                 wished.bits,
                 wished.times,
                 wished.has_values};
  sort_kernel<Threads, Items, Window><<<static_cast<unsigned>(wished.blocks), Threads>>>(args);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());

  int const digits = farpoint::radix_passes(wished.bits);
  std::uint32_t const mask = wished.bits == 32 ? ~0u : (1u << wished.bits) - 1;
  words places(wished.size);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
  bool const in_first = digits * wished.times % 2 == 0;
  words const sorted_keys = (in_first ? first_keys : second_keys).download();
  words const sorted_values = (in_first ? first_values : second_values).download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wished.size; ++i) {
    if (sorted_keys[i] != keys[places[i]] || sorted_values[i] != values[places[i]]) ++wrong;
  }
  CHECK(wrong == 0);
  bool const intact = first_keys.intact() && first_values.intact() && second_keys.intact() && second_values.intact() &&
                      workspace.intact() && phases.intact();
  CHECK(intact);
}

template <int Threads, int Items, int Window>
void check_blocks(std::initializer_list<int> all, std::initializer_list<std::size_t> sizes, std::uint64_t seed) {
  for (int const blocks : all) {
    for (std::size_t const size : sizes) {
      check_sort<Threads, Items, Window>({size, blocks, 32}, ++seed);
      check_sort<Threads, Items, Window>({size, blocks, 32, false}, ++seed);
      check_sort<Threads, Items, Window>({size, blocks, 32, true, 1, 1}, ++seed);
      check_sort<Threads, Items, Window>({size, blocks, 32, true, 1, 2}, ++seed);
    }
  }
}

}  // namespace

TEST_CASE("phased_radix_sort: few keys", "[phased_radix_sort][device][sanitize]") {
  check_blocks<256, 4, 1>({1, 2, 17}, {0, 1, 31, 32, 33, 1023, 1024, 1025, 5000}, 1);
  for (int const bits : {0, 1, 7, 8, 9, 16, 24, 31, 32}) {
    check_sort<256, 4, 3>({3000, 3, bits}, 50);
    check_sort<256, 4, 3>({3000, 3, bits, bits == 0, 3}, 51);
  }
}
TEST_CASE("phased_radix_sort: fewer blocks than tiles, and more", "[phased_radix_sort][device]") {
  check_blocks<512, 4, 16>({1, 15, 100, 1000}, {32 * 33, 2048 * 16, 2048 * 17 + 1, 100000}, 100);
  check_blocks<384, 16, 4>({132, 500}, {100000, (1 << 20) + 7}, 200);
  check_blocks<512, 16, 8>({132, 500}, {(1 << 20) + 7, 5000000}, 300);
  for (int const bits : {9, 16, 31}) check_sort<512, 16, 8>({(1 << 20) + 7, 132, bits, true, 2}, 400);
}
