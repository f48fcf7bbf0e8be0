/// @file
/// Outputs of knn_shard().
#pragma once

#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of knn_shard(): the rows of the rank's queries.
template <class Scalar = float>
struct knn_shard_output {
  span<index_t> indices = {};   ///< `[queries, k]`: indices into the whole cloud, as in knn_output
  span<Scalar> distances = {};  ///< `[queries, k]`: squared distances (m^2), as in knn_output; not optional
  /// Room for queries sent, and again for queries received; not used by knn_shard_plan().
  index_t exchanged_capacity = 0;
  index_t* exchanged = nullptr;  ///< larger count of queries sent or received, even if above capacity; optional
  knn_report* report = nullptr;  ///< sums over all ranks, the same on every rank; optional
  /// For along_curve if some rank's queries are not its points: number of queries that this rank owns, even if above
  /// along_curve::owned_queries. Host memory; optional.
  index_t* owned_queries = nullptr;
};

FARPOINT_END_NAMESPACE
