// fps() on cuda_exec with other chunks and groups than the default: what test_fps_chunks_*.cu have in common.
#pragma once

#include "../../support/catch.hpp"
#include "../fps_random_batch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

namespace farpoint_tests {

template <int ChunkSize, int GroupSize>
struct chunked : odd_tuning {
  static constexpr fps_block_tuning rounds_blocks[] = {{96, 40}};
  static constexpr farpoint::fps_chunk_tuning chunks = {ChunkSize, GroupSize};
};

template <class Tuning, class Problem>
void check_groups(Problem const& problem) {
  auto const expected = reference_answer(problem);
  CAPTURE(Tuning::chunks.points, Tuning::chunks.per_group, problem.points);
  check_kernel<only<Tuning, fps_kernel::in_block>>("block", problem, expected);
  check_kernel<only<Tuning, fps_kernel::in_grid>>("grid", problem, expected);
}

template <class Tuning, class Coord>
void check_tuning() {
  for (std::uint64_t seed = 200; seed < 203; ++seed) {
    random_batch<Coord> const batch{seed, 300};
    CAPTURE(seed);
    check_groups<Tuning>(batch.problem);
  }
  for (std::size_t const n : {0u, 1u, 7u, 8u, 9u, 31u, 33u, 127u, 129u, 1000u, 3600u}) {
    fps_problem<Coord> const problem{make_cloud(shape::non_finite, n, n), static_cast<index_t>(n / 3 + 1)};
    check_groups<Tuning>(problem);
  }
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::duplicates, shape::far_clusters}) {
    CAPTURE(static_cast<int>(which));
    fps_problem<Coord> problem{make_cloud(which, 20000, 7), 700};
    check_groups<Tuning>(problem);
    problem.offsets = {3, 40, 40, 71, 9000, 19990};
    problem.chosen = {-1, -1, 6, 11, 12};
    check_groups<Tuning>(problem);
  }
}

/// Parts of the slices, or all, are in the workspace.
template <class Tuning>
void check_large_slices() {
  fps_problem<float> problem{make_cloud(shape::cube, 400000, 8), 300};
  auto const expected = host_exec_answer(problem);
  CAPTURE(Tuning::chunks.points, Tuning::chunks.per_group);
  check_kernel<only<Tuning, fps_kernel::in_grid>>("grid", problem, expected);
}

/// The boxes of a ragged batch's grid are in the workspace, and no cloud's end where a chunk does.
template <class Tuning>
void check_large_batch(std::size_t points) {
  fps_problem<float> problem{make_cloud(shape::cube, points, 9), 200};
  auto const n = static_cast<index_t>(points);
  problem.offsets = {5, 5, 6, 1007, n / 7 + 1, n / 2 - 3, n / 2 - 2, n - 1001, n - 900, n - 899, n - 1};
  CAPTURE(Tuning::chunks.points, Tuning::chunks.per_group);
  check_kernel<only<Tuning, fps_kernel::in_grid>>("grid", problem, host_exec_answer(problem));
}

/// Small clouds, for the sanitizers.
template <class Selector>
void check_small_chunks() {
  for (std::size_t const n : {9u, 200u, 1000u}) {
    fps_problem<float> const problem{make_cloud(shape::duplicates, n, n), 20};
    CAPTURE(n);
    check_kernel<Selector>("small clouds", problem, reference_answer(problem));
  }
}

}  // namespace farpoint_tests

#define FPS_CHUNK_TEST(chunk, group)                                                          \
  TEST_CASE("fps, device: chunks of " #chunk " points, groups of " #group, "[fps][device]") { \
    check_tuning<chunked<chunk, group>, float>();                                             \
  }
