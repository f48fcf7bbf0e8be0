/// @file
/// The launchers of three_nn.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/knn.cuh>
