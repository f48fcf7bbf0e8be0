/// @file
/// neighborhood_shard.hpp for ranks that are GPUs.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/neighborhood_shard.hpp>
