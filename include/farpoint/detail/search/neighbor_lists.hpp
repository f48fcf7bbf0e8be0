/// @file
/// Operations that hand a list of neighbors to a consumer, a thread per query; see query_kernel().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Search for a list in the order of `Key`: by distance, or by index alone.
template <class Key>
struct list_order;

template <class Scalar>
struct list_order<neighbor_key<Scalar>> {
  FARPOINT_HD static neighbor_key<Scalar> limit(Scalar radius2) noexcept { return {radius2, no_index}; }

  template <class List>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void search(point_bvh_ref<Scalar> const& index,
                                                        search_query<Scalar> const& q, std::uint32_t start, List& list,
                                                        knn_request<Scalar> const& request) noexcept {
    index.search(q.at, start, list, request.excluded(q.index));
  }
};

template <class Scalar>
struct list_order<index_key<Scalar>> {
  FARPOINT_HD static index_key<Scalar> limit(Scalar) noexcept { return {Scalar(0), no_index}; }

  template <class List>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void search(point_bvh_ref<Scalar> const& index,
                                                        search_query<Scalar> const& q, std::uint32_t start, List& list,
                                                        knn_request<Scalar> const& request) noexcept {
    lowest_visitor<Scalar, List> visitor{request.radius2, list, request.excluded(q.index)};
    index.visit(q.at, start, visitor);
  }
};

/// Leaf that a query begins with.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t start_of(search_query<Scalar> const& q,
                                                          point_bvh_ref<Scalar> const& index) noexcept {
  return q.start != no_index ? q.start : index.leaf_near(q.at);
}

/// Keeps lists in registers. Calls `consumer(query, keys, count)`, keys ascending, or `consumer.leave_empty(row)` for a
/// query that is not finite.
template <class Key, int Capacity, class Consumer>
struct register_lists {
  using scalar = decltype(Key{}.distance2());

  knn_request<scalar> request;
  Consumer consumer;

  FARPOINT_HD index_t answer(search_query<scalar> const& q, point_bvh_ref<scalar> const& index) const noexcept {
    topk_list<Key, Capacity> list{request.k, list_order<Key>::limit(request.radius2)};
    list_order<Key>::search(index, q, start_of(q, index), list, request);
    Key keys[std::size_t{Capacity}];
    list.write(keys, request.k);
    int const count = count_keys(keys, request.k);
    consumer(q, keys, count);
    return count;
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept { consumer.leave_empty(row); }
};

/// Writes lists to the rows of an output, also as a consumer of register_lists.
template <class Scalar>
struct row_writer {
  index_t max;  ///< cells of a row
  index_span indices;
  span<Scalar> distances;
  index_span counts;
  index_t first_index = 0;  ///< added to the indices of neighbors

  template <class Key>
  FARPOINT_HD void operator()(search_query<Scalar> const& q, Key const* keys, int count) const noexcept {
    for (int j = 0; j < count; ++j) {
      indices.set(q.row * max + j, first_index + index_t{keys[j].index()});
      if (!distances.empty()) distances[static_cast<std::size_t>(q.row * max + j)] = keys[j].distance2();
    }
    pad(q.row, count);
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept { pad(row, 0); }

  /// Fills a row from `count` on, and writes the count.
  FARPOINT_HD void pad(index_t row, index_t count) const noexcept {
    for (index_t j = count; j < max; ++j) {
      indices.set(row * max + j, -1);
      if (!distances.empty()) distances[static_cast<std::size_t>(row * max + j)] = no_distance<Scalar>;
    }
    if (!counts.empty()) counts.set(row, count);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
