// expect: farpoint: fps() needs a workspace as its last argument: memory of fps_workspace_bytes() bytes
#include <farpoint/fps.hpp>

#include <array>
#include <vector>

#if defined(FARPOINT_CORRECTED)
#define WORKSPACE \
  , farpoint::bytes {}
#else
#define WORKSPACE
#endif

std::vector<std::array<float, 3>> const points(9);
std::vector<std::int32_t> picks(9);

int main() {
  farpoint::fps_params const params{9};
  farpoint::batch const cloud{farpoint::view_points(points)};
  return farpoint::fps(farpoint::host_exec{}, cloud, params, {picks} WORKSPACE) ? 1 : 0;
}
