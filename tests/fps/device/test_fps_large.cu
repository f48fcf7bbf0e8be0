// fps() on cuda_exec against host_exec, where the serial loop would take too long.
#include "../../support/catch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;
using farpoint::fps_selector;
using problem_type = fps_problem<float>;

namespace {

/// Checks the default choice and the kernels for large clouds.
void check_against_host(problem_type const& problem) {
  auto const expected = host_exec_answer(problem);
  check_kernel<fps_selector>("automatic", problem, expected);
  check_kernel<large_teams>("teams of all blocks", problem, expected);
}

}  // namespace

TEST_CASE("fps, device: equals host_exec on a quarter of every real scan", "[fps][device][data][large]") {
  int const scans = for_quarters_of_scans(1, static_cast<std::size_t>(-1),
                                          [](auto const&, auto const& problem) { check_against_host(problem); });
  if (scans == 0) WARN("FARPOINT_DATA_DIR is not set: no real scan was tested");
}

TEST_CASE("fps, device: equals host_exec on large clouds", "[fps][device][large]") {
  check_against_host({make_cloud(shape::cube, 1000000, 1), 10000});
  check_against_host({make_cloud(shape::lattice, 300000, 2), 20000});
  check_against_host({make_cloud(shape::all_equal, 100000, 3), 25000});
  check_against_host({make_cloud(shape::cube, 10000000, 4), 10000});
  // More points than all blocks of an H200 hold in chunks of one part.
  check_against_host({make_cloud(shape::cube, 36000000, 5), 60});
}

TEST_CASE("fps, device: ragged batches of clouds of about the same size", "[fps][device][large]") {
  for (shape const which : {shape::cube, shape::duplicates, shape::non_finite}) {
    for (index_t const samples : {700, 5000}) {
      problem_type problem{make_cloud(which, 60000, 7), samples};
      problem.offsets = {3, 12000, 22500, 31000, 43000, 55000};
      // With `largest` the call uses local maxima; a value that is too low cuts clouds to that size.
      for (index_t const largest : {12000, 11000}) {
        CAPTURE(static_cast<int>(which), samples, largest);
        problem.largest = largest;
        check_kernel<fps_selector>("automatic", problem, host_exec_answer(problem));
      }
      problem.offsets[2] = 100;
      check_kernel<fps_selector>("offsets that descend", problem, host_exec_answer(problem));
    }
  }
}

TEST_CASE("fps, device: clouds that registers do not hold", "[fps][device][large]") {
  problem_type strange{make_cloud(shape::non_finite, 600001, 5), 3000};
  strange.first = 77;
  strange.chosen = {0, 600000, 123456, -1, 600001};
  check_kernel<fps_selector>("automatic", strange, host_exec_answer(strange));
  problem_type few{make_cloud(shape::lattice, 700000, 6), 50};
  few.stop_below = 0.01;
  check_kernel<fps_selector>("automatic", few, host_exec_answer(few));
  problem_type batch{make_cloud(shape::cube, 3 * 400000, 8), 5000};
  batch.clouds = 3;
  check_kernel<fps_selector>("automatic", batch, host_exec_answer(batch));
}
