// fps() by teams whose points lie in chunks, in global and in shared memory: the same bits.
#include "../../support/catch.hpp"
#include "../fps_random_batch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

/// Clouds of more than 512 points lie in chunks in global memory. Other blocks than odd_tuning has need no other
/// kernels than those of its two smallest shapes.
struct odd_chunks : odd_team_boxes {
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}};
};
/// The same shared out: clouds of more than 128 points for each of the blocks.
struct shared_out_chunks : odd_shared_boxes {
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}};
};
/// The default's chunks in global memory, whatever the size of a cloud.
struct large_chunks : large_teams {
  static constexpr fps_block_tuning maxima_blocks[] = {{512, 1}};
  static constexpr index_t shared_chunks_from = index_t{1} << 40;
};
/// The default's chunks in shared memory, as soon as registers do not hold a cloud.
struct large_shared_chunks : large_chunks {
  static constexpr index_t shared_chunks_from = 0;
};

template <class Problem>
void check_odd_chunks(Problem const& problem) {
  auto const expected = reference_answer(problem);
  CAPTURE(problem.points);
  check_kernel<odd_chunks>("global memory", problem, expected);
  check_kernel<odd_shared_chunks>("shared memory", problem, expected);
  check_kernel<shared_out_chunks>("shared out", problem, expected);
}

template <class Coord>
void check_odd_chunks_of() {
  for (std::uint64_t seed = 200; seed < 203; ++seed) {
    random_batch<Coord> const batch{seed, 300};
    CAPTURE(seed);
    check_odd_chunks(batch.problem);
  }
  for (std::size_t const n : {0u, 1u, 31u, 33u, 511u, 512u, 513u, 577u, 1000u, 3600u}) {
    fps_problem<Coord> const problem{make_cloud(shape::non_finite, n, n), static_cast<index_t>(n / 3 + 1)};
    check_odd_chunks(problem);
  }
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::duplicates, shape::far_clusters}) {
    CAPTURE(static_cast<int>(which));
    fps_problem<Coord> problem{make_cloud(which, 20000, 7), 700};
    check_odd_chunks(problem);
    problem.offsets = {3, 40, 40, 71, 9000, 19990};
    problem.chosen = {-1, -1, 6, 11, 12};
    check_odd_chunks(problem);
  }
}

void check_large_chunks(fps_problem<float> const& problem) {
  auto const expected = host_exec_answer(problem);
  check_kernel<large_chunks>("global memory", problem, expected);
  check_kernel<large_shared_chunks>("shared memory", problem, expected);
  check_kernel<farpoint::fps_selector>("default", problem, expected);
}

}  // namespace

TEST_CASE("fps, device: small clouds in chunks", "[fps][device]") {
  check_odd_chunks_of<float>();
}

TEST_CASE("fps, device: small clouds of doubles in chunks", "[fps][device]") {
  check_odd_chunks_of<double>();
}

TEST_CASE("fps, device: chunks of several parts", "[fps][device]") {
  // The blocks of odd_chunks hold 32,768 points in chunks of one part.
  for (std::size_t const n : {32768u, 32769u, 65600u, 150000u}) {
    fps_problem<float> problem{make_cloud(shape::non_finite, n, n), 200};
    problem.chosen = {0, 7777, -1, 32768};
    CAPTURE(n);
    auto const expected = host_exec_answer(problem);
    check_kernel<odd_chunks>("teams", problem, expected);
    problem.offsets = {1, 1, 40, static_cast<index_t>(n) - 90, static_cast<index_t>(n)};
    problem.chosen = {};
    check_kernel<odd_chunks>("teams of a ragged batch", problem, host_exec_answer(problem));
  }
}

TEST_CASE("fps, device: chunks under the sanitizers", "[fps][device][sanitize][no_racecheck]") {
  for (std::size_t const n : {600u, 1000u}) {
    fps_problem<float> const problem{make_cloud(shape::duplicates, n, n), 20};
    check_odd_chunks(problem);
  }
}

TEST_CASE("fps, device: chunks of large clouds", "[fps][device][large]") {
  check_large_chunks({make_cloud(shape::cube, 100000, 8), 3000});
  check_large_chunks({make_cloud(shape::cube, 400000, 8), 300});
  fps_problem<float> strange{make_cloud(shape::non_finite, 300001, 5), 2000};
  strange.first = 77;
  strange.chosen = {0, 300000, 123456, -1, 300001};
  check_large_chunks(strange);
}

TEST_CASE("fps, device: chunks of a large ragged batch", "[fps][device][large]") {
  // No cloud ends where a chunk does.
  for (index_t const n : {2000000, 8000000}) {
    fps_problem<float> problem{make_cloud(shape::cube, static_cast<std::size_t>(n), 9), 200};
    problem.offsets = {5, 5, 6, 1007, n / 7 + 1, n / 2 - 3, n / 2 - 2, n - 1001, n - 900, n - 899, n - 1};
    check_large_chunks(problem);
  }
}
