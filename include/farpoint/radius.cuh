/// @file
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/radius_cuda.cuh>
