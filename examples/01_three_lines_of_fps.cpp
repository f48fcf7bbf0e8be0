// Farthest point samples of a cloud in three lines, on all cores of this machine.
//! [program]
#include <farpoint/fps.hpp>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 5, 0}, {9, 0, 0}, {1, 1, 1}};

  auto const picks = farpoint::fps(points, 3);
  for (std::size_t i = 0; i < picks.indices.size(); ++i) {
    std::printf("point %d at a squared distance of %g\n", picks.indices[i], picks.distances[i]);
  }
  return picks.indices == std::vector<std::int32_t>{0, 3, 2} ? 0 : 1;
}
//! [program]
