// expect: farpoint: a temporary owns this memory, which ends with it
#include <farpoint/core/points.hpp>

#include <array>
#include <vector>

#include "right_or_wrong.hpp"

using three_floats = std::array<float, 3>;

std::vector<three_floats> const some_points(3);

int main() {
  return static_cast<int>(
      farpoint::view_points(RIGHT_OR_WRONG(some_points, std::vector<three_floats>(some_points))).size());
}
