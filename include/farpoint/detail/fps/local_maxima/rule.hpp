/// @file
/// The rule by which fps() accepts many samples at once: every local maximum. docs/design/fps_local_maxima.md proves
/// it.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The place of a candidate in the serial loop's order, as an integer: the larger distance is better, then the lower
/// index. No two candidates have the same key, and none has key 0.
using fps_key = std::uint64_t;

/// @param distance  not negative
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_of(float distance, std::uint32_t index) noexcept {
  return static_cast<fps_key>(float_bits(distance)) << 32 | ~index;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE float fps_distance_of(fps_key key) noexcept {
  return float_of_bits(static_cast<std::uint32_t>(key >> 32));
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_index_of(fps_key key) noexcept {
  return ~static_cast<std::uint32_t>(key);
}

/// A candidate or a sample, with the ball that matters to it: what is closer than its own distance.
template <int Dim, class Scalar = float>
struct alignas(16) fps_ball {
  vec<Scalar, Dim> centre;
  Scalar radius2;
};

/// True when `other` keeps `mine` from being accepted: it is better, and inside my ball. A candidate that nothing keeps
/// is a sample of the serial loop, at exactly its present distance, whatever else is undecided.
/// @tparam Key  fps_key, or another type whose order is that of candidates
template <int Dim, class Scalar, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool fps_blocks(fps_ball<Dim, Scalar> const& other, Key other_key,
                                                   fps_ball<Dim, Scalar> const& mine, Key my_key) noexcept {
  bool const is_better = other_key > my_key;
  return (distance2(other.centre, mine.centre) < mine.radius2) & is_better;
}

/// A candidate's distance after `sample` was accepted. A sample lowers only what is inside its ball: a point outside of
/// it that is farther from all samples comes before the sample in the serial loop.
template <int Dim>
FARPOINT_HD FARPOINT_ALWAYS_INLINE float fps_lowered(float distance, vec<float, Dim> const& point,
                                                     fps_ball<Dim> const& sample) noexcept {
  float const to_sample = distance2(point, sample.centre);
  return to_sample < min_number(sample.radius2, distance) ? to_sample : distance;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
