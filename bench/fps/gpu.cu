/// @file
/// fps() on the GPU, beside the textbook kernel, a kernel of PointNet++'s shape and other libraries. See
/// bench/README.md.

#include "fps/register.cuh"
#include "support/cuda_suite.cuh"

#include <cstdio>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

/// Clouds, points, samples, kind, calls of the baselines, calls of farpoint, small clouds. Baselines take at most a few
/// seconds per row. Rows without calls of the baselines are those whose calls would take tens of seconds, and ragged
/// batches, which the baselines do not support.
constexpr fps_row rows[] = {
    {1, 100, 25, cloud_kind::uniform, 200, 500},          {1, 1'000, 250, cloud_kind::uniform, 200, 500},
    {16, 1'024, 512, cloud_kind::uniform, 200, 500},      {32, 4'096, 1'024, cloud_kind::uniform, 100, 200},
    {6, 10'000, 1'000, cloud_kind::uniform, 100, 200},    {6, 10'000, 10'000, cloud_kind::uniform, 20, 50},
    {4, 16'384, 4'096, cloud_kind::uniform, 20, 50},      {1, 49'497, 4'096, cloud_kind::lidar, 10, 20},
    {1, 131'072, 4'096, cloud_kind::uniform, 5, 10},      {1, 131'072, 4'096, cloud_kind::lidar, 5, 10},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 3, 5},     {1, 1'000'000, 10'000, cloud_kind::uniform, 1, 5},
    {1, 1'000'000, 100'000, cloud_kind::uniform, 0, 3},   {1, 10'000'000, 10'000, cloud_kind::uniform, 0, 3},
    {1, 1'000'000, 1'024, cloud_kind::uniform, 0, 5, 30},
};

/// Registers the contenders of a row.
void register_all(fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  auto const with = [&](char const* who, int calls, how mode) {
    return fps_contender{"fps/" + row.name() + "/" + who, row, calls, mode, flush_l2, &problems};
  };
  std::string note;
  if (row.baseline_calls > 0) {
    register_pointnet2(with("pointnet2", row.baseline_calls, how::launched));
    register_textbook(with("textbook", row.baseline_calls, how::launched));
    register_fps_peers(row, flush_l2, problems);
  } else {
    note = row.ragged() ? "; baseline: no ragged batches" : "; baseline: left out, tens of seconds";
  }
  register_farpoint<farpoint::fps_selector>(with("farpoint", row.calls, how::launched), note);
  register_farpoint<farpoint::fps_selector>(with("graph", row.calls, how::replayed), note);
}

void register_rows(bool flush_l2, fps_problem_store& problems) {
  for (fps_row const& row : rows) register_all(row, flush_l2, problems);
  for (named_scan const& scan : problems.scans()) {
    fps_row row{1, 0, 4'096, cloud_kind::scan, 3, 10};
    row.scan_name = scan.name.c_str();
    register_all(fitted(row, scan.xyz), flush_l2, problems);
  }
}

/// Sources of the LiDAR clouds: "simulated", and the names of the scans.
std::string lidar_clouds(fps_problem_store const& problems) {
  std::string names = "simulated";
  for (named_scan const& scan : problems.scans()) names += ", " + scan.name;
  return names;
}

}  // namespace

void register_textbook(fps_contender const& c) {
  register_fps(
      c, {}, [](fps_problem&) {},
      [](fps_problem const& problem, cudaStream_t stream) { problem.launch_textbook(stream); });
}

void register_pointnet2(fps_contender const& c) {
  register_contender(
      c, [](fps_problem&) {},
      [c](benchmark::State& state, fps_problem const& problem, auto const& enqueue) {
        enqueue(problem.stream());
        check(cudaStreamSynchronize(problem.stream()), "fps_pointnet2");
        char label[64];
        std::snprintf(label, sizeof label, "share of expected samples %.4f", problem.share_of_expected());
        state.SetLabel(label);
        c.row.count(state);
        return c.row.work();
      },
      [](fps_problem const& problem, cudaStream_t stream) { problem.launch_pointnet2(stream); });
}

int run_program(arguments const& args) {
  fps_problem_store problems{read_scans(args.cloud_paths)};
  register_rows(args.flush_l2, problems);
  if (wants("scale", "FARPOINT_SCALE")) register_scale(args.flush_l2, problems);
  benchmark::AddCustomContext("lidar_cloud", lidar_clouds(problems));
  return run_cuda_suite("fps", args);
}

}  // namespace farpoint_bench
