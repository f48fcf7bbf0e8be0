/// @file
/// What is asked of a search for each query.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/core/math.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Squared distance to a neighbour that is missing.
template <class Scalar>
inline constexpr Scalar no_distance = std::numeric_limits<Scalar>::infinity();

/// Length of the lists, and which points may be in them.
template <class Scalar>
struct knn_request {
  int k;
  Scalar radius2;
  bool exclude_self;
  std::uint32_t const* excluded_points = nullptr;  ///< of each query, where that is not the point of its index

  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t excluded(index_t query) const noexcept {
    if (!exclude_self || query >= index_t{no_index}) return no_index;
    return excluded_points != nullptr ? excluded_points[query] : static_cast<std::uint32_t>(query);
  }
};

/// Squared distances, one for each query, beyond which nobody wants its neighbours; those of a request for all queries
/// hold as well.
template <class Scalar>
struct query_limits {
  Scalar const* of_query = nullptr;  ///< null: none
  index_t step = 0;                  ///< from one to the next

  FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar limit2(index_t query, Scalar of_all) const noexcept {
    return of_query == nullptr ? of_all : smaller(of_all, of_query[query * step]);
  }
};

/// Keys of a sorted list of k that stand for a neighbour: missing ones are at its end.
template <class Key>
FARPOINT_HD int count_keys(Key const* keys, int k) noexcept {
  while (k > 0 && keys[k - 1].index() == no_index) --k;
  return k;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
