// cooperative_radix_sort in cooperative kernels, against std::stable_sort.
#include <farpoint/grid/cooperative_radix_sort.cuh>

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
  unsigned* arrivals;
  std::uint32_t size;
  int bits;
  int times;  ///< that it is sorted, from the buffer where the last result is
  bool has_values;
};

template <int Threads, int Items>
__global__ void __launch_bounds__(Threads) sort_kernel(sort_args const args) {
  using sorter = farpoint::cooperative_radix_sort<Threads, Items>;
  __shared__ typename sorter::storage shared;
  farpoint::grid_barrier barrier{static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), args.arrivals};
  sorter sort{barrier, args.workspace, shared};
  barrier.sync();
  int from = 0;
  for (int i = 0; i < args.times; ++i) {
    sort.sort(args.buffers[from], args.buffers[1 - from], args.size, args.bits, args.has_values || i > 0);
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

template <int Threads, int Items>
void check_sort(problem const& wished, std::uint64_t seed) {
  CAPTURE(Threads, Items, wished.size, wished.blocks, wished.bits, wished.has_values, wished.times, wished.values,
          seed);
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
  device_array<std::uint32_t> const workspace{
      static_cast<std::size_t>(farpoint::cooperative_radix_sort_workspace_words(wished.blocks))};
  device_array<unsigned> const arrivals{std::vector<unsigned>(1)};
  sort_args args{{{first_keys.data(), first_values.data()}, {second_keys.data(), second_values.data()}},
                 workspace.data(),
                 arrivals.data(),
                 static_cast<std::uint32_t>(wished.size),
                 wished.bits,
                 wished.times,
                 wished.has_values};
  void* arguments[] = {&args};
  REQUIRE_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(sort_kernel<Threads, Items>),
                                           dim3(static_cast<unsigned>(wished.blocks)), dim3(Threads), arguments, 0,
                                           nullptr));
  REQUIRE_CUDA(cudaDeviceSynchronize());

  int const digits = farpoint::radix_passes(wished.bits);
  std::uint32_t const mask = digits == 4 ? ~0u : (1u << digits * farpoint::radix_bits) - 1;
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
                      workspace.intact() && arrivals.intact();
  CHECK(intact);
}

template <int Threads, int Items>
void check_blocks(std::initializer_list<int> all, std::initializer_list<std::size_t> sizes, std::uint64_t seed) {
  for (int const blocks : all) {
    for (std::size_t const size : sizes) {
      check_sort<Threads, Items>({size, blocks, 32}, ++seed);
      check_sort<Threads, Items>({size, blocks, 32, false}, ++seed);
      check_sort<Threads, Items>({size, blocks, 32, true, 1, 1}, ++seed);
      check_sort<Threads, Items>({size, blocks, 32, true, 1, 2}, ++seed);
    }
  }
}

template <int Threads, int Items>
int resident_blocks() {
  int multiprocessors = 0;
  int each = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  REQUIRE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, sort_kernel<Threads, Items>, Threads, 0));
  return multiprocessors * each;
}

}  // namespace

TEST_CASE("cooperative_radix_sort: few keys", "[cooperative_radix_sort][device][sanitize]") {
  check_blocks<256, 4>({1, 2, 17}, {0, 1, 31, 32, 33, 1023, 1024, 1025, 5000}, 1);
  for (int const bits : {0, 1, 7, 8, 9, 16, 24, 31, 32}) {
    check_sort<256, 4>({3000, 3, bits}, 50);
    check_sort<256, 4>({3000, 3, bits, bits == 0, 3}, 51);
  }
}
TEST_CASE("cooperative_radix_sort: groups of blocks", "[cooperative_radix_sort][device]") {
  check_blocks<512, 4>({1, 15, 16, 17, 33}, {32 * 33, 2048 * 16, 2048 * 17 + 1, 100000}, 100);
  check_blocks<1024, 2>({16}, {100000}, 200);
}
TEST_CASE("cooperative_radix_sort: as many blocks as the device holds", "[cooperative_radix_sort][device]") {
  int const small = resident_blocks<512, 4>();
  int const large = resident_blocks<512, 16>();
  check_blocks<512, 4>({small}, {100000, (1 << 20) + 7}, 300);
  check_blocks<512, 16>({large}, {(1 << 20) + 7, 5000000}, 400);
  for (int const bits : {9, 16, 31}) check_sort<512, 16>({(1 << 20) + 7, large, bits, true, 2}, 500);
}
