// The voxels of a cloud, and the mean intensity in each. Same answer with <farpoint/voxelize.cuh> on a GPU.
#include <farpoint/voxelize.hpp>

#include <cstddef>
#include <cstdio>

struct lidar_point {
  float x, y, z, intensity;
};

struct stamped_point {
  float x, y, z;
  std::uint16_t intensity;
  double seconds;
};

int main() {
  std::vector<lidar_point> const points{
      {0.1f, 0.2f, 0, 10}, {3.4f, 0.1f, 0, 50}, {0.3f, 0.4f, 0, 20}, {0.2f, 0.1f, 0, 60}, {99, 0, 0, 70}};

  //! [voxelize]
  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{0, 0, -1}}, {{8, 8, 1}}, {{0.5f, 0.5f, 2}});
  // At most 100 voxels of 2 points each: the first in input order. farpoint::dynamic{} has no limits.
  params.mode = farpoint::hard{100, 2};
  params.features = farpoint::feature_view::packed(&points[0].intensity, static_cast<farpoint::index_t>(points.size()),
                                                   1, farpoint::index_t{sizeof(lidar_point)});
  auto const voxels = farpoint::voxelize(points, params);
  //! [voxelize]

  for (std::size_t v = 0; v < voxels.points_per_voxel.size(); ++v) {
    std::printf("voxel (%d, %d, %d): %d points kept, mean intensity %g\n", voxels.coords[3 * v],
                voxels.coords[3 * v + 1], voxels.coords[3 * v + 2], voxels.points_per_voxel[v],
                static_cast<double>(voxels.means[v]));
  }
  std::printf("%llu point outside of the grid, %llu above the limit of a voxel\n", voxels.report.outside,
              voxels.report.surplus_points);
  bool as_expected = voxels.means == std::vector<float>{15, 50} && voxels.report.surplus_points == 1;

  std::vector<stamped_point> const records{{1, 1, 0, 60000, 0.25}, {1, 1, 0, 50000, 0.75}};
  //! [types]
  int const offsets[] = {offsetof(stamped_point, intensity), offsetof(stamped_point, seconds)};
  farpoint::feature_type const types[] = {farpoint::feature_type::uint16, farpoint::feature_type::float64};
  params.features = farpoint::feature_view::fields(records.data(), static_cast<farpoint::index_t>(records.size()),
                                                   farpoint::index_t{sizeof(stamped_point)}, offsets, types, 2);
  //! [types]
  as_expected = as_expected && farpoint::voxelize(records, params).means == std::vector<float>{55000, 0.5f};
  return as_expected ? 0 : 1;
}
