/// @file
/// The launchers of ball_query.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/execution.cuh>
#include <farpoint/radius.cuh>
