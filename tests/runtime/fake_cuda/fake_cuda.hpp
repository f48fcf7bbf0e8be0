// What the fake runtime has been asked for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace farpoint_tests {

extern std::size_t copied_to_device;  ///< bytes

}  // namespace farpoint_tests
