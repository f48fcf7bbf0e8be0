// Random calls of fps(), by every kernel.
#include "../fps/device/every_kernel.cuh"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

template <class Problem>
auto fps_on_host(Problem const& problem) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    farpoint::host_exec const exec{1};
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    farpoint::detail::host_workspace const workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    return farpoint::fps(exec, clouds, params, output, workspace.get());
  });
}

template <class Coord>
std::string check(fps_problem<Coord> const& problem, std::uint64_t selector) {
  auto const expected = fps_on_host(problem);
  switch (selector % 8) {
    case 0: return compare(solve_on_device<odd_regions>(problem), expected);
    case 1: return compare(solve_on_device<odd_global_memory>(problem), expected);
    case 2: return compare(solve_on_device<odd_teams>(problem), expected);
    case 3: return compare(solve_on_device<odd_shared_registers>(problem), expected);
    case 4: return compare(solve_on_device<odd_shared_boxes>(problem), expected);
    case 5: return compare(solve_on_device<odd_team_boxes>(problem), expected);
    case 6: return compare(solve_on_device<large_teams>(problem), expected);
    default: return compare(solve_on_device<farpoint::fps_selector>(problem), expected);
  }
}

template <class Coord>
std::string draw(random_source& random) {
  std::uint64_t const selector = random.next() >> 32;
  fps_problem<Coord> problem{random_cloud(random, selector % 8 > 4 ? 30000 : 5000), 1 + random.below(80)};
  draw_batch(random, problem, draw_clouds(random));
  problem.wide = one_in(random, 2);
  problem.stop_below = one_in(random, 3) ? static_cast<double>(random.uniform()) : 0;
  index_t const clouds = problem.cloud_count();
  index_t const size = problem.points / std::max<index_t>(clouds, 1);
  if (one_in(random, 2)) problem.firsts = garbage_indices(random, size, clouds);
  if (one_in(random, 2)) problem.chosen = garbage_indices(random, size, clouds * (1 + random.below(4)));
  return check(problem, selector);
}

}  // namespace

std::string random_fps(std::uint64_t seed) {
  random_source random{seed};
  switch (random.below(6)) {
    case 0: return draw<double>(random);
    case 1: return draw<farpoint::float16>(random);
    default: return draw<float>(random);
  }
}

}  // namespace farpoint_tests
