/// @file
/// stack_farthest_point_sampling_kernel_launcher() on a stream. See stack_farthest_point_sampling.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/furthest_point_sampling.cuh>
#include <farpoint/compat/stack_farthest_point_sampling.hpp>
