// Prints a checksum of the samples, and of the distances at which they were picked, for every kind of cloud and for
// every real scan. Built by several compilers with several flags; all must print the same.
#include <farpoint/fps.hpp>

#include <cstdio>

#include "../shared/fps_problem.hpp"

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
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a
  auto const add = [&hash](void const* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char const*>(data)[i]) * 1099511628211u;
  };
  add(answer.indices.data(), answer.indices.size() * sizeof(index_t));
  add(answer.distances.data(), answer.distances.size() * sizeof answer.distances[0]);
  std::printf("%s m=%lld: %s %016llx\n", name, static_cast<long long>(samples), answer.outcome.reason,
              static_cast<unsigned long long>(hash));
}

}  // namespace

/// Usage: fps_bits [threads]
int main(int argc, char** argv) {
  int const threads = argc > 1 ? std::atoi(argv[1]) : 1;
  for (shape const which : all_shapes) {
    auto const cloud = make_cloud(which, 5000, 17);
    print<float>("float", cloud, 500, threads);
    print<double>("double", cloud, 500, threads);
    print<farpoint::float16>("float16", cloud, 500, threads);
  }
  // An unoptimised build without FMA instructions is slow: the first samples of a scan show what there is to show.
  for (auto const& scan : real_scans()) print<float>(scan.name.c_str(), scan.points, 50, threads);
}
