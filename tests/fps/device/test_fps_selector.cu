// A selector changes the speed only, whatever it says: fps() by kernels, blocks and lists that cannot be.
#include <climits>

#include "../../support/catch.hpp"
#include "../fps_random_batch.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

/// Kernels that there are, and numbers that are no kernel's.
constexpr int kernels[] = {0, 1, 2, 3, 77, -1, INT_MIN, INT_MAX};
constexpr int hostile[] = {INT_MIN, -1000000, -1, 0, 1, 2, 3, 31, 32, 33, 48, 133, 255, 256, 65536, INT_MAX};

template <std::size_t Size>
int one_of(int const (&values)[Size], random_source& random) {
  return values[random.below(static_cast<std::int64_t>(Size))];
}

fps_choice hostile_choice(random_source& random) {
  // Half of the choices are in_teams, which uses all numbers.
  bool const in_teams = random.below(2) == 0;
  fps_choice choice{in_teams ? fps_kernel::in_teams : static_cast<fps_kernel>(one_of(kernels, random))};
  choice.blocks = one_of(hostile, random);
  choice.boxes = random.below(2) == 0;
  choice.wanted = one_of(hostile, random);
  choice.listed = one_of(hostile, random);
  choice.singles = one_of(hostile, random);
  choice.shared_out = random.below(3) == 0;
  return choice;
}

template <class Coord>
void check_choices(fps_problem<Coord> const& problem, random_source& random) {
  auto const expected = reference_answer(problem);
  for (int i = 0; i < 8; ++i) {
    auto const choice = odd_choice::choice = hostile_choice(random);
    CAPTURE(static_cast<int>(choice.kernel), choice.blocks, choice.boxes, choice.wanted, choice.listed, choice.singles,
            choice.shared_out);
    check_kernel<odd_choice>("hostile choice", problem, expected);
  }
}

template <class Coord>
void check_random_choices(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    check_choices(random_batch<Coord>{seed, static_cast<std::size_t>(1 + random.below(6))}.problem, random);
  }
}

}  // namespace

TEST_CASE("fps, device: whatever a selector says, the answer is the same", "[fps][device]") {
  check_random_choices<float>(900, 30);
  check_random_choices<double>(930, 5);
  // More candidates than a list has room for; and points in memory.
  random_source random{935};
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates}) {
    check_choices(fps_problem<float>{make_cloud(which, 4000, 1), 300}, random);
    check_choices(fps_problem<float>{make_cloud(which, 20000, 2), 100}, random);
  }
}

TEST_CASE("fps, device: hostile choices under the sanitizers", "[fps][device][sanitize][no_racecheck]") {
  check_random_choices<float>(940, 5);
}
