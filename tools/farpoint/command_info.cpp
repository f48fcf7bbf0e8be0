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
  add(find_neighbors(input, wish, {}, "knn"));
  add(find_normals(input, wish, {}, "normals"));
  return made;
}

}  // namespace

int run_info_command(common_wish const& wish) {
  if (wish.input.empty()) return run_without_input("info", wish, {});
  return run_session("info", wish, [&](cloud const& input) { return describe_cloud(input, wish); });
}

int run_bench(common_wish const& given) {
  auto wish = given;
  wish.cpu = true;
  auto const run = [&](cloud const& input) { return time_all(input, wish); };
  if (!wish.input.empty()) return run_session("bench", wish, run);
  std::string const name = "simulated LiDAR sweep";
  auto made = run({simulate_street_sweep(1), name, {}});
  made.told.insert(made.told.begin(), {"input", "input", name});
  return run_without_input("bench", wish, made);
}

}  // namespace farpoint_tools
