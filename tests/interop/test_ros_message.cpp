#include "../support/catch.hpp"
#include "message.hpp"

#include <sensor_msgs/PointCloud2.h>

TEST_CASE("PointCloud2: ROS's own message", "[interop]") {
  auto const message = farpoint_tests::make_message<sensor_msgs::PointCloud2>(5, 2);
  farpoint::point_view<float> points;
  REQUIRE(farpoint::view_point_cloud2(message, points));
  REQUIRE(points.size() == 10);
  CHECK(points[9][1] == -9);
  constexpr char const* names[] = {"range"};
  farpoint::feature_view features;
  REQUIRE(farpoint::view_point_cloud2_features(message, names, features));
  CHECK(features(9, 0) == 27);
}
