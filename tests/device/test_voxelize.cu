// voxelize() on cuda_exec: the shared cases, of floats also with other block sizes and algorithms.
#include "../catch.hpp"
#include "../shared/voxelize_random.hpp"
#include "voxelize_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Selector, class Problem>
void check_selector(char const* name, Problem const& problem, voxelize_answer const& expected) {
  auto const answer = voxelize_on_device<Selector>(problem);
  INFO(name << ": " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

template <class Problem>
voxelize_answer solve(Problem const& problem) {
  auto const answer = voxelize_on_device<farpoint::voxelize_selector>(problem);
  if constexpr (std::is_same_v<Problem, voxelize_problem<float>>) {
    check_selector<small_blocks>("small blocks", problem, answer);
    check_selector<only_sort>("sort", problem, answer);
    check_selector<only_table>("table", problem, answer);
    check_selector<only_bitmap>("bitmap", problem, answer);
    check_selector<only_deep_bitmap>("bitmap of groups", problem, answer);
    check_selector<sorted_bitmap>("bitmap and sort", problem, answer);
  } else {
    // The scalar type touches the keys and the centroids only.
    check_selector<small_blocks>("small blocks", problem, answer);
    check_selector<only_sort>("sort", problem, answer);
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/voxelize_tests.inc"
