// Compiled with -fno-exceptions: a core call reports by its result.
#include <farpoint/fps.hpp>

#include <array>
#include <cstdint>

bool sample_without_exceptions();

bool sample_without_exceptions() {
  float const points[] = {0, 0, 0, 1, 0, 0, 0, 5, 0};
  std::array<std::int32_t, 2> indices{};
  alignas(256) static unsigned char workspace[1 << 16];

  farpoint::batch const cloud{farpoint::point_view<float>{points, 3}};
  farpoint::fps_params params;
  params.samples = 2;
  farpoint::fps_output<float> output;
  output.indices = indices;
  farpoint::result const outcome = farpoint::fps(farpoint::host_exec{1}, cloud, params, output, workspace);
  return outcome && indices[0] == 0 && indices[1] == 2;
}
