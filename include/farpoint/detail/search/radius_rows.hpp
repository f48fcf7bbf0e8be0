/// @file
/// What radius() and radius_rows() do with a point within the radius, the same on host and device.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
knn_request<Scalar> request_of(radius_params const& params) noexcept {
  return {static_cast<int>(params.max_neighbors), largest_distance2<Scalar>(params), params.exclude_self};
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

}  // namespace detail
FARPOINT_END_NAMESPACE
