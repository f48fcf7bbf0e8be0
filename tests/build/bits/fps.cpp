// Prints a checksum of the samples, and of the distances at which they were picked, for every kind of cloud and for
// every real scan. Built by several compilers with several flags; all must print the same.
#include <farpoint/fps.hpp>

#include <cstdio>

#include "../../fps/fps_problem.hpp"
#include "bits_part.hpp"

using namespace farpoint_tests;

namespace {

template <class Coord>
void print(char const* name, xyz_cloud const& cloud, index_t samples, int threads) {
  fps_problem<Coord> const problem{cloud, samples};
  auto const answer = collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), nullptr);
    farpoint::host_exec const exec{threads};
    farpoint::detail::host_workspace const workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    return farpoint::fps(exec, clouds, params, output, workspace.get());
  });
  std::printf("%s m=%lld: %s %016llx\n", name, static_cast<long long>(samples), answer.outcome.reason,
              checksum{}.add(answer.indices).add(answer.distances).value());
}

void print_all(int threads) {
  for (shape const which : all_shapes) {
    auto const cloud = make_cloud(which, 5000, 17);
    print<float>("float", cloud, 500, threads);
    print<double>("double", cloud, 500, threads);
    print<farpoint::float16>("float16", cloud, 500, threads);
  }
  // An unoptimized build without FMA instructions is slow: the first samples of a scan show what there is to show.
  for (auto const& scan : real_scans()) print<float>(scan.name.c_str(), scan.points, 50, threads);
}

bits_part const part{"fps", print_all};

}  // namespace
