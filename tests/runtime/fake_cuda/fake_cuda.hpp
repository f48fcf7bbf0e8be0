// What the fake runtime has been asked for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace farpoint_tests {

extern std::size_t copied_to_device;       ///< bytes
extern int open_pools;                     ///< made and not destroyed
extern int current_device;                 ///< to be set by tests
extern cudaError_t outcome_of_attributes;  ///< of cudaMemPoolSetAttribute(), to be set by tests

}  // namespace farpoint_tests
