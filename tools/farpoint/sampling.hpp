// What a call of fps() has picked.
#pragma once

#include <cstdint>
#include <vector>

#include "measure.hpp"

namespace farpoint_tools {

struct sampling {
  std::vector<std::int64_t> indices;
  std::vector<float> distances;

  friend bool operator==(sampling const& a, sampling const& b) {
    return a.indices == b.indices && equal_bits(a.distances, b.distances);
  }
};

}  // namespace farpoint_tools
