// expect: farpoint: points and queries must both be double, or neither
#include <farpoint/knn.hpp>

#include "right_or_wrong.hpp"

using queries = RIGHT_OR_WRONG(farpoint::point_view<farpoint::float16>, farpoint::point_view<double>);

int main() {
  using points = farpoint::point_view<float>;
  return static_cast<int>(knn(farpoint::host_exec{1}, farpoint::batch<points>{points{}},
                              farpoint::batch<queries>{queries{}}, farpoint::knn_params{1}, {}, {})
                              .code);
}
