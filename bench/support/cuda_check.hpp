/// @file
/// Throws where a CUDA call fails.
#pragma once

#include "check.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace farpoint_bench {

/// Throws unless the call succeeded. @param what  names the call
inline void check(cudaError_t error, char const* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error{std::string{what} + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error)};
}

}  // namespace farpoint_bench
