/// @file
/// The voxelizers of hard_voxelize.hpp on a stream.
#pragma once

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/voxelize.cuh>
