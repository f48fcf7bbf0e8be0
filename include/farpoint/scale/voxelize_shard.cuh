/// @file
/// voxelize_shard.hpp for ranks that are GPUs.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/partition.cuh>
#include <farpoint/scale/stream/voxelize/noted_rows.cuh>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/voxelize.cuh>
