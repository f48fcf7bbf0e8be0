// The points of a voxelize_problem on the GPU, and where its answer goes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "../../support/device/cuda_check.hpp"
#include "../voxelize_problem.hpp"

namespace farpoint_tests {

struct voxelize_arrays {
  device_array<unsigned char> memory;
  device_array<unsigned char> feature_memory;
  std::vector<std::unique_ptr<device_array<unsigned char>>> parts;

  template <class Problem>
  explicit voxelize_arrays(Problem const& problem) : memory{problem.memory}, feature_memory{problem.feature_memory} {
    for (std::size_t which = 0; which < part::count; ++which) {
      parts.push_back(std::make_unique<device_array<unsigned char>>(problem.part_bytes(which)));
    }
  }

  template <class Problem>
  auto params(Problem const& problem) const {
    return problem.params_at(memory.data(), feature_memory.data());
  }
  template <class Problem>
  auto output(Problem const& problem) const {
    std::array<unsigned char*, part::count> at{};
    for (std::size_t which = 0; which < part::count; ++which) at[which] = parts[which]->data();
    return problem.output_at(at);
  }
};

}  // namespace farpoint_tests
