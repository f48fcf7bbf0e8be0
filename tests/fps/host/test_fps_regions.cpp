// fps() by regions without a GPU: the kernel's source, run by fibers.
#include "../../support/catch.hpp"
#include "../../support/fiber_machine.hpp"
#include "../fps_problem.hpp"

#include <farpoint/detail/fps/regions/sampler.hpp>

using namespace farpoint_tests;
using namespace farpoint::detail;

namespace {

template <class Shape, class Problem>
auto solve_by_regions(Problem const& problem, unsigned seed) {
  using view = typename Problem::view;
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    *output.report = {};
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    fps_args<view> const args{clouds, params, output};
    for (index_t b = 0; b < clouds.size(); ++b) {
      // As in fps(): for 0 samples no kernel runs, and nothing is counted.
      if (params.samples == 0) {
        args.write_empty(b);
        continue;
      }
      auto const cloud = clouds[b];
      REQUIRE(cloud.size() <= Shape::capacity);
      auto const shared = std::make_unique<region_memory<Shape>>();
      std::memset(static_cast<void*>(shared.get()), 0xcd, sizeof *shared);
      fiber_blocks::run(1, Shape::block_size, seed, [&] {
        using call_type = local_maxima_call<fiber_machine, view>;
        region_sampler<Shape, fiber_machine, call_type>{call_type{args, b, cloud}, *shared}.run(cloud);
      });
    }
    return farpoint::result{};
  });
}

template <class Shape, class Problem, class Answer>
void check_shape(Problem const& problem, Answer const& expected, unsigned seed) {
  auto const answer = solve_by_regions<Shape>(problem, seed);
  INFO("warps " << Shape::warps << ", points of a lane " << Shape::each << ", listed " << Shape::listed << ", tested "
                << Shape::tested << ", seed " << seed << ": " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

/// Clouds of 240 points at most.
template <class Problem>
void check_shapes(Problem const& problem, unsigned seed) {
  constexpr int dim = Problem::dim;
  auto const expected = reference_answer(problem);
  using scalar = typename Problem::scalar;
  check_shape<region_shape<scalar, dim, 1, 8, 1, 1>>(problem, expected, seed);
  check_shape<region_shape<scalar, dim, 2, 5, 3, 2>>(problem, expected, seed);
  check_shape<region_shape<scalar, dim, 4, 2, 2, 1>>(problem, expected, seed);
  check_shape<region_shape<scalar, dim, 8, 1, 4, 4>>(problem, expected, seed);
}

template <class Coord>
void check_random_problem(std::uint64_t seed) {
  random_source random{seed};
  auto const n = static_cast<std::size_t>(random.below(240));
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  fps_problem<Coord> problem{make_cloud(which, n, seed), random.below(static_cast<std::int64_t>(n) + 20)};
  problem.first = n == 0 ? 0 : random.below(static_cast<std::int64_t>(n));
  if (random.below(3) == 0 && n > 0) {
    // Chosen points, sometimes more than a batch, with duplicates.
    auto const count = random.below(4) == 0 ? 400 : 5;
    for (int i = 0; i < count; ++i) problem.chosen.push_back(random.below(static_cast<std::int64_t>(n) + 1) - 1);
  }
  if (random.below(3) == 0) problem.stop_below = static_cast<double>(random.uniform());
  CAPTURE(seed, n, static_cast<int>(which));
  check_shapes(problem, static_cast<unsigned>(seed));
}

}  // namespace

ONE_THREAD_TEST_CASE("fps by regions, fibers: equals the serial loop on every shape", "[fps][regions][one_thread]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 33u, 150u, 240u}) {
      for (index_t const m : {static_cast<index_t>(n / 4 + 1), static_cast<index_t>(n + 3)}) {
        CAPTURE(static_cast<int>(which), n, m);
        check_shapes(fps_problem<float>{make_cloud(which, n, n), m}, static_cast<unsigned>(n + 1));
        check_shapes(fps_problem<double>{make_cloud(which, n, n), m}, static_cast<unsigned>(n + 2));
        check_shapes(fps_problem<farpoint::float16>{make_cloud(which, n, n), m}, static_cast<unsigned>(n + 3));
      }
    }
  }
}

ONE_THREAD_TEST_CASE("fps by regions, fibers: many random problems", "[fps][regions][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    check_random_problem<float>(seed);
    check_random_problem<double>(seed);
  }
}

ONE_THREAD_TEST_CASE("fps by regions, fibers: the shapes of kernels", "[fps][regions][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates}) {
    fps_problem<float> const problem{make_cloud(which, 1000, 7), 300};
    auto const expected = reference_answer(problem);
    CAPTURE(static_cast<int>(which));
    check_shape<region_shape<float, 3, 16, 2, 2, 2>>(problem, expected, 1);
    check_shape<region_shape<float, 3, 16, 4, 4, 4>>(problem, expected, 2);
    check_shape<region_shape<float, 3, 32, 1, 2, 1>>(problem, expected, 3);
    check_shape<region_shape<float, 3, 4, 16, 15, 15>>(problem, expected, 4);
  }
}

ONE_THREAD_TEST_CASE("fps by regions, fibers: no samples", "[fps][regions][one_thread]") {
  check_shapes(fps_problem<float>{make_cloud(shape::non_finite, 65, 1), 0}, 1);
}

ONE_THREAD_TEST_CASE("fps by regions, fibers: points of one, two, four and seven dimensions",
                     "[fps][regions][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::all_equal, shape::non_finite}) {
    CAPTURE(static_cast<int>(which));
    check_shapes(fps_problem<float, 1>{make_points<1>(which, 90, 3), 40}, 7);
    check_shapes(fps_problem<float, 2>{make_points<2>(which, 110, 4), 60}, 8);
    // Sorted by the first three axes.
    check_shapes(fps_problem<float, 4>{make_points<4>(which, 130, 5), 135}, 9);
    check_shapes(fps_problem<double, 4>{make_points<4>(which, 120, 6), 50}, 10);
    check_shapes(fps_problem<float, 7>{make_points<7>(which, 140, 7), 70}, 11);
    check_shapes(fps_problem<farpoint::float16, 7>{make_points<7>(which, 100, 8), 103}, 12);
  }
}

ONE_THREAD_TEST_CASE("fps by regions, fibers: what is out of range is counted, of empty clouds too",
                     "[fps][regions][one_thread]") {
  fps_problem<float> problem{make_cloud(shape::cube, 60, 5), 9};
  problem.offsets = {0, 0, 25, 25, 60};
  problem.chosen = {-2, 3, 99, -1, -1, 4, 25, 0};
  check_shapes(problem, 3);
  problem.chosen.clear();
  problem.firsts = {0, 30, -1, 7};
  check_shapes(problem, 4);
}
