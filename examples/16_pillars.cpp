// The input of PointPillars (Lang et al. 2019): points of each pillar with their offsets to the pillar's mean and
// center.
#include <farpoint/pillar_features.hpp>
#include <farpoint/voxelize.hpp>

#include <cmath>
#include <cstdio>

int main() {
  // x, y, z, intensity: two points in one pillar, one in another.
  std::vector<float> const sweep{0.2f, 0.3f, -1, 0.5f, 0.4f, 0.1f, 0, 0.7f, 3.1f, 0.2f, 0, 0.9f};
  constexpr farpoint::index_t n = 3;
  constexpr farpoint::index_t max_pillars = 100;
  constexpr farpoint::index_t point_limit = 4;
  constexpr farpoint::index_t columns = 4 + farpoint::pillar_columns(farpoint::pillar_centers::xy);

  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{0, -4, -3}}, {{8, 4, 1}}, {{0.5f, 0.5f, 4}});
  params.mode = farpoint::hard{max_pillars, point_limit};
  params.features = farpoint::feature_view::packed(sweep.data(), n, 4);

  std::vector<std::int32_t> coords(max_pillars * 4);
  std::vector<std::int32_t> counts(max_pillars);
  std::vector<float> gathered(max_pillars * point_limit * 4);
  std::vector<float> means(max_pillars * 3);
  std::vector<std::int32_t> pillars(1);
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = max_pillars;
  voxels.coords = coords;
  voxels.columns = farpoint::voxel_columns::batch_zyx;  // as sparse convolutions take them
  voxels.points_per_voxel = counts;
  voxels.gathered = gathered;
  voxels.centroid = means;
  voxels.voxel_count = pillars;

  farpoint::host_exec const exec{};
  farpoint::batch const cloud{farpoint::point_view<float>{sweep.data(), n, 16}};
  farpoint::host_scratch const workspace{voxelize_workspace_bytes(exec, cloud, params, voxels)};
  std::vector<float> features(max_pillars * point_limit * columns);  // [pillars, points, 4 + 3 + 2]
  farpoint::result outcome = voxelize(exec, cloud, params, voxels, workspace);
  if (outcome) outcome = pillar_features(exec, params, voxels, farpoint::pillar_centers::xy, features);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }

  // The first point: its mean is (0.3, 0.2, -0.5), its pillar's center (0.25, 0.25).
  float const expected[columns] = {0.2f, 0.3f, -1, 0.5f, -0.1f, 0.1f, -0.5f, -0.05f, 0.05f};
  bool right = pillars[0] == 2 && counts[0] == 2 && counts[1] == 1;
  for (std::size_t column = 0; column < columns; ++column) {
    right = right && std::abs(features[column] - expected[column]) < 1e-6f;
    right = right && features[2 * columns + column] == 0;  // no third point: zeros
  }
  std::printf("%d pillars of %d and %d points: %s\n", pillars[0], counts[0], counts[1], right ? "right" : "WRONG");
  return right ? 0 : 1;
}
