// farpoint clean: removes outliers of a cloud.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "commands.hpp"
#include "machine.hpp"
#include "progress.hpp"

namespace farpoint_tools {

namespace {

// Points that stay, and the figures of the call.
struct selection {
  std::vector<std::size_t> kept;
  farpoint::runtime::run_info info;
  figures summary;
};

// Mean distance (m) of each point to its nearest others; 0 for a point without any, NaN for one that is not finite.
template <class Scalar>
std::vector<double> mean_distances(std::vector<std::array<Scalar, 3>> const& rows, cloud const& input,
                                   common_options const& common, std::int64_t k, farpoint::runtime::run_info& info) {
  auto const n = rows.size();
  auto const width = static_cast<std::size_t>(k);
  std::vector<std::int32_t> indices(n * width);
  std::vector<Scalar> squared(n * width);
  farpoint::batch const points{farpoint::view_points(rows)};
  farpoint::knn_params params;
  params.k = k;
  params.exclude_self = true;
  farpoint::knn_output<Scalar> const output{indices, squared};
  expect_ok(farpoint::runtime::knn(points, params, output, {common.backend, common.threads}, &info));
  std::vector<double> means(n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i) {
    if (!input.is_finite(i)) continue;
    double sum = 0;
    std::size_t count = 0;
    for (; count < width && indices[i * width + count] >= 0; ++count) {
      sum += std::sqrt(static_cast<double>(squared[i * width + count]));
    }
    means[i] = count == 0 ? 0 : sum / static_cast<double>(count);
  }
  return means;
}

// Keeps points whose mean distance to their nearest others is at most the mean over all points plus `deviations` times
// the sample standard deviation.
template <class Scalar>
selection without_far_points(std::vector<std::array<Scalar, 3>> const& rows, cloud const& input,
                             common_options const& common, clean_options const& options) {
  selection made;
  auto const means = mean_distances(rows, input, common, options.k, made.info);
  double sum = 0;
  double count = 0;
  for (double const one : means) {
    if (std::isnan(one)) continue;
    sum += one;
    ++count;
  }
  double const mean = sum / count;
  double squares = 0;
  for (double const one : means) squares += std::isnan(one) ? 0 : (one - mean) * (one - mean);
  double const deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  double const limit = mean + options.deviations * deviation;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i] <= limit) made.kept.push_back(i);
  }
  made.summary = {{"mean_distance_m", "distance (m)", mean}, {"limit_m", "kept up to (m)", limit}};
  return made;
}

// Keeps points that have at least `min_points` others within `radius`.
template <class Scalar>
selection without_lone_points(std::vector<std::array<Scalar, 3>> const& rows, common_options const& common,
                              clean_options const& options) {
  selection made;
  std::vector<std::int32_t> counts(rows.size());
  farpoint::batch const points{farpoint::view_points(rows)};
  farpoint::radius_params params;
  params.radius = options.radius;
  params.exclude_self = true;
  farpoint::radius_output<Scalar> output;
  output.counts = counts;
  expect_ok(farpoint::runtime::radius(points, params, output, {common.backend, common.threads}, &made.info));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] >= options.min_points) made.kept.push_back(i);
  }
  return made;
}

outcome clean(cloud const& input, common_options const& common, clean_options const& options) {
  auto const found = with_coordinates(input, [&](auto const& rows) {
    return with_progress("searching", [&] {
      return options.radius > 0 ? without_lone_points(rows, common, options)
                                : without_far_points(rows, input, common, options);
    });
  });
  std::int64_t finite = 0;
  for (std::size_t i = 0; i < input.points.size(); ++i) finite += input.is_finite(i) ? 1 : 0;
  auto const kept = static_cast<std::int64_t>(found.kept.size());
  auto const points = static_cast<std::int64_t>(input.points.size());
  outcome made;
  made.backend = describe(found.info, common.backend);
  made.summary = {{"points", "points", points},
                  {"kept", "kept", kept},
                  {"outliers", "outliers", finite - kept},
                  {"non_finite", "not finite", points - finite}};
  made.summary.insert(made.summary.end(), found.summary.begin(), found.summary.end());
  if (common.wants_result()) made.result = select(input, found.kept);
  return made;
}

}  // namespace

int run_clean(common_options const& common, clean_options const& options) {
  return run_session("clean", common, [&](cloud const& input) { return clean(input, common, options); });
}

}  // namespace farpoint_tools
