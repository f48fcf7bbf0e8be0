/// @file
/// fps() on the host against the serial loop. See README.md.

#include "fps/expected.hpp"
#include "support/host_timing.hpp"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <benchmark/benchmark.h>

#include <set>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr fps_row rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 5, 50},       {1, 10'000, 1'000, cloud_kind::uniform, 5, 50},
    {1, 50'000, 4'096, cloud_kind::lidar, 2, 30},       {1, 131'072, 4'096, cloud_kind::uniform, 2, 20},
    {1, 131'072, 4'096, cloud_kind::lidar, 2, 20},      {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 5},
    {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 3},
};

/// Row to compare with the serial loop, which would take minutes for rows without a baseline: only their first samples
/// are compared, which do not depend on the number of samples.
fps_row checked_part(fps_row row) {
  if (row.baseline_calls == 0) row.samples = 50;
  return row;
}

/// A row's points, and the serial loop's samples of the checked part.
struct host_problem {
  std::vector<float> xyz;
  fps_samples expected;

  host_problem(fps_row const& row, std::vector<float> const& scan)
      : xyz{row.make(scan)}, expected{expected_samples(oracle::serial_loop, checked_part(row), xyz)} {}
};

using host_problem_store = problem_store<host_problem, fps_row>;

/// Times `call(samples)` and checks what the last call returned.
template <class Call>
void time_row(benchmark::State& state, fps_row const& row, int threads, host_problem const& problem, Call&& call) {
  fps_samples got{row};
  time_blocking_calls(state, row.work(), [&] { call(got); });
  expect_equal(got, problem.expected, row, row.name().c_str());
  state.SetLabel(row.baseline_calls > 0 ? to_string(oracle::serial_loop) : "first samples equal the serial loop");
  row.count(state);
  state.counters["host_threads"] = threads;
}

void run_serial(benchmark::State& state, fps_row const& row, host_problem const& problem) {
  fps_clouds const clouds = view_of(row, problem.xyz.data());
  time_row(state, row, 1, problem, [&](fps_samples& samples) {
    check(farpoint::reference::fps(clouds, params_of(row), samples.output()), "farpoint::reference::fps");
  });
}

void run_threads(benchmark::State& state, fps_row const& row, int threads, host_problem const& problem) {
  fps_clouds const clouds = view_of(row, problem.xyz.data());
  farpoint::host_exec const exec{threads};
  farpoint::detail::host_workspace workspace{farpoint::fps_workspace_bytes(exec, clouds, params_of(row))};
  time_row(state, row, threads, problem, [&](fps_samples& samples) {
    check(farpoint::fps(exec, clouds, params_of(row), samples.output(), workspace.get()), "farpoint::fps");
  });
}

void register_rows(host_problem_store& problems) {
  std::set<std::string> seen;  // a scan has one row
  for (fps_row row : rows) {
    if (row.kind == cloud_kind::lidar && !problems.scans().empty()) {
      row.scan_name = problems.scans().front().name.c_str();
      row = fitted(row, problems.scans().front().xyz);
    }
    std::string const name = "fps_host/" + row.name();
    if (!seen.insert(name).second) continue;
    if (row.baseline_calls > 0) {
      register_row(name + "/serial", row.baseline_calls,
                   [row, &problems](benchmark::State& state) { run_serial(state, row, problems[row]); });
    }
    for (int const threads : thread_counts()) {
      register_row(
          name + "/threads_" + std::to_string(threads), row.calls,
          [row, threads, &problems](benchmark::State& state) { run_threads(state, row, threads, problems[row]); });
    }
  }
}

/// Reports how the serial loop was compiled, which the speed-ups depend on.
constexpr char const* serial_fma() {
#if defined(__FMA__) || defined(__aarch64__)
  return "one instruction";
#else
  return "a call of libm: the serial loop is several times slower than it could be";
#endif
}

}  // namespace

int run_program(arguments const& args) {
  host_problem_store problems{read_first_scan(args.cloud_paths)};
  register_rows(problems);
  benchmark::AddCustomContext("serial_loop_fma", serial_fma());
  benchmark::AddCustomContext("lidar_cloud", args.cloud_path.empty() ? "simulated" : file_name(args.cloud_path));
  return run_host_suite("fps_host", args);
}

}  // namespace farpoint_bench
