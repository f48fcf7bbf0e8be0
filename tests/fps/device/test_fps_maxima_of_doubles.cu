// fps() of doubles by local maxima, which the default does not choose: which kernels serve a forced call, and clouds of
// the size that teams are for.
#include "../../support/catch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

using view = farpoint::point_view<double>;
constexpr farpoint::detail::device_properties h200{132, 232448, 1};

/// The default's shapes. Chooses at run time.
struct of_doubles : one_shape<farpoint::fps_selector> {
  static constexpr bool has_maxima_of_doubles = true;
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{};
};
struct shared_out_of_doubles : of_doubles {
  static constexpr bool has_shared_out = true;
};

template <class Selector>
fps_choice planned(index_t clouds, index_t points, fps_choice const& choice) {
  of_doubles::choice = choice;
  farpoint::fps_params params;
  params.samples = 1000;
  auto const all = farpoint::batch<view>::regular(view{nullptr, clouds * points}, clouds);
  return farpoint::detail::fps_cuda_plan<Selector, view>{all, params, h200}.choice();
}

void check_forced(fps_problem<double> const& problem, fps_choice const& choice) {
  of_doubles::choice = choice;
  CAPTURE(choice.blocks, choice.boxes, choice.wanted, choice.listed);
  check_kernel<of_doubles>("forced", problem, host_exec_answer(problem));
}

}  // namespace

TEST_CASE("fps, device: kernels that serve forced calls of doubles", "[fps][device]") {
  // Clouds in registers, with boxes, and in memory.
  for (index_t const points : {5000, 131072, 1000000, 17000000}) {
    fps_choice const boxes{fps_kernel::maxima_in_grid, 132, true};
    CAPTURE(points);
    CHECK(planned<of_doubles>(1, points, boxes) == boxes);
  }
  fps_choice const plain{fps_kernel::maxima_in_grid, 20, false};
  CHECK(planned<of_doubles>(6, 10000, plain) == plain);
  CHECK(planned<of_doubles>(6, 20 * 2048, plain) == plain);
  // A shape of 8 points a thread is left out.
  CHECK(planned<of_doubles>(6, 20 * 2048 + 1, plain).kernel != fps_kernel::maxima_in_grid);
  CHECK(planned<of_doubles>(1, 132 * 131072 + 1, {fps_kernel::maxima_in_grid, 132, true}).kernel !=
        fps_kernel::maxima_in_grid);
  fps_choice const block{fps_kernel::maxima_in_block};
  CHECK(planned<of_doubles>(100, 1024, block) == block);
  CHECK(planned<of_doubles>(100, 1025, block).kernel == fps_kernel::in_block);
  fps_choice const shared_out{fps_kernel::maxima_in_grid, 132, true, 40, 32, 0, true};
  CHECK(planned<shared_out_of_doubles>(300, 3000, shared_out) == shared_out);
  CHECK(planned<of_doubles>(300, 3000, shared_out).kernel != fps_kernel::maxima_in_grid);
}

TEST_CASE("fps, device: the default serves doubles by other kernels", "[fps][device]") {
  farpoint::fps_params params;
  params.samples = 1000;
  for (index_t const points : {1024, 8192, 131072, 1000000}) {
    auto const all = farpoint::batch<view>::regular(view{nullptr, points}, 1);
    farpoint::detail::fps_cuda_plan<farpoint::fps_selector, view> const plan{all, params, h200};
    CAPTURE(points);
    CHECK(plan.choice().kernel != fps_kernel::maxima_in_grid);
    CHECK(plan.choice().kernel != fps_kernel::maxima_in_block);
  }
}

TEST_CASE("fps, device: doubles by local maxima equal host_exec on large clouds", "[fps][device][large]") {
  // 1,000 blocks are clamped to the number of multiprocessors.
  for (shape const which : {shape::cube, shape::utm, shape::lattice, shape::non_finite, shape::all_equal}) {
    CAPTURE(static_cast<int>(which));
    fps_problem<double> problem{make_cloud(which, 100000, 3), 4000};
    check_forced(problem, {fps_kernel::maxima_in_grid, 1000, true});
    check_forced(problem, {fps_kernel::maxima_in_grid, 1000, false, 100, 8});
    check_forced(problem, {fps_kernel::maxima_in_grid, 64, true, 24, 16, 20});
    problem = {make_cloud(which, 600001, 5), 3000};
    problem.first = 77;
    problem.chosen = {0, 600000, 123456, -1, 600001};
    check_forced(problem, {fps_kernel::maxima_in_grid, 1000, true, 24, 12});
  }
  fps_problem<double> batch{make_cloud(shape::utm, 6 * 10000, 7), 1000};
  batch.clouds = 6;
  check_forced(batch, {fps_kernel::maxima_in_grid, 20, false});
  check_forced(batch, {fps_kernel::maxima_in_grid, 20, true, 60});
  fps_problem<double> blocks{make_cloud(shape::duplicates, 50 * 1000, 8), 400};
  blocks.clouds = 50;
  check_forced(blocks, {fps_kernel::maxima_in_block, 1, false, 36});
}
