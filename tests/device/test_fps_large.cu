// fps() on cuda_exec against host_exec, where the serial loop would take too long.
#include "../catch.hpp"
#include "../shared/fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;
using farpoint::fps_selector;
using problem_type = fps_problem<float>;

namespace {

/// With the kernels that are made for large clouds, too.
void check_against_host(problem_type const& problem) {
  auto const expected = host_exec_answer(problem);
  check_kernel<fps_selector>("automatic", problem, expected);
  check_kernel<large_grid>("grid", problem, expected);
  if (problem.points <= 200000) {
    check_kernel<cluster_of_2>("cluster of 2", problem, expected);
    check_kernel<cluster_of_16>("cluster of 16", problem, expected);
  }
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
}
