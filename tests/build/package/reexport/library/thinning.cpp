#include "thinning.hpp"

#include <farpoint/fps.hpp>

#include <array>

std::vector<std::int32_t> thin(farpoint::point_view<float> points, int count) {
  std::vector<std::array<float, 3>> copy;
  for (farpoint::index_t i = 0; i < points.size(); ++i) copy.push_back({points[i][0], points[i][1], points[i][2]});
  return farpoint::fps(copy, count).indices;
}
