// Solves a problem with every kernel of fps(): all must give the same bits.
#pragma once

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "solve_on_device.cuh"

namespace farpoint_tests {

using farpoint::fps_block_tuning;
using farpoint::fps_case;
using farpoint::fps_choice;
using farpoint::fps_kernel;

/// Odd block sizes and small capacities, so that small clouds are split as large ones are, and lists overflow.
struct odd_tuning : farpoint::fps_selector {
  static constexpr farpoint::fps_region_tuning region_shapes[] = {{2, 5, 3, 2}, {16, 2, 2, 2}, {8, 13, 4, 3}};
  static constexpr int streaming_block_size = 160;
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}, {96, 11}, {64, 40}};
  static constexpr fps_block_tuning maxima_chunks[] = {{64, 2}};
};

template <class Tuning, fps_kernel Kernel, int Blocks = 1, bool Boxes = false>
struct only : Tuning {
  static constexpr fps_choice choose(fps_case const&) noexcept { return {Kernel, Blocks, Boxes, 100}; }
};

using odd_regions = only<odd_tuning, fps_kernel::in_regions>;
using odd_global_memory = only<odd_tuning, fps_kernel::in_global_memory>;
using odd_teams = only<odd_tuning, fps_kernel::in_teams, 5>;
using odd_team_boxes = only<odd_tuning, fps_kernel::in_teams, 4, true>;
/// Clouds of more than 512 points lie in chunks in shared memory.
struct odd_shared_chunks : odd_team_boxes {
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}};
  static constexpr farpoint::index_t shared_chunks_from = 0;
};
/// Blocks that are shared out among the clouds.
template <int Blocks, bool Boxes>
struct odd_shared_out : odd_tuning {
  static constexpr fps_choice choose(fps_case const&) noexcept {
    return {fps_kernel::in_teams, Blocks, Boxes, 100, 32, 0, true};
  }
};
using odd_shared_registers = odd_shared_out<7, false>;
using odd_shared_boxes = odd_shared_out<0, true>;

/// Choice set at run time.
struct odd_choice : odd_tuning {
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{fps_kernel::in_regions};
};

/// The default's shapes: as many blocks as there are, whatever the size of the cloud.
using large_teams = only<farpoint::fps_selector, fps_kernel::in_teams, 1000, true>;
using large_global_memory = only<farpoint::fps_selector, fps_kernel::in_global_memory>;

/// Default choice on a GPU without cooperative launches.
struct without_teams : farpoint::fps_selector {
  static constexpr fps_choice choose(fps_case const& c) noexcept {
    fps_choice const choice = fps_selector::choose(c);
    if (choice.kernel != fps_kernel::in_teams) return choice;
    return {c.largest <= c.region_points ? fps_kernel::in_regions : fps_kernel::in_global_memory};
  }
};

template <class Selector, class Problem, class Answer>
void check_kernel(char const* name, Problem const& problem, Answer const& expected) {
  auto const answer = solve_on_device<Selector>(problem);
  check_answer(answer, expected, name);
}

/// Checks the kernels that use one block per cloud.
template <class Problem, class Answer>
void check_single_blocks(Problem const& problem, Answer const& expected) {
  check_kernel<odd_regions>("regions", problem, expected);
  check_kernel<odd_global_memory>("global memory", problem, expected);
}

/// Checks the kernels by teams.
template <class Problem, class Answer>
void check_team_kernels(Problem const& problem, Answer const& expected) {
  check_kernel<odd_teams>("teams of 5 blocks", problem, expected);
  check_kernel<odd_team_boxes>("teams of 4 blocks, boxes", problem, expected);
  check_kernel<odd_shared_chunks>("teams of 4 blocks, chunks in shared memory", problem, expected);
  check_kernel<odd_shared_registers>("7 blocks shared out", problem, expected);
  check_kernel<odd_shared_boxes>("all blocks shared out, boxes", problem, expected);
}

