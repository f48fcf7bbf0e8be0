// farpoint info, farpoint bench
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "stats.hpp"
#include "street_scene.hpp"
#include "view.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

namespace {

outcome time_all(cloud const& input, common_options const& options) {
  float const edge = choose_voxel_size(input.points);
  cloud_bounds around;
  around.add(input);
  auto const where = space_around(around, {edge, edge, edge});
  auto made = sample(input, options, {}, "fps");
  auto const add = [&made](outcome const& next) {
    for (auto const& one : next.summary) {
      if (one.key.find("_ms") != std::string::npos || one.key.find("speedup") != std::string::npos ||
          one.key == "voxels") {
        made.summary.push_back(one);
      }
    }
  };
  add(voxelize(input, options, {}, where, "voxelize"));
  add(find_neighbors(input, options, {}, "knn"));
  add(find_normals(input, options, {}, "normals"));
  return made;
}

}  // namespace

int run_info_command(common_options const& options) {
  if (options.input.empty()) return run_without_input("info", options, {});
  return run_session("info", options, [&](cloud const& input) { return describe_cloud(input, options); });
}

int run_bench(common_options const& given) {
  auto options = given;
  options.cpu = true;
  auto const run = [&](cloud const& input) { return time_all(input, options); };
  if (!options.input.empty()) return run_session("bench", options, run);
  std::string const name = "simulated LiDAR sweep";
  auto made = run({simulate_street_sweep(1), name, {}});
  made.summary.insert(made.summary.begin(), {"input", "input", name});
  return run_without_input("bench", options, made);
}

}  // namespace farpoint_tools
