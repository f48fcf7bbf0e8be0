// A PointCloud2 message as ROS 2 generates it, for programs that are built without ROS. A node
// uses sensor_msgs::msg::PointCloud2 instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace example {

struct point_field {
  std::string name;
  std::uint32_t offset = 0;
  std::uint8_t datatype = 0;
  std::uint32_t count = 1;
};

struct point_cloud2 {
  std::uint32_t height = 1;
  std::uint32_t width = 0;
  std::vector<point_field> fields;
  bool is_bigendian = false;
  std::uint32_t point_step = 0;
  std::uint32_t row_step = 0;
  std::vector<std::uint8_t> data;
  bool is_dense = true;
};

}  // namespace example
