// expect: farpoint: coordinates are float, double or farpoint::float16
#include <farpoint/core/points.hpp>

#include "right_or_wrong.hpp"

using coordinate = RIGHT_OR_WRONG(double, int);

int main() {
  return static_cast<int>(farpoint::point_view<coordinate>{}.size());
}
