/// @file
/// fps() on the GPU against the textbook kernel, in one run. See README.md.

#include "fps/register.cuh"
#include "support/cuda_context.cuh"
#include "support/run_cuda_suite.hpp"

#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

/// Calls are chosen so that the baseline takes at most a few seconds a row. It has no call where one takes tens of
/// them, and for a ragged batch, which it does not take.
constexpr fps_row rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 200, 500},      {32, 4'096, 1'024, cloud_kind::uniform, 100, 200},
    {6, 10'000, 1'000, cloud_kind::uniform, 100, 200},    {6, 10'000, 10'000, cloud_kind::uniform, 20, 50},
    {4, 16'384, 4'096, cloud_kind::uniform, 20, 50},      {1, 49'497, 4'096, cloud_kind::lidar, 10, 20},
    {1, 131'072, 4'096, cloud_kind::uniform, 5, 10},      {1, 131'072, 4'096, cloud_kind::lidar, 5, 10},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 3, 5},     {1, 1'000'000, 10'000, cloud_kind::uniform, 1, 5},
    {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 3},   {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 3},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 0, 5, 30},
};

/// The contenders of a row.
void register_all(fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  std::string const name = "fps/" + row.name();
  std::string note;
  if (row.baseline_calls > 0) {
    register_textbook(name + "/textbook", row, flush_l2, problems);
  } else {
    note = row.ragged() ? "; baseline: no ragged batches" : "; baseline: left out, tens of seconds";
  }
  using selector = farpoint::fps_selector;
  register_farpoint<selector>(name + "/farpoint", row, row.calls, how::launched, flush_l2, problems, note);
  register_farpoint<selector>(name + "/graph", row, row.calls, how::replayed, flush_l2, problems, note);
}

void register_rows(bool flush_l2, fps_problem_store& problems) {
  for (fps_row const& row : rows) register_all(row, flush_l2, problems);
  for (named_scan const& scan : problems.scans()) {
    fps_row row{1, 0, 4'096, cloud_kind::scan, 3, 10};
    row.scan_name = scan.name.c_str();
    register_all(fitted(row, scan.xyz), flush_l2, problems);
  }
}

/// "simulated", or the names of the scans.
std::string lidar_clouds(fps_problem_store const& problems) {
  std::string names = "simulated";
  for (named_scan const& scan : problems.scans()) names += ", " + scan.name;
  return names;
}

int run(arguments const& wished) {
  fps_problem_store problems{read_scans(wished.cloud_paths)};
  register_rows(wished.flush_l2, problems);
  if (wants("scale", "FARPOINT_SCALE")) register_scale(wished.flush_l2, problems);
  if (wants("tune", "FARPOINT_TUNE")) register_tuning(wished.flush_l2, problems);
  if (!wished.list_only) {
    add_common_context("fps");
    add_cuda_context(wished.flush_l2);
    benchmark::AddCustomContext("lidar_cloud", lidar_clouds(problems));
  }
  return run_all();
}

}  // namespace

void register_textbook(std::string const& name, fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  register_row(
      name, row, row.baseline_calls, how::launched, flush_l2, problems, {}, [](fps_problem&) {},
      [](fps_problem& problem, cudaStream_t stream) { problem.launch_textbook(stream); });
}

}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_cuda_suite(argc, argv, farpoint_bench::run);
}
