/// @file
/// The voxelizers of hard_voxelize.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/voxelize.cuh>
