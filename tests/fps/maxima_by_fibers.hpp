// Runs the source of the kernels of fps() by local maxima by fibers, against the serial loop.
#pragma once

#include <farpoint/detail/fps/local_maxima/mark_chosen.hpp>

#include "../support/catch.hpp"
#include "../support/fiber_machine.hpp"
#include "fps_problem.hpp"
#include "odd_maxima_config.hpp"

namespace farpoint_tests {

using farpoint::detail::basic_local_maxima_order;
using farpoint::detail::batch_marks;
using farpoint::detail::board_slots;
using farpoint::detail::fps_args;
using farpoint::detail::fps_team;
using farpoint::detail::local_maxima_call;
using farpoint::detail::local_maxima_lengths;
using farpoint::detail::local_maxima_lists;
using farpoint::detail::local_maxima_shared;
using farpoint::detail::local_maxima_team;
using farpoint::detail::mark_chosen_step;
using farpoint::detail::no_peers;
using farpoint::detail::point_chunks;

/// Samples each cloud by a team of `blocks`.
template <class Config, class Problem>
auto solve_by_fibers(Problem const& problem, unsigned blocks, unsigned seed, local_maxima_lengths lengths) {
  using view = typename Problem::view;
  using scalar = typename Problem::scalar;
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    *output.report = {};
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    fps_args<view> const args{clouds, params, output};
    // Marks chosen points, as the plan does before its kernel; a block that has a cloud to itself marks the points
    // itself.
    std::vector<std::uint32_t> words(
        static_cast<std::size_t>(batch_marks::words_of(clouds.points().size(), clouds.size())));
    batch_marks const marks{params.chosen.empty() || Config::alone ? nullptr : words.data()};
    for (index_t i = 0; i < params.chosen.size() && !Config::alone; ++i) {
      mark_chosen_step<view>{args, marks}(static_cast<std::uint32_t>(i));
    }
    for (index_t b = 0; b < clouds.size(); ++b) {
      // As in fps(): for 0 samples no kernel runs, and nothing is counted.
      if (params.samples == 0) {
        args.write_empty(b);
        continue;
      }
      auto const cloud = clouds[b];
      auto const points = static_cast<std::size_t>(cloud.size());
      if (!Config::in_memory) REQUIRE(blocks * Config::block_size * Config::points_per_thread >= points);
      std::vector<std::uint32_t> order(points);
      std::iota(order.begin(), order.end(), 0u);
      if (Config::boxes) {
        std::sort(order.begin(), order.end(), [&](auto i, auto j) { return cloud[i][0] < cloud[j][0]; });
      }
      using chunks_type = point_chunks<Config, fiber_machine>;
      std::vector<scalar> chunks(Config::in_memory ? chunks_type::chunk_scalars * chunks_type::chunks(cloud.size(), 1)
                                                   : 0);
      std::vector<std::vector<scalar>> shared_chunks(blocks);
      for (auto& c : shared_chunks) {
        if (Config::in_shared) c.resize(chunks_type::shared_bytes(cloud.size(), blocks) / sizeof(scalar));
      }
      // Keys of each block. A team of several uses the first block's, which are zero at the start.
      std::vector<std::vector<typename Config::key>> keys(blocks, std::vector<typename Config::key>(points));
      std::vector<fiber_board::message> slots(board_slots<Config>::all(blocks));
      std::vector<local_maxima_shared<Config>> shared(blocks);
      std::memset(static_cast<void*>(shared.data()), 0xcd, shared.size() * sizeof shared[0]);
      std::vector<std::vector<typename Config::ball>> lists(blocks);
      for (auto& l : lists) l.resize(local_maxima_lists<Config>::bytes(blocks) / sizeof(l[0]) + 1);
      fiber_blocks::run(blocks, Config::block_size, seed, [&] {
        unsigned const rank = fiber_blocks::block();
        scalar* const own_chunks = Config::in_shared ? shared_chunks[rank].data() : chunks.data();
        basic_local_maxima_order<scalar> const arranged{order.data(), own_chunks, marks.of(clouds.begin_of(b), b)};
        auto* const memory = reinterpret_cast<unsigned char*>(lists[rank].data());
        auto const run = [&](auto const& peers) {
          using peers_type = std::decay_t<decltype(peers)>;
          using call_type = local_maxima_call<fiber_machine, view>;
          local_maxima_team<Config, fiber_machine, call_type, peers_type>{
              call_type{args, b, cloud},
              {b, rank, blocks},
              shared[rank],
              local_maxima_lists<Config>::at(memory, blocks),
              keys[Config::alone ? rank : 0].data(),
              peers,
              lengths}
              .run(cloud, arranged);
        };
        if constexpr (Config::alone) {
          run(no_peers{});
        } else {
          run(fiber_board{slots.data()});
        }
      });
    }
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
  auto const answer = solve_by_fibers<Config>(problem, blocks, seed, {16, listed, singles});
  INFO(name << ", blocks " << blocks << ", seed " << seed << ", lists of " << listed << ", " << singles
            << " samples before: " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

template <class Problem>
void check_teams(Problem const& problem, unsigned seed) {
  constexpr int dim = Problem::dim;
  using scalar = typename Problem::scalar;
  auto const expected = reference_answer(problem);
  check_team<odd_config<fps_team::block, dim, 64, 5, false, scalar>>("block", problem, expected, 1, seed);
  check_team<odd_config<fps_team::grid, dim, 32, 3, false, scalar>>("grid", problem, expected, 5, seed);
  check_team<odd_config<fps_team::grid, dim, 64, 2, true, scalar>>("grid with boxes", problem, expected, 3, seed);
  check_team<odd_config_by_bits<dim, 32, 3, false, 4, scalar>>("grid, by bits", problem, expected, 4, seed);
}

/// Points in memory, too.
template <class Problem>
void check_all_teams(Problem const& problem, unsigned seed) {
  constexpr int dim = Problem::dim;
  using scalar = typename Problem::scalar;
  auto const expected = reference_answer(problem);
  check_teams(problem, seed);
  check_team<odd_chunk_config<fps_team::grid, dim, 32, 1, scalar>>("grid, in memory", problem, expected, 2, seed);
  check_team<odd_shared_chunk_config<fps_team::grid, dim, 64, 1, scalar>>("grid, in shared memory", problem, expected,
                                                                          3, seed);
}

}  // namespace farpoint_tests
