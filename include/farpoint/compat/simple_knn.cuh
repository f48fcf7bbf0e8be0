/// @file
/// distCUDA2() on a stream. See simple_knn.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/simple_knn.hpp>
#include <farpoint/mean_knn_distance.cuh>
