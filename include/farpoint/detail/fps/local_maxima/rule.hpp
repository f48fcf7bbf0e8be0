/// @file
/// Keys of candidates, and the rule by which fps() accepts all local maxima at once. docs/design/fps.md proves the
/// rule.
///
/// The *ball* of a candidate has all points that are closer to it than its nearest sample. A candidate is accepted if
/// its ball contains no candidate with a better key. Example: points at 0, 2, 3, 10 and 11 on a line; the first sample
/// is 0.
///
///   round 1   point 2    distance2 4     blocked by 3, which is better and 1 away
///             point 3    distance2 9     accepted: the better points 10 and 11 are outside its ball
///             point 10   distance2 100   blocked by 11
///             point 11   distance2 121   accepted: no key is better
///   round 2   points 2 and 10, both lowered to 1: accepted
///   answer    by key: 0, 11 (121), 3 (9), 2 (1), 10 (1); equal distances by index
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Key of a candidate: an integer whose descending order is the order in which the serial loop compares candidates, by
/// larger distance and then by lower index. Keys are unique, and none is 0.
using fps_key = std::uint64_t;

/// Key of a candidate with distances in double: the bits of the distance, and the complement of the index. The key {}
/// is worse than every candidate's. Alignment lets one access of 16 bytes read or write a key.
struct alignas(16) fps_wide_key {
  std::uint64_t distance;
  std::uint32_t low;
};
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool operator>(fps_wide_key const& a, fps_wide_key const& b) noexcept {
  return (a.distance > b.distance) | ((a.distance == b.distance) & (a.low > b.low));
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool operator<(fps_wide_key const& a, fps_wide_key const& b) noexcept {
  return b > a;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool operator<=(fps_wide_key const& a, fps_wide_key const& b) noexcept {
  return !(a > b);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool operator==(fps_wide_key const& a, fps_wide_key const& b) noexcept {
  return (a.distance == b.distance) & (a.low == b.low);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool operator!=(fps_wide_key const& a, fps_wide_key const& b) noexcept {
  return !(a == b);
}
/// Returns the key, a number of 96 bits, less `amount`. @pre key >= amount
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key operator-(fps_wide_key const& key, std::uint32_t amount) noexcept {
  return {key.distance - (key.low < amount ? 1 : 0), key.low - amount};
}

/// Type of the keys of candidates whose distances are Scalars.
template <class Scalar>
using fps_key_for = std::conditional_t<sizeof(Scalar) == 8, fps_wide_key, fps_key>;

/// Composes a key from its distance and its lower half.
/// @param distance  not negative
/// @param low       complement of the index
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_with(float distance, std::uint32_t low) noexcept {
  return static_cast<fps_key>(float_bits(distance)) << 32 | low;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key fps_key_with(double distance, std::uint32_t low) noexcept {
  return {static_cast<std::uint64_t>(ordered_integer(distance)), low};
}

/// Composes a key from the bits of a distance and the complement of the index.
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_of_bits(std::uint32_t distance, std::uint32_t low) noexcept {
  return static_cast<fps_key>(distance) << 32 | low;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key fps_key_of_bits(std::uint64_t distance, std::uint32_t low) noexcept {
  return {distance, low};
}

/// Composes a key. @param distance  not negative
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key_for<Scalar> fps_key_of(Scalar distance, std::uint32_t index) noexcept {
  return fps_key_with(distance, ~index);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE float fps_distance_of(fps_key key) noexcept {
  return float_of_bits(static_cast<std::uint32_t>(key >> 32));
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE double fps_distance_of(fps_wide_key const& key) noexcept {
  return ordered_integer_value<double>(static_cast<std::int64_t>(key.distance));
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_index_of(fps_key key) noexcept {
  return ~static_cast<std::uint32_t>(key);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_index_of(fps_wide_key const& key) noexcept {
  return ~key.low;
}

/// Returns the bits of a key's distance, an integer in the order of distances.
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_distance_bits(fps_key key) noexcept {
  return static_cast<std::uint32_t>(key >> 32);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint64_t fps_distance_bits(fps_wide_key const& key) noexcept {
  return key.distance;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_low_of(fps_key key) noexcept {
  return static_cast<std::uint32_t>(key);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t fps_low_of(fps_wide_key const& key) noexcept {
  return key.low;
}

/// Returns the key halfway between two keys as numbers, rounded down. @param high  not less than `low`
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_between(fps_key low, fps_key high) noexcept {
  return low + (high - low) / 2;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key fps_key_between(fps_wide_key const& low,
                                                                fps_wide_key const& high) noexcept {
  std::uint64_t const upper = high.distance - low.distance - (high.low < low.low ? 1 : 0);
  std::uint32_t const half = (high.low - low.low) >> 1 | static_cast<std::uint32_t>(upper << 31);
  std::uint32_t const sum = low.low + half;
  return {low.distance + (upper >> 1) + (sum < half ? 1 : 0), sum};
}

/// A candidate or a sample with its ball: all points closer than its own distance to the samples.
template <int Dim, class Scalar = float>
struct alignas(16) fps_ball {
  vec<Scalar, Dim> center;
  Scalar radius2;
};

/// Returns true if `other` blocks `mine`: `other` has the better key and lies inside the ball of `mine`. A candidate
/// that no other candidate blocks is a sample of the serial loop, at its present distance, whichever other candidates
/// are still undecided.
/// @tparam Key  fps_key, or another type with the order of candidates
template <int Dim, class Scalar, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool fps_blocks(fps_ball<Dim, Scalar> const& other, Key other_key,
                                                   fps_ball<Dim, Scalar> const& mine, Key my_key) noexcept {
  bool const is_better = other_key > my_key;
  return (distance2(other.center, mine.center) < mine.radius2) & is_better;
}

/// Returns a candidate's distance after `sample` was accepted. A sample lowers only points inside its own ball: the
/// serial loop takes a point outside the ball that is farther from all samples before it takes the sample.
template <int Dim, class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar fps_lowered(Scalar distance, vec<Scalar, Dim> const& point,
                                                      fps_ball<Dim, Scalar> const& sample) noexcept {
  Scalar const to_sample = distance2(point, sample.center);
  return to_sample < min_number(sample.radius2, distance) ? to_sample : distance;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
