#include <farpoint/fps.hpp>

#include <array>
#include <cstdio>

std::vector<std::int32_t> sample_elsewhere(std::vector<std::array<float, 3>> const& points);
bool sample_without_exceptions();

int main() {
  std::vector<std::array<float, 3>> points;
  for (int i = 0; i < 1000; ++i) {
    points.push_back({static_cast<float>(i % 10), static_cast<float>(i / 10 % 10), static_cast<float>(i / 100)});
  }

  auto picks = farpoint::fps(points, 10);

  std::printf("second sample: point %d\n", picks.indices[1]);
  bool const right = picks.indices.size() == 10 && picks.indices[0] == 0 && picks.indices[1] == 999 &&
                     picks.indices == sample_elsewhere(points) && sample_without_exceptions();
  return right ? 0 : 1;
}