template <class Problem, class Answer>
void check_kernels(Problem const& problem, Answer const& expected) {
  if (problem.points > 50000) {
    // Odd tunings take seconds here.
    check_kernel<large_teams>("teams of all blocks", problem, expected);
    check_kernel<large_global_memory>("global memory", problem, expected);
    return;
  }
  check_single_blocks(problem, expected);
  check_kernel<farpoint::fps_selector>("default", problem, expected);
  check_kernel<without_teams>("without cooperative launches", problem, expected);
  check_team_kernels(problem, expected);
}

}  // namespace farpoint_tests

// fps() with these selectors is compiled in kernels/fps*.cu only: `how` is `extern template` or `template`.
#define FPS_OF_SELECTOR(how, Coord, Selector)                                                                          \
  how std::size_t farpoint::fps_workspace_bytes<Selector>(                                                             \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&, farpoint::fps_params const&) noexcept; \
  how farpoint::result farpoint::fps<Selector>(                                                                        \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&, farpoint::fps_params const&,           \
      farpoint::fps_output<farpoint::point_view<Coord>::scalar> const&, farpoint::bytes) noexcept;

#define FPS_OF_DEFAULT_TUNING(how, Coord)                          \
  FPS_OF_SELECTOR(how, Coord, farpoint::fps_selector)              \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::large_teams)         \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::large_global_memory) \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::without_teams)

#define FPS_OF_ODD_TUNING(how, Coord)                               \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_regions)          \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_global_memory)    \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_teams)            \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_team_boxes)       \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_chunks)    \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_registers) \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_boxes)     \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_choice)

