/// @file
/// What pillar_features() adds to points.
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Axes of the offset to a voxel's center.
enum class pillar_centers {
  xy,  ///< PointPillars (Lang et al. 2019), CenterPoint
  xyz  ///< OpenPCDet
};

/// Columns that pillar_features() adds.
constexpr int pillar_columns(pillar_centers centers) noexcept {
  return centers == pillar_centers::xyz ? 6 : 5;
}

FARPOINT_END_NAMESPACE
