// farpoint info, farpoint bench
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "commands.hpp"
#include "machine.hpp"
#include "street_scene.hpp"
#include "view.hpp"
#include "voxels.hpp"

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
  // All digits that the values have in their type.
  std::string text(bool as_float) const {
    if (low > high) return "no finite value";
    if (as_float) return fmt::format("{} to {}", static_cast<float>(low), static_cast<float>(high));
    return fmt::format("{} to {}", low, high);
  }
};

outcome describe_cloud(cloud const& input) {
  outcome made;
  std::int64_t finite = 0;
  for (std::size_t i = 0; i < input.points.size(); ++i) finite += input.is_finite(i) ? 1 : 0;
  made.told = {
      {"format", "format", input.format},
      {"points", "points", static_cast<std::int64_t>(input.points.size())},
      {"finite", "finite points", finite},
      {"coordinates", "coordinates", name_of(input.exact.empty() ? scalar_kind::float32 : scalar_kind::float64)}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bounds all;
    for (std::size_t i = 0; i < input.points.size(); ++i) all.add(input.coordinate(i, axis));
    std::string const name(1, "xyz"[axis]);
    made.told.push_back({name, name + " (m)", all.text(input.exact.empty())});
  }
  for (auto const& values : input.columns) {
    bounds all;
    for (std::size_t i = 0; i < values.size(); ++i) all.add(values.at(i));
    made.told.push_back(
        {"column_" + values.name(), values.name(),
         fmt::format("{}, {}", all.text(values.kind() == scalar_kind::float32), name_of(values.kind()))});
  }
  return made;
}

outcome time_all(cloud const& input, common_wish const& wish) {
  float const edge = choose_voxel_size(input.points);
  cloud_bounds around;
  around.add(input);
  auto const where = space_around(around, {edge, edge, edge});
  auto made = sample(input, wish, {}, "fps");
  auto const add = [&made](outcome const& next) {
    for (auto const& one : next.told) {
      if (one.key.find("_ms") != std::string::npos || one.key.find("speedup") != std::string::npos ||
          one.key == "voxels") {
        made.told.push_back(one);
      }
    }
  };
  add(voxelize(input, wish, {}, where, "voxelize"));
  add(find_neighbours(input, wish, {}, "knn"));
  add(find_normals(input, wish, {}, "normals"));
  return made;
}

}  // namespace

int run_info_command(common_wish const& wish) {
  if (!wish.input.empty()) return run_session("info", wish, describe_cloud);
  auto told = machine_figures();
  told.insert(told.begin(), {"version", "farpoint", FARPOINT_PROGRAM_VERSION});
  if (wish.json) {
    fmt::print("{}\n", json_object(told));
  } else {
    print_rows(told);
  }
  return exit_code::ok;
}

int run_bench(common_wish const& given) {
  auto wish = given;
  wish.cpu = true;
  if (!wish.input.empty()) {
    return run_session("bench", wish, [&](cloud const& input) { return time_all(input, wish); });
  }
  auto told = machine_figures();
  auto const made = time_all({simulate_street_sweep(1), "simulated LiDAR sweep", {}}, wish);
  told.push_back({"input", "input", "simulated LiDAR sweep"});
  told.insert(told.end(), made.told.begin(), made.told.end());
  if (wish.json) {
    fmt::print("{}\n", json_object(told));
  } else {
    print_rows(told);
  }
  return exit_code::ok;
}

}  // namespace farpoint_tools
