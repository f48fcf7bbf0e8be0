// The same problem with other choices of kernels: all must give the same bits.
#pragma once

#include "../catch.hpp"
#include "solve_on_device.cuh"

namespace farpoint_tests {

using farpoint::fps_block_tuning;
using farpoint::fps_case;
using farpoint::fps_choice;
using farpoint::fps_kernel;

/// Odd block sizes and small capacities: small clouds are divided as large ones are, and lists overflow.
struct odd_tuning : farpoint::fps_selector {
  static constexpr fps_block_tuning blocks[] = {{32, 3}, {96, 11}};
  static constexpr int streaming_block_size = 160;
  static constexpr fps_block_tuning rounds_blocks[] = {{64, 3}, {96, 40}};
  static constexpr int rounds_list_size = 32;
  static constexpr int team_block_size = 64;
  static constexpr int team_list_size = 64;
  static constexpr farpoint::index_t grid_points_per_block = 100;
};

template <class Tuning, fps_kernel Kernel, int ClusterSize = 1>
struct only : Tuning {
  static constexpr fps_choice choose(fps_case const&) noexcept { return {Kernel, ClusterSize}; }
};

template <class Selector, class Problem, class Answer>
void check_kernel(char const* name, Problem const& problem, Answer const& expected) {
  auto const answer = solve_on_device<Selector>(problem);
  INFO(name << ": " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

/// The kernels that give a cloud to one block.
template <class Problem, class Answer>
void check_single_blocks(Problem const& problem, Answer const& expected) {
  check_kernel<only<odd_tuning, fps_kernel::registers>>("registers", problem, expected);
  check_kernel<only<odd_tuning, fps_kernel::stream>>("stream", problem, expected);
  check_kernel<only<odd_tuning, fps_kernel::rounds>>("rounds", problem, expected);
}

template <class Problem, class Answer>
void check_kernels(Problem const& problem, Answer const& expected) {
  if (problem.points > 50000) {
    // Odd tunings take seconds here.
    check_kernel<only<farpoint::fps_selector, fps_kernel::cluster, 8>>("cluster of 8", problem, expected);
    check_kernel<only<farpoint::fps_selector, fps_kernel::grid>>("grid", problem, expected);
    return;
  }
  check_single_blocks(problem, expected);
  check_kernel<only<odd_tuning, fps_kernel::cluster, 4>>("cluster of 4", problem, expected);
  check_kernel<only<odd_tuning, fps_kernel::grid>>("grid", problem, expected);
}

}  // namespace farpoint_tests
