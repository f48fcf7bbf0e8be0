/// @file
/// Merges two lists of neighbors.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Order of a list: by distance, then by index.
struct nearest_first {
  template <class Scalar>
  FARPOINT_HD bool operator()(Scalar distance, index_t index, Scalar other_distance,
                              index_t other_index) const noexcept {
    return distance < other_distance || (distance == other_distance && index < other_index);
  }
};

/// Merges a second list of k neighbors into a query's row. Both lists are sorted; index -1 marks unused entries at the
/// end.
/// @param comes_first  `comes_first(distance, index, other_distance, other_index)`: true if the first precedes the
///                     second
template <class Index, class Scalar, class Order = nearest_first>
FARPOINT_HD void merge_neighbors(Index* indices, Scalar* distances, Index const* others, Scalar const* other_distances,
                                 index_t k, Order const& comes_first = {}) noexcept {
  // Unused entries, with index -1, follow all neighbors.
  auto const is_other = [&](index_t own, index_t other) {
    if (others[other] < 0) return false;
    return indices[own] < 0 || comes_first(other_distances[other], others[other], distances[own], indices[own]);
  };
  index_t other = 0;
  // Invariant: among the first j merged neighbors, `other` come from the second list.
  for (index_t j = 0; j < k; ++j) other += is_other(j - other, other) ? 1 : 0;
  // Merging from the end overwrites only neighbors that have been moved or are not among the k best.
  index_t own = k - other;
  for (index_t j = k; j-- > 0 && other > 0;) {
    bool const takes_own = own > 0 && is_other(own - 1, other - 1);
    index_t const from = takes_own ? --own : --other;
    indices[j] = takes_own ? indices[from] : others[from];
    distances[j] = takes_own ? distances[from] : other_distances[from];
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
