// expect: farpoint: a temporary owns this memory, which ends with it
#include <farpoint/types/voxelize.hpp>

#include <vector>

#include "right_or_wrong.hpp"

std::vector<float> owner(10);

int main() {
  farpoint::voxelize_output<float> output;
  output.points_per_voxel = RIGHT_OR_WRONG(owner, std::vector<float>(10));
  return static_cast<int>(output.points_per_voxel.size()) - 10;
}
