/// @file
/// cuda_exec, and the header of the CUDA runtime.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.hpp>

#include <cuda_runtime_api.h>
