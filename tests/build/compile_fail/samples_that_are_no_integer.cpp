// expect: farpoint: the number of samples of fps() is an integer
#include <farpoint/fps.hpp>

#include <array>
#include <vector>

#include "right_or_wrong.hpp"

int main() {
  std::vector<std::array<float, 3>> const points(9);
  return static_cast<int>(farpoint::fps(points, RIGHT_OR_WRONG(3, 3.5)).indices.size());
}
