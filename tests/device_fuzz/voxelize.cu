// Random calls of voxelize(): every part of the output, every way of numbering voxels.
#include <farpoint/voxelize.hpp>

#include "../voxelize/device/voxelize_on_device.cuh"
#include "../voxelize/voxelize_random.hpp"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

template <class Problem>
voxelize_answer solve_on_device(Problem const& problem, std::int64_t selector) {
  switch (selector) {
    case 0: return voxelize_on_device<deep_bitmap>(problem);
    case 1: return voxelize_on_device<table_numbering>(problem);
    default: return voxelize_on_device<farpoint::voxelize_selector>(problem);
  }
}

template <class Problem>
voxelize_answer voxelize_on_host(Problem const& problem) {
  return collect_voxels(problem, [](auto const& clouds, auto const& params, auto const& output) {
    farpoint::host_exec const exec{1};
    std::size_t const needed = farpoint::voxelize_workspace_bytes(exec, clouds, params, output);
    farpoint::detail::host_workspace const workspace{needed};
    return farpoint::voxelize(exec, clouds, params, output, workspace.get());
  });
}

}  // namespace

std::string random_voxelize(std::uint64_t seed) {
  random_source random{~seed};
  auto problem = random_voxelize_problem<float>(seed, one_in(random, 4) ? 20000 : 2000);
  if (one_in(random, 4)) problem.offsets = garbage_offsets(random, problem.points, draw_clouds(random));
  if (one_in(random, 4)) problem.largest = random.below(problem.points + 2);
  auto const host = voxelize_on_host(problem);
  return compare(solve_on_device(problem, random.below(3)), host);
}

}  // namespace farpoint_tests