// Kernels that several selectors share: of one block per cloud.
#define FPS_BY_REGIONS(how, Coord, warps, points_per_lane, listed, tested)                                             \
  how void farpoint::detail::fps_enqueue_regions<                                                                      \
      farpoint::detail::region_shape<farpoint::point_view<Coord>::scalar, 3, warps, points_per_lane, listed, tested>>( \
      farpoint::detail::kernel_launcher&, farpoint::detail::fps_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_IN_GLOBAL_MEMORY(how, Coord, block_size)                                             \
  how void farpoint::detail::fps_enqueue_global_memory<farpoint::point_view<Coord>, block_size>( \
      farpoint::detail::kernel_launcher&,                                                        \
      farpoint::detail::fps_global_memory_args<farpoint::point_view<Coord>> const&) noexcept;

// Doubles have no larger region shapes, for lack of registers.
#define FPS_BY_DEFAULT_SINGLE_BLOCKS_OF_DOUBLES(how, Coord) \
  FPS_BY_REGIONS(how, Coord, 8, 1, 4, 4)                    \
  FPS_BY_REGIONS(how, Coord, 8, 2, 4, 4)                    \
  FPS_BY_REGIONS(how, Coord, 16, 2, 2, 2)                   \
  FPS_BY_REGIONS(how, Coord, 8, 4, 4, 4)                    \
  FPS_BY_REGIONS(how, Coord, 16, 4, 2, 2)                   \
  FPS_BY_REGIONS(how, Coord, 16, 8, 4, 4)                   \
  FPS_IN_GLOBAL_MEMORY(how, Coord, 1024)

#define FPS_BY_DEFAULT_SINGLE_BLOCKS(how, Coord) \
  FPS_BY_REGIONS(how, Coord, 32, 4, 3, 3)        \
  FPS_BY_REGIONS(how, Coord, 16, 16, 4, 4)       \
  FPS_BY_DEFAULT_SINGLE_BLOCKS_OF_DOUBLES(how, Coord)

#define FPS_BY_ODD_SINGLE_BLOCKS(how, Coord) \
  FPS_BY_REGIONS(how, Coord, 2, 5, 3, 2)     \
  FPS_BY_REGIONS(how, Coord, 16, 2, 2, 2)    \
  FPS_BY_REGIONS(how, Coord, 8, 13, 4, 3)    \
  FPS_IN_GLOBAL_MEMORY(how, Coord, 160)

// Kernels of teams. Doubles have no kernels of the largest of several shapes, and no chunks in shared memory.
#define FPS_BY_TEAMS(how, Coord, config, ...)                                                                      \
  how void farpoint::detail::fps_enqueue_local_maxima<                                                             \
      farpoint::detail::config<3, __VA_ARGS__, farpoint::point_view<Coord>::scalar>>(                              \
      farpoint::detail::kernel_launcher&, farpoint::detail::local_maxima_args<farpoint::point_view<Coord>> const&, \
      unsigned) noexcept;

#define FPS_BY_TEAMS_IN_REGISTERS(how, Coord, block_size, points_per_thread)          \
  FPS_BY_TEAMS(how, Coord, local_maxima_config, block_size, points_per_thread, false) \
  FPS_BY_TEAMS(how, Coord, local_maxima_config, block_size, points_per_thread, true)

// Doubles have parts of their own largest chunks.
#define FPS_IN_PARTS_OF_DEFAULT_TEAMS(how, Coord) \
  FPS_BY_TEAMS(how, Coord, local_maxima_parts_config, 512, sizeof(farpoint::point_view<Coord>::scalar) == 8 ? 4 : 8)

#define FPS_BY_DEFAULT_TEAMS_OF_DOUBLES(how, Coord)                               \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 512, 1)                                   \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 512, 2)                                   \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 512, 4)                                   \
  FPS_BY_TEAMS(how, Coord, local_maxima_chunk_config, 512, 4)                     \
  FPS_IN_PARTS_OF_DEFAULT_TEAMS(how, Coord)                                       \
  how void farpoint::detail::fps_enqueue_cell_order<farpoint::point_view<Coord>>( \
      farpoint::detail::kernel_launcher&,                                         \
      farpoint::detail::cell_order_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_DEFAULT_TEAMS(how, Coord)                             \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 512, 8)                      \
  FPS_BY_TEAMS(how, Coord, local_maxima_chunk_config, 512, 8)        \
  FPS_BY_TEAMS(how, Coord, local_maxima_shared_chunk_config, 512, 4) \
  FPS_BY_DEFAULT_TEAMS_OF_DOUBLES(how, Coord)

#define FPS_BY_ODD_TEAMS_OF_DOUBLES(how, Coord)              \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 64, 2)               \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 96, 11)              \
  FPS_BY_TEAMS(how, Coord, local_maxima_chunk_config, 64, 2) \
  FPS_BY_TEAMS(how, Coord, local_maxima_parts_config, 64, 2)

#define FPS_BY_ODD_TEAMS(how, Coord)                                \
  FPS_BY_TEAMS_IN_REGISTERS(how, Coord, 64, 40)                     \
  FPS_BY_TEAMS(how, Coord, local_maxima_shared_chunk_config, 64, 2) \
  FPS_BY_ODD_TEAMS_OF_DOUBLES(how, Coord)

FPS_BY_DEFAULT_SINGLE_BLOCKS(extern template, float)
FPS_BY_DEFAULT_SINGLE_BLOCKS(extern template, farpoint::float16)
FPS_BY_DEFAULT_SINGLE_BLOCKS_OF_DOUBLES(extern template, double)
FPS_BY_ODD_SINGLE_BLOCKS(extern template, float)
FPS_BY_ODD_SINGLE_BLOCKS(extern template, farpoint::float16)
FPS_BY_ODD_SINGLE_BLOCKS(extern template, double)
FPS_BY_DEFAULT_TEAMS(extern template, float)
FPS_BY_DEFAULT_TEAMS(extern template, farpoint::float16)
FPS_BY_DEFAULT_TEAMS_OF_DOUBLES(extern template, double)
FPS_BY_ODD_TEAMS(extern template, float)
FPS_BY_ODD_TEAMS(extern template, farpoint::float16)
FPS_BY_ODD_TEAMS_OF_DOUBLES(extern template, double)

#define FPS_SELECTORS_ELSEWHERE(Coord)          \
  FPS_OF_DEFAULT_TUNING(extern template, Coord) \
  FPS_OF_ODD_TUNING(extern template, Coord)

FPS_SELECTORS_ELSEWHERE(float)
FPS_SELECTORS_ELSEWHERE(double)
FPS_SELECTORS_ELSEWHERE(farpoint::float16)
