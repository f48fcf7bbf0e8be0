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

/// fps_key for distances in double: the bits of the distance, and the complement of the index. {} is worse than all.
/// Aligned so that one access of 16 bytes writes or reads it.
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
/// Subtracts from the key as a number of 96 bits, which `amount` does not exceed.
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key operator-(fps_wide_key const& key, std::uint32_t amount) noexcept {
  return {key.distance - (key.low < amount ? 1 : 0), key.low - amount};
}

/// The keys of candidates whose distances are Scalars.
template <class Scalar>
using fps_key_for = std::conditional_t<sizeof(Scalar) == 8, fps_wide_key, fps_key>;

/// A key from its halves.
/// @param distance  not negative
/// @param low       the complement of the index
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_with(float distance, std::uint32_t low) noexcept {
  return static_cast<fps_key>(float_bits(distance)) << 32 | low;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key fps_key_with(double distance, std::uint32_t low) noexcept {
  return {static_cast<std::uint64_t>(ordered_integer(distance)), low};
}

/// A key from the bits of a distance and the complement of the index.
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_key fps_key_of_bits(std::uint32_t distance, std::uint32_t low) noexcept {
  return static_cast<fps_key>(distance) << 32 | low;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE fps_wide_key fps_key_of_bits(std::uint64_t distance, std::uint32_t low) noexcept {
  return {distance, low};
}

/// @param distance  not negative
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

/// Bits of a key's distance: integers of the same order.
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

/// The key halfway between two, as numbers, rounded down. @param high  not less than `low`
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
template <int Dim, class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar fps_lowered(Scalar distance, vec<Scalar, Dim> const& point,
                                                      fps_ball<Dim, Scalar> const& sample) noexcept {
  Scalar const to_sample = distance2(point, sample.centre);
  return to_sample < min_number(sample.radius2, distance) ? to_sample : distance;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
