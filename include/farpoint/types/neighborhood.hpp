/// @file
/// Arguments of the consumers of for_each_neighborhood().
#pragma once

#include <farpoint/container/nearest_list.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE

/// Maximum number of neighbors of for_each_neighborhood().
inline constexpr int max_neighborhood = 32;

/// Query of for_each_neighborhood(), and its position in the batch.
template <class Scalar = float>
struct neighborhood_query {
  index_t cloud;      ///< cloud of the query and of its neighbors
  index_t index;      ///< index in the cloud of queries
  index_t row;        ///< index in the view of the queries of all clouds
  vec<Scalar, 3> at;  ///< coordinates, meters
};

/// K nearest points of a query, ascending by (squared distance, index): `list[j].index()`, an index into the query's
/// cloud of points, and `list[j].distance2()`, squared meters, for j below list.size(). See nearest_list.
template <class Scalar, int K>
using neighborhood = nearest_list<neighbor_key<Scalar>, K>;

namespace detail {

template <class Consumer, class = void>
inline constexpr bool leaves_empty = false;
template <class Consumer>
inline constexpr bool
    leaves_empty<Consumer, std::void_t<decltype(std::declval<Consumer const&>().leave_empty(index_t{}))>> = true;

/// Stops the compilation with a sentence if a consumer cannot be called.
template <class Consumer, class Scalar, int K>
constexpr void check_consumer() noexcept {
  static_assert(K >= 1 && K <= max_neighborhood,
                "farpoint: for_each_neighborhood() keeps 1 to 32 neighbors of a query in registers; knn() writes up to "
                "1,024 to memory");
  static_assert(
      std::is_invocable_v<Consumer const&, neighborhood_query<Scalar> const&, neighborhood<Scalar, K> const&>,
      "farpoint: a consumer has operator()(neighborhood_query<Scalar> const&, neighborhood<Scalar, K> const&) "
      "const, with the scalar type of the points");
  static_assert(leaves_empty<Consumer>,
                "farpoint: a consumer has leave_empty(index_t row) const, for queries that are not finite");
}

}  // namespace detail
FARPOINT_END_NAMESPACE
