// fps() on cuda_exec for points of other dimensions than 3.
#include "../../support/catch.hpp"
#include "solve_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Few shapes of kernels, as each dimension needs a set of kernels of its own.
struct few_shapes : farpoint::fps_selector {
  static constexpr farpoint::fps_region_tuning region_shapes[] = {{8, 1, 4, 4}, {8, 4, 4, 4}, {16, 8, 4, 4}};
  static constexpr farpoint::fps_block_tuning maxima_blocks[] = {{64, 8}};
  static constexpr farpoint::fps_block_tuning maxima_chunks[] = {{512, 4}};
};

template <farpoint::fps_kernel Kernel, int Blocks = 1, bool Boxes = false>
struct only : few_shapes {
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept { return {Kernel, Blocks, Boxes}; }
};
using regions = only<farpoint::fps_kernel::in_regions>;
using global_memory = only<farpoint::fps_kernel::in_global_memory>;

/// Returns the size of the largest cloud that a region shape of few_shapes holds.
template <class Points>
constexpr index_t region_points() {
  return farpoint::detail::regions_plan<few_shapes, Points>::capacity({132, 232448, 1});
}

template <class Problem>
auto solve(Problem const& problem) {
  auto const answer = solve_on_device<few_shapes>(problem);
  CHECK(same_answer(solve_on_device<regions>(problem), answer));
  CHECK(same_answer(solve_on_device<global_memory>(problem), answer));
  if constexpr (Problem::dim < 3) {
    CHECK(same_answer(solve_on_device<only<farpoint::fps_kernel::in_teams, 5>>(problem), answer));
    CHECK(same_answer(solve_on_device<only<farpoint::fps_kernel::in_teams, 5, true>>(problem), answer));
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../fps_dim_tests.inc"

TEST_CASE("fps, device: regions serve every dimension, in shapes that leave room for registers", "[fps][device]") {
  using farpoint::point_view;
  CHECK(region_points<point_view<float, 1>>() == 4096);
  CHECK(region_points<point_view<float, 4>>() == 4096);
  CHECK(region_points<point_view<float, 8>>() == 4096);
  CHECK(region_points<point_view<float, 10>>() == 1024);
  CHECK(region_points<point_view<float, 16>>() == 1024);
  CHECK(region_points<point_view<farpoint::float16, 16>>() == 1024);
  CHECK(region_points<point_view<double, 2>>() == 4096);
  CHECK(region_points<point_view<double, 5>>() == 1024);
  CHECK(region_points<point_view<double, 16>>() == 256);
}

namespace {

/// The second shape holds as many points as the first, in blocks of fewer warps.
struct two_shapes : farpoint::fps_selector {
  static constexpr farpoint::fps_region_tuning region_shapes[] = {{16, 2, 2, 2}, {2, 16, 15, 15}};
};

template <class Selector, class Points>
int shape_for(index_t largest, index_t clouds) {
  return farpoint::detail::regions_plan<Selector, Points>::shape_for(largest, clouds, {132, 232448, 1});
}

}  // namespace

TEST_CASE("fps, device: the shape of regions for clouds that outnumber the multiprocessors", "[fps][device]") {
  using farpoint::point_view;
  using view = point_view<float>;
  CHECK(shape_for<farpoint::fps_selector, view>(1024, 132) == 2);
  CHECK(shape_for<farpoint::fps_selector, view>(1024, 133) == 3);
  CHECK(shape_for<farpoint::fps_selector, view>(512, 133) == 1);
  CHECK(shape_for<farpoint::fps_selector, view>(4096, 1) == 5);
  CHECK(shape_for<farpoint::fps_selector, view>(8193, 1) == -1);
  CHECK(shape_for<two_shapes, view>(1000, 200) == 1);
  CHECK(shape_for<two_shapes, view>(1000, 100) == 0);
  // An alternative without room for the registers is none.
  CHECK(shape_for<two_shapes, point_view<float, 9>>(1000, 200) == 0);
}
