/// @file
/// What normals_from_neighbours() takes and fills.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Rows of neighbours as knn() writes them, in the memory space of the execution.
struct neighbour_rows {
  index_view indices;  ///< `[rows, k]`: of points in the cloud, the nearest first; the first that is none ends a row
  index_t k = 0;       ///< 1 to 1,024
  index_view points = {};  ///< `[rows]`: whose rows they are; empty: row i is point i's
  index_view count =
      {};  ///< `[1]`: number of rows that there are; empty: all. Those behind are neither read nor written
};

struct neighbour_normals_params {
  vec<double, 3> viewpoint = {{0, 0, 0}};  ///< metres; normals face it

  /// Extents in units of the root mean square of the neighbours' offsets along an axis. Neighbours that fill a disc
  /// around the point have its radius with 2.
  double extent = 2;
};

/// Where normals_from_neighbours() writes, in the memory space of the execution. All parts but one may be left out.
template <class Scalar = float>
struct neighbour_normals_output {
  span<Scalar> normals = {};     ///< `[rows, 3]`: of unit length, or (0, 0, 0) if undefined
  span<Scalar> curvatures = {};  ///< `[rows]`: smallest eigenvalue / sum of all; 0 to 1/3
  span<Scalar> tangents = {};    ///< `[rows, 3]`: the long axis, of unit length, across the normal; or (0, 0, 0)
  span<Scalar> extents = {};     ///< `[rows, 2]`: half axes of the splat, along the tangent and across it (m)
};

FARPOINT_END_NAMESPACE
