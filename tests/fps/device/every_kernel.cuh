// Solves a problem with every kernel of fps(): all must give the same bits.
#pragma once

#include <type_traits>

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
  static constexpr fps_block_tuning blocks[] = {{32, 3}, {96, 11}};
  static constexpr int streaming_block_size = 160;
  static constexpr fps_block_tuning rounds_blocks[] = {{64, 3}, {96, 40}};
  static constexpr int rounds_list_size = 32;
  static constexpr int group_block_size = 64;
  static constexpr int group_list_size = 64;
  static constexpr farpoint::index_t grid_points_per_block = 100;
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}, {96, 11}, {64, 40}};
  static constexpr int maxima_block_points = 3000;
  static constexpr farpoint::fps_region_tuning region_shapes[] = {{2, 5, 3, 2}, {16, 2, 2, 2}, {8, 13, 4, 3}};
  static constexpr bool has_regions = true;
  static constexpr fps_block_tuning maxima_chunks[] = {{64, 2}};
  static constexpr bool has_maxima_of_doubles = true;
  static constexpr bool hilbert_cells = true;
  static constexpr fps_block_tuning order_blocks[] = {{256, 3}};
  static constexpr farpoint::index_t most_points_in_phases = 3000;
  static constexpr farpoint::index_t most_clouds_in_phases = 1000;
};

/// Only the first block shape of `Tuning`: every further shape is another kernel to compile.
template <class Tuning>
struct one_shape : Tuning {
  static constexpr fps_block_tuning blocks[] = {Tuning::blocks[0]};
  static constexpr fps_block_tuning rounds_blocks[] = {Tuning::rounds_blocks[0]};
};

constexpr bool has_group(fps_kernel kernel) noexcept {
  return kernel != fps_kernel::in_registers && kernel != fps_kernel::in_global_memory && kernel != fps_kernel::in_block;
}

template <class Tuning, fps_kernel Kernel, int Blocks = 1, bool Boxes = false>
struct only : std::conditional_t<has_group(Kernel), one_shape<Tuning>, Tuning> {
  static constexpr fps_choice choose(fps_case const&) noexcept { return {Kernel, Blocks, Boxes, 100}; }
};

using odd_registers = only<odd_tuning, fps_kernel::in_registers>;
using odd_global_memory = only<odd_tuning, fps_kernel::in_global_memory>;
using odd_block = only<odd_tuning, fps_kernel::in_block>;
using odd_grid = only<odd_tuning, fps_kernel::in_grid>;
using odd_maxima_block = only<odd_tuning, fps_kernel::maxima_in_block>;
using odd_regions = only<odd_tuning, fps_kernel::in_regions>;
/// Blocks that are shared out among the clouds.
template <int Blocks, bool Boxes>
struct odd_shared_out : one_shape<odd_tuning> {
  static constexpr bool has_shared_out = true;
  static constexpr fps_choice choose(fps_case const&) noexcept {
    return {fps_kernel::maxima_in_grid, Blocks, Boxes, 100, 32, 0, true};
  }
};
using odd_shared_registers = odd_shared_out<7, false>;
using odd_shared_boxes = odd_shared_out<0, true>;
using odd_maxima_grid = only<odd_tuning, fps_kernel::maxima_in_grid, 5>;
using odd_maxima_boxes = only<odd_tuning, fps_kernel::maxima_in_grid, 4, true>;
/// Clouds of more than 512 points lie in chunks in shared memory.
struct odd_shared_chunks : odd_maxima_boxes {
  static constexpr fps_block_tuning maxima_blocks[] = {{64, 2}};
  static constexpr bool chunks_in_shared = true;
};
using large_grid = only<farpoint::fps_selector, fps_kernel::in_grid>;

/// Choice set at run time.
struct odd_choice : one_shape<odd_tuning> {
  static constexpr bool has_shared_out = true;
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{fps_kernel::in_registers};
};

