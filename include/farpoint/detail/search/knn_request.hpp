/// @file
#pragma once

#include <farpoint/container/topk.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Squared distance to a neighbour that is missing.
template <class Scalar>
inline constexpr Scalar no_distance = std::numeric_limits<Scalar>::infinity();

/// What a list holds, and of whom.
template <class Scalar>
struct knn_request {
  int k;
  Scalar radius2;
  bool exclude_self;

  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t excluded(index_t query) const noexcept {
    return exclude_self && query < index_t{no_index} ? static_cast<std::uint32_t>(query) : no_index;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
