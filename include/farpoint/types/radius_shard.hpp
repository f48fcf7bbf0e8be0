/// @file
/// Outputs of radius_shard().
#pragma once

#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of radius_shard(): the rows of the rank's queries.
template <class Scalar = float>
struct radius_shard_output {
  span<index_t> indices = {};  ///< `[queries, max_neighbors]`: indices into the whole cloud, as in radius_output
  span<Scalar> distances =
      {};  ///< `[queries, max_neighbors]`: squared distances (m^2), as in radius_output; not optional
  span<index_t> counts = {};  ///< `[queries]`: as in radius_output; not optional
  /// Room for queries sent, and again for queries received; not used by radius_shard_plan().
  index_t exchanged_capacity = 0;
  index_t* exchanged = nullptr;     ///< larger count of queries sent or received, even if above capacity; optional
  radius_report* report = nullptr;  ///< sums over all ranks, the same on every rank; optional
};

FARPOINT_END_NAMESPACE
