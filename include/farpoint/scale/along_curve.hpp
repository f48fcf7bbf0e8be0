/// @file
/// Calls on shards whose points move to owners first.
#pragma once

#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Method of knn_shard(): exact, among points that have moved to owners, so that each rank has a compact part of the
/// cloud, however points are spread over the ranks that make the call.
///
/// Owner r of R has the finite points from n r / R up to n (r + 1) / R, of n in their order along Hilbert's curve: as
/// many as any other, or one less. A query goes to the owner of its place. The places of neighbours in the cloud travel
/// with 32 bits where it has fewer than 2^31 points, and with 64 otherwise; the workspace goes by ranks x owned_points.
struct along_curve {
  /// Which points are neighbours.
  exact neighbours = {};

  /// Points that the rank has room for as an owner: the cloud's points, those that are not finite too, divided by the
  /// ranks and rounded up.
  index_t owned_points = 0;

  /// Queries that the rank has room for as an owner. 0 where all ranks ask about their own points, which move as one:
  /// the queries are the same view.
  index_t owned_queries = 0;
};

FARPOINT_END_NAMESPACE
