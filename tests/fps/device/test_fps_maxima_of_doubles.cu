// fps() of doubles: which kernels serve a forced call, which the default chooses, and clouds of the size that teams are
// for.
#include "../../support/catch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

using view = farpoint::point_view<double>;
constexpr farpoint::detail::device_properties h200{132, 232448, 1};

/// The default's shapes. Chooses at run time.
struct of_doubles : farpoint::fps_selector {
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{};
};

fps_choice planned(index_t clouds, index_t points, fps_choice const& choice) {
  of_doubles::choice = choice;
  farpoint::fps_params params;
  params.samples = 1000;
  auto const all = farpoint::batch<view>::regular(view{nullptr, clouds * points}, clouds);
  return farpoint::detail::fps_cuda_plan<of_doubles, view>{all, params, h200}.choice();
}

void check_forced(fps_problem<double> const& problem, fps_choice const& choice) {
  of_doubles::choice = choice;
  CAPTURE(choice.blocks, choice.boxes, choice.wanted, choice.listed);
  check_kernel<of_doubles>("forced", problem, host_exec_answer(problem));
}

}  // namespace

TEST_CASE("fps, device: kernels that serve forced calls of doubles", "[fps][device]") {
  // Clouds in registers, with boxes, and in memory.
  for (index_t const points : {5000, 131072, 1000000, 17000000, 132 * 131072 + 1, 2000000000}) {
    fps_choice const boxes{fps_kernel::in_teams, 132, true};
    CAPTURE(points);
    CHECK(planned(1, points, boxes) == boxes);
  }
  fps_choice const plain{fps_kernel::in_teams, 20, false};
  CHECK(planned(6, 10000, plain) == plain);
  CHECK(planned(6, 20 * 2048, plain) == plain);
  // A shape of 8 points a thread is left out: a schedule makes teams of more blocks.
  fps_choice const more_blocks{fps_kernel::in_teams, 132, false, 40, 32, 0, true};
  CHECK(planned(6, 20 * 2048 + 1, plain) == more_blocks);
  fps_choice const regions{fps_kernel::in_regions};
  CHECK(planned(100, 4096, regions) == regions);
  CHECK(planned(100, 4097, regions).kernel == fps_kernel::in_teams);
  CHECK(planned(100, 4097, regions).shared_out);
  fps_choice const shared_out{fps_kernel::in_teams, 132, true, 40, 32, 0, true};
  CHECK(planned(300, 3000, shared_out) == shared_out);
}

TEST_CASE("fps, device: kernels of the default for doubles", "[fps][device]") {
  auto const kernel = [](index_t clouds, index_t points, index_t samples) {
    farpoint::fps_params params;
    params.samples = samples;
    auto const all = farpoint::batch<view>::regular(view{nullptr, clouds * points}, clouds);
    return farpoint::detail::fps_cuda_plan<farpoint::fps_selector, view>{all, params, h200}.choice().kernel;
  };
  CHECK(kernel(1, 1024, 1000) == fps_kernel::in_regions);
  CHECK(kernel(200, 4096, 1000) == fps_kernel::in_regions);
  CHECK(kernel(1, 4096, 1000) == fps_kernel::in_teams);
  CHECK(kernel(200, 8192, 1000) == fps_kernel::in_teams);
  CHECK(kernel(1, 131072, 1000) == fps_kernel::in_teams);
  CHECK(kernel(1, 1000000, 1000) == fps_kernel::in_teams);
  CHECK(kernel(200, 8192, 20) == fps_kernel::in_global_memory);
}

TEST_CASE("fps, device: doubles by local maxima equal host_exec on large clouds", "[fps][device][large]") {
  // 1,000 blocks are clamped to the number of multiprocessors.
  for (shape const which : {shape::cube, shape::utm, shape::lattice, shape::non_finite, shape::all_equal}) {
    CAPTURE(static_cast<int>(which));
    fps_problem<double> problem{make_cloud(which, 100000, 3), 4000};
    check_forced(problem, {fps_kernel::in_teams, 1000, true});
    check_forced(problem, {fps_kernel::in_teams, 1000, false, 100, 8});
    check_forced(problem, {fps_kernel::in_teams, 64, true, 24, 16, 20});
    problem = {make_cloud(which, 600001, 5), 3000};
    problem.first = 77;
    problem.chosen = {0, 600000, 123456, -1, 600001};
    check_forced(problem, {fps_kernel::in_teams, 1000, true, 24, 12});
  }
  fps_problem<double> batch{make_cloud(shape::utm, 6 * 10000, 7), 1000};
  batch.clouds = 6;
  check_forced(batch, {fps_kernel::in_teams, 20, false});
  check_forced(batch, {fps_kernel::in_teams, 20, true, 60});
  fps_problem<double> many{make_cloud(shape::duplicates, 50 * 1000, 8), 400};
  many.clouds = 50;
  check_forced(many, {fps_kernel::in_regions});
  check_forced(many, {fps_kernel::in_teams, 0, false, 36, 16, 0, true});
  check_forced(many, {fps_kernel::in_teams, 0, true, 36, 16, 8, true});
}

TEST_CASE("fps, device: doubles by the default equal host_exec on large clouds", "[fps][device][large]") {
  for (shape const which : {shape::cube, shape::utm, shape::lattice, shape::non_finite, shape::all_equal}) {
    CAPTURE(static_cast<int>(which));
    fps_problem<double> problem{make_cloud(which, 120000, 3), 2000};
    check_kernel<farpoint::fps_selector>("one cloud", problem, host_exec_answer(problem));
    problem.offsets = {3, 3, 40, 20000, 20001, 90000, 119990};
    problem.samples = 300;
    check_kernel<farpoint::fps_selector>("ragged", problem, host_exec_answer(problem));
  }
}
