/// @file
/// What gather() takes and fills.
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/types/feature_rows.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Problems found in the indices and offsets of a call.
struct gather_report {
  unsigned long long out_of_range = 0;  ///< indices below -1 or beyond the features; their rows are zeros
  unsigned long long bad_offsets = 0;   ///< then all rows are zeros, and nothing else counts
};

FARPOINT_END_NAMESPACE
