/// @file
/// What estimate_normals() takes and fills.
#pragma once

#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Where estimate_normals() writes, in the memory space of the execution: a row for each point of the view; those that
/// ragged offsets leave out are not written.
template <class Scalar = float>
struct normals_output {
  span<Scalar> normals;          ///< `[points, 3]`: unit length; (0, 0, 0) where there is none
  span<Scalar> curvatures = {};  ///< `[points]`, optional: smallest eigenvalue / sum of all, 0 to 1/3
};

/// What estimate_normals() takes.
struct normals_params {
  index_t k = 16;                                               ///< neighbours, the point itself among them; 3 to 1,024
  double max_radius = std::numeric_limits<double>::infinity();  ///< metres
  vec<double, 3> viewpoint = {{0, 0, 0}};                       ///< normals point to its side (m)
};

FARPOINT_END_NAMESPACE
