// A consumer of your own: each neighbor is used where it is found, and no array of neighbors is written. Here, a scan
// is moved to a map by the sums over its nearest points. Example 39 runs the same consumer on a GPU.
#include <farpoint/point_bvh.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>

#include <cstdio>

#include "translation_step.hpp"

int main() {
  std::vector<point> const map = random_map(20000);
  std::vector<point> scan;
  for (std::size_t i = 0; i < map.size(); i += 4) {
    scan.push_back({map[i].x - true_move.x, map[i].y - true_move.y, map[i].z - true_move.z});
  }

  auto const built = farpoint::build_point_bvh(map);
  farpoint::host_exec const exec;  // all cores
  farpoint::host_scratch workspace;
  point moved{};
  for (int step = 0; step < 20; ++step) {
    //! [call]
    pair_sums sums{};
    translation_step const consumer{farpoint::view_points(map), &sums};
    farpoint::batch const queries{farpoint::view_points(scan)};
    farpoint::neighborhood_params params;
    params.max_radius = 0.1;  // meters
    auto outcome = workspace.reserve(knn_workspace_bytes(exec, built.index, queries));
    if (outcome) {
      outcome = farpoint::for_each_neighborhood<1>(exec, built.index, queries, params, consumer, workspace);
    }
    //! [call]
    if (!outcome) {
      std::fprintf(stderr, "%s\n", outcome.reason);
      return 1;
    }
    point const move{mean_move(sums, 0), mean_move(sums, 1), mean_move(sums, 2)};
    for (point& p : scan) p = {p.x + move.x, p.y + move.y, p.z + move.z};
    moved = {moved.x + move.x, moved.y + move.y, moved.z + move.z};
  }
  std::printf("moved by %.4f %.4f %.4f m: %s\n", moved.x, moved.y, moved.z, is_found(moved) ? "right" : "WRONG");
  return is_found(moved) ? 0 : 1;
}
