// expect: farpoint: neighbours are searched among points of three coordinates
#include <farpoint/knn.hpp>

#if defined(FARPOINT_CORRECTED)
constexpr int dimensions = 3;
#else
constexpr int dimensions = 4;
#endif

int main() {
  using view = farpoint::point_view<float, dimensions>;
  return static_cast<int>(
      knn(farpoint::host_exec{1}, farpoint::batch<view>{view{}}, farpoint::exact{}, 1, {}, {}).code);
}
