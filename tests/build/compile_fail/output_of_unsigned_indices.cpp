// expect: farpoint: indices are written as signed 32- or 64-bit integers, and this output has other elements
#include <farpoint/types/knn.hpp>

#include <cstdint>
#include <vector>

#include "right_or_wrong.hpp"

std::vector<RIGHT_OR_WRONG(std::int64_t, std::uint64_t)> indices(8);

int main() {
  farpoint::knn_output<float> output;
  output.indices = indices;
  return static_cast<int>(output.indices.size()) - 8;
}
