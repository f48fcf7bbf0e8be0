/// @file
/// Parameters of knn_shard() that repartitions points along a space-filling curve before it searches.
#pragma once

#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Parameters of knn_shard() that first repartitions the points so that each rank owns a compact part of the cloud,
/// however the points are spread over the ranks.
///
/// Owner r of R has the finite points from n r / R to n (r + 1) / R of the n finite points in Hilbert order, so the
/// parts differ by one point at most. A query goes to the owner of its position on the curve. Indices of neighbors are
/// sent with 32 bits if the cloud has fewer than 2^31 points, and with 64 bits otherwise; for the workspace, the cloud
/// has ranks x owned_points.
struct along_curve {
  /// Number of neighbors, search radius and excluded points.
  knn_params neighbors = {};

  /// Number of points that this rank has room for as an owner: the points of the whole cloud, non-finite ones included,
  /// divided by the number of ranks and rounded up.
  index_t owned_points = 0;

  /// Number of queries that this rank has room for as an owner. 0 if on all ranks the queries are the points (the same
  /// view): then they move together.
  index_t owned_queries = 0;
};

FARPOINT_END_NAMESPACE
