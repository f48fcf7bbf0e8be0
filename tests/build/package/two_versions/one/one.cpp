#include <farpoint/fps.hpp>
#include <farpoint/runtime.hpp>

#include <string>

/// What the headers and the compiled library of this version say of an impossible call.
std::string REASONS_OF();

std::string REASONS_OF() {
  float const points[] = {0, 0, 0};
  farpoint::batch<farpoint::point_view<float>> const cloud{farpoint::point_view<float>{points, 1}};
  farpoint::fps_params params;
  params.samples = -1;
  std::string const by_headers = farpoint::fps(farpoint::host_exec{1}, cloud, params, {}, {}).reason;
  return by_headers + "\n" + farpoint::runtime::fps(cloud, params, {}).reason;
}
