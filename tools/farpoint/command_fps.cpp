// farpoint fps
#include <fmt/format.h>
#include <farpoint/reference/fps.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "commands.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "page_text.hpp"
#include "sampling.hpp"

namespace farpoint_tools {

namespace {

/// Calls `fps(clouds, params, output)`, and trims the output to what was picked.
template <class Scalar, class Fps>
sampling<Scalar> collect(std::vector<std::array<Scalar, 3>> const& points, fps_options const& options, Fps const& fps) {
  farpoint::fps_params params;
  params.samples = std::min(options.samples, static_cast<std::int64_t>(points.size()));
  params.first = options.first;
  params.stop_below = options.stop_below;
  params.random_first = options.seed.has_value();
  params.seed = options.seed.value_or(0);
  sampling<Scalar> picked{std::vector<std::int64_t>(static_cast<std::size_t>(params.samples)),
                          std::vector<Scalar>(static_cast<std::size_t>(params.samples))};
  std::array<std::int64_t, 1> count{};
  farpoint::fps_output<Scalar> output;
  output.indices = picked.indices;
  output.distances = picked.distances;
  output.counts = count;
  expect_ok(fps(farpoint::batch{farpoint::view_points(points)}, params, output));
  picked.indices.resize(static_cast<std::size_t>(count[0]));
  picked.distances.resize(static_cast<std::size_t>(count[0]));
  return picked;
}

// sample() of the cloud's coordinates, floats or doubles.
template <class Scalar>
outcome sample_rows(std::vector<std::array<Scalar, 3>> const& points, cloud const& input, common_options const& common,
                    fps_options const& options, std::string const& prefix) {
  auto const call = [&](farpoint::runtime::options const& where, farpoint::runtime::run_info& info) {
    return collect(points, options, [&](auto const& clouds, auto const& params, auto const& output) {
      return farpoint::runtime::fps(clouds, params, output, where, &info);
    });
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  auto& picked = run.answer;
  made.backend = describe(run.info, common.backend);
  made.summary = {{"points", "points", static_cast<std::int64_t>(points.size())},
                  {"samples", "samples", static_cast<std::int64_t>(picked.indices.size())},
                  {"spacing_m", "spacing (m)",
                   picked.indices.size() > 1 ? std::sqrt(static_cast<double>(picked.distances.back())) : 0.0}};
  made.summary.insert(made.summary.end(), times.begin(), times.end());
  if (common.check) {
    auto const reference = [&](sampling<Scalar> const& found) {
      return found == collect(points, options, [](auto const& clouds, auto const& params, auto const& output) {
               return farpoint::reference::fps(clouds, params, output);
             });
    };
    made.equal = compare(run, call, "the serial loop", reference, made.summary);
  }
  made.done = with_separators(std::to_string(picked.indices.size())) + " farthest point samples";
  made.result_name = "Samples";
  if (common.wants_result()) {
    made.result = select(input, picked.indices);
    made.result.set(make_column("index", scalar_kind::uint32, picked.indices));
    std::vector<double> distances;
    for (auto const squared : picked.distances) distances.push_back(std::sqrt(static_cast<double>(squared)));
    made.result.set(make_column("distance", scalar_kind::float32, distances));
  }
  return made;
}

// The points with those near the origin made NaN, which are never picked; the first sample stays.
template <class Scalar>
std::vector<std::array<Scalar, 3>> without_origin(std::vector<std::array<Scalar, 3>> points, std::int64_t first) {
  constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto& p = points[i];
    bool const is_near = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= static_cast<Scalar>(1e-3);
    if (is_near && static_cast<std::int64_t>(i) != first) p = {nan, nan, nan};
  }
  return points;
}

}  // namespace

outcome sample(cloud const& input, common_options const& common, fps_options const& options,
               std::string const& prefix) {
  auto const n = static_cast<std::int64_t>(input.points.size());
  if (options.first >= n) {
    throw usage_error{fmt::format("--first {}: the cloud has {} points, indices 0 to {}", options.first, n, n - 1)};
  }
  return with_coordinates(input, [&](auto const& points) {
    return options.origin_skip ? sample_rows(without_origin(points, options.first), input, common, options, prefix)
                               : sample_rows(points, input, common, options, prefix);
  });
}

int run_fps(common_options const& common, fps_options const& options) {
  return run_session("fps", common, [&](cloud const& input) { return sample(input, common, options); });
}

}  // namespace farpoint_tools
