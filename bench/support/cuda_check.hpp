/// @file
/// No CUDA call goes unchecked.
#pragma once

#include <farpoint/core/status.hpp>

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace farpoint_bench {

/// Throws with the name of the error and of what was tried.
inline void check(cudaError_t error, char const* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error{std::string{what} + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error)};
}

/// Throws when a farpoint call was refused.
inline void check(farpoint::result outcome, char const* what) {
  if (outcome) return;
  throw std::runtime_error{std::string{what} + ": " + farpoint::to_string(outcome.code) + ", " + outcome.reason +
                           (outcome.native != 0 ? " (CUDA error " + std::to_string(outcome.native) + ")" : "")};
}

}  // namespace farpoint_bench
