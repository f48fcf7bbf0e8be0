// Counters and settings of the fake CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace farpoint_tests {

extern std::size_t copied_to_device;       ///< bytes
extern int open_pools;                     ///< pools created and not destroyed
extern int current_device;                 ///< set by tests
extern cudaError_t outcome_of_attributes;  ///< result of cudaMemPoolSetAttribute(), set by tests

}  // namespace farpoint_tests
