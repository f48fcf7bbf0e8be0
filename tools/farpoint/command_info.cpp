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
  std::string text() const { return low > high ? "no finite value" : fmt::format("{:g} to {:g}", low, high); }
};

outcome describe_cloud(cloud const& input) {
  outcome made;
  auto const finite = std::count_if(input.points.begin(), input.points.end(), is_finite);
  made.told = {{"format", "format", input.format},
               {"points", "points", static_cast<std::int64_t>(input.points.size())},
               {"finite", "finite points", static_cast<std::int64_t>(finite)}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bounds all;
    for (auto const& point : input.points) all.add(point[axis]);
    std::string const name(1, "xyz"[axis]);
    made.told.push_back({name, name + " (m)", all.text()});
  }
  for (auto const& values : input.columns) {
    bounds all;
    for (std::size_t i = 0; i < values.size(); ++i) all.add(values.at(i));
    made.told.push_back(
        {"column_" + values.name(), values.name(), fmt::format("{}, {}", all.text(), name_of(values.kind()))});
  }
  return made;
}

outcome time_all(cloud const& input, common_wish const& wish) {
  float const edge = choose_voxel_size(input.points);
  auto const where = grid_around(input.points, edge);
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
