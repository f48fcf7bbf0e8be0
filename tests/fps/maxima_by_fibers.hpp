// Runs the source of the kernel of fps() by local maxima by fibers, against the serial loop.
#pragma once

#include <farpoint/detail/fps/local_maxima/sample_cloud.hpp>

#include "../support/catch.hpp"
#include "../support/fiber_machine.hpp"
#include "fps_problem.hpp"
#include "odd_maxima_config.hpp"

namespace farpoint_tests {

using farpoint::detail::batch_marks;
using farpoint::detail::board_slots;
using farpoint::detail::dealt_boards;
using farpoint::detail::dealt_maxima_shared;
using farpoint::detail::fps_args;
using farpoint::detail::fps_key_for;
using farpoint::detail::local_maxima_lengths;
using farpoint::detail::local_maxima_lists;
using farpoint::detail::mark_chosen_step;
using farpoint::detail::maxima_args_of;
using farpoint::detail::point_chunks;
using farpoint::detail::team_schedule;

/// Blocks of a launch.
struct FARPOINT_HIDDEN fiber_grid {
  unsigned blocks;           ///< number of all blocks
  unsigned team;             ///< number of blocks of a team; with a schedule, of the largest team
  std::size_t slots;         ///< number of messages on the boards
  team_schedule schedule{};  ///< null for equal teams
};

/// Launches the kernel as local_maxima_plan does, on host memory.
template <class Config, class Machine, class View>
void launch_by_fibers(fps_args<View> const& call, fiber_grid const& grid, local_maxima_lengths lengths, unsigned seed) {
  using scalar = typename View::scalar;
  auto const& clouds = call.clouds;
  index_t const points = clouds.points().size();
  auto const all = static_cast<std::size_t>(points);

  std::vector<std::uint32_t> words(static_cast<std::size_t>(batch_marks::words_of(points, clouds.size())));
  batch_marks const marks{call.params.chosen.empty() ? nullptr : words.data()};
  for (index_t i = 0; i < call.params.chosen.size(); ++i) {
    mark_chosen_step<View>{call, marks}(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> order(all + 1);
  for (index_t b = 0; b < clouds.size() && Config::boxes; ++b) {
    auto const cloud = clouds[b];
    auto const first = order.begin() + clouds.begin_of(b);
    std::iota(first, first + cloud.size(), 0u);
    std::sort(first, first + cloud.size(), [&](auto i, auto j) { return cloud[i][0] < cloud[j][0]; });
  }
  using chunks_type = point_chunks<Config, Machine>;
  bool constexpr in_global = Config::in_memory && !Config::in_shared;
  std::size_t const chunks_of_all = static_cast<std::size_t>(chunks_type::parts(points, clouds.size()));
  std::vector<scalar> chunks(in_global ? chunks_type::part_scalars * chunks_of_all : 0);
  std::vector<fps_key_for<scalar>> keys(all + 1);
  std::vector<fiber_board::message> board(grid.slots);
  maxima_args_of<View, fiber_board::message> args{call,  grid.team,   lengths,      {order.data(), chunks.data()},
                                                  marks, keys.data(), board.data(), grid.schedule};
  args.order.part_shift = Config::in_parts ? 1 + seed % 3 : 0;

  std::vector<dealt_maxima_shared<Config>> shared(grid.blocks);
  std::memset(static_cast<void*>(shared.data()), 0xcd, shared.size() * sizeof shared[0]);
  std::vector<std::vector<typename Config::ball>> lists(grid.blocks);
  for (auto& l : lists) l.resize(local_maxima_lists<Config>::bytes(grid.team) / sizeof(l[0]) + 1);
  std::vector<std::vector<scalar>> own(grid.blocks);
  for (auto& o : own) {
    if (Config::in_shared) o.resize(chunks_type::shared_bytes(clouds.largest(), grid.team) / sizeof(scalar));
  }
  fiber_blocks::run(grid.blocks, Config::block_size, seed, [&] {
    unsigned const block = fiber_blocks::block();
    auto* const memory = reinterpret_cast<unsigned char*>(lists[block].data());
    farpoint::detail::sample_clouds<Config, Machine, fiber_board>(args, block, grid.blocks, shared[block],
                                                                  local_maxima_lists<Config>::at(memory, grid.team),
                                                                  reinterpret_cast<unsigned char*>(own[block].data()));
  });
}

/// Samples each cloud by a team of `blocks`.
template <class Config, class Problem>
auto solve_by_fibers(Problem const& problem, unsigned blocks, unsigned seed, local_maxima_lengths lengths) {
  using view = typename Problem::view;
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    *output.report = {};
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    fps_args<view> const args{clouds, params, output};
    // As in fps(): for 0 samples no kernel runs, and nothing is counted.
    for (index_t b = 0; b < clouds.size() && params.samples == 0; ++b) args.write_empty(b);
    if (params.samples == 0 || clouds.size() == 0) return farpoint::result{};
    auto const capacity = static_cast<index_t>(blocks * Config::block_size * Config::points_per_thread);
    for (index_t b = 0; b < clouds.size() && !Config::in_memory; ++b) REQUIRE(clouds[b].size() <= capacity);
    auto const teams = static_cast<unsigned>(clouds.size());
    fiber_grid const grid{teams * blocks, blocks, std::size_t{teams} * board_slots<Config>::all(blocks)};
    launch_by_fibers<Config, fiber_machine>(args, grid, lengths, seed);
    return farpoint::result{};
  });
}

/// Samples that are taken one a round.
inline constexpr unsigned some_singles[] = {0, 1, 8, 32, 1000000000};

template <class Config, class Problem, class Answer>
void check_team(char const* name, Problem const& problem, Answer const& expected, unsigned blocks, unsigned seed) {
  // Shorter lists than there is room for, too; and none for some samples, or for all.
  unsigned const listed = Config::listed_size - seed % 2;
  unsigned const singles = some_singles[seed / 2 % std::size(some_singles)];
  auto const answer = solve_by_fibers<Config>(problem, blocks, seed, {8, listed, singles});
  INFO(name << ", blocks " << blocks << ", seed " << seed << ", lists of " << listed << ", " << singles
            << " samples before: " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

template <class Problem>
void check_teams(Problem const& problem, unsigned seed) {
  constexpr int dim = Problem::dim;
  using scalar = typename Problem::scalar;
  auto const expected = reference_answer(problem);
  check_team<odd_config<dim, 64, 5, false, scalar>>("one block", problem, expected, 1, seed);
  check_team<odd_config<dim, 32, 3, false, scalar>>("registers", problem, expected, 5, seed);
  check_team<odd_config<dim, 64, 2, true, scalar>>("boxes", problem, expected, 3, seed);
}

/// Points in memory, too.
template <class Problem>
void check_all_teams(Problem const& problem, unsigned seed) {
  constexpr int dim = Problem::dim;
  using scalar = typename Problem::scalar;
  auto const expected = reference_answer(problem);
  check_teams(problem, seed);
  check_team<odd_chunk_config<dim, 32, 1, scalar>>("memory", problem, expected, 2, seed);
  check_team<odd_parts_config<dim, 32, 1, scalar>>("parts", problem, expected, 2, seed);
  check_team<odd_shared_chunk_config<dim, 64, 1, scalar>>("shared memory", problem, expected, 3, seed);
}

}  // namespace farpoint_tests
