/// @file
/// A search on ranks that are GPUs. See search_call.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/search_call.hpp>
#include <farpoint/scale/stream/shard_index.cuh>
#include <farpoint/scale/voxel_map.cuh>
