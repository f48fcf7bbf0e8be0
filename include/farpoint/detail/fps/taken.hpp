/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Distance of a point that is no candidate: picked already, not finite, or padding. No distance is below it, so it
/// stays.
template <class Scalar>
inline constexpr Scalar no_candidate = Scalar(-1);

/// Distance of a candidate before the first sample: larger than all, or equal to one that overflows.
template <class Scalar>
inline constexpr Scalar not_yet_measured = std::numeric_limits<Scalar>::infinity();

}  // namespace detail
FARPOINT_END_NAMESPACE
