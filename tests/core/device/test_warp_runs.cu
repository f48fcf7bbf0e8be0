// warp_run against runs found one lane after another.
#include <farpoint/warp/warp_runs.cuh>

#include <cmath>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::warp_run;

namespace {

struct run_of_lane {
  int leader, rank;
  std::uint32_t size;
  bool leads;
  std::uint64_t bits;  ///< of the whole run, in its leader
};

template <class Word>
__global__ void find_runs(Word const* words, std::uint64_t const* bits, run_of_lane* runs) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  warp_run const run = warp_run::of(words[i]);
  std::uint64_t const all = run.bits_of_all(bits[i]);
  runs[i] = {run.leader, run.rank, run.size, run.leads(), all};
}

template <class Word>
void check_runs(std::vector<Word> const& words, std::uint64_t seed) {
  random_source random{seed};
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < words.size(); ++i) bits.push_back(std::uint64_t{1} << random.below(64));
  device_array<Word> const word_memory{words};
  device_array<std::uint64_t> const bit_memory{bits};
  device_array<run_of_lane> const runs{words.size()};
  find_runs<<<1, static_cast<unsigned>(words.size())>>>(word_memory.data(), bit_memory.data(), runs.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const found = runs.download();
  bool right = true;
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin + 1;
    std::uint64_t all = bits[begin];
    for (; end < words.size() && end % 32 != 0 && words[end] == words[begin]; ++end) all |= bits[end];
    for (std::size_t i = begin; i < end; ++i) {
      right = right && found[i].leader == static_cast<int>(begin % 32) &&
              found[i].rank == static_cast<int>(i - begin) && found[i].size == end - begin &&
              found[i].leads == (i == begin);
    }
    right = right && found[begin].bits == all;
    begin = end;
  }
  CHECK(right);
}

/// Words that differ in one bit, at either end, with runs of every length.
template <class Word>
void check_words() {
  Word const other[] = {Word{0}, Word{1}, static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1)),
                        static_cast<Word>(~Word{0})};
  check_runs(std::vector<Word>(96, 5), 1);
  for (std::size_t cut = 1; cut < 32; ++cut) {
    std::vector<Word> words(64, 0);
    for (std::size_t i = cut; i < 64; ++i) words[i] = other[1 + cut % 3];
    CAPTURE(sizeof(Word), cut);
    check_runs(words, cut);
  }
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(sizeof(Word), seed);
    random_source random{seed};
    auto const length = 1 + random.below(20);
    std::vector<Word> words;
    for (int i = 0; i < 160; ++i) {
      words.push_back(i > 0 && random.below(length) != 0 ? words.back() : other[random.below(4)]);
    }
    check_runs(words, seed);
  }
}

}  // namespace

TEST_CASE("warp_run: neighboring lanes with the same word", "[warp][device][sanitize]") {
  check_words<std::uint32_t>();
  check_words<std::uint64_t>();
}

TEST_CASE("warp_run: every NaN is a run of its own, and zeros of both signs are one", "[warp][device]") {
  std::vector<float> words(64, std::nanf(""));
  for (std::size_t i = 10; i < 20; ++i) words[i] = i % 2 == 0 ? 0.0f : -0.0f;
  check_runs(words, 1);
}
