/// @file
/// fps() on the GPU against the textbook kernel, in one run. See README.md.

#include "fps_register.cuh"
#include "support/arguments.hpp"
#include "support/cuda_context.cuh"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

/// Calls are chosen so that the baseline takes at most a second a row, and everything less than a minute.
constexpr fps_row rows[] = {
    {16, 1'024, 512, cloud_kind::uniform, 200, 500},   {32, 4'096, 1'024, cloud_kind::uniform, 100, 200},
    {6, 10'000, 1'000, cloud_kind::uniform, 100, 200}, {6, 10'000, 10'000, cloud_kind::uniform, 20, 50},
    {4, 16'384, 4'096, cloud_kind::uniform, 20, 50},   {1, 49'497, 4'096, cloud_kind::lidar, 10, 20},
    {1, 131'072, 4'096, cloud_kind::uniform, 5, 10},   {1, 1'000'000, 1'024, cloud_kind::uniform, 3, 5},
};

void register_rows(bool flush_l2, fps_problem_store& problems) {
  for (fps_row const& planned : rows) {
    fps_row const row = fitted(planned, problems.scan());
    std::string const name = "fps/" + row.name();
    register_row(
        name + "/textbook", row, row.baseline_calls, how::launched, flush_l2, problems, [](fps_problem&) {},
        [](fps_problem& problem, cudaStream_t stream) { problem.launch_textbook(stream); });
    register_farpoint<farpoint::fps_selector>(name + "/farpoint", row, row.calls, how::launched, flush_l2, problems);
    register_farpoint<farpoint::fps_selector>(name + "/graph", row, row.calls, how::replayed, flush_l2, problems);
  }
}

/// Tuning takes minutes, so it must be asked for: by the filter or by FARPOINT_TUNE=1.
bool wants_tuning() {
  char const* const variable = std::getenv("FARPOINT_TUNE");
  return (variable != nullptr && std::string{variable} == "1") ||
         benchmark::GetBenchmarkFilter().find("tune") != std::string::npos;
}

int run(int argc, char** argv) {
  arguments const wished = take_arguments(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;

  std::string reason;
  if (!wished.list_only && !device_is_usable(reason)) {
    std::fprintf(stderr, "SKIPPED: NOTHING WAS MEASURED: no usable GPU (%s)\n", reason.c_str());
    return exit_skipped;
  }

  fps_problem_store problems{wished.cloud_path.empty() ? std::vector<float>{} : read_cloud(wished.cloud_path)};
  register_rows(wished.flush_l2, problems);
  if (wants_tuning()) register_tuning(wished.flush_l2, problems);
  if (!wished.list_only) {
    add_common_context("fps");
    add_cuda_context(wished.flush_l2);
    benchmark::AddCustomContext("lidar_cloud", wished.cloud_path.empty() ? "simulated" : file_name(wished.cloud_path));
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  try {
    return farpoint_bench::run(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
}
