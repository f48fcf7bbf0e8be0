// expect: farpoint: no layout is known for this point type; specialize farpoint::point_layout for it
#include <farpoint/core/points.hpp>

#include <array>
#include <vector>

#include "right_or_wrong.hpp"

using three_floats = std::array<float, 3>;
using point = RIGHT_OR_WRONG(three_floats, int);

int main() {
  std::vector<point> const points(3);
  return static_cast<int>(farpoint::view_points(points).size());
}
