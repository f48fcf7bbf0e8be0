#include <farpoint/interop/pcl.hpp>

#include <pcl/point_types.h>

#include "second_sample.hpp"

int main() {
  pcl::PointCloud<pcl::PointXYZI> cloud;
  for (float const x : {0.0f, 1.0f, 5.0f}) {
    pcl::PointXYZI point;
    point.x = x;
    point.y = point.z = 0;
    point.intensity = x + 1;
    cloud.push_back(point);
  }
  farpoint::feature_view intensities;
  if (!farpoint::view_pcl_features(cloud, {"intensity"}, intensities)) return 1;
  return second_sample(farpoint::view_points(cloud.points)) == 2 && intensities(2, 0) == 6 ? 0 : 1;
}
