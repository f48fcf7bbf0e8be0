#include <farpoint/interop/eigen.hpp>

#include "second_sample.hpp"

int main() {
  std::vector<Eigen::Vector3f> const points{{0, 0, 0}, {1, 0, 0}, {0, 5, 0}};
  Eigen::Matrix<double, 3, 3> columns;
  columns << 0, 1, 0, 0, 0, 5, 0, 0, 0;
  bool const right =
      second_sample(farpoint::view_points(points)) == 2 && second_sample(farpoint::view_columns(columns)) == 2;
  return right ? 0 : 1;
}