/// Default choice on a GPU without cooperative launches.
struct without_groups : farpoint::fps_selector {
  static constexpr fps_choice choose(fps_case const& c) noexcept {
    fps_choice const choice = fps_selector::choose(c);
    bool const needs_them = choice.kernel == fps_kernel::in_grid || choice.kernel == fps_kernel::maxima_in_grid;
    return needs_them ? fps_choice{fps_kernel::in_registers} : choice;
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
  check_kernel<odd_registers>("registers", problem, expected);
  check_kernel<odd_global_memory>("global memory", problem, expected);
  check_kernel<odd_block>("block", problem, expected);
}

/// Checks the kernels by local maxima.
template <class Problem, class Answer>
void check_maxima(Problem const& problem, Answer const& expected) {
  check_kernel<odd_maxima_block>("maxima, block", problem, expected);
  check_kernel<odd_regions>("regions", problem, expected);
  check_kernel<odd_maxima_grid>("maxima, 5 blocks", problem, expected);
  check_kernel<odd_maxima_boxes>("maxima, 4 blocks, boxes", problem, expected);
  check_kernel<odd_shared_chunks>("maxima, 4 blocks, chunks in shared memory", problem, expected);
  check_kernel<odd_shared_registers>("maxima, 7 blocks shared out", problem, expected);
  check_kernel<odd_shared_boxes>("maxima, all blocks shared out, boxes", problem, expected);
}

template <class Problem, class Answer>
void check_kernels(Problem const& problem, Answer const& expected) {
  if (problem.points > 50000) {
    // Odd tunings take seconds here.
    check_kernel<large_grid>("grid", problem, expected);
    return;
  }
  check_single_blocks(problem, expected);
  check_kernel<odd_grid>("grid", problem, expected);
  check_kernel<farpoint::fps_selector>("default", problem, expected);
  check_kernel<without_groups>("without cooperative launches", problem, expected);
  check_maxima(problem, expected);
}

}  // namespace farpoint_tests

// fps() with these selectors is compiled in kernels/fps*.cu only: `how` is `extern template` or `template`.
#define FPS_OF_SELECTOR(how, Coord, Selector)                                                                          \
  how std::size_t farpoint::fps_workspace_bytes<Selector>(                                                             \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&, farpoint::fps_params const&) noexcept; \
  how farpoint::result farpoint::fps<Selector>(                                                                        \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&, farpoint::fps_params const&,           \
      farpoint::fps_output<farpoint::point_view<Coord>::scalar> const&, farpoint::bytes) noexcept;

#define FPS_OF_DEFAULT_TUNING(how, Coord)                 \
  FPS_OF_SELECTOR(how, Coord, farpoint::fps_selector)     \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::large_grid) \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::without_groups)

#define FPS_OF_ODD_TUNING(how, Coord)                               \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_registers)        \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_global_memory)    \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_block)            \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_grid)             \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_maxima_block)     \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_regions)          \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_maxima_grid)      \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_maxima_boxes)     \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_chunks)    \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_registers) \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_shared_boxes)     \
  FPS_OF_SELECTOR(how, Coord, farpoint_tests::odd_choice)

// Kernels that several selectors share: the kernels of odd_tuning's block shapes and the kernels that order points.
#define FPS_OF_ODD_BLOCKS(how, Coord)                                                         \
  how void farpoint::detail::fps_enqueue_registers<farpoint::point_view<Coord>, 32, 3>(       \
      farpoint::detail::kernel_launcher&,                                                     \
      farpoint::detail::fps_registers_args<farpoint::point_view<Coord>> const&) noexcept;     \
  how void farpoint::detail::fps_enqueue_registers<farpoint::point_view<Coord>, 96, 11>(      \
      farpoint::detail::kernel_launcher&,                                                     \
      farpoint::detail::fps_registers_args<farpoint::point_view<Coord>> const&) noexcept;     \
  how void farpoint::detail::fps_enqueue_global_memory<farpoint::point_view<Coord>, 160>(     \
      farpoint::detail::kernel_launcher&,                                                     \
      farpoint::detail::fps_global_memory_args<farpoint::point_view<Coord>> const&) noexcept; \
  how void farpoint::detail::fps_enqueue_keys<farpoint::point_view<Coord>>(                   \
      farpoint::detail::kernel_launcher&,                                                     \
      farpoint::detail::point_order_args<farpoint::point_view<Coord>> const&) noexcept;       \
  how void farpoint::detail::fps_enqueue_order<farpoint::point_view<Coord>, 256, 3>(          \
      farpoint::detail::kernel_launcher&,                                                     \
      farpoint::detail::fps_phased_order_args<farpoint::point_view<Coord>> const&) noexcept;

