/// @file
/// furthest_point_sampling_kernel_launcher() on a stream. See furthest_point_sampling.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/fps.cuh>
