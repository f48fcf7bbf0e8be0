// voxelize() on cuda_exec: the shared cases, of floats also with other block sizes and algorithms.
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../voxelize_random.hpp"
#include "voxelize_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Selector, class Problem>
void check_selector(char const* name, Problem const& problem, voxelize_answer const& expected) {
  auto const answer = voxelize_on_device<Selector>(problem);
  check_answer(answer, expected, name);
}

template <class Problem>
voxelize_answer solve(Problem const& problem) {
  auto const answer = voxelize_on_device<farpoint::voxelize_selector>(problem);
  check_selector<small_blocks>("small blocks", problem, answer);
  check_selector<only_sort>("sort", problem, answer);
  // The scalar type touches the keys and the centroids only.
  if constexpr (std::is_same_v<Problem, voxelize_problem<float>>) {
    check_selector<only_table>("table", problem, answer);
    check_selector<only_bitmap>("bitmap", problem, answer);
    check_selector<only_deep_bitmap>("bitmap of groups", problem, answer);
    check_selector<sorted_bitmap>("bitmap and sort", problem, answer);
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../voxelize_tests.inc"

TEST_CASE("voxelize, device: voxels that blocks share, of points in runs", "[voxelize][device]") {
  // Runs of one length come in any order, so that the first points of a voxel are anywhere.
  for (std::size_t const run : {1u, 7u, 32u, 100u}) {
    for (std::size_t const size : {5000u, 70000u}) {
      random_source random{size + run};
      std::vector<int> voxels(size / run);
      for (int& voxel : voxels) voxel = static_cast<int>(random.below(2));
      xyz_cloud cloud;
      for (std::size_t i = 0; i < voxels.size() * run; ++i) {
        cloud.push_back({static_cast<float>(voxels[i / run]) + 0.5f, 0.5f, 0.5f});
      }
      for (index_t const most : {1, 10, 32}) {
        for (auto const kept : {farpoint::voxel_points::first, farpoint::voxel_points::random_subset}) {
          CAPTURE(run, size, most, static_cast<int>(kept));
          voxelize_problem<float> problem{
              cloud, {{{0, 0, 0}}, {{1, 1, 1}}, {{2, 1, 1}}}, farpoint::hard{2, most}, packed_features(5)};
          problem.kept = kept;
          problem.wanted &= ~(bit(part::list_offsets) | bit(part::list_points));
          auto const expected = reference_voxels(problem);
          check_selector<farpoint::voxelize_selector>("default", problem, expected);
          check_selector<small_blocks>("small blocks", problem, expected);
        }
      }
    }
  }
}
