// expect: farpoint: no layout is known for this point type; specialise farpoint::point_layout for it
#include <farpoint/core/points.hpp>

#include <array>
#include <vector>

#if defined(FARPOINT_CORRECTED)
using point = std::array<float, 3>;
#else
using point = int;
#endif

int main() {
  std::vector<point> const points(3);
  return static_cast<int>(farpoint::view_points(points).size());
}
