/// @file
/// Report of gather().
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Problems found in the indices of a call.
struct gather_report {
  unsigned long long out_of_range = 0;  ///< indices below -1 or beyond the features; their rows are zeros
};

FARPOINT_END_NAMESPACE
