// expect: farpoint: this output is const: indices cannot be written to it
#include <farpoint/fps.hpp>

#include <array>
#include <vector>

#include "right_or_wrong.hpp"

std::vector<std::int32_t> picks(3);
std::vector<std::int32_t> const read_only(3);

int main() {
  std::vector<std::array<float, 3>> const points(9);
  farpoint::fps_params params;
  params.samples = 3;
  auto& output = RIGHT_OR_WRONG(picks, read_only);
  auto const cloud = farpoint::batch{farpoint::view_points(points)};
  return static_cast<int>(farpoint::fps(farpoint::host_exec{}, cloud, params, {output}, {}).code);
}
