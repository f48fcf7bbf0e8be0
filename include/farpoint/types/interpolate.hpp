/// @file
/// What interpolate() fills.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Where interpolate() writes, in the memory space of the execution: a row for each query of the view; those that
/// ragged offsets leave out are not written.
struct interpolate_output {
  span<float> features;  ///< `[queries, channels]`
};

FARPOINT_END_NAMESPACE