// Kernels by local maxima, of both tunings. Doubles have the kernels of odd_tuning, but for the largest shape.
#define FPS_BY_MAXIMA(how, Coord, team, block_size, points_per_thread, boxes)                                          \
  how void farpoint::detail::fps_enqueue_local_maxima<                                                                 \
      farpoint::detail::local_maxima_config<farpoint::detail::fps_team::team, 3, block_size, points_per_thread, boxes, \
                                            farpoint::point_view<Coord>::scalar>>(                                     \
      farpoint::detail::kernel_launcher&,                                                                              \
      farpoint::detail::local_maxima_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_MAXIMA_IN_GRID(how, Coord, block_size, points_per_thread) \
  FPS_BY_MAXIMA(how, Coord, grid, block_size, points_per_thread, false)  \
  FPS_BY_MAXIMA(how, Coord, grid, block_size, points_per_thread, true)

#define FPS_BY_MAXIMA_IN_MEMORY(how, Coord, block_size, points_per_thread)                                       \
  how void farpoint::detail::fps_enqueue_local_maxima<farpoint::detail::local_maxima_chunk_config<               \
      farpoint::detail::fps_team::grid, 3, block_size, points_per_thread, farpoint::point_view<Coord>::scalar>>( \
      farpoint::detail::kernel_launcher&,                                                                        \
      farpoint::detail::local_maxima_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_DEFAULT_MAXIMA(how, Coord)                                         \
  FPS_BY_MAXIMA_IN_MEMORY(how, Coord, 512, 4)                                     \
  FPS_BY_MAXIMA_IN_MEMORY(how, Coord, 512, 8)                                     \
  FPS_BY_MAXIMA(how, Coord, block, 512, 1, false)                                 \
  FPS_BY_MAXIMA(how, Coord, block, 512, 2, false)                                 \
  FPS_BY_MAXIMA_IN_GRID(how, Coord, 512, 1)                                       \
  FPS_BY_MAXIMA_IN_GRID(how, Coord, 512, 2)                                       \
  FPS_BY_MAXIMA_IN_GRID(how, Coord, 512, 4)                                       \
  FPS_BY_MAXIMA_IN_GRID(how, Coord, 512, 8)                                       \
  how void farpoint::detail::fps_enqueue_cell_order<farpoint::point_view<Coord>>( \
      farpoint::detail::kernel_launcher&,                                         \
      farpoint::detail::cell_order_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_ODD_MAXIMA_OF(how, Coord, block_size, points_per_thread)  \
  FPS_BY_MAXIMA(how, Coord, block, block_size, points_per_thread, false) \
  FPS_BY_MAXIMA_IN_GRID(how, Coord, block_size, points_per_thread)

#define FPS_BY_REGIONS(how, Coord, warps, points_per_lane, listed, tested)               \
  how void farpoint::detail::fps_enqueue_regions<                                        \
      farpoint::detail::region_shape<float, 3, warps, points_per_lane, listed, tested>>( \
      farpoint::detail::kernel_launcher&, farpoint::detail::fps_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_CHUNKS_IN_SHARED(how, Coord, block_size, points_per_thread)                                       \
  how void farpoint::detail::fps_enqueue_local_maxima<farpoint::detail::local_maxima_shared_chunk_config<        \
      farpoint::detail::fps_team::grid, 3, block_size, points_per_thread, farpoint::point_view<Coord>::scalar>>( \
      farpoint::detail::kernel_launcher&,                                                                        \
      farpoint::detail::local_maxima_args<farpoint::point_view<Coord>> const&) noexcept;

#define FPS_BY_ODD_MAXIMA(how, Coord)      \
  FPS_BY_REGIONS(how, Coord, 2, 5, 3, 2)   \
  FPS_BY_REGIONS(how, Coord, 16, 2, 2, 2)  \
  FPS_BY_REGIONS(how, Coord, 8, 13, 4, 3)  \
  FPS_BY_ODD_MAXIMA_OF(how, Coord, 64, 40) \
  FPS_BY_SMALL_ODD_MAXIMA(how, Coord)

#define FPS_BY_SMALL_ODD_MAXIMA(how, Coord)                                                                \
  FPS_BY_MAXIMA_IN_MEMORY(how, Coord, 64, 2)                                                               \
  FPS_BY_CHUNKS_IN_SHARED(how, Coord, 64, 2)                                                               \
  FPS_BY_ODD_MAXIMA_OF(how, Coord, 64, 2)                                                                  \
  FPS_BY_ODD_MAXIMA_OF(how, Coord, 96, 11)                                                                 \
  how void farpoint::detail::fps_enqueue_cell_order<farpoint::point_view<Coord>, farpoint::hilbert_curve>( \
      farpoint::detail::kernel_launcher&,                                                                  \
      farpoint::detail::cell_order_args<farpoint::point_view<Coord>> const&) noexcept;

// Kernels by local maxima whose blocks are shared out, of odd_tuning.
#define FPS_BY_DEALT_MAXIMA(how, Coord, config, ...)                                                               \
  how void farpoint::detail::fps_enqueue_dealt_maxima<farpoint::detail::config<                                    \
      farpoint::detail::fps_team::grid, 3, __VA_ARGS__, farpoint::point_view<Coord>::scalar>>(                     \
      farpoint::detail::kernel_launcher&, farpoint::detail::dealt_maxima_args<farpoint::point_view<Coord>> const&, \
      farpoint::detail::team_limits const&) noexcept;

#define FPS_BY_SMALL_ODD_DEALT_MAXIMA(how, Coord)                     \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 64, 2, false)  \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 64, 2, true)   \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 96, 11, false) \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 96, 11, true)  \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_chunk_config, 64, 2)

#define FPS_BY_ODD_DEALT_MAXIMA(how, Coord)                           \
  FPS_BY_SMALL_ODD_DEALT_MAXIMA(how, Coord)                           \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 64, 40, false) \
  FPS_BY_DEALT_MAXIMA(how, Coord, local_maxima_config, 64, 40, true)

#define FPS_KERNELS_ELSEWHERE(Coord)            \
  FPS_OF_ODD_BLOCKS(extern template, Coord)     \
  FPS_OF_DEFAULT_TUNING(extern template, Coord) \
  FPS_OF_ODD_TUNING(extern template, Coord)

FPS_BY_DEFAULT_MAXIMA(extern template, float)
FPS_BY_DEFAULT_MAXIMA(extern template, farpoint::float16)
FPS_BY_ODD_MAXIMA(extern template, float)
FPS_BY_ODD_MAXIMA(extern template, farpoint::float16)
FPS_BY_ODD_DEALT_MAXIMA(extern template, float)
FPS_BY_ODD_DEALT_MAXIMA(extern template, farpoint::float16)
FPS_BY_SMALL_ODD_MAXIMA(extern template, double)
FPS_BY_SMALL_ODD_DEALT_MAXIMA(extern template, double)
FPS_KERNELS_ELSEWHERE(float)
FPS_KERNELS_ELSEWHERE(double)
FPS_KERNELS_ELSEWHERE(farpoint::float16)
