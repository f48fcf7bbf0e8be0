/// @file
/// What radius() and radius_rows() do with the points within the radius of a query, the same on host and device; for a
/// thread per query see query_kernel().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/search/neighbor_lists.hpp>
#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
knn_request<Scalar> request_of(radius_params const& params) noexcept {
  return {static_cast<int>(params.max_neighbors), largest_distance2<Scalar>(params), params.exclude_self};
}

/// Fills what the capacity holds of a row of radius_rows() that does not fit.
template <class Scalar>
FARPOINT_HD void leave_out_row(radius_rows_output<Scalar> const& output, index_t begin, index_t end) noexcept {
  for (index_t at = begin; at < end && at < output.indices.size(); ++at) {
    output.indices.set(at, -1);
    if (!output.distances.empty()) output.distances[static_cast<std::size_t>(at)] = no_distance<Scalar>;
  }
}

/// Counts the points that it is called with, except the excluded one.
class neighbor_counter {
 public:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE explicit neighbor_counter(std::uint32_t excluded) noexcept : excluded_{excluded} {}
  template <class Scalar>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void operator()(std::uint32_t index, Scalar) noexcept {
    count_ += index != excluded_ ? 1 : 0;
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t count() const noexcept { return count_; }

 private:
  std::uint32_t excluded_;
  index_t count_ = 0;
};

/// Writes indices to a row, in the order in which they come.
class row_collector {
 public:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE row_collector(index_span indices, index_t begin, std::uint32_t excluded) noexcept
      : indices_{indices}, place_{begin}, excluded_{excluded} {}
  template <class Scalar>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void operator()(std::uint32_t index, Scalar) noexcept {
    if (index != excluded_) indices_.set(place_++, index_t{index});
  }

 private:
  index_span indices_;
  index_t place_;
  std::uint32_t excluded_;
};

/// Counts the neighbors.
template <class Scalar>
struct radius_count {
  knn_request<Scalar> request;
  index_span counts;  ///< optional

  FARPOINT_HD index_t answer(search_query<Scalar> const& q, point_bvh_ref<Scalar> const& index) const noexcept {
    neighbor_counter counter{request.excluded(q.index)};
    within_visitor<Scalar, neighbor_counter> visitor{request.radius2, counter};
    index.visit(q.at, start_of(q, index), visitor);
    if (!counts.empty()) counts.set(q.row, counter.count());
    return counter.count();
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    if (!counts.empty()) counts.set(row, 0);
  }
};

/// A row of an output as the memory of a topk_heap. A missing element is written as -1; distances that the output does
/// not take are computed again where the heap reads them.
template <class Key, class Points>
class row_of_keys {
 public:
  using scalar = typename Points::scalar;

  class element {
   public:
    FARPOINT_HD element(row_of_keys const& row, index_t at) noexcept : row_{row}, at_{at} {}
    FARPOINT_HD operator Key() const noexcept {
      index_t const i = row_.indices_.get(at_);
      scalar const d =
          row_.distances_.empty() ? distance2(row_.cloud_[i], row_.q_) : row_.distances_[static_cast<std::size_t>(at_)];
      return {d, static_cast<std::uint32_t>(i)};
    }
    // NOLINTNEXTLINE(misc-unconventional-assign-operator): writes the row; an element is a temporary
    FARPOINT_HD void operator=(Key const& key) const noexcept {
      row_.indices_.set(at_, key.index() == no_index ? index_t{-1} : index_t{key.index()});
      if (!row_.distances_.empty()) row_.distances_[static_cast<std::size_t>(at_)] = key.distance2();
    }

   private:
    row_of_keys const& row_;
    index_t at_;
  };

  /// @param begin  of the row
  FARPOINT_HD row_of_keys(index_span indices, span<scalar> distances, index_t begin, Points const& cloud,
                          vec<scalar, 3> const& q) noexcept
      : indices_{indices}, distances_{distances}, begin_{begin}, cloud_{cloud}, q_{q} {}

  FARPOINT_HD element operator[](int j) const noexcept { return {*this, begin_ + j}; }

 private:
  index_span indices_;
  span<scalar> distances_;
  index_t begin_;
  Points cloud_;
  vec<scalar, 3> q_;
};

/// Fills rows whose offsets are known. Rows of up to `collected` elements come in any order and without distances.
template <class Key, class Points>
struct radius_rows_fill {
  using scalar = typename Points::scalar;

  knn_request<scalar> request;  ///< its k is not used
  batch<Points> points;
  radius_rows_output<scalar> output;
  index_t collected;

  FARPOINT_HD index_t answer(search_query<scalar> const& q, point_bvh_ref<scalar> const& index) const noexcept {
    index_t const begin = output.offsets.get(q.row);
    index_t const end = output.offsets.get(q.row + 1);
    if (!row_fits(end, output.indices.size(), output.offsets.wide())) {
      leave_out_row(output, begin, end);
    } else if (end - begin <= collected) {
      row_collector collector{output.indices, begin, request.excluded(q.index)};
      within_visitor<scalar, row_collector> visitor{request.radius2, collector};
      if (begin < end) index.visit(q.at, start_of(q, index), visitor);
    } else {
      row_of_keys<Key, Points> const row{output.indices, output.distances, begin, points[q.cloud], q.at};
      topk_heap<Key, row_of_keys<Key, Points>> list{row, static_cast<int>(end - begin),
                                                    list_order<Key>::limit(request.radius2)};
      list_order<Key>::search(index, q, start_of(q, index), list, request);
      list.sort();
    }
    return 0;
  }
  FARPOINT_HD void leave_empty(index_t) const noexcept {}
};

}  // namespace detail
FARPOINT_END_NAMESPACE
