/// @file
/// The launchers of group_points.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/group_points.hpp>
#include <farpoint/compat/scatter_add.cuh>
#include <farpoint/gather.cuh>
