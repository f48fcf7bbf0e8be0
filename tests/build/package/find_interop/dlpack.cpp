#include <farpoint/interop/dlpack.hpp>

#include "second_sample.hpp"

int main() {
  float values[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 5, 0}};
  std::int64_t shape[] = {3, 3};
  DLTensor tensor{};
  tensor.data = values;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 2;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;

  farpoint::point_view<float> points;
  if (!farpoint::view_dlpack(tensor, points)) return 1;
  return second_sample(points) == 2 ? 0 : 1;
}
