/// @file
/// How the time grows with the points of one cloud, and with the samples of it. Needs nvcc.

#include "fps/register.cuh"

#include <string>

namespace farpoint_bench {
namespace {

constexpr farpoint::index_t fixed_samples = 1'024;
constexpr farpoint::index_t fixed_points = 131'072;

constexpr farpoint::index_t points[] = {1'024,   2'048,   4'096,   8'192,     16'384,    32'768,    65'536,
                                        131'072, 262'144, 524'288, 1'048'576, 2'097'152, 4'194'304, 10'000'000};
constexpr farpoint::index_t samples[] = {64, 128, 256, 512, 2'048, 4'096, 8'192, 16'384, 32'768, 65'536};

/// farpoint, and the textbook kernel where that takes less than a second.
void register_both(farpoint::index_t n, farpoint::index_t m, bool flush_l2, fps_problem_store& problems) {
  bool const quick = n * m < 3'000'000'000;
  fps_row const row{1, n, m, cloud_kind::uniform, quick ? 2 : 0, quick ? 20 : 5};
  auto const with = [&](char const* who, int calls) {
    return fps_contender{"scale/" + row.name() + "/" + who, row, calls, how::launched, flush_l2, &problems};
  };
  if (quick) register_textbook(with("textbook", row.baseline_calls));
  register_farpoint<farpoint::fps_selector>(with("farpoint", row.calls));
}

}  // namespace

void register_scale(bool flush_l2, fps_problem_store& problems) {
  for (farpoint::index_t const n : points) register_both(n, fixed_samples, flush_l2, problems);
  for (farpoint::index_t const m : samples) register_both(fixed_points, m, flush_l2, problems);
}

}  // namespace farpoint_bench
