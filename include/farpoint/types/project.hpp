/// @file
/// What project() counts.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Points that no pixel shows for a reason of their own; those of the others that are hidden are not counted.
struct project_report {
  unsigned long long non_finite_points = 0;  ///< with a NaN or infinite coordinate
  unsigned long long unseen_points = 0;      ///< finite, but behind the camera, outside of the image or its depths
  unsigned long long bad_offsets = 0;        ///< wrong offsets: then there is no point
};

FARPOINT_END_NAMESPACE
