// voxelize() on cuda_exec: the shared cases, of floats also with other block sizes and algorithms.
#include "../catch.hpp"
#include "../shared/voxelize_random.hpp"
#include "voxelize_on_device.cuh"

using namespace farpoint_tests;

VOXELIZE_OF_EVERY_SELECTOR(template)

namespace {

/// Few and small blocks: tiles, pieces and rows are divided in other ways, and all wait for one another.
struct small_blocks : farpoint::voxelize_selector {
  static constexpr int block_size = 96;
  static constexpr int blocks_per_multiprocessor = 1;
};

struct only_sort : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_algorithm::sort;
  }
};

/// Voxels in the order of the grid by a sort, and reports from the table.
struct only_table : small_blocks {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::table;
  }
};

/// Bitmaps wherever they work at all, with a place for every group of cells, and for those that have points.
struct only_bitmap : farpoint::voxelize_selector {
  static constexpr double flat_groups_per_point = 1e9;
};
struct only_deep_bitmap : small_blocks {
  static constexpr farpoint::index_t most_flat_groups = 0;
};
struct sorted_bitmap : only_sort {
  static constexpr double flat_groups_per_point = 1e9;
};

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
