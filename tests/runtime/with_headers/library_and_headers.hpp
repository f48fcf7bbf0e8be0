// Functions of the headers, instantiated in a file that nvcc compiles.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/limits.hpp>

namespace farpoint_tests {

using bound_function = farpoint::result (*)(farpoint::cuda_exec, farpoint::batch_limits const&, std::size_t&) noexcept;

/// fps_workspace_bound() and voxelize_workspace_bound() of clouds of floats.
struct bound_functions {
  bound_function fps;
  bound_function voxelize;
};
bound_functions bounds_of_headers();

}  // namespace farpoint_tests
