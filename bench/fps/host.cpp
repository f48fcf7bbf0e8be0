/// @file
/// fps() on the host against the serial loop, in one run. See README.md.

#include "fps/expected.hpp"
#include "support/context.hpp"
#include "support/failures.hpp"
#include "support/host_timing.hpp"
#include "support/run_suite.hpp"

#include <benchmark/benchmark.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr fps_row rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 5, 50},       {1, 10'000, 1'000, cloud_kind::uniform, 5, 50},
    {1, 50'000, 4'096, cloud_kind::lidar, 2, 30},       {1, 131'072, 4'096, cloud_kind::uniform, 2, 20},
    {1, 131'072, 4'096, cloud_kind::lidar, 2, 20},      {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 5},
    {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 3},
};

/// Rows without a baseline would keep the serial loop busy for minutes: their first samples are compared, which are the
/// answer for fewer samples.
fps_row checked_part(fps_row row) {
  if (row.baseline_calls == 0) row.samples = 50;
  return row;
}

/// A row's points and the serial loop's answer, as far as it is checked.
struct host_problem {
  std::vector<float> xyz;
  fps_answer wanted;

  host_problem(fps_row const& row, std::vector<float> const& scan)
      : xyz{row.make(scan)}, wanted{answer_of(oracle::serial_loop, checked_part(row), xyz)} {}
};

/// Keeps the problems of the rows that have been measured.
class host_problem_store {
 public:
  explicit host_problem_store(std::vector<float> scan) : scan_{std::move(scan)} {}

  std::vector<float> const& scan() const noexcept { return scan_; }

  host_problem const& operator[](fps_row const& row) {
    auto found = problems_.find(row.name());
    if (found == problems_.end()) found = problems_.emplace(row.name(), host_problem{row, scan_}).first;
    return found->second;
  }

 private:
  std::vector<float> scan_;
  std::map<std::string, host_problem> problems_;
};

void count_row(benchmark::State& state, fps_row const& row, int threads) {
  state.counters["clouds"] = static_cast<double>(row.clouds);
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["samples"] = static_cast<double>(row.samples);
  state.counters["host_threads"] = threads;
}

/// Times `call(problem, answer)` and checks its last answer.
template <class Call>
void time_row(benchmark::State& state, fps_row const& row, int threads, host_problem const& problem, Call&& call) {
  fps_answer answer{row};
  time_blocking_calls(state, row.work(), [&] { call(answer); });
  expect_equal(answer, problem.wanted, row, row.name().c_str());
  state.SetLabel(row.baseline_calls > 0 ? to_string(oracle::serial_loop) : "first samples equal the serial loop");
  count_row(state, row, threads);
}

void run_serial(benchmark::State& state, fps_row const& row, host_problem const& problem) {
  fps_clouds const clouds = view_of(row, problem.xyz.data());
  time_row(state, row, 1, problem,
           [&](fps_answer& answer) { check_host(farpoint::reference::fps(clouds, params_of(row), answer.output())); });
}

void run_threads(benchmark::State& state, fps_row const& row, int threads, host_problem const& problem) {
  fps_clouds const clouds = view_of(row, problem.xyz.data());
  farpoint::host_exec const exec{threads};
  farpoint::detail::host_workspace workspace{farpoint::fps_workspace_bytes(exec, clouds, params_of(row))};
  time_row(state, row, threads, problem, [&](fps_answer& answer) {
    check_host(farpoint::fps(exec, clouds, params_of(row), answer.output(), workspace.get()));
  });
}

template <class Body>
void register_row(std::string const& name, int calls, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) { guarded(state, [&] { body(state); }); })
      ->UseManualTime()
      ->Iterations(calls)
      ->Unit(benchmark::kMillisecond);
}

void register_rows(host_problem_store& problems) {
  std::set<std::string> seen;  // of one scan there is one row
  for (fps_row const& planned : rows) {
    fps_row const row = fitted(planned, problems.scan());
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

/// How the serial loop was compiled: it decides what the speed-ups are worth.
constexpr char const* serial_fma() {
#if defined(__FMA__) || defined(__aarch64__)
  return "one instruction";
#else
  return "a call of libm: the serial loop is several times slower than it could be";
#endif
}

int run(arguments const& wished) {
  host_problem_store problems{wished.cloud_path.empty() ? std::vector<float>{} : read_cloud(wished.cloud_path)};
  register_rows(problems);
  if (!wished.list_only) {
    add_common_context("fps_host");
    benchmark::AddCustomContext("serial_loop_fma", serial_fma());
    benchmark::AddCustomContext("lidar_cloud", wished.cloud_path.empty() ? "simulated" : file_name(wished.cloud_path));
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_suite(argc, argv, farpoint_bench::run);
}
