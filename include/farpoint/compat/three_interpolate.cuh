/// @file
/// The launchers of three_interpolate.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/scatter_add.cuh>
#include <farpoint/compat/three_interpolate.hpp>
