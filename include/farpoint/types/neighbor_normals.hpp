/// @file
/// Input, parameters and output of normals_from_neighbors().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Rows of neighbors as knn() writes them, in the memory space of the execution.
struct neighbor_rows {
  index_view indices;      ///< `[rows, k]`: points of the cloud, nearest first; an index out of range ends a row
  index_t k = 0;           ///< 1 to 1,024
  index_view points = {};  ///< `[rows]`: point of each row; if empty, row i belongs to point i
  index_view count = {};   ///< `[1]`: number of rows; if empty, all. Rows past it are neither read nor written
};

struct neighbor_normals_params {
  vec<double, 3> viewpoint = {{0, 0, 0}};  ///< meters; normals face it

  /// Extents in units of the root mean square of the neighbors' offsets along an axis. With 2, neighbors that fill a
  /// disc around the point yield the radius of the disc.
  double extent = 2;
};

/// Output of normals_from_neighbors(), in the memory space of the execution. At least one part must be given.
template <class Scalar = float>
struct neighbor_normals_output {
  span<Scalar> normals = {};     ///< `[rows, 3]`: unit length, or (0, 0, 0) if undefined
  span<Scalar> curvatures = {};  ///< `[rows]`: smallest eigenvalue / sum of eigenvalues; 0 to 1/3
  span<Scalar> tangents = {};    ///< `[rows, 3]`: long axis, unit length, orthogonal to the normal; or (0, 0, 0)
  span<Scalar> extents = {};     ///< `[rows, 2]`: half axes of the splat, along and across the tangent (m)
};

/// Deprecated name of neighbor_rows, until 0.2.
using neighbour_rows [[deprecated("farpoint: use neighbor_rows")]] = neighbor_rows;

/// Deprecated name of neighbor_normals_params, until 0.2.
using neighbour_normals_params [[deprecated("farpoint: use neighbor_normals_params")]] = neighbor_normals_params;

/// Deprecated name of neighbor_normals_output, until 0.2.
template <class Scalar = float>
using neighbour_normals_output [[deprecated("farpoint: use neighbor_normals_output")]] =
    neighbor_normals_output<Scalar>;

FARPOINT_END_NAMESPACE
