/// @file
/// voxelize() on the host against the plain hash table on one thread, in one run. See README.md.

#include "support/context.hpp"
#include "support/failures.hpp"
#include "support/host_timing.hpp"
#include "support/run_suite.hpp"
#include "peers/voxelize_serial.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/voxelize.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr auto by_occurrence = farpoint::voxel_order::first_occurrence;

constexpr voxelize_row rows[] = {
    {1'000, spread::uniform, 200},    {30'000, spread::sweep, 100},     {111'425, spread::sweep, 50},
    {271'156, spread::sweeps, 30},    {300'000, spread::street, 30},    {1'000'000, spread::uniform, 20},
    {10'000'000, spread::uniform, 3}, {200'000, spread::one_voxel, 30}, {200'000, spread::voxels_64, 30},
};

/// A row's points and the right answer: the reference's, as long as that does not take tens of seconds.
struct host_problem {
  voxelize_row row;
  std::vector<lidar_point> points;
  bool defined;
  voxelize_answer wanted;

  host_problem(voxelize_row const& r, std::vector<float> const& scan)
      : row{r},
        points{r.make(scan)},
        defined{r.points <= 1'200'000},
        wanted{defined ? reference_answer(r, points, by_occurrence) : serial_answer(r, points, by_occurrence)} {}
};

/// Keeps the problem of the row that is being measured: its contenders follow one another.
class host_problem_store {
 public:
  explicit host_problem_store(std::vector<named_scan> scans) : scans_{std::move(scans)} {}

  std::vector<named_scan> const& scans() const noexcept { return scans_; }

  host_problem const& operator[](voxelize_row const& row) {
    if (problem_ == nullptr || problem_->row.name() != row.name()) {
      static std::vector<float> const none;
      problem_.reset();
      problem_ =
          std::make_unique<host_problem>(row, row.kind == spread::scan ? find_scan(scans_, row.scan_name) : none);
    }
    return *problem_;
  }

 private:
  std::vector<named_scan> scans_;
  std::unique_ptr<host_problem> problem_;
};

/// Times `call(answer)` and checks its last answer.
template <class Call>
void time_row(benchmark::State& state, host_problem const& problem, int threads, Call&& call) {
  voxelize_answer answer{problem.row};
  time_blocking_calls(state, problem.row.work(problem.wanted.voxels), [&] { call(answer); });
  expect_equal(answer, problem.wanted, problem.row.name().c_str());
  expect_equal(answer.report, problem.wanted.report, problem.row.name().c_str());
  state.SetLabel(problem.defined ? "equals the reference" : "equals the serial hash table");
  state.counters["n"] = static_cast<double>(problem.row.points);
  state.counters["voxels"] = static_cast<double>(problem.wanted.voxels);
  state.counters["host_threads"] = threads;
}

void run_serial(benchmark::State& state, host_problem const& problem) {
  serial_voxelizer voxelizer{problem.row, by_occurrence};
  time_row(state, problem, 1, [&](voxelize_answer& answer) { voxelizer.run(problem.points, answer); });
}

void run_threads(benchmark::State& state, int threads, host_problem const& problem) {
  farpoint::host_exec const exec{threads};
  voxelize_clouds const clouds = view_of(problem.row, problem.points.data());
  auto const params = params_of(problem.row, problem.points.data(), by_occurrence);
  voxelize_answer shape{problem.row};
  farpoint::detail::host_workspace workspace{farpoint::voxelize_workspace_bytes(exec, clouds, params, shape.output())};
  time_row(state, problem, threads, [&](voxelize_answer& answer) {
    check_host(farpoint::voxelize(exec, clouds, params, answer.output(), workspace.get()));
  });
}

template <class Body>
void register_row(std::string const& name, int calls, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) { guarded(state, [&] { body(state); }); })
      ->UseManualTime()
      ->Iterations(calls)
      ->Unit(benchmark::kMillisecond);
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

int run(arguments const& wished) {
  host_problem_store problems{read_scans(wished.cloud_paths)};
  register_rows(problems);
  if (!wished.list_only) add_common_context("voxelize_host");
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_suite(argc, argv, farpoint_bench::run);
}
