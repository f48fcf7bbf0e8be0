// A cloud of PCL: its points are voxelized where they lie, and its fields are features by their names.
#include <farpoint/interop/pcl.hpp>
#include <farpoint/voxelize.hpp>

#include <pcl/point_types.h>

#include <cstdio>

int main() {
  pcl::PointCloud<pcl::PointXYZI> cloud;
  for (int i = 0; i < 1000; ++i) {
    pcl::PointXYZI point;
    point.x = static_cast<float>(i % 10) + 0.5f;
    point.y = static_cast<float>(i / 10 % 10) + 0.5f;
    point.z = 0;
    point.intensity = static_cast<float>(i / 100);
    cloud.push_back(point);
  }

  //! [view]
  farpoint::batch const points{farpoint::view_points(cloud.points)};
  farpoint::voxelize_params<float> params;
  params.grid = {{{0, 0, -1}}, {{1, 1, 2}}, {{10, 10, 1}}};
  if (auto const viewed = view_pcl_features(cloud, {"x", "y", "z", "intensity"}, params.features); !viewed) {
    std::printf("%s\n", viewed.reason);
    return 1;
  }
  //! [view]

  std::vector<float> means(4 * cloud.size());
  farpoint::voxelize_report report;
  farpoint::voxelize_output<float> output;
  output.capacity = points.points().size();
  output.mean = means;
  output.report = &report;
  farpoint::host_exec const exec{};
  farpoint::host_scratch const workspace{voxelize_workspace_bytes(exec, points, params, output)};
  if (!voxelize(exec, points, params, output, workspace)) return 1;

  bool const right = report.voxels == 100 && means[0] == 0.5f && means[1] == 0.5f && means[3] == 4.5f;
  std::printf("%zu points in %llu voxels, of mean intensity %.1f in the first\n", cloud.size(),
              static_cast<unsigned long long>(report.voxels), static_cast<double>(means[3]));
  return right ? 0 : 1;
}
