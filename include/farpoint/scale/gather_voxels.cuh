/// @file
/// gather_voxels.hpp for ranks that are GPUs.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/shard_backend.cuh>
