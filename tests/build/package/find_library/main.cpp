#include <farpoint/runtime.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

int main() {
  float const points[] = {0, 0, 0, 1, 0, 0, 0, 5, 0, 9, 0, 0};
  std::array<std::int32_t, 3> indices{};

  farpoint::point_view<float> const view{points, 4};
  farpoint::batch<farpoint::point_view<float>> const cloud{view};
  farpoint::fps_params params;
  params.samples = 3;
  farpoint::fps_output<float> output;
  output.indices = indices;
  farpoint::runtime::run_info info;
  farpoint::result const outcome = farpoint::runtime::fps(cloud, params, output, {}, &info);

  std::printf("%s, %s: %d %d %d\n", farpoint::runtime::to_string(info.used), info.device, indices[0], indices[1],
              indices[2]);
  return outcome && indices[0] == 0 && indices[1] == 3 && indices[2] == 2 ? 0 : 1;
}
