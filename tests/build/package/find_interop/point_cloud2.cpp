#include <farpoint/interop/point_cloud2.hpp>

#include <cstring>
#include <string>

#include "second_sample.hpp"

// As ROS 2 generates them.
struct point_field {
  std::string name;
  std::uint32_t offset;
  std::uint8_t datatype;
  std::uint32_t count;
};
struct point_cloud2 {
  std::uint32_t height, width;
  std::vector<point_field> fields;
  bool is_bigendian;
  std::uint32_t point_step, row_step;
  std::vector<std::uint8_t> data;
};

int main() {
  float const records[3][4] = {{0, 0, 0, 7}, {1, 0, 0, 8}, {0, 5, 0, 9}};
  point_cloud2 message{1,  3,  {{"x", 0, 7, 1}, {"y", 4, 7, 1}, {"z", 8, 7, 1}}, false,
                       16, 48, std::vector<std::uint8_t>(sizeof records)};
  std::memcpy(message.data.data(), records, sizeof records);

  farpoint::point_view<float> points;
  if (!farpoint::view_point_cloud2(message, points)) return 1;
  return second_sample(points) == 2 ? 0 : 1;
}
