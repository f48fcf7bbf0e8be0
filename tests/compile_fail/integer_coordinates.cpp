// expect: farpoint: coordinates are float, double or farpoint::float16
#include <farpoint/core/points.hpp>

#if defined(FARPOINT_CORRECTED)
using coordinate = double;
#else
using coordinate = int;
#endif

int main() {
  return static_cast<int>(farpoint::point_view<coordinate>{}.size());
}
