// atomic_increment() and atomic_increment_any(): each thread gets a number of its own, whichever threads of its warp
// take part.
#include <farpoint/core/atomic.hpp>

#include <algorithm>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;

namespace {

/// Threads that are chosen note the numbers that they get.
template <class Word>
__global__ void take_numbers(unsigned char const* chosen, Word* next, Word* numbers) {
  unsigned const thread = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  if (chosen[thread] != 0) numbers[thread] = farpoint::atomic_increment(next);
}

template <class Word>
void check_numbers(unsigned share) {
  random_source random{share};
  dim3 const block{24, 8};
  std::vector<unsigned char> chosen(std::size_t{192} * 50);
  for (auto& one : chosen) one = random.below(100) < share ? 1 : 0;
  auto const expected = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), 1));
  // 64-bit numbers cross the limit of 32 bits.
  Word const first = static_cast<Word>(~std::uint32_t{0}) - 100;
  device_array<unsigned char> const chosen_there{chosen};
  device_array<Word> const next{std::vector<Word>{first}};
  device_array<Word> const numbers{std::vector<Word>(chosen.size(), Word{0})};
  take_numbers<<<50, block>>>(chosen_there.data(), next.data(), numbers.data());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  CHECK(next.download()[0] == static_cast<Word>(first + expected));
  std::vector<Word> found;
  auto const all = numbers.download();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i] != 0) found.push_back(static_cast<Word>(all[i] - first));
  }
  std::sort(found.begin(), found.end());
  bool is_each_once = found.size() == expected;
  for (std::size_t i = 0; i < found.size(); ++i) is_each_once = is_each_once && found[i] == i;
  CHECK(is_each_once);
  CHECK(numbers.intact());
}

constexpr unsigned words = 5;

/// Threads note a number of each word that they choose by a bit. Lanes of a warp may be at different words.
__global__ void take_numbers_of_words(unsigned const* chosen, std::uint64_t* next, std::uint64_t* numbers) {
  unsigned const thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned word = 0; word < words; ++word) {
    if ((chosen[thread] >> word & 1) == 0) continue;
    numbers[thread * words + word] = farpoint::atomic_increment_any(next + word);
  }
}

void check_numbers_of_words(std::uint64_t seed) {
  random_source random{seed};
  std::vector<unsigned> chosen(std::size_t{192} * 50);
  for (auto& bits : chosen) bits = static_cast<unsigned>(random.below(1 << words));
  device_array<unsigned> const chosen_there{chosen};
  device_array<std::uint64_t> const next{std::vector<std::uint64_t>(words, 0)};
  device_array<std::uint64_t> const numbers{std::vector<std::uint64_t>(chosen.size() * words, 0)};
  take_numbers_of_words<<<50, 192>>>(chosen_there.data(), next.data(), numbers.data());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const all = numbers.download();
  auto const ends = next.download();
  for (unsigned word = 0; word < words; ++word) {
    CAPTURE(word);
    std::vector<std::uint64_t> found;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if ((chosen[i] >> word & 1) != 0) found.push_back(all[i * words + word]);
    }
    CHECK(ends[word] == found.size());
    std::sort(found.begin(), found.end());
    bool is_each_once = true;
    for (std::size_t i = 0; i < found.size(); ++i) is_each_once = is_each_once && found[i] == i;
    CHECK(is_each_once);
  }
}

}  // namespace

TEST_CASE("atomic_increment_any: numbers of several words, in a loop over them", "[atomic][device][sanitize]") {
  for (std::uint64_t const seed : {1, 2, 3}) check_numbers_of_words(seed);
}

TEST_CASE("atomic_increment: a number for each thread, any of a warp together", "[atomic][device][sanitize]") {
  for (unsigned const share : {0u, 1u, 40u, 97u, 100u}) {
    CAPTURE(share);
    check_numbers<std::uint32_t>(share);
    check_numbers<std::uint64_t>(share);
  }
}
