/// @file
/// Report of project().
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Counts of points that cannot be in a pixel. Points hidden by others are not counted.
struct project_report {
  unsigned long long non_finite_points = 0;  ///< NaN or infinite coordinate
  unsigned long long unseen_points = 0;      ///< finite, but behind the camera, outside of the image or its depth range
  unsigned long long bad_offsets = 0;        ///< invalid offsets; if not 0, the cloud is empty
};

FARPOINT_END_NAMESPACE
