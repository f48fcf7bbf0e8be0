// block_argmax run by host threads: the source that runs in kernels.
#include <farpoint/block/block_argmax.hpp>

#include <memory>

#include "../../support/catch.hpp"
#include "../../support/for_each_value.hpp"
#include "../../support/host_block.hpp"
#include "../argmax_inputs.hpp"

using namespace farpoint_tests;
using farpoint::block_argmax;
using farpoint::scored;

namespace {

template <class Score, int BlockSize>
void check_block(std::uint64_t seed) {
  constexpr int rounds = 8;
  auto const inputs = argmax_inputs<Score>(BlockSize, rounds, seed);
  std::vector<scored<Score>> results(inputs.size());
  typename block_argmax<Score, BlockSize>::storage storage;
  host_block<BlockSize>::run([&](host_block<BlockSize> const& block) {
    block_argmax<Score, BlockSize> const argmax{storage};
    for (int round = 0; round < rounds; ++round) {
      auto const at = static_cast<std::size_t>(round * BlockSize + block.rank());
      // The first half with two barriers a call, the second in turn with one.
      results[at] =
          round < rounds / 2 ? argmax.reduce(block, inputs[at]) : argmax.reduce_in_turn(block, inputs[at], round);
    }
  });
  check_winners(inputs, results, BlockSize, seed);
}

template <class Score>
void check_sizes() {
  for_each_value<1, 2, 7, 31, 32, 33, 64, 65, 96>([](auto size) { check_block<Score, size>(size); });
}

}  // namespace

#define BACKEND_NAME "on host threads"
#define BACKEND_TAG "[host]"
#include "../argmax_tests.inc"

TEST_CASE("block_argmax on host threads: more warps than a short last warp has lanes", "[block]") {
  check_block<float, 129>(10);
  check_block<double, 129>(11);
}

TEST_CASE("block_argmax returns zero as +0", "[block]") {
  typename block_argmax<float, 1>::storage storage;
  host_block<1>::run([&](host_block<1> const& block) {
    auto const best = block_argmax<float, 1>{storage}.reduce(block, {-0.0f, 3});
    CHECK_FALSE(std::signbit(best.score));
    CHECK(best.index == 3);
  });
}
