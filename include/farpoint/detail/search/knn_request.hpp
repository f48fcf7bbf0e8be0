/// @file
/// Request of a search: number of neighbors, and limits of their distances.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/check.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Squared distance to a missing neighbor.
template <class Scalar>
inline constexpr Scalar no_distance = std::numeric_limits<Scalar>::infinity();

/// Largest k whose lists fit in registers, in addition to the registers of a consumer of the lists.
template <class Scalar>
inline constexpr int max_in_registers = sizeof(Scalar) == 4 ? 32 : 16;

/// Length of the lists, and points that are excluded from them.
template <class Scalar>
struct knn_request {
  int k;
  Scalar radius2;
  bool exclude_self;
  /// Excluded point of each query; null: the point with the query's index.
  std::uint32_t const* excluded_points = nullptr;

  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t excluded(index_t query) const noexcept {
    if (!exclude_self || query >= index_t{no_index}) return no_index;
    return excluded_points != nullptr ? excluded_points[query] : static_cast<std::uint32_t>(query);
  }
};

template <class Scalar>
knn_request<Scalar> request_of(knn_params const& params) noexcept {
  return {static_cast<int>(params.k), squared_radius<Scalar>(params.max_radius), params.exclude_self};
}

/// Limits of squared distances, one per query, that hold in addition to a request's limit for all queries.
template <class Scalar>
struct query_limits {
  Scalar const* of_query = nullptr;  ///< null: no limits
  index_t step = 0;                  ///< distance between the limits of consecutive queries

  FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar limit2(index_t query, Scalar of_all) const noexcept {
    return of_query == nullptr ? of_all : smaller(of_all, of_query[query * step]);
  }
};

/// Returns how many of the k keys of a sorted list are neighbors; missing neighbors are at its end.
template <class Key>
FARPOINT_HD int count_keys(Key const* keys, int k) noexcept {
  while (k > 0 && keys[k - 1].index() == no_index) --k;
  return k;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
