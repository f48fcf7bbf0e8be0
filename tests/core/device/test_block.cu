// block_argmax and distance2 in kernels, against the host.
#include <farpoint/block/block_argmax.hpp>
#include <farpoint/block/cuda_block.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_value.hpp"
#include "../argmax_inputs.hpp"
#include "../distance_pairs.hpp"

using namespace farpoint_tests;
using farpoint::block_argmax;
using farpoint::scored;

namespace {

template <class Score, int BlockSize>
__global__ void argmax_rounds(scored<Score> const* inputs, scored<Score>* results, int rounds) {
  using argmax_type = block_argmax<Score, BlockSize>;
  __shared__ union {
    typename argmax_type::storage storage;
    int other[BlockSize];
  } shared;
  farpoint::cuda_block<BlockSize> const block;
  argmax_type const argmax{shared.storage};
  for (int round = 0; round < rounds; ++round) {
    int const at = round * BlockSize + block.rank();
    if (round < rounds / 2) {
      results[at] = argmax.reduce(block, inputs[at]);
      shared.other[block.rank()] = -1;  // reusable on return
      block.sync();
    } else {
      results[at] = argmax.reduce_in_turn(block, inputs[at], round);
    }
  }
}

template <class Score, int BlockSize>
void check_block(std::uint64_t seed) {
  constexpr int rounds = 12;
  auto const inputs = argmax_inputs<Score>(BlockSize, rounds, seed);
  device_array<scored<Score>> const device_inputs{inputs};
  device_array<scored<Score>> const device_results(inputs.size());
  argmax_rounds<Score, BlockSize><<<1, BlockSize>>>(device_inputs.data(), device_results.data(), rounds);
  REQUIRE_CUDA(cudaDeviceSynchronize());
  check_winners(inputs, device_results.download(), BlockSize, seed);
}

template <class Score>
void check_sizes() {
  for_each_value<1, 2, 31, 32, 33, 64, 100, 128, 256, 512, 993, 1000, 1023, 1024>(
      [](auto size) { check_block<Score, size>(size); });
}

template <class Scalar>
__global__ void distances(point_pair<Scalar> const* pairs, Scalar* results, std::size_t count) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) results[i] = farpoint::distance2(pairs[i].a, pairs[i].b);
}

template <class Scalar>
void check_distances(std::uint64_t seed) {
  auto const pairs = make_pairs<Scalar>(2100000, seed);
  device_array<point_pair<Scalar>> const device_pairs{pairs};
  device_array<Scalar> const device_results(pairs.size());
  auto const blocks = static_cast<unsigned>((pairs.size() + 255) / 256);
  distances<<<blocks, 256>>>(device_pairs.data(), device_results.data(), pairs.size());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const results = device_results.download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!same_bits(results[i], farpoint::distance2(pairs[i].a, pairs[i].b))) ++wrong;
  }
  CAPTURE(seed);
  CHECK(wrong == 0);
}

}  // namespace

#define BACKEND_NAME "in a kernel"
#define BACKEND_TAG "[device]"
#include "../argmax_tests.inc"

TEST_CASE("distance2 has the same bits on the device", "[core][device]") {
  check_distances<float>(31);
  check_distances<double>(32);
}
