/// @file
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/taken.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Distance that a point starts with: infinite, or none for a point that must never be picked.
template <class Scalar, int Dim>
__device__ Scalar fps_start(vec<Scalar, Dim> const& point) noexcept {
  return is_finite(point) ? not_yet_measured<Scalar> : no_candidate<Scalar>;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
