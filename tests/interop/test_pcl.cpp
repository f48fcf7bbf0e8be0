#include "../support/catch.hpp"

#include <farpoint/interop/pcl.hpp>

#include <pcl/point_types.h>
#include <farpoint/core/points.hpp>

using farpoint::feature_view;

namespace {

template <class Cloud, class = void>
constexpr bool has_features = false;
template <class Cloud>
constexpr bool has_features<Cloud, std::void_t<decltype(farpoint::view_pcl_features(
                                       std::declval<Cloud>(), {}, std::declval<feature_view&>()))>> = true;

}  // namespace

TEST_CASE("PCL: points and fields of a cloud", "[interop]") {
  pcl::PointCloud<pcl::PointXYZINormal> cloud;
  for (int i = 0; i < 9; ++i) {
    auto const value = static_cast<float>(i);
    pcl::PointXYZINormal point;
    point.x = value;
    point.y = -value;
    point.z = value / 2;
    point.intensity = value + 0.25f;
    point.normal_z = 3 * value;
    cloud.push_back(point);
  }
  auto const points = farpoint::view_points(cloud.points);
  REQUIRE(points.size() == 9);
  CHECK(points[8][1] == -8);
  CHECK(points[8][2] == 4);
  feature_view features;
  REQUIRE(farpoint::view_pcl_features(cloud, {"intensity", "normal_z", "x"}, features));
  REQUIRE(features.size() == 9);
  CHECK(features(8, 0) == 8.25f);
  CHECK(features(8, 1) == 24);
  CHECK(features(8, 2) == 8);
  CHECK(features.is_plain());
  CHECK_FALSE(farpoint::view_pcl_features(cloud, {"intensity", "ring"}, features));
  CHECK_FALSE(farpoint::view_pcl_features(cloud, {"ring", "intensity"}, features));
  CHECK(has_features<decltype(cloud)&>);
  CHECK_FALSE(has_features<decltype(cloud)>);
}

TEST_CASE("PCL: fields that are no floats", "[interop]") {
  pcl::PointCloud<pcl::PointXYZL> cloud;
  cloud.push_back({1, 2, 3, 70000});
  feature_view features;
  REQUIRE(farpoint::view_pcl_features(cloud, {"label"}, features));
  CHECK(features(0, 0) == 70000);
  CHECK(farpoint::view_points(cloud.points)[0][1] == 2);
}
