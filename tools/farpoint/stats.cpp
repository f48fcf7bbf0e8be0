#include "stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "machine.hpp"
#include "progress.hpp"

namespace farpoint_tools {

namespace {

struct bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // All digits that the values have in their type.
  static std::string digits(double value, bool as_float) {
    return as_float ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  }
  std::string text(bool as_float) const {
    if (empty()) return "no finite value";
    return fmt::format("{} to {}", digits(low, as_float), digits(high, as_float));
  }
  std::string json(bool as_float) const {
    if (empty()) return "\"min\": null, \"max\": null";
    return fmt::format("\"min\": {}, \"max\": {}", digits(low, as_float), digits(high, as_float));
  }
};

// Numbers by their index: an axis, or a column.
struct numbers {
  std::string name;
  std::size_t size;
  std::function<double(std::size_t)> at;
  bool as_float;

  bounds range() const {
    bounds all;
    for (std::size_t i = 0; i < size; ++i) all.add(at(i));
    return all;
  }
};

numbers axis_of(cloud const& input, std::size_t axis) {
  return {std::string(1, "xyz"[axis]), input.points.size(),
          [&input, axis](std::size_t i) { return input.coordinate(i, axis); }, input.exact.empty()};
}

numbers column_of(column const& values) {
  return {values.name(), values.size(), [&values](std::size_t i) { return values.at(i); },
          values.kind() == scalar_kind::float32};
}

// A bar for each of 16 equal parts of the range, and the counts.
figure histogram_of(numbers const& of) {
  constexpr std::size_t parts = 16;
  std::array<std::int64_t, parts> counts{};
  auto const range = of.range();
  double const width = (range.high - range.low) / parts;
  for (std::size_t i = 0; i < of.size; ++i) {
    double const value = of.at(i);
    if (!std::isfinite(value)) continue;
    double const place = width > 0 && std::isfinite(width) ? (value - range.low) / width : 0;
    ++counts[std::min(static_cast<std::size_t>(place), parts - 1)];
  }
  constexpr char const* heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  auto const most = *std::max_element(counts.begin(), counts.end());
  std::string bars;
  std::string list;
  for (auto const count : counts) {
    // Not empty where there is a value.
    bars += heights[count == 0 ? 0 : 1 + (count - 1) * 8 / std::max<std::int64_t>(most, 1)];
    list += fmt::format("{}{}", list.empty() ? "" : ", ", count);
  }
  return {"histogram_" + of.name, of.name + ", 16 parts", "|" + bars + "|",
          fmt::format("{{{}, \"counts\": [{}]}}", range.json(of.as_float), list)};
}

// Distance (m) of each finite point to the nearest other one.
template <class Scalar>
std::vector<double> spacings(std::vector<std::array<Scalar, 3>> const& rows, common_options const& options,
                             farpoint::runtime::run_info& info) {
  std::vector<std::int32_t> nearest(rows.size());
  std::vector<Scalar> squared(rows.size());
  farpoint::knn_params params;
  params.exclude_self = true;
  farpoint::knn_output<Scalar> const output{nearest, squared};
  farpoint::batch const points{farpoint::view_points(rows)};
  expect_ok(farpoint::runtime::knn(points, params, output, {options.backend, options.threads}, &info));
  std::vector<double> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (nearest[i] >= 0) found.push_back(std::sqrt(static_cast<double>(squared[i])));
  }
  return found;
}

// Points in a square meter of ground: of all squares of this edge (m) that have points, seen from above.
double density(cloud const& input, double edge) {
  std::vector<std::pair<double, double>> squares;
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    if (!input.is_finite(i)) continue;
    squares.emplace_back(std::floor(input.coordinate(i, 0) / edge), std::floor(input.coordinate(i, 1) / edge));
  }
  auto const points = static_cast<double>(squares.size());
  std::sort(squares.begin(), squares.end());
  auto const distinct = std::unique(squares.begin(), squares.end()) - squares.begin();
  return points / (static_cast<double>(distinct) * edge * edge);
}

}  // namespace

outcome describe_cloud(cloud const& input, common_options const& options) {
  outcome made;
  std::int64_t finite = 0;
  for (std::size_t i = 0; i < input.points.size(); ++i) finite += input.is_finite(i) ? 1 : 0;
  made.summary = {
      {"format", "format", input.format},
      {"points", "points", static_cast<std::int64_t>(input.points.size())},
      {"finite", "finite points", finite},
      {"coordinates", "coordinates", name_of(input.exact.empty() ? scalar_kind::float32 : scalar_kind::float64)}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const values = axis_of(input, axis);
    auto const range = values.range();
    made.summary.push_back({values.name, values.name + " (m)", range.text(values.as_float),
                            fmt::format("{{{}}}", range.json(values.as_float))});
  }
  for (auto const& one : input.columns) {
    auto const values = column_of(one);
    auto const range = values.range();
    made.summary.push_back({"column_" + values.name, values.name,
                            fmt::format("{}, {}", range.text(values.as_float), name_of(one.kind())),
                            fmt::format("{{{}, \"type\": \"{}\"}}", range.json(values.as_float), name_of(one.kind()))});
  }
  if (options.stats) add_stats(input, options, made);
  return made;
}

void add_stats(cloud const& input, common_options const& options, outcome& to) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const values = axis_of(input, axis);
    auto const range = values.range();
    to.summary.push_back({"extent_" + values.name + "_m", "extent in " + values.name + " (m)", range.high - range.low});
  }
  farpoint::runtime::run_info info;
  auto distances = with_progress("searching", [&] {
    return with_coordinates(input, [&](auto const& rows) { return spacings(rows, options, info); });
  });
  to.backend = describe(info, options.backend);
  if (!distances.empty()) {
    double sum = 0;
    for (double const one : distances) sum += one;
    auto const middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    double const mean = sum / static_cast<double>(distances.size());
    to.summary.push_back({"spacing_m", "nearest other (m)", mean});
    to.summary.push_back({"spacing_median_m", "its median (m)", *middle});
    if (mean > 0) to.summary.push_back({"density_per_m2", "points per m2 of ground", density(input, 10 * mean)});
  }
  for (std::size_t axis = 0; axis < 3; ++axis) to.summary.push_back(histogram_of(axis_of(input, axis)));
  for (auto const& one : input.columns) to.summary.push_back(histogram_of(column_of(one)));
}

}  // namespace farpoint_tools
