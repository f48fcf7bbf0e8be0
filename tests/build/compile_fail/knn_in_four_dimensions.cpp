// expect: farpoint: neighbor searches take points of three coordinates
#include <farpoint/knn.hpp>

#include "right_or_wrong.hpp"

constexpr int dimensions = RIGHT_OR_WRONG(3, 4);

int main() {
  using view = farpoint::point_view<float, dimensions>;
  return static_cast<int>(
      knn(farpoint::host_exec{1}, farpoint::batch<view>{view{}}, farpoint::knn_params{1}, {}, {}).code);
}
