// fps() on cuda_exec for points of other dimensions than 3.
#include "../../support/catch.hpp"
#include "solve_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Few shapes of kernels, as each dimension needs a set of kernels of its own.
struct few_shapes : farpoint::fps_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{64, 4}, {512, 2}, {512, 8}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{512, 20}};
  static constexpr farpoint::fps_block_tuning maxima_blocks[] = {{512, 1}};
  static constexpr farpoint::fps_block_tuning order_blocks[] = {{512, 2}};
};

/// One shape of kernels by local maxima, which exist for up to three dimensions.
struct one_shape : few_shapes {
  static constexpr farpoint::fps_block_tuning blocks[] = {{64, 4}};
  static constexpr farpoint::fps_block_tuning maxima_blocks[] = {{64, 8}};
  static constexpr bool has_maxima_of_doubles = true;
};
template <bool Boxes>
struct maxima : one_shape {
  static constexpr farpoint::fps_choice choose(farpoint::fps_case const&) noexcept {
    return {farpoint::fps_kernel::maxima_in_grid, 5, Boxes};
  }
};

template <class Problem>
auto solve(Problem const& problem) {
  auto const answer = solve_on_device<few_shapes>(problem);
  if constexpr (Problem::dim < 3) {
    CHECK(same_answer(solve_on_device<maxima<false>>(problem), answer));
    CHECK(same_answer(solve_on_device<maxima<true>>(problem), answer));
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../fps_dim_tests.inc"
