// The voxels of a survey that does not fit into memory: tiles come one after another, and only voxels are kept. The
// answer has the bits of one call on all points.
#include <farpoint/scale/voxel_map.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using point = std::array<float, 3>;
using view = farpoint::point_view<float>;

constexpr farpoint::index_t point_limit = 5000;  // per tile

/// Stands for a reader of files: a strip of hilly ground, the neighbors of which overlap.
std::vector<point> read_tile(int number) {
  std::vector<point> tile;
  for (int i = 0; i < point_limit - 100 * number; ++i) {
    auto const along = static_cast<float>(i % 100) * 0.31f;
    auto const across = static_cast<float>(i) / 100 * 0.17f + static_cast<float>(number) * 5;
    tile.push_back({along, across, static_cast<float>(i % 13) * 0.05f + along / 8});
  }
  return tile;
}

}  // namespace

int main() {
  constexpr int tiles = 8;
  auto const grid = farpoint::voxel_grid<float>::from_range({{0, 0, 0}}, {{32, 64, 8}}, {{0.5f, 0.5f, 0.5f}});

  farpoint::host_exec const exec{};
  farpoint::voxel_map<float> map;
  map.params.grid = grid;
  map.params.capacity = 20000;  // voxels that there is memory for
  farpoint::host_scratch const memory{voxel_map_bytes(map.params)};
  map.memory = memory;
  std::size_t bytes = 0;
  farpoint::result outcome =
      farpoint::voxel_map_insert_workspace_bound<view>(exec, farpoint::batch_limits{point_limit, 1}, bytes);
  farpoint::host_scratch const workspace{bytes};  // enough for every tile

  if (outcome) outcome = voxel_map_clear(exec, map);
  for (int number = 0; number < tiles && outcome; ++number) {
    auto const points = read_tile(number);
    farpoint::voxel_map_tile<view> tile;
    tile.points = farpoint::view_points(points);
    outcome = voxel_map_insert(exec, map, tile, workspace);
  }

  std::vector<std::int32_t> counts(20000);
  std::vector<float> centroids(20000 * 3);
  farpoint::voxel_map_report report;
  farpoint::voxel_map_output<float> voxels;
  voxels.capacity = 20000;
  voxels.points_per_voxel = counts;
  voxels.centroid = centroids;
  voxels.report = &report;
  if (outcome) outcome = voxel_map_read(exec, map, voxels);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }

  // All at once: the same voxels, in the same order, to the bit.
  std::vector<point> all;
  for (int number = 0; number < tiles; ++number) {
    auto const tile = read_tile(number);
    all.insert(all.end(), tile.begin(), tile.end());
  }
  farpoint::voxelize_params<float> params;
  params.grid = grid;
  auto const expected = farpoint::voxelize(all, params);
  counts.resize(report.voxels);
  centroids.resize(report.voxels * 3);
  if (counts != expected.points_per_voxel || centroids != expected.centroids || report.dropped_points != 0) {
    std::fprintf(stderr, "the tiles have other voxels\n");
    return 1;
  }
  std::printf("%llu points in %d tiles: %llu voxels\n", report.points, tiles, report.voxels);
  return 0;
}
