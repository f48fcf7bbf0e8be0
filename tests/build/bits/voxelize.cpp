// Prints a checksum of every output of random problems and of real scans. Built by several compilers with several
// flags; all must print the same.
#include <farpoint/voxelize.hpp>

#include <cstdio>

#include "../../voxelize/voxelize_random.hpp"
#include "bits_part.hpp"

using namespace farpoint_tests;

namespace {

template <class Problem>
void print(char const* name, std::uint64_t seed, Problem const& problem, int threads) {
  auto const answer = collect_voxels(problem, [&](auto const& clouds, auto const& params, auto const& output) {
    farpoint::host_exec const exec{threads};
    farpoint::detail::host_workspace const workspace{farpoint::voxelize_workspace_bytes(exec, clouds, params, output)};
    return farpoint::voxelize(exec, clouds, params, output, workspace.get());
  });
  checksum sum;
  for (auto const& bytes : answer.parts) sum.add(bytes);
  std::printf("%s %llu: %s %016llx\n", name, static_cast<unsigned long long>(seed), answer.outcome.reason, sum.value());
}

void print_all(int threads) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    print("float", seed, random_voxelize_problem<float>(seed, 2000), threads);
    print("double", seed, random_voxelize_problem<double>(seed, 2000), threads);
    print("float16", seed, random_voxelize_problem<farpoint::float16>(seed, 2000), threads);
  }
  for (auto const& scan : real_scans()) {
    auto const grid = fitted_grid<float>(scan.points, {500, 500, 40});
    print(scan.name.c_str(), 0, voxelize_problem<float>{scan.points, grid, farpoint::dynamic{}}, threads);
  }
}

bits_part const part{"voxelize", print_all};

}  // namespace
