// lookback_scan in kernels, against std::exclusive_scan; and the warp's scan, on which it stands.
#include <farpoint/grid/lookback_scan.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

#include <numeric>
#include <vector>

using namespace farpoint_tests;
using farpoint::lookback_pair;

namespace {

struct scan_args {
  std::uint64_t const* inputs;  ///< `[tiles * block size]`
  std::uint64_t* outputs;
  std::uint64_t* totals;  ///< `[tiles]`
  std::uint64_t* words;
  std::uint32_t* ticket;
  std::uint32_t tiles;
  unsigned longest_wait;  ///< limit of the delay of a tile, in cycles of clock64(); 0: no delays
};

template <int BlockSize>
__global__ void scan_kernel(scan_args const args) {
  using scan = farpoint::lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  scan const scanner{storage, args.words, args.ticket};
  for (std::uint32_t tile = scanner.take(); tile < args.tiles; tile = scanner.take()) {
    // Delays a sixteenth of the tiles, so that others wait for their sums.
    if (args.longest_wait != 0 && tile * 2654435761u >> 28 == 0) {
      long long const until = clock64() + tile * 40503u % args.longest_wait;
      while (clock64() < until) {
      }
    }
    std::size_t const at = std::size_t{tile} * BlockSize + threadIdx.x;
    lookback_pair total{};
    args.outputs[at] = scanner.exclusive({args.inputs[at]}, tile, total).word;
    if (threadIdx.x == BlockSize - 1) args.totals[tile] = total.word;
  }
}

template <int BlockSize>
void check_scan(std::vector<std::uint64_t> const& inputs, unsigned blocks, unsigned longest_wait) {
  auto const tiles = static_cast<std::uint32_t>(inputs.size() / BlockSize);
  CAPTURE(BlockSize, tiles, blocks, longest_wait);
  device_array<std::uint64_t> const device_inputs{inputs};
  device_array<std::uint64_t> const outputs{inputs.size()};
  device_array<std::uint64_t> const totals{tiles};
  device_array<std::uint64_t> const tile_words{std::vector<std::uint64_t>(tiles)};
  device_array<std::uint32_t> const ticket{std::vector<std::uint32_t>(1)};
  scan_kernel<BlockSize><<<blocks, BlockSize>>>(scan_args{device_inputs.data(), outputs.data(), totals.data(),
                                                          tile_words.data(), ticket.data(), tiles, longest_wait});
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());

  std::vector<std::uint64_t> expected(inputs.size());
  std::exclusive_scan(inputs.begin(), inputs.end(), expected.begin(), std::uint64_t{0});
  auto const results = outputs.download();
  auto const sums = totals.download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (results[i] != expected[i]) ++wrong;
    if (i % BlockSize == BlockSize - 1 && sums[i / BlockSize] != expected[i] + inputs[i]) ++wrong;
  }
  CHECK(wrong == 0);
  bool const intact = outputs.intact() && totals.intact() && tile_words.intact() && ticket.intact();
  CHECK(intact);
}

template <int BlockSize>
void check_tiles(std::initializer_list<std::uint32_t> sizes, std::uint64_t seed) {
  CAPTURE(seed);
  random_source random{seed};
  for (std::uint32_t const tiles : sizes) {
    std::vector<std::uint64_t> pairs(std::size_t{tiles} * BlockSize);
    for (auto& pair : pairs) {
      pair =
          lookback_pair::of(static_cast<std::uint32_t>(random.below(2)), static_cast<std::uint32_t>(random.below(80)))
              .word;
    }
    std::vector<std::uint64_t> large(pairs.size());
    for (auto& number : large) number = random.next() >> 26;  // below 2^38: sums of 2^20 numbers are below 2^62
    for (unsigned const blocks : {1u, 7u, tiles}) check_scan<BlockSize>(pairs, blocks, 0);
    check_scan<BlockSize>(large, tiles, 0);
    check_scan<BlockSize>(pairs, tiles, 20000);
  }
}

template <class T>
__global__ void warp_scan_kernel(T const* inputs, T* inclusive, T* exclusive) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  inclusive[i] = farpoint::cuda_warp::inclusive_sum(inputs[i]);
  exclusive[i] = farpoint::cuda_warp::exclusive_sum(inputs[i]);
}

template <class T>
void check_warp_scan(std::uint64_t seed) {
  constexpr std::size_t size = 64 * 128;
  random_source random{seed};
  std::vector<T> inputs(size);
  for (T& number : inputs) number = static_cast<T>(random.next());  // sums wrap around
  device_array<T> const device_inputs{inputs};
  device_array<T> const inclusive{size};
  device_array<T> const exclusive{size};
  warp_scan_kernel<T><<<64, 128>>>(device_inputs.data(), inclusive.data(), exclusive.data());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const up_to = inclusive.download();
  auto const before = exclusive.download();
  std::size_t wrong = 0;
  for (std::size_t warp = 0; warp < size; warp += 32) {
    T sum = 0;
    for (std::size_t i = warp; i < warp + 32; ++i) {
      if (before[i] != sum) ++wrong;
      sum += inputs[i];
      if (up_to[i] != sum) ++wrong;
    }
  }
  CAPTURE(seed);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("cuda_warp: sums of lower lanes", "[warp][device][sanitize]") {
  check_warp_scan<std::uint32_t>(1);
  check_warp_scan<std::uint64_t>(2);
}

TEST_CASE("lookback_scan: few tiles", "[lookback_scan][device][sanitize]") {
  check_tiles<32>({1, 2, 31, 32, 33, 34, 65}, 11);
  check_tiles<128>({1, 2, 31, 32, 33, 34, 65}, 12);
  check_tiles<1024>({1, 2, 33}, 13);
}
TEST_CASE("lookback_scan: many tiles", "[lookback_scan][device]") {
  check_tiles<32>({30000}, 21);
  check_tiles<64>({1000, 20000}, 22);
  check_tiles<256>({1023, 10000}, 23);
  check_tiles<512>({2000}, 24);
}

TEST_CASE("lookback_pair: two numbers in a word", "[lookback_scan][device]") {
  lookback_pair const pair = lookback_pair::of(0x7fffffff, 0x7fffffff);
  CHECK(pair.first() == 0x7fffffff);
  CHECK(pair.second() == 0x7fffffff);
  CHECK(pair.word >> 62 == 0);
}
