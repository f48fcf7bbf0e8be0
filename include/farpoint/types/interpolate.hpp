/// @file
/// Output of interpolate().
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Where interpolate() writes, in the memory space of the execution: a row for each query of the view. Rows of queries
/// that are in no cloud of a ragged batch are not written.
struct interpolate_output {
  span<float> features;  ///< `[queries, channels]`
};

FARPOINT_END_NAMESPACE
