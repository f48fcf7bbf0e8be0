/// @file
/// voxelize() on the host against a plain hash table on one thread. See README.md.

#include "peers/voxelize_serial.hpp"
#include "support/host_timing.hpp"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/voxelize.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr auto by_occurrence = farpoint::voxel_order::first_occurrence;

constexpr voxelize_row rows[] = {
    {1'000, spread::uniform, 200},    {30'000, spread::sweep, 100},     {111'425, spread::sweep, 50},
    {271'156, spread::sweeps, 30},    {300'000, spread::street, 30},    {1'000'000, spread::uniform, 20},
    {10'000'000, spread::uniform, 3}, {200'000, spread::one_voxel, 30}, {200'000, spread::voxels_64, 30},
};

/// A row's points and its voxels: the reference's, unless that takes tens of seconds.
struct host_problem {
  voxelize_row row;
  std::vector<lidar_point> points;
  bool is_small;
  voxel_rows expected;

  host_problem(voxelize_row const& r, std::vector<float> const& scan)
      : row{r},
        points{r.make(scan)},
        is_small{r.points <= 1'200'000},
        expected{is_small ? expected_voxels(r, points, by_occurrence) : serial_voxels(r, points, by_occurrence)} {}
};

using host_problem_store = problem_store<host_problem, voxelize_row>;

/// Times `call(voxels)` and checks what the last call returned.
template <class Call>
void time_row(benchmark::State& state, host_problem const& problem, int threads, Call&& call) {
  voxel_rows got{problem.row};
  time_blocking_calls(state, problem.row.work(problem.expected.voxels), [&] { call(got); });
  expect_equal(got, problem.expected, problem.row.name().c_str());
  expect_equal(got.report, problem.expected.report, problem.row.name().c_str());
  state.SetLabel(problem.is_small ? "equals the reference" : "equals the serial hash table");
  state.counters["n"] = static_cast<double>(problem.row.points);
  state.counters["voxels"] = static_cast<double>(problem.expected.voxels);
  state.counters["host_threads"] = threads;
}

void run_serial(benchmark::State& state, host_problem const& problem) {
  serial_voxelizer voxelizer{problem.row, by_occurrence};
  time_row(state, problem, 1, [&](voxel_rows& voxels) { voxelizer.run(problem.points, voxels); });
}

void run_threads(benchmark::State& state, int threads, host_problem const& problem) {
  farpoint::host_exec const exec{threads};
  voxelize_clouds const clouds = view_of(problem.row, problem.points.data());
  auto const params = params_of(problem.row, problem.points.data(), by_occurrence);
  voxel_rows shape{problem.row};
  farpoint::detail::host_workspace workspace{farpoint::voxelize_workspace_bytes(exec, clouds, params, shape.output())};
  time_row(state, problem, threads, [&](voxel_rows& voxels) {
    check(farpoint::voxelize(exec, clouds, params, voxels.output(), workspace.get()), "farpoint::voxelize");
  });
}

void register_all(voxelize_row const& row, host_problem_store& problems) {
  std::string const name = "voxelize_host/" + row.name() + "/";
  register_row(name + "serial_hash", row.calls,
               [row, &problems](benchmark::State& state) { run_serial(state, problems[row]); });
  for (int const threads : thread_counts()) {
    register_row(name + "threads_" + std::to_string(threads), row.calls,
                 [row, threads, &problems](benchmark::State& state) { run_threads(state, threads, problems[row]); });
  }
}

void register_rows(host_problem_store& problems) {
  for (voxelize_row const& row : rows) register_all(row, problems);
  for (named_scan const& scan : problems.scans()) {
    voxelize_row row{static_cast<farpoint::index_t>(scan.xyz.size() / 3), spread::scan, 30};
    row.scan_name = scan.name.c_str();
    register_all(row, problems);
  }
}

}  // namespace

int run_program(arguments const& args) {
  host_problem_store problems{read_scans(args.cloud_paths)};
  register_rows(problems);
  return run_host_suite("voxelize_host", args);
}

}  // namespace farpoint_bench
