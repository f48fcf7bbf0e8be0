// expect: farpoint: a temporary owns this memory, which ends with it
#include <farpoint/types/feature_rows.hpp>

#include <vector>

#include "right_or_wrong.hpp"

std::vector<float> const owner(6);

int main() {
  using rows = farpoint::feature_rows<float const>;
  auto const features = rows::regular(RIGHT_OR_WRONG(owner, std::vector<float>(owner)), 1, 3);
  return static_cast<int>(features.rows()) - 2;
}
