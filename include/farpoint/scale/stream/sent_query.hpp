/// @file
/// Messages of a search on ranks: bounding boxes, queries, and rows of answers.
#pragma once

#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Message of each rank about its points.
template <class Scalar>
struct knn_shard_box {
  bounding_box<Scalar> box;  ///< around the finite points
  index_t first_index;       ///< of the rank's part
  knn_report report;
};

/// True if the row of a query may need points inside a box.
/// @param limit2  largest squared distance that the row can take
template <class Scalar>
FARPOINT_HD bool may_have_neighbors(bounding_box<Scalar> const& box, vec<Scalar> const& query, Scalar limit2) noexcept {
  return box.low[0] <= box.high[0] && box.distance2(query) <= limit2;
}

/// A query as sent to another rank.
template <class Scalar>
struct sent_query {
  vec<Scalar> at;
  Scalar limit2;  ///< squared distance of the k-th neighbor found so far: farther points are not needed

  /// Positions of `count` queries.
  static point_view<Scalar> view(sent_query const* queries, index_t count) noexcept {
    return {reinterpret_cast<Scalar const*>(queries), count, index_t{sizeof(sent_query)}};
  }
  /// Limits of the queries.
  static query_limits<Scalar> limits(sent_query const* queries) noexcept {
    return {&queries->limit2, index_t{sizeof(sent_query) / sizeof(Scalar)}};
  }
};

/// Queries for a rank, and queries from it, begin at multiples of this: then all messages, rows of answers included,
/// begin at multiples of 16 bytes. NCCL takes twice as long for others from 64 MiB on.
inline constexpr std::uint64_t query_group = 4;

/// Rounds a number of queries up to whole groups.
FARPOINT_HD constexpr std::uint64_t in_query_groups(std::uint64_t queries) noexcept {
  return (queries + query_group - 1) / query_group * query_group;
}

/// Buffers for exchanging queries of `k` neighbors.
/// @tparam Index  type of a neighbor's index
template <class Scalar, class Index = index_t>
struct knn_exchange_memory {
  sent_query<Scalar>* sent;      ///< `[m]`, by rank, with gaps
  std::uint32_t* sent_row;       ///< `[m]`: row of each sent query
  Index* answers;                ///< `[m, k]`: answers to `sent`, by rank
  Scalar* answer_distances;      ///< `[m, k]`
  sent_query<Scalar>* received;  ///< `[m]`
  Index* found;                  ///< `[m, k]`: neighbors of the received queries
  Scalar* found_distances;       ///< `[m, k]`

  knn_exchange_memory() = default;
  /// @param m  number of queries sent or received, gaps included
  knn_exchange_memory(workspace_cutter& cutter, index_t m, index_t k) noexcept
      : sent{cutter.take<sent_query<Scalar>>(m)},
        sent_row{cutter.take<std::uint32_t>(m)},
        answers{cutter.take<Index>(m * k)},
        answer_distances{cutter.take<Scalar>(m * k)},
        received{cutter.take<sent_query<Scalar>>(m)},
        found{cutter.take<Index>(m * k)},
        found_distances{cutter.take<Scalar>(m * k)} {}
};

}  // namespace detail
FARPOINT_END_NAMESPACE
