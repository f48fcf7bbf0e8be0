/// @file
/// Parameters and output of estimate_normals().
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/types/knn.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of estimate_normals(), in the memory space of the execution: a row for each point of the view. Rows of
/// points that are in no cloud of a ragged batch are not written; where offsets are wrong (knn_report::bad_offsets),
/// all rows get undefined normals and covariances of 0. Normals or covariances must be given.
template <class Scalar = float>
struct normals_output {
  span<Scalar> normals = {};     ///< `[points, 3]`: of unit length, or (0, 0, 0) if undefined; optional
  span<Scalar> curvatures = {};  ///< `[points]`, optional: smallest eigenvalue / sum of all; 0 to 1/3
  knn_report* report = nullptr;  ///< optional; overwritten, not added to

  /// `[points, 6]`, optional: xx, xy, xz, yy, yz and zz (m^2) of the covariance matrix of the neighbors, the point
  /// among them: the sum of (d - mean)(d - mean)^T over the neighbors d, divided by their number. Zeros for a point
  /// without neighbors, and where an element overflows.
  span<Scalar> covariances = {};
};

/// Neighbors that estimate_normals() takes, and the side that normals face.
struct normals_params {
  index_t k = 16;                                               ///< neighbors, the point itself among them; 3 to 1,024
  double max_radius = std::numeric_limits<double>::infinity();  ///< meters: no neighbor is farther away
  vec<double, 3> viewpoint = {{0, 0, 0}};                       ///< meters; normals face it
};

FARPOINT_END_NAMESPACE
