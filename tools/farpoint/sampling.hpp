// Samples that a call of fps() has picked.
#pragma once

#include <cstdint>
#include <vector>

#include "measure.hpp"

namespace farpoint_tools {

/// @tparam Scalar  type of the cloud's coordinates
template <class Scalar = float>
struct sampling {
  std::vector<std::int64_t> indices;
  std::vector<Scalar> distances;  ///< squared

  friend bool operator==(sampling const& a, sampling const& b) {
    return a.indices == b.indices && equal_bits(a.distances, b.distances);
  }
};

}  // namespace farpoint_tools
