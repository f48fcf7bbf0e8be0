// Random calls of knn() in screen space, exact and approximate.
#include <farpoint/knn_screen.hpp>

#include "../screen/device/knn_screen_on_device.cuh"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

template <class Problem>
auto screen_on_host(Problem const& problem) {
  return collect_screen(problem, [&](auto const& output) {
    farpoint::host_exec const exec{1};
    auto const cloud = clouds_in_place(problem.points);
    farpoint::detail::host_workspace const workspace{knn_workspace_bytes(exec, cloud, problem.method)};
    return knn(exec, cloud, problem.method, output, workspace.get());
  });
}

}  // namespace

std::string random_screen(std::uint64_t seed) {
  random_source random{seed};
  auto const side = [&random] { return static_cast<int>(1 + random.below(one_in(random, 4) ? 300 : 40)); };
  int const width = side();
  pinhole_problem<> problem{random_cloud(random, 4000), camera_at_cube<float>(width, side()), 1 + random.below(40)};
  problem.wide = one_in(random, 2);
  problem.method.exclude_self = one_in(random, 2);
  problem.method.rounds = static_cast<int>(random.below(5));
  if (one_in(random, 2)) problem.method.rows = screen_rows::input;
  if (one_in(random, 3)) problem.method.candidates = problem.method.k + random.below(20);
  if (one_in(random, 3)) problem.method.max_radius = static_cast<double>(random.uniform());
  if (problem.method.rounds == 0) problem.method.layers = 1 + static_cast<int>(random.below(4));
  draw_batch(random, problem.points, 1);
  return compare(screen_on_device<farpoint::knn_screen_selector>(problem), screen_on_host(problem));
}

}  // namespace farpoint_tests
